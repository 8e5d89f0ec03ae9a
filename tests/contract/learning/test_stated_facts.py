"""The facts that traces state, on every store: one version of the trace names all its facts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.language.vocabulary import ConflictPolicy, MemoryType, OutcomeStatus
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.predicates import facts_derived_by
from membrane.domain.records.records import CONTESTED_BY
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.learning.consolidate import Consolidated, consolidate_all
from membrane.usecases.learning.write_stated_facts import STATED
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, end, triple
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, observation, written
from tests.worlds.captures import of_type, services_over
from tests.worlds.learned import stored
from tests.worlds.revision import held_in
from tests.worlds.stores import Store


def trace_stating(
    *triples: dict[str, Any], thread: str, store: Store, services: Services
) -> Consolidated:
    """The run that makes the trace of a successful call with the triples as its result."""
    made = add_call(thread, "owners", {"of": thread}, [*triples], services)
    end(made.id, services, OutcomeStatus.SUCCESS)
    store.clock.advance(hours=1)
    return consolidate_all(services)


def payload_of(record_id: str, services: Services) -> SemanticPayload:
    payload = stored(record_id, services).record.payload
    assert isinstance(payload, SemanticPayload)
    return payload


def sources_of(record_id: str, services: Services) -> set[str]:
    return {each.source_id for each in payload_of(record_id, services).evidence}


def test_all_facts_of_a_trace_are_written_with_one_version_of_the_trace(store: Store) -> None:
    services = services_over(store)
    triples = [triple("parser", "Ada"), triple("lexer", "Bob"), triple("linker", "Eve")]

    done = trace_stating(*triples, thread="t-1", store=store, services=services)

    (trace_id,) = done.traces
    trace = stored(trace_id, services)
    assert [payload_of(each, services).subject for each in done.facts] == [
        "parser",
        "lexer",
        "linker",
    ]
    assert set(facts_derived_by(trace.record.relations)) == set(done.facts)
    assert [each.rationale for each in trace.trail].count(STATED) == 1
    for each in done.facts:
        assert sources_of(each, services) == {trace_id}
        (edge,) = services.records.incoming(each)
        assert edge.source_id == trace_id


def test_a_later_trace_reinforces_what_is_known_and_adds_what_is_new(store: Store) -> None:
    services = services_over(store)
    first = trace_stating(
        triple("parser", "Ada"),
        triple("lexer", "Bob"),
        thread="t-1",
        store=store,
        services=services,
    )

    later = trace_stating(
        triple("lexer", "Bob"),
        triple("linker", "Eve"),
        thread="t-2",
        store=store,
        services=services,
    )

    assert first.facts[1] == later.facts[0]
    assert sources_of(first.facts[1], services) == {*first.traces, *later.traces}
    assert sources_of(later.facts[1], services) == {*later.traces}
    assert stored(first.facts[0], services).version == 1


def test_a_trace_that_states_known_facts_alone_creates_nothing(store: Store) -> None:
    services = services_over(store)
    triples = [triple("parser", "Ada"), triple("lexer", "Bob")]
    first = trace_stating(*triples, thread="t-1", store=store, services=services)

    later = trace_stating(*triples, thread="t-2", store=store, services=services)

    assert later.facts == first.facts
    assert {stored(each, services).version for each in later.facts} == {2}
    trace = stored(later.traces[0], services)
    assert set(facts_derived_by(trace.record.relations)) == set(later.facts)


def test_facts_of_a_trace_contradict_known_facts_and_each_other(store: Store) -> None:
    services = services_over(store)
    contesting = replace(services.policy, conflicts={"*": ConflictPolicy.CONTEST})
    services = replace(services, policy=contesting)
    known = reported("lexer", "Ida", services)

    done = trace_stating(
        triple("parser", "Ada"),
        triple("parser", "Bob"),
        triple("lexer", "Eve"),
        thread="t-1",
        store=store,
        services=services,
    )

    by_object = {payload_of(each, services).object: each for each in done.facts}
    assert set(by_object) == {"Ada", "Bob", "Eve"}
    assert contested_by(by_object["Ada"], services) == {by_object["Bob"]}
    assert contested_by(known, services) == {by_object["Eve"]}
    (trace_id,) = done.traces
    trace = stored(trace_id, services)
    assert set(facts_derived_by(trace.record.relations)) == set(done.facts)


def contested_by(record_id: str, services: Services) -> set[str]:
    relations = stored(record_id, services).record.relations
    return {each.target_id for each in relations if each.predicate == CONTESTED_BY}


def test_a_deleted_fact_is_stated_anew_by_a_later_trace(store: Store) -> None:
    services = services_over(store)
    first = trace_stating(triple("parser", "Ada"), thread="t-1", store=store, services=services)
    change(DeleteRecord(id=first.facts[0], rationale="wrong"), services)

    later = trace_stating(triple("parser", "Ada"), thread="t-2", store=store, services=services)

    (fact_id,) = later.facts
    assert fact_id != first.facts[0]
    assert sources_of(fact_id, services) == {*later.traces}


def test_two_spellings_of_a_value_in_a_trace_count_once(store: Store) -> None:
    services = services_over(store)
    known = reported("pump", 2, services)

    done = trace_stating(
        triple("pump", 2), triple("pump", 2.0), thread="t-1", store=store, services=services
    )

    assert done.facts == [known]
    assert stored(known, services).version == 2


Again = Callable[[str, Store, Services], Consolidated]


def with_a_later_outcome(trace_id: str, store: Store, services: Services) -> Consolidated:
    """The run over the trace after a further outcome: the trace waits again."""
    end(trace_id, services)
    store.clock.advance(hours=1)
    done = consolidate_all(services)
    assert len(done.unmatched) == 1
    assert done.failed == []
    return done


def with_a_like_trace(trace_id: str, store: Store, services: Services) -> Consolidated:
    """The run that founds a skill of the trace and of a like trace without facts."""
    made = add_call("t-2", "owners", {"of": "t-2"}, "none", services)
    end(made.id, services)
    store.clock.advance(hours=1)
    done = consolidate_all(services)
    (skill_id,) = done.skills
    sources = stored(skill_id, services).record.provenance.sources
    assert trace_id in {each.ref for each in sources}
    assert done.failed == []
    return done


@pytest.mark.parametrize("again", [with_a_later_outcome, with_a_like_trace])
def test_a_trace_that_is_learned_from_again_states_its_facts_no_second_time(
    store: Store, again: Again
) -> None:
    """A number is the same fact in two spellings: the agent reports 2, the result has 2.0."""
    services = services_over(store)
    known = reported("pump", 2, services)
    first = trace_stating(triple("pump", 2.0), thread="t-1", store=store, services=services)
    before = stored(known, services)

    later = again(first.traces[0], store, services)

    assert first.facts == [known]
    assert later.facts == []
    assert stored(known, services) == before


@pytest.mark.parametrize("again", [with_a_later_outcome, with_a_like_trace])
@pytest.mark.parametrize("erase", [False, True])
@pytest.mark.parametrize("others", [[], [("pump", "Bob")]])
def test_a_trace_brings_no_fact_back_that_the_trace_reinforced_before(
    table: Store, others: list[tuple[str, str]], again: Again, *, erase: bool
) -> None:
    """`others` are facts under the head of the known fact, which is then written alone."""
    store, services = table, table.services
    known = reported("pump", "Ada", services)
    stated = [*(triple(*each) for each in others), triple("pump", "Ada")]
    first = trace_stating(*stated, thread="t-1", store=store, services=services)
    change(DeleteRecord(id=known, erase=erase, rationale="wrong"), services)
    if not erase:
        store.clock.advance(days=31)
        sweep_due(services, lambda: False)
    assert not isinstance(services.records.load(known), StoredRecord)

    later = again(first.traces[0], store, services)

    assert known not in later.facts
    facts = of_type(held_in(store), MemoryType.SEMANTIC)
    assert {payload_of(each.id, services).object for each in facts} == {
        value for _, value in others
    }


def reported(subject: str, value: Any, services: Services) -> str:
    """The id of a fact that an agent reports."""
    asked = observation(subject=subject, predicate="owned_by", object=value, scope="team")
    return written(ingest(asked, call(asked), services)).id
