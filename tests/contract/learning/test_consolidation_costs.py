"""What consolidation costs: requests and units, all in."""

from functools import partial

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.ports.learning import LEARNING_SHARDS
from tests.builders.episodes import add_release
from tests.worlds.metering import meter, spent_by
from tests.worlds.stores import TableStore

MOST_REQUESTS_OF_A_TRACE = 12


def test_a_run_with_nothing_to_do_takes_a_query_a_shard(dynoxide: TableStore) -> None:
    spent = meter(dynoxide.client)

    cost = spent_by(partial(consolidate_all, dynoxide.services), spent)

    assert cost.requests == LEARNING_SHARDS
    assert cost.read_units == LEARNING_SHARDS / 2
    assert cost.write_units == 0


def test_a_new_trace_takes_at_most_twelve_requests_beside_the_listing(
    dynoxide: TableStore,
) -> None:
    services, spent = dynoxide.services, meter(dynoxide.client)
    for number, status in enumerate(["success", "success", "failure", "success"]):
        add_release(f"t-{number}", f"1.{number}", services, OutcomeStatus(status))
        dynoxide.clock.advance(hours=1)

        cost = spent_by(partial(consolidate_all, services), spent)

        assert cost.requests > LEARNING_SHARDS
        assert cost.requests - LEARNING_SHARDS <= MOST_REQUESTS_OF_A_TRACE
