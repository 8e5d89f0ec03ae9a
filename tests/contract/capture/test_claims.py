"""Claims to a capture: one worker at a time, for a time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import NamedTuple

import pytest

from membrane.adapters.dynamodb.capture.claims import DynamoClaims
from tests.worlds.stores import Store


class Claiming(NamedTuple):
    """The claims, and the clock by which they run out."""

    claims: DynamoClaims
    advance: Callable[[int], None]


def claims_over(table: Store) -> DynamoClaims:
    return DynamoClaims(table.client, table.table, table.clock)


@pytest.fixture
def claiming(table: Store) -> Claiming:
    return Claiming(claims_over(table), lambda seconds: table.clock.advance(seconds=seconds))


def test_a_capture_that_a_worker_claims_is_refused_to_another_worker(claiming: Claiming) -> None:
    claims = claiming.claims

    assert claims.take("a", "one", 240)
    assert not claims.take("a", "two", 240)
    assert claims.take("b", "two", 240)


def test_a_worker_claims_anew_as_after_a_lost_reply(claiming: Claiming) -> None:
    assert claiming.claims.take("a", "one", 240)
    assert claiming.claims.take("a", "one", 240)


def test_a_claim_runs_out(claiming: Claiming) -> None:
    claiming.claims.take("a", "one", 240)

    claiming.advance(239)
    assert not claiming.claims.take("a", "two", 240)
    claiming.advance(1)

    assert claiming.claims.take("a", "two", 240)
    assert not claiming.claims.take("a", "one", 240)


def test_a_worker_ends_the_own_claim_alone(claiming: Claiming) -> None:
    claiming.claims.take("a", "one", 240)

    claiming.claims.release("a", "two")
    assert not claiming.claims.take("a", "two", 240)
    claiming.claims.release("a", "one")

    assert claiming.claims.take("a", "two", 240)
    claiming.claims.release("unclaimed", "one")
    assert claiming.claims.take("unclaimed", "two", 240)


def test_of_many_workers_at_once_one_claims(table: Store) -> None:
    claims = claims_over(table)

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda worker: claims.take("a", f"w-{worker}", 240), range(32)))

    assert taken.count(True) == 1


def test_a_claim_is_one_item_that_ttl_removes(table: Store) -> None:
    table.watched.requests.clear()

    claims_over(table).take("a", "one", 240)
    claims_over(table).release("a", "one")

    (item,) = table.partition("interpreter-claims")
    assert table.watched.operations() == ["UpdateItem", "UpdateItem"]
    least = table.clock() + timedelta(seconds=240)
    assert int(item["expires_at"]["N"]) >= least.timestamp()
