"""Which facts successful traces state."""

import pytest

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.facts import StatedFact, stated_facts
from membrane.domain.learning.skills import Evidence
from membrane.domain.records.payloads import TOOL_CALL, EpisodicPayload
from tests.builders.traces import TASK, a_call, a_trace, an_evidence, an_occurrence

TRIPLE = {"subject": "api", "predicate": "runs_on", "object": {"port": 80}}


def evidence_of(*traces: EpisodicPayload) -> list[Evidence]:
    return [an_evidence(trace, number) for number, trace in enumerate(traces, start=1)]


def a_trace_with(result: object, task: str = "", **fields: object) -> EpisodicPayload:
    return a_trace([a_call("look", result=result)], task, **fields)  # type: ignore[arg-type]  # only an outcome is passed on


@pytest.mark.parametrize(
    "result",
    [
        TRIPLE,
        {"found": [{"facts": [TRIPLE | {"confidence": 0.5}]}]},
        '[{"subject": "api", "predicate": "runs_on", "object": {"port": 80}}]',
    ],
    ids=["bare", "nested", "as text"],
)
def test_a_triple_in_a_result_is_a_fact(result: object) -> None:
    facts = stated_facts(evidence_of(a_trace_with(result)))

    assert facts == (StatedFact("api", "runs_on", {"port": 80}, ("trace-1",)),)


@pytest.mark.parametrize(
    "result",
    [
        None,
        "api runs on port 80",
        "{broken",
        {"subject": "api", "predicate": "runs_on"},
        {"subject": "", "predicate": "runs_on", "object": 1},
        {"subject": 1, "predicate": "runs_on", "object": 1},
    ],
)
def test_another_result_states_nothing(result: object) -> None:
    assert stated_facts(evidence_of(a_trace_with(result))) == ()


def test_a_triple_names_all_its_evidence_in_the_order_of_time() -> None:
    evidence = evidence_of(a_trace_with(TRIPLE), a_trace_with(None), a_trace_with([TRIPLE, TRIPLE]))

    (fact,) = stated_facts(evidence[::-1])

    assert fact.evidence_ids == ("trace-1", "trace-3")


@pytest.mark.parametrize("outcome", [OutcomeStatus.FAILURE, OutcomeStatus.PARTIAL, None])
def test_only_successes_state_facts(outcome: OutcomeStatus | None) -> None:
    traces = [a_trace_with(TRIPLE, TASK, outcome=outcome)] * 2

    assert stated_facts(evidence_of(*traces)) == ()


def test_what_two_traces_say_of_an_event_is_a_fact() -> None:
    traces = (a_trace(task="The disk is full"), a_trace(task="The disk is full"), a_trace())

    facts = stated_facts(evidence_of(*traces))

    assert facts == (StatedFact("task", "observed_in", "The disk is full", ("trace-1", "trace-2")),)


def test_a_trace_that_says_the_same_twice_is_one_trace() -> None:
    said = an_occurrence("The disk is full")
    trace = a_trace().model_copy(update={"timeline": (said, said)})

    assert stated_facts(evidence_of(trace)) == ()


def test_calls_are_no_events() -> None:
    called = a_trace(task="tool_call: look", kind=TOOL_CALL)

    assert stated_facts(evidence_of(called, called)) == ()


def test_true_and_one_are_different_facts() -> None:
    results = [TRIPLE | {"object": each} for each in (True, 1)]

    assert len(stated_facts(evidence_of(a_trace_with(results)))) == 2


def test_results_that_were_read_before_are_not_read_again() -> None:
    evidence = evidence_of(*(a_trace_with(TRIPLE, "Look up the port") for _ in range(2)))

    triple, observed = stated_facts(evidence, ["trace-1"])

    assert triple.evidence_ids == ("trace-2",)
    assert observed.evidence_ids == ("trace-1", "trace-2")
