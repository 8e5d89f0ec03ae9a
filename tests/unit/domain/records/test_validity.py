"""When a fact counts: its window, and where it stands."""

from typing import Any

import pytest

from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.records.payloads import Payload, SemanticPayload, WorkingPayload
from membrane.domain.records.states import is_contested, is_retracted
from membrane.domain.records.validity import Window, holds_at

NOON = "2026-03-01T12:00:00Z"


def fact(validity: dict[str, Any], revision: dict[str, Any] | None = None) -> Payload:
    """A fact of that validity and revision."""
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
    payload = fact({"mode": mode, **window})

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
    payload = fact({}, revision)

    assert is_retracted(payload) is retracted
    assert is_contested(payload) is contested
