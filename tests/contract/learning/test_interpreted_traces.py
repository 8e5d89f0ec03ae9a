"""Traces that a model reads for facts, on every store."""

from dataclasses import replace

import pytest

from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.predicates import facts_derived_by
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import RemovedRecord, StoredRecord
from membrane.usecases.capture.interpret_capture import Outcome, interpret_capture
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.usecases.capture.send_captures import send_captures
from membrane.usecases.learning.consolidate import Consolidated, consolidate_all
from membrane.usecases.ports.services import Services
from membrane.usecases.search.indexing.changes import ChangedSource
from tests.builders.episodes import add_call, add_event, end, triple
from tests.builders.proposals import fact, mention, proposal
from tests.builders.requests import change
from tests.fakes.interpreters import FakeInterpreter
from tests.fakes.world import make_interpreting_services
from tests.worlds.captures import services_over
from tests.worlds.learned import stored
from tests.worlds.stores import Store

SAID = "Ana owns billing since May"

SENT = list[tuple[str, int, int]]


@pytest.fixture
def sent() -> SENT:
    """The captures and traces sent to a model."""
    return []


@pytest.fixture
def services(store: Store, sent: SENT) -> Services:
    """Services of a stack with a model."""

    def send(record_id: str, version: int, delay_s: int) -> None:
        sent.append((record_id, version, delay_s))

    return replace(
        services_over(store),
        learning_policy=LearningPolicy(interprets_traces=True),
        send_to_interpreter=send,
    )


def consolidated(store: Store, services: Services, result: object = SAID) -> Consolidated:
    """The run after a thread of two steps, of which the second has the result."""
    add_event("t-1", "Find the owner of billing", services)
    call = add_call("t-1", "ask", {"who": "owner"}, result, services)
    end(call.id, services)
    store.clock.advance(hours=1)
    return consolidate_all(services)


def read_by(model: FakeInterpreter, trace: StoredRecord, services: Services) -> Outcome:
    """The outcome of the interpretation of the trace by the model."""
    interpreting = make_interpreting_services(over=services, interpreter=model)
    steps = interpreting_steps(interpreting)
    return interpret_capture(trace.id, trace.version, steps, interpreting)


def test_a_new_trace_is_sent_to_the_model_of_the_stack(
    store: Store, services: Services, sent: SENT
) -> None:
    (trace_id,) = consolidated(store, services).traces

    failed = send_captures([ChangedSource(trace_id, ("team",))], services)

    assert failed == []
    assert [each[0] for each in sent] == [trace_id]


def test_without_a_model_a_trace_is_sent_nowhere(
    store: Store, services: Services, sent: SENT
) -> None:
    unread = replace(services, learning_policy=LearningPolicy())
    (trace_id,) = consolidated(store, unread).traces

    send_captures([ChangedSource(trace_id, ("team",))], services)

    assert sent == []
    assert stored(trace_id, services).record.interpretation is None


def test_a_model_reads_the_text_of_a_trace_and_its_facts_rest_on_the_trace(
    store: Store, services: Services
) -> None:
    (trace_id,) = consolidated(store, services).traces
    model = FakeInterpreter([proposal(facts=[fact()], mentions=[mention()])])

    outcome = read_by(model, stored(trace_id, services), services)

    assert outcome is Outcome.INTERPRETED
    (prompt,) = model.asked
    assert "Find the owner of billing" in prompt.user
    assert SAID in prompt.user
    trace = stored(trace_id, services)
    (fact_id,) = facts_derived_by(trace.record.relations)
    known = stored(fact_id, services)
    assert isinstance(known.record.payload, SemanticPayload)
    assert known.record.payload.object == "Ana"
    assert [each.source_id for each in known.record.payload.evidence] == [trace_id]
    assert (known.scope, known.sensitivity) == (trace.scope, trace.sensitivity)


def test_a_trace_is_read_once(store: Store, services: Services) -> None:
    (trace_id,) = consolidated(store, services).traces
    model = FakeInterpreter([proposal(facts=[fact()])])
    read_by(model, stored(trace_id, services), services)
    before = stored(trace_id, services)

    outcome = read_by(model, before, services)

    assert outcome is Outcome.REPEATED
    assert len(model.asked) == 1
    assert stored(trace_id, services).version == before.version


def test_a_result_that_states_a_fact_of_the_model_counts_no_second_time(
    store: Store, services: Services
) -> None:
    stated = {**triple("billing", "Ana"), "note": SAID}
    add_event("t-1", "Find the owner of billing", services)
    call = add_call("t-1", "ask", {}, stated, services)
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces  # the outcome is not known yet
    model = FakeInterpreter([proposal(facts=[fact()])])
    read_by(model, stored(trace_id, services), services)
    (fact_id,) = facts_derived_by(stored(trace_id, services).record.relations)
    before = stored(fact_id, services)
    end(call.id, services)

    done = consolidate_all(services)

    assert done.unmatched == [trace_id]
    assert stored(fact_id, services).version == before.version
    assert facts_derived_by(stored(trace_id, services).record.relations) == (fact_id,)


def test_a_fact_of_a_model_that_was_erased_does_not_return_with_a_skill_of_the_trace(
    store: Store, services: Services
) -> None:
    stated = {**triple("billing", "Ana"), "note": SAID}
    call = add_call("t-1", "ask", {}, stated, services)
    add_call("t-1", "ask", {}, "again", services)
    store.clock.advance(hours=1)
    (trace_id,) = consolidate_all(services).traces
    read_by(FakeInterpreter([proposal(facts=[fact()])]), stored(trace_id, services), services)
    (fact_id,) = facts_derived_by(stored(trace_id, services).record.relations)
    end(call.id, services)
    assert consolidate_all(services).unmatched == [trace_id]
    change(DeleteRecord(id=fact_id, erase=True), services)
    add_call("t-2", "ask", {}, "no answer", services)
    end(add_call("t-2", "ask", {}, "again", services).id, services)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    assert len(done.skills) == 1
    assert done.facts == []


@pytest.mark.parametrize("erase", [False, True])
def test_facts_of_a_model_go_with_the_trace_and_the_trace_with_a_step(
    store: Store, services: Services, *, erase: bool
) -> None:
    (trace_id,) = consolidated(store, services).traces
    read_by(FakeInterpreter([proposal(facts=[fact()])]), stored(trace_id, services), services)
    trace = stored(trace_id, services)
    (fact_id,) = facts_derived_by(trace.record.relations)
    step_id = trace.record.provenance.sources[-1].ref

    change(DeleteRecord(id=step_id, erase=erase), services)

    held = services.records.load(fact_id)
    if erase:
        assert isinstance(held, RemovedRecord)
    else:
        assert isinstance(held, StoredRecord)
        assert is_retracted(held.record.payload)


def test_a_trace_that_is_deleted_before_the_model_reads_it_states_nothing(
    store: Store, services: Services
) -> None:
    (trace_id,) = consolidated(store, services).traces
    trace = stored(trace_id, services)
    change(DeleteRecord(id=trace_id), services)
    model = FakeInterpreter([proposal(facts=[fact()])])

    outcome = read_by(model, trace, services)

    assert outcome is Outcome.GONE
    assert model.asked == []


def test_a_trace_that_a_model_reads_still_counts_in_a_skill(
    store: Store, services: Services
) -> None:
    (first,) = consolidated(store, services).traces
    read_by(FakeInterpreter([proposal(facts=[fact()])]), stored(first, services), services)
    add_event("t-2", "Find the owner of billing", services)
    call = add_call("t-2", "ask", {"who": "owner"}, "Bob owns billing", services)
    end(call.id, services)
    store.clock.advance(hours=1)

    done = consolidate_all(services)

    (skill_id,) = done.skills
    sources = stored(skill_id, services).record.provenance.sources
    assert [each.ref for each in sources] == [first, *done.traces]
