"""Scopes share nothing without the parameter, and with it only what no scope alone could learn."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import OutcomeStatus, Sensitivity
from membrane.domain.records.evidence import evidence_of, is_learned
from membrane.domain.records.learning_mark import is_trace
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidate import (
    consolidate_all,
    consolidate_scope,
    consolidate_thread,
)
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, end, triple
from tests.fakes.clock import FakeClock
from tests.worlds.captures import alive
from tests.worlds.crossing import crossing, within_scopes
from tests.worlds.learned import learned_in
from tests.worlds.stores import table_store

SCOPES = ("", "a", "b")
OUTCOMES = (OutcomeStatus.SUCCESS, OutcomeStatus.SUCCESS, OutcomeStatus.FAILURE)


class Task(NamedTuple):
    """A task of a scope, and what is consolidated when the task has ended."""

    scope: str
    outcome: OutcomeStatus
    sensitivity: Sensitivity
    then: Literal["nothing", "thread", "scope", "all"]


tasks = st.lists(
    st.builds(
        Task,
        st.sampled_from(SCOPES),
        st.sampled_from(OUTCOMES),
        st.sampled_from((Sensitivity.LOW, Sensitivity.LOW, Sensitivity.MEDIUM)),
        st.sampled_from(("nothing", "thread", "scope", "all")),
    ),
    min_size=2,
    max_size=7,
)


def work_on(number: int, task: Task, services: Services, clock: FakeClock) -> None:
    thread, place = f"t-{number}", {"scope": task.scope, "sensitivity": task.sensitivity}
    add_event(thread, "Look up the owner of the parser", services, **place)
    owner = triple("parser", task.scope)
    calls = [
        add_call(thread, tool, {"of": f"{number}"}, [owner], services, **place)
        for tool in ("search", "read", "owners")
    ]
    end(calls[-1].id, services, task.outcome)
    clock.advance(hours=1)
    match task.then:
        case "thread":
            consolidate_thread(task.scope, thread, services)
        case "scope":
            consolidate_scope(task.scope, services)
        case "all":
            consolidate_all(services)
        case "nothing":
            pass


def learned_from(several: Sequence[Task], *, crosses: bool) -> list[StoredRecord]:
    """The living records after all tasks, with every count checked."""
    store = table_store()
    services = crossing(store)
    if not crosses:
        services = within_scopes(services)
    for number, each in enumerate(several):
        work_on(number, each, services, store.clock)
    for _ in range(2):
        assert not consolidate_all(services).failed
    ids = {pk[7:] for each in store.everything() if (pk := each["pk"]["S"]).startswith("record#")}
    held = store.records.load_all(sorted(ids))
    learned_in(held)
    return alive(held)


def scopes_of_evidence(record: StoredRecord, held: Sequence[StoredRecord]) -> set[str]:
    sources = evidence_of(record.record)
    return {each.scope for each in held if each.id in sources}


@given(tasks)
@settings(deadline=None)
def test_without_the_parameter_every_record_is_of_the_scope_of_all_its_evidence(
    several: list[Task],
) -> None:
    held = learned_from(several, crosses=False)

    for each in held:
        assert scopes_of_evidence(each, held) <= {each.scope}
        assert each.learning.lookups_across == ()


@given(tasks)
@settings(deadline=None)
def test_with_the_parameter_only_unscoped_skills_and_plans_have_evidence_of_several_scopes(
    several: list[Task],
) -> None:
    held = learned_from(several, crosses=True)

    for each in held:
        scopes = scopes_of_evidence(each, held)
        if is_trace(each.record.payload) or isinstance(each.record.payload, SemanticPayload):
            assert scopes <= {each.scope}
        elif is_learned(each.record) and scopes != {each.scope}:
            assert each.scope == ""
            assert len(scopes) > 1
