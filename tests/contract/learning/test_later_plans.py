"""A plan made later than the skill: once the traces suffice, and never a second time."""

from collections.abc import Sequence

import pytest

from membrane.domain.language.errors import Aborted
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.idempotency import id_within
from membrane.domain.records.payloads import PlanGraphPayload
from membrane.domain.records.predicates import DERIVED_PLAN
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.requests import Retract
from membrane.usecases.learning.consolidate import Consolidated, consolidate_all
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_release
from tests.builders.requests import change
from tests.worlds.capture_stage import Act, CaptureStage
from tests.worlds.captures import alive, services_over
from tests.worlds.every_call import disturbed
from tests.worlds.faults import Killed, die
from tests.worlds.learned import learned_in, stored
from tests.worlds.metering import meter, spent_by
from tests.worlds.revision import held_in, revising
from tests.worlds.stores import Store


def release(store: Store, services: Services, *versions: str) -> Consolidated:
    """Consolidate a release of each version: the same version has the same values."""
    for version in versions:
        add_release(f"t-{services.new_id()}", version, services)
    store.clock.advance(hours=1)
    return consolidate_all(services)


def executions_of(plan_id: str, services: Services) -> int:
    payload = stored(plan_id, services).record.payload
    assert isinstance(payload, PlanGraphPayload)
    assert payload.metrics is not None
    return payload.metrics.execution_count


def test_a_skill_of_traces_with_the_same_values_gets_the_plan_with_other_values(
    store: Store,
) -> None:
    services = services_over(store)
    first = release(store, services, "1.2", "1.2")
    assert (len(first.skills), first.plans) == (1, [])

    done = release(store, services, "1.3")

    (plan_id,) = done.plans
    assert done.grown == first.skills
    assert plan_id == id_within(first.skills[0], "plan")
    traces = [*first.traces, *done.traces]
    plan = stored(plan_id, services)
    assert {source.ref for source in plan.record.provenance.sources} == {*traces}
    assert executions_of(plan_id, services) == 3
    for each in traces:
        relations = stored(each, services).record.relations
        assert (DERIVED_PLAN, plan_id) in [(edge.predicate, edge.target_id) for edge in relations]


def test_a_later_plan_grows_with_the_skill(store: Store) -> None:
    services = services_over(store)
    release(store, services, "1.2", "1.2")
    (plan_id,) = release(store, services, "1.3").plans

    done = release(store, services, "1.4")

    assert done.plans == []
    assert executions_of(plan_id, services) == 4


@pytest.mark.parametrize("end", ["deleted", "erased", "retracted"])
def test_a_plan_that_a_caller_ended_is_not_made_again(store: Store, end: str) -> None:
    services = services_over(store)
    (skill_id,) = release(store, services, "1.2", "1.2").skills
    (plan_id,) = release(store, services, "1.3").plans
    if end == "retracted":
        change(Retract(id=plan_id, actor="me", rationale="wrong"), services)
    else:
        change(DeleteRecord(id=plan_id, erase=end == "erased"), services)

    done = release(store, services, "1.4")

    assert (done.grown, done.plans) == ([skill_id], [])


def test_a_plan_that_an_erasure_ended_is_not_made_again(store: Store) -> None:
    services = services_over(store)
    (skill_id,) = release(store, services, "1.2", "1.2").skills
    done = release(store, services, "1.3")
    for each in done.traces:  # the trace that alone made the flow vary
        change(DeleteRecord(id=each, erase=True), services)
    (plan_id,) = done.plans
    assert not isinstance(services.records.load(plan_id), StoredRecord)

    again = release(store, services, "1.4")

    assert (again.grown, again.plans) == ([skill_id], [])


def test_an_erased_trace_leaves_a_later_plan(store: Store) -> None:
    services = services_over(store)
    first = release(store, services, "1.2", "1.2")
    (plan_id,) = release(store, services, "1.3").plans

    change(DeleteRecord(id=first.traces[0], erase=True), services)

    assert executions_of(plan_id, services) == 2


def test_many_uses_at_once_make_the_plan_with_the_room_of_a_transaction(store: Store) -> None:
    services = services_over(store)
    (skill_id,) = release(store, services, "1.2", "1.2").skills

    done = release(store, services, *(f"1.{number}" for number in range(30, 51)))

    assert done.failed == []
    assert done.plans == [id_within(skill_id, "plan")]
    skill, plan_id = stored(skill_id, services), done.plans[0]
    assert len(skill.record.provenance.sources) == 23
    assert executions_of(plan_id, services) == 21, "the uses alone: 20, and 1 after"


def prepare(services: Services, table: Store) -> Sequence[Act]:
    """A skill without a plan, and a further trace that gives one."""
    release(table, services, "1.2", "1.2")
    add_release("t-3", "1.3", services)
    table.clock.advance(hours=1)
    return [lambda: consolidate_all(services)]


def require_planned(stage: CaptureStage) -> None:
    held = held_in(stage.table)
    ((skill_id, figures),) = learned_in(held).skills.items()
    assert figures == (3, 0)
    plans = [each for each in alive(held) if isinstance(each.record.payload, PlanGraphPayload)]
    assert [each.id for each in plans] == [id_within(skill_id, "plan")]
    assert len(plans[0].record.provenance.sources) == 3


def test_a_run_killed_at_any_call_leaves_the_plan_to_the_next_run() -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts

    for _ in disturbed(stage, act, die, Killed, least=5):
        act()

        require_planned(stage)


def test_two_runs_at_once_make_one_plan() -> None:
    stage = CaptureStage.of(prepare)
    (act,) = stage.acts
    other = revising(stage.table)

    for _ in disturbed(stage, act, lambda: consolidate_all(other), Aborted, least=5):
        act()

        require_planned(stage)


def test_a_plan_looked_for_takes_a_read_more_at_most(table: Store) -> None:
    services, spent = table.services, meter(table.client)
    release(table, services, "1.2", "1.2")
    requests = list[float]()
    for version in ("1.2", "1.3", "1.4"):
        add_release(f"t-{version}", version, services)
        table.clock.advance(hours=1)
        requests.append(spent_by(lambda: consolidate_all(services), spent).requests)

    in_vain, made, known = requests
    assert max(in_vain, made) <= known + 1
