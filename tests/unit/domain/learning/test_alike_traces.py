"""Which traces are alike, how like traces are found, and which are the evidence of one skill."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.groups import groups_of
from membrane.domain.learning.likeness import (
    intent_of,
    lookup_keys,
    normalised_tool,
    shape_of,
    task_words,
)
from membrane.domain.learning.skills import Evidence, new_skill
from membrane.domain.records.payloads import TOOL_CALL, EpisodicPayload
from tests.builders.traces import TASK, a_call, a_trace, alike, an_evidence, an_occurrence, matches

SCOPE = "team"
FAILURE = OutcomeStatus.FAILURE

outcomes = st.sampled_from([OutcomeStatus.SUCCESS, OutcomeStatus.PARTIAL, FAILURE, None])
sequences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7)


@pytest.mark.parametrize(
    "name", ["Read File", "read_file", "READ-FILE", "readFile", "read_file_v2", "readFileV2"]
)
def test_the_spelling_of_a_tool_does_not_matter(name: str) -> None:
    assert normalised_tool(name) == "readfile"


@pytest.mark.parametrize(
    ("name", "other"),
    [("ipv4", "ipv6"), ("step1", "step2"), ("fs.read", "db.read"), ("v1", "v2"), ("読む", "書く")],
)
def test_different_tools_stay_different(name: str, other: str) -> None:
    assert normalised_tool(name) != normalised_tool(other)


def test_a_name_of_separators_alone_is_a_name() -> None:
    assert normalised_tool("__") == "__"


def test_the_shape_of_a_trace_has_tools_and_types_and_no_values() -> None:
    trace = a_trace([a_call("Run Tests", args={"path": "a", "times": 2})])

    ((tool, arguments),) = shape_of(trace)

    assert tool == "runtests"
    assert arguments == {("path", "string"), ("times", "integer")}


def test_the_intent_is_the_first_event_that_is_no_tool_call() -> None:
    trace = a_trace().model_copy(
        update={
            "timeline": (
                an_occurrence("tool_call: build", TOOL_CALL),
                an_occurrence("tool_call: build", "message:assistant"),
                an_occurrence("Deploy the payment service to node-17", "message:user"),
            )
        }
    )

    intent = intent_of(trace)

    assert intent.kind == "message:user"
    assert list(intent.words.values()) == ["deploy", "payment", "service"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Deploy the services to eu-3, ticket OPS-4711", ["deploy", "services", "ticket"]),
        ("Büro-3 räumen", ["räumen"]),
        ("eu-3の請求を確認する", ["請求", "確認", "する"]),
        ("17 4711", []),
    ],
)
def test_numbers_ids_and_endings_are_no_words(text: str, words: list[str]) -> None:
    assert [*task_words(text).values()] == words


def test_words_are_compared_by_their_stems() -> None:
    assert task_words("Deploying services").keys() == task_words("deployed service").keys()


@pytest.mark.parametrize(
    "task",
    ["deploying payments: the service", "Payment service of the shop, deploy it to eu-3 at once"],
)
def test_another_wording_of_a_task_is_alike(task: str) -> None:
    assert alike(a_trace(), a_trace(task=task))


@pytest.mark.parametrize(
    "other",
    [
        a_trace(task="Undo the migration of the ledger"),
        a_trace(kind="alarm"),
        a_trace(task=""),
    ],
    ids=["other words", "another kind", "no words"],
)
def test_another_intent_is_not_alike(other: object) -> None:
    assert not alike(a_trace(), other)  # type: ignore[arg-type]  # the list has traces alone


def test_tasks_without_words_are_alike_by_their_kind() -> None:
    assert alike(a_trace(task=""), a_trace(task="4711"))


@pytest.mark.parametrize(
    ("tools", "is_alike"),
    [
        ("abcd", True),
        ("abxcd", True),
        ("acd", True),
        ("xbcd", True),
        ("abcdx", True),
        ("ab", False),
        ("abdc", False),
        ("axxcd", False),
        ("xabcdx", False),
    ],
)
def test_tools_may_differ_by_one_step(tools: str, *, is_alike: bool) -> None:
    assert alike(a_trace("abcd"), a_trace(tools)) is is_alike


def test_short_sequences_must_be_equal() -> None:
    assert alike(a_trace("ab"), a_trace("ab"))
    assert not alike(a_trace("ab"), a_trace("ac"))
    assert not alike(a_trace("ab"), a_trace("abc"))


def test_renamed_arguments_are_alike_and_strange_arguments_are_another_step() -> None:
    path, file, times = (
        a_trace([a_call("run", args=args), a_call("push")])
        for args in ({"path": "a"}, {"file": "b"}, {"times": 2})
    )

    assert alike(path, file)
    assert not alike(path, times)


def test_a_failure_that_breaks_off_is_like_the_success() -> None:
    success = a_trace("abcdef")

    assert alike(a_trace("ab", outcome=FAILURE), success)
    assert alike(success, a_trace("abxc", outcome=FAILURE))
    assert not alike(success, a_trace("a", outcome=FAILURE))
    assert not alike(success, a_trace("xbc", outcome=FAILURE))
    assert not alike(success, a_trace("ab"))
    assert not alike(a_trace("abcdef", outcome=FAILURE), a_trace("ab", outcome=FAILURE))


def test_traces_without_calls_are_not_alike() -> None:
    assert not alike(a_trace(()), a_trace(()))
    assert lookup_keys(SCOPE, a_trace(())) == ()


@given(sequences, sequences, outcomes, outcomes)
def test_likeness_is_mutual_and_like_traces_share_a_key(
    tools: list[str],
    others: list[str],
    outcome: OutcomeStatus | None,
    other_outcome: OutcomeStatus | None,
) -> None:
    a, b = a_trace(tools, outcome=outcome), a_trace(others, outcome=other_outcome)

    assert alike(a, b) is alike(b, a)
    assert not alike(a, b) or set(lookup_keys(SCOPE, a)) & set(lookup_keys(SCOPE, b))


@given(st.lists(st.sampled_from("abcd"), min_size=3, max_size=7), st.data())
def test_one_edit_is_alike_and_leaves_a_key(tools: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(tools)))
    added = data.draw(st.lists(st.sampled_from("abcdx"), max_size=1))
    removed = data.draw(st.integers(0, 1))
    edited = [*tools[:at], *added, *tools[at + removed :]]
    assume(len(edited) >= 3)
    a, b = a_trace(tools), a_trace(edited)

    assert alike(a, b)
    assert set(lookup_keys(SCOPE, a)) & set(lookup_keys(SCOPE, b))


@given(sequences)
def test_equal_sequences_have_equal_keys(tools: list[str]) -> None:
    upper = a_trace([tool.upper() for tool in tools], "Another task")

    assert lookup_keys(SCOPE, a_trace(tools)) == lookup_keys(SCOPE, upper)


def test_keys_depend_on_scope_and_kind() -> None:
    keys = [
        set(lookup_keys("team", a_trace())),
        set(lookup_keys("tea", a_trace())),
        set(lookup_keys("team", a_trace(kind="alarm"))),
    ]

    assert len(set.union(*keys)) == sum(map(len, keys))


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
