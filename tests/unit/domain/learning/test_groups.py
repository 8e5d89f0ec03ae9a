"""Which traces are the evidence of one skill."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.skills import Evidence, new_skill
from membrane.domain.records.payloads import EpisodicPayload
from tests.builders.traces import TASK, a_trace, an_evidence, matches

FAILURE = OutcomeStatus.FAILURE


def ids_of(*traces: EpisodicPayload) -> list[list[int]]:
    """The numbers of the traces, which arrive in this order, by group."""
    evidence = [an_evidence(trace, number) for number, trace in enumerate(traces)]
    groups = groups_of(evidence)
    return [[int(each.record_id.removeprefix("trace-")) for each in group] for group in groups]


def test_like_traces_are_a_group_and_others_stay_alone() -> None:
    other_task = a_trace("abcd", "Restore a backup")

    assert ids_of(a_trace("abcd"), other_task, a_trace("abxcd"), a_trace("wxyz")) == [
        [0, 2],
        [1],
        [3],
    ]


def test_failures_join_the_skill_that_later_successes_make() -> None:
    broken_off, complete = a_trace("ab", outcome=FAILURE), a_trace("abcd", outcome=FAILURE)

    assert ids_of(broken_off, complete, a_trace("abcd"), a_trace("abcd")) == [[0, 1, 2, 3]]


def test_failures_alone_are_no_group() -> None:
    assert ids_of(a_trace(outcome=FAILURE), a_trace(outcome=FAILURE)) == [[0], [1]]


def test_a_group_does_not_drift_from_its_skill_over_likeness_of_neighbours() -> None:
    drifting = ["abcdef", "abcdef", "abcdef", "abcdex", "abcdyx", "abczyx"]

    assert ids_of(*map(a_trace, drifting)) == [[0, 1, 2, 3], [4, 5]]


def test_no_evidence_is_no_group() -> None:
    assert groups_of([]) == ()


traces = st.builds(
    a_trace,
    st.lists(st.sampled_from("abc"), min_size=1, max_size=5),
    st.sampled_from([TASK, "Deploy a service", "Deploy payment", "roll out", ""]),
    outcome=st.sampled_from([OutcomeStatus.SUCCESS, FAILURE, None]),
)


@given(st.lists(st.tuples(traces, st.integers(0, 3)), max_size=10), st.randoms())
def test_the_order_of_arrival_does_not_matter(
    drawn: list[tuple[EpisodicPayload, int]], random: Any
) -> None:
    evidence = [
        Evidence(trace, f"trace-{at}", an_evidence(trace, minute).ended_at)
        for at, (trace, minute) in enumerate(drawn)
    ]
    groups = groups_of(evidence)

    assert groups_of(random.sample(evidence, len(evidence))) == groups
    assert sorted(each.record_id for group in groups for each in group) == sorted(
        each.record_id for each in evidence
    )


def test_traces_of_a_group_match_its_skill() -> None:
    tools = ["abcd", "abxcd", "acd", "abcd", "ab"]
    outcomes = [OutcomeStatus.SUCCESS] * 4 + [FAILURE]
    found = [a_trace(each, outcome=outcome) for each, outcome in zip(tools, outcomes, strict=True)]
    (group,) = groups_of([an_evidence(trace, number) for number, trace in enumerate(found)])

    skill = new_skill(group)

    assert skill is not None
    assert all(matches(skill, each.trace) for each in group)
