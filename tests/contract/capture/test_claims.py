"""Claims of workers to interpret a capture."""

from tests.worlds.stores import Store

A_MINUTE = 60


def test_a_worker_whose_time_is_over_does_not_end_the_claim_of_the_next(store: Store) -> None:
    claims = store.services.claims
    assert claims.take("capture-1", "first", A_MINUTE)
    store.clock.advance(seconds=A_MINUTE)
    assert claims.take("capture-1", "second", A_MINUTE)

    claims.release("capture-1", "first")

    assert not claims.take("capture-1", "third", A_MINUTE)
    claims.release("capture-1", "second")
    assert claims.take("capture-1", "third", A_MINUTE)
