"""What consolidation costs: requests and units, all in."""

from functools import partial

import pytest

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.ports.learning import LEARNING_SHARDS
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, add_release, end, triple
from tests.builders.requests import change
from tests.worlds.crossing import consolidate_later, crossing, release_in, within_scopes
from tests.worlds.metering import meter, spent_by
from tests.worlds.stores import Store

MOST_REQUESTS_OF_A_TRACE = 12


def test_a_run_with_nothing_to_do_takes_a_query_a_shard(table: Store) -> None:
    spent = meter(table.client)

    cost = spent_by(partial(consolidate_all, table.services), spent)

    assert cost.requests == LEARNING_SHARDS
    assert cost.read_units == LEARNING_SHARDS / 2
    assert cost.write_units == 0


def test_a_new_trace_takes_at_most_twelve_requests_beside_the_listing(
    table: Store,
) -> None:
    services, spent = table.services, meter(table.client)
    for number, status in enumerate(["success", "success", "failure", "success"]):
        add_release(f"t-{number}", f"1.{number}", services, OutcomeStatus(status))
        table.clock.advance(hours=1)

        cost = spent_by(partial(consolidate_all, services), spent)

        assert cost.requests > LEARNING_SHARDS
        assert cost.requests - LEARNING_SHARDS <= MOST_REQUESTS_OF_A_TRACE


@pytest.mark.parametrize(("facts", "requests"), [(0, 8), (1, 12), (2, 13), (5, 16)])
def test_a_trace_with_new_facts_takes_four_requests_more_and_one_for_each_further_fact(
    table: Store, facts: int, requests: int
) -> None:
    services, spent = table.services, meter(table.client)
    add_owners("t-1", facts, services)
    table.clock.advance(hours=1)

    cost = spent_by(partial(consolidate_all, services), spent)

    assert cost.requests - LEARNING_SHARDS == requests


def test_a_trace_that_repeats_facts_takes_a_request_more_for_each(table: Store) -> None:
    services, spent = table.services, meter(table.client)
    add_owners("t-1", 3, services)
    table.clock.advance(hours=1)
    consolidate_all(services)
    add_owners("t-2", 3, services, tool="people")
    table.clock.advance(hours=1)

    cost = spent_by(partial(consolidate_all, services), spent)

    assert cost.requests - LEARNING_SHARDS == 17


def add_owners(thread: str, facts: int, services: Services, tool: str = "owners") -> None:
    """A thread with a result that states so many facts."""
    stated = [triple(f"module {number}", "Ada") for number in range(facts)]
    add_event(thread, f"Look up {tool}", services)
    end(add_call(thread, tool, {"path": "src"}, stated, services).id, services)


SUCCESS, FAILURE = OutcomeStatus.SUCCESS, OutcomeStatus.FAILURE


@pytest.mark.parametrize(
    ("statuses", "requests"),
    [
        # a trace like no other, a trace that founds a skill with another, and uses of the skill
        ([SUCCESS, SUCCESS, SUCCESS, FAILURE], [11, 14, 14, 14]),
        # a skill of three scopes: the decay profiles of each scope are read
        ([SUCCESS, FAILURE, SUCCESS], [11, 12, 15]),
        # traces that are alike and found nothing
        ([FAILURE, FAILURE, FAILURE, FAILURE], [11, 12, 12, 12]),
    ],
)
def test_a_trace_takes_few_requests_more_across_scopes(
    table: Store, statuses: list[OutcomeStatus], requests: list[int]
) -> None:
    services, spent = crossing(table), meter(table.client)
    found = []

    for number, status in enumerate(statuses):
        add_release(f"t-{number}", f"1.{number}", services, status, scope=f"s-{number}")
        table.clock.advance(hours=1)
        cost = spent_by(partial(consolidate_all, services), spent)
        found.append(cost.requests - LEARNING_SHARDS)

    assert found == requests


def test_a_use_of_a_skill_of_the_scope_costs_no_request_more_across_scopes(
    table: Store,
) -> None:
    services, spent = crossing(table), meter(table.client)
    release_in("a", "t-1", "t-2", services=services)
    assert consolidate_later(table, services).skills
    found = []

    for thread, world in (("t-3", services), ("t-4", within_scopes(services))):
        release_in("a", thread, services=world)
        table.clock.advance(hours=1)
        found.append(spent_by(partial(consolidate_all, world), spent).requests)

    assert found[0] == found[1] <= LEARNING_SHARDS + MOST_REQUESTS_OF_A_TRACE


@pytest.mark.parametrize("scopes", [2, 12])
def test_traces_kept_back_in_other_scopes_cost_a_new_trace_nothing(
    table: Store, scopes: int
) -> None:
    services, spent = crossing(table), meter(table.client)
    for number in range(scopes):
        keep_back(f"s-{number}", table, services)
    release_in("new", "t-1", services=services)
    table.clock.advance(hours=1)

    cost = spent_by(partial(consolidate_all, services), spent)

    assert cost.requests - LEARNING_SHARDS == 13


def keep_back(scope: str, store: Store, services: Services) -> None:
    """Consolidate a release like a skill that the scope has dismissed."""
    release_in(scope, f"first-of-{scope}", f"second-of-{scope}", services=services)
    (skill_id,) = consolidate_later(store, services).skills
    change(DeleteRecord(id=skill_id, rationale="wrong"), services)
    release_in(scope, f"third-of-{scope}", services=services)
    assert len(consolidate_later(store, services).unmatched) == 1
