"""Evidence without a decision goes on waiting, and evidence that came to nothing returns."""

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.learning_mark import Stage
from membrane.domain.records.payloads import EpisodicPayload
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.learning.dry_run import writing_nothing
from membrane.usecases.learning.make_trace import MAX_STEPS
from tests.builders.episodes import add_call, add_event, add_release, end, triple
from tests.builders.requests import change
from tests.worlds.captures import services_over
from tests.worlds.learned import stored
from tests.worlds.stores import Store

TRIPLE = triple("pump", 2, "holds")


def test_a_run_out_of_time_leaves_what_it_did_not_decide_to_the_next(store: Store) -> None:
    services = services_over(store)
    for number in range(2):
        add_release(f"t-{number}", f"1.{number}", services)
        add_event(f"w-{number}", "Water the plants", services)
        add_call(f"w-{number}", "pump", {"litres": number}, "ok", services, status="success")
    store.clock.advance(hours=1)
    skills = list[str]()

    for looks in range(1, 40):
        left = [looks]

        def is_out_of_time(left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] < 0

        done = consolidate_all(services, is_out_of_time)
        skills += done.skills
        assert not done.unmatched
        if not done.is_left:
            break

    assert len(skills) == 2


def test_a_single_step_that_came_to_nothing_returns_with_its_outcome(store: Store) -> None:
    services = services_over(store)
    step = add_call("t-1", "pump", {"litres": 2}, "ok", services)
    store.clock.advance(hours=1)
    assert consolidate_all(services).traces == []
    assert stored(step.id, services).learning.awaits is None

    end(step.id, services)

    assert stored(step.id, services).learning.awaits is Stage.STEP
    store.clock.advance(hours=1)
    assert len(consolidate_all(services).traces) == 1


def test_a_thread_that_never_rests_becomes_traces_of_the_most_steps(store: Store) -> None:
    services = services_over(store)
    for number in range(MAX_STEPS + 3):
        add_call("t-1", "poll", {"n": number}, "ok", services)
        store.clock.advance(minutes=1)

    (trace_id,) = consolidate_all(services).traces

    payload = stored(trace_id, services).record.payload
    assert isinstance(payload, EpisodicPayload)
    assert len(payload.tool_graph) == MAX_STEPS


def test_the_reported_outcome_counts_and_not_the_status_of_a_later_call(store: Store) -> None:
    services = services_over(store)
    task = add_event("t-1", "Water the plants", services)
    add_call("t-1", "pump", {"litres": 2}, "ok", services, status="success")
    end(task.id, services, OutcomeStatus.FAILURE, reason="flooded")
    store.clock.advance(hours=1)

    (trace_id,) = consolidate_all(services).traces

    payload = stored(trace_id, services).record.payload
    assert isinstance(payload, EpisodicPayload)
    assert (payload.outcome, payload.outcome_reason) == (OutcomeStatus.FAILURE, "flooded")


def test_a_skill_lost_with_its_evidence_can_be_learned_again(store: Store) -> None:
    services = services_over(store)
    for number in range(2):
        add_release(f"t-{number}", f"1.{number}", services)
    store.clock.advance(hours=1)
    first = consolidate_all(services)
    change(DeleteRecord(id=first.traces[0], rationale="wrong"), services)
    add_release("t-2", "1.2", services)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    assert len(done.skills) == 1
    assert done.skills != first.skills
    assert len(stored(done.skills[0], services).record.provenance.sources) == 2


def test_a_dry_run_with_facts_makes_what_the_run_makes_and_writes_nothing(
    table: Store,
) -> None:
    services = table.services
    for number in range(2):
        add_event(f"w-{number}", "Water the plants", services)
        add_call(f"w-{number}", "pump", {"litres": number}, TRIPLE, services, status="success")
    table.clock.advance(hours=1)
    before = table.everything()

    planned = consolidate_all(writing_nothing(services))

    assert table.everything() == before
    done = consolidate_all(services)
    assert not done.failed
    assert not planned.failed
    assert (planned.traces, planned.skills) == (done.traces, done.skills)


def test_a_damaged_trace_keeps_back_no_other(table: Store) -> None:
    services = table.services
    for number in range(2):
        add_release(f"t-{number}", f"1.{number}", services, scope="other")
    odd = add_call("t-9", "pump", {"litres": 2}, "ok", services, status="success")
    table.clock.advance(hours=1)
    damaged = table.own_item(odd.id)
    table.put({**damaged, "document": {"S": "{"}})

    done = consolidate_all(services)

    assert len(done.skills) == 1
