"""Which facts conflict, and when each of them holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.payloads import Payload, SemanticPayload, WorkingPayload
from membrane.domain.records.standing import (
    Window,
    holds_at,
    is_contested,
    is_retracted,
    require_window,
)
from membrane.domain.revision.conflicts import capped_policy, covers, head_key_of, is_same
from membrane.domain.salience.decay_defaults import PolicyDefaults

YEARS = [None, *(f"{year}-01-01T00:00:00Z" for year in range(2020, 2026))]

windows = st.builds(Window, st.sampled_from(YEARS), st.sampled_from(YEARS)).filter(
    lambda each: each.start is None or each.end is None or each.start < each.end
)


def fact(**validity: Any) -> SemanticPayload:
    """A fact that holds then."""
    return SemanticPayload.model_validate(
        {
            "kind": "semantic",
            "subject": "door",
            "predicate": "is",
            "object": "open",
            "validity": {"mode": "timeboxed", **validity},
        }
    )


@pytest.mark.parametrize(
    ("scope", "changed", "conditions"),
    [
        ("project:beta", {}, {}),
        ("project:alpha", {"subject": "window"}, {}),
        ("project:alpha", {"predicate": "was"}, {}),
        ("project:alpha", {}, {"weather": "rain"}),
        ("project:alpha", {"subject": "door is", "predicate": ""}, {}),
    ],
)
def test_facts_of_another_scope_subject_predicate_or_condition_have_another_head(
    scope: str, changed: dict[str, str], conditions: dict[str, str]
) -> None:
    other = fact().model_copy(update=changed)

    assert head_key_of(scope, other, conditions) != head_key_of("project:alpha", fact(), {})


def test_conditions_are_the_same_in_whatever_order_they_come() -> None:
    one, other = {"weather": "rain", "day": [1, 2]}, {"day": [1, 2], "weather": "rain"}

    assert head_key_of("", fact(), one) == head_key_of("", fact(), other)
    assert head_key_of("", fact(), one) != head_key_of("", fact(), {**one, "day": [2, 1]})


def test_objects_are_the_same_that_are_one_json_value() -> None:
    assert is_same({"a": 1, "b": [None, "ü"]}, {"b": [None, "ü"], "a": 1})
    assert not is_same({"a": 1}, {"a": "1"})
    assert not is_same([True], [1])
    assert not is_same([1, 2], [2, 1])


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (100, 1e2), (0, -0.0), ({"a": [2.0]}, {"a": [2]}), (10**22, 1e22)],
)
def test_a_number_is_the_same_however_it_is_spelled(one: Any, other: Any) -> None:
    assert is_same(one, other)
    assert head_key_of("", fact(), {"x": one}) == head_key_of("", fact(), {"x": other})
    assert not is_same(one, [other])


def test_numbers_that_differ_are_not_the_same() -> None:
    assert not is_same(1, 1.5)
    assert not is_same(0, 5e-324)
    assert not is_same(2**53 + 1, float(2**53))
    assert not is_same(1.0, True)  # noqa: FBT003 - a value


def test_a_window_covers_what_lies_within_it() -> None:
    year = fact(start="2024-01-01T00:00:00Z", end="2025-01-01T00:00:00Z")

    assert covers(fact(), year)
    assert covers(year, year)
    assert covers(year, fact(start="2024-05-01T00:00:00Z", end="2024-06-01T00:00:00Z"))
    assert not covers(year, fact())
    assert not covers(year, fact(start="2024-05-01T00:00:00Z"))


@given(windows, windows)
def test_windows_overlap_both_ways_or_not_at_all(one: Window, other: Window) -> None:
    assert one.overlaps(other) is other.overlaps(one)
    assert one.overlaps(one)
    assert one.overlaps(other) or not one.covers(other)


@given(windows, windows, st.sampled_from(YEARS[1:]))
def test_where_both_windows_are_open_they_overlap(one: Window, other: Window, now: str) -> None:
    if one.is_open(now) and other.is_open(now):
        assert one.overlaps(other)
    if one.covers(other) and other.is_open(now):
        assert one.is_open(now)


def test_a_window_that_ends_as_it_begins_is_refused() -> None:
    instant = "2024-01-01T00:00:00Z"

    require_window(fact(start=instant, end="2024-01-01T00:00:00.1Z"))
    require_window(fact(start=instant, end="0001-01-01T00:00:00Z"))
    with pytest.raises(InvalidArgument, match="end must be after start"):
        require_window(fact(start=instant, end=instant))


def test_a_predicate_without_a_policy_of_its_own_has_that_of_all_others() -> None:
    replace, fork = ConflictPolicy.REPLACE, ConflictPolicy.FORK

    assert PolicyDefaults().conflict_policy("is") is ConflictPolicy.KEEP
    assert PolicyDefaults(conflicts={"is": replace}).conflict_policy("was") is ConflictPolicy.KEEP
    both = PolicyDefaults(conflicts={"is": replace, "*": fork})
    assert (both.conflict_policy("is"), both.conflict_policy("was")) == (replace, fork)


@pytest.mark.parametrize(
    ("policy", "capped"),
    [("keep", "keep"), ("replace", "contest"), ("fork", "contest"), ("contest", "contest")],
)
def test_a_fact_that_a_model_derived_contests_at_most(policy: str, capped: str) -> None:
    assert capped_policy(ConflictPolicy(policy)) is ConflictPolicy(capped)


NOON = "2026-03-01T12:00:00Z"


def holding(validity: dict[str, Any], revision: dict[str, Any] | None = None) -> Payload:
    """A holding of that validity and revision."""
    return SemanticPayload.model_validate(
        {
            "kind": "semantic",
            "subject": "user",
            "predicate": "likes",
            "object": "tea",
            "validity": {"mode": "timeboxed", **validity},
            "revision": revision,
        }
    )


@pytest.mark.parametrize(
    ("window", "holds"),
    [
        ({}, True),
        ({"start": NOON}, True),
        ({"start": "2026-03-01T12:00:00.000000001Z"}, False),
        ({"end": NOON}, False),
        ({"end": "2026-03-01T12:00:00.000000001Z"}, True),
        ({"start": "2026-03-01T11:00:00Z", "end": "2026-03-01T13:00:00Z"}, True),
        ({"start": "2026-03-01T13:00:00Z", "end": "2026-03-01T11:00:00Z"}, False),
        ({"start": NOT_GIVEN, "end": NOT_GIVEN}, True),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["global", "conditional", "timeboxed"])
def test_a_fact_holds_from_its_start_on_and_before_its_end_in_any_mode(
    window: dict[str, str], *, holds: bool, mode: str
) -> None:
    payload = holding({"mode": mode, **window})

    assert holds_at(payload, NOON) is holds


def test_a_window_ends_before_the_next_one_begins() -> None:
    first = Window("2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z")

    assert not first.overlaps(Window("2025-01-01T00:00:00Z", None))
    assert first.overlaps(Window(None, None))
    assert first.overlaps(Window(None, "2024-01-01T00:00:00.000000001Z"))
    assert not first.overlaps(Window(None, "2024-01-01T00:00:00Z"))


def test_what_is_no_fact_always_counts() -> None:
    state = WorkingPayload.model_validate(
        {"kind": "working", "thread_id": "t", "state": "planning"}
    )

    assert holds_at(state, NOON)
    assert not is_retracted(state)
    assert not is_contested(state)


@pytest.mark.parametrize(
    ("revision", "retracted", "contested"),
    [
        (None, False, False),
        ({}, False, False),
        ({"status": "active"}, False, False),
        ({"status": "contested"}, False, True),
        ({"status": "retracted"}, True, False),
    ],
    ids=str,
)
def test_its_revision_says_where_a_fact_stands(
    revision: dict[str, Any] | None, *, retracted: bool, contested: bool
) -> None:
    payload = holding({}, revision)

    assert is_retracted(payload) is retracted
    assert is_contested(payload) is contested
