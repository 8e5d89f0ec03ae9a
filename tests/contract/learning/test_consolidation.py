"""Consolidation on every store: threads become traces, traces skills, and each counts once."""

from datetime import timedelta

from membrane.domain.language.vocabulary import MemoryType, OutcomeStatus
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, SemanticPayload
from membrane.usecases.learning.consolidate import consolidate_all, consolidate_thread
from tests.builders.episodes import add_call, add_event, add_release, triple
from tests.worlds.captures import services_over
from tests.worlds.learned import stored
from tests.worlds.stores import Store

QUIET = timedelta(hours=1)


def test_a_quiet_thread_becomes_a_trace_of_all_its_steps(store: Store) -> None:
    services = services_over(store)
    steps = add_release("t-1", "1.2", services)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    (trace_id,) = done.traces
    trace = stored(trace_id, services)
    payload = trace.record.payload
    assert isinstance(payload, EpisodicPayload)
    assert [node.tool for node in payload.tool_graph] == ["run_tests", "build", "deploy"]
    assert payload.outcome is OutcomeStatus.SUCCESS
    assert payload.thread_id == "t-1"
    assert [source.ref for source in trace.record.provenance.sources] == [s.id for s in steps]
    for step in steps:
        assert stored(step.id, services).learning.trace_id == trace_id
        assert trace_id in stored(step.id, services).trail[-1].rationale


def test_a_thread_that_is_not_quiet_waits(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)

    done = consolidate_all(services)

    assert done.traces == []


def test_two_like_successes_become_a_skill_and_a_third_counts_in_the_skill(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    add_release("t-2", "1.3", services)
    store.clock.advance(hours=1)
    (skill_id,) = consolidate_all(services).skills
    add_release("t-3", "1.4", services, OutcomeStatus.FAILURE)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    assert done.grown == [skill_id]
    skill = stored(skill_id, services)
    assert skill.type is MemoryType.COMPETENCE
    payload = skill.record.payload
    assert isinstance(payload, CompetencePayload)
    assert [step.tool for step in payload.recipe] == ["run_tests", "build", "deploy"]
    performance = payload.performance
    assert performance is not None
    assert (performance.success_count, performance.failure_count) == (2, 1)
    assert len(skill.record.provenance.sources) == 3


def test_a_second_run_over_the_same_store_changes_nothing(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    add_release("t-2", "1.3", services)
    add_event("t-3", "Water the plants", services)
    add_call("t-3", "pump", {"litres": 2}, "ok", services, status="success")
    store.clock.advance(hours=1)
    first = consolidate_all(services)
    ids = [*first.traces, *first.skills]
    before = services.records.load_each(ids)

    for _ in range(2):
        again = consolidate_all(services)
        assert (again.traces, again.skills, again.grown, again.unmatched) == ([], [], [], [])

    assert len(first.unmatched) == 1
    assert services.records.load_each(ids) == before


def test_a_thread_that_ends_with_an_outcome_counts_in_a_known_skill_at_once(store: Store) -> None:
    services = services_over(store)
    add_release("t-1", "1.2", services)
    add_release("t-2", "1.3", services)
    made = [consolidate_thread("team", thread, services) for thread in ("t-1", "t-2")]
    assert [len(each.traces) for each in made] == [1, 1]
    (skill_id,) = consolidate_all(services).skills
    add_release("t-3", "1.4", services)

    done = consolidate_thread("team", "t-3", services)

    assert len(done.traces) == 1
    assert done.grown == [skill_id]


def test_a_successful_trace_states_the_triples_of_its_results_as_facts(store: Store) -> None:
    services = services_over(store)
    stated = triple("parser", "Ada")
    for thread in ("t-1", "t-2"):
        add_event(thread, "Look up the owner of the parser", services)
        add_call(thread, "owners", {"path": "parser"}, [stated], services, status="success")
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    facts = [stored(each, services).record for each in dict.fromkeys(done.facts)]
    owned, observed = [each.payload for each in facts if isinstance(each.payload, SemanticPayload)]
    assert (owned.subject, owned.predicate, owned.object) == ("parser", "owned_by", "Ada")
    assert (observed.subject, observed.predicate) == ("task", "observed_in")
    assert observed.object == "Look up the owner of the parser"
    for each in (owned, observed):
        assert {ref.source_id for ref in each.evidence} == set(done.traces)
    assert {each.scope for each in facts} == {"team"}
    again = consolidate_all(services)
    assert again.facts == []
