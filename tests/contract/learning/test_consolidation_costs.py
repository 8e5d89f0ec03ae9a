"""What consolidation costs: requests and units, all in."""

from functools import partial

import pytest

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.ports.learning import LEARNING_SHARDS
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_release
from tests.builders.requests import change
from tests.worlds.crossing import consolidate_later, crossing, release_in
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


@pytest.mark.parametrize("scopes", [2, 12])
def test_traces_kept_back_in_other_scopes_cost_a_new_trace_nothing(
    dynoxide: TableStore, scopes: int
) -> None:
    services, spent = crossing(dynoxide), meter(dynoxide.client)
    for number in range(scopes):
        keep_back(f"s-{number}", dynoxide, services)
    release_in("new", "t-1", services=services)
    dynoxide.clock.advance(hours=1)

    cost = spent_by(partial(consolidate_all, services), spent)

    assert cost.requests - LEARNING_SHARDS == 14


def keep_back(scope: str, store: TableStore, services: Services) -> None:
    """Consolidate a release like a skill that the scope has dismissed."""
    release_in(scope, f"first-of-{scope}", f"second-of-{scope}", services=services)
    (skill_id,) = consolidate_later(store, services).skills
    change(DeleteRecord(id=skill_id, rationale="wrong"), services)
    release_in(scope, f"third-of-{scope}", services=services)
    assert len(consolidate_later(store, services).unmatched) == 1
