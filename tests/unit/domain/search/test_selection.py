"""Which skill or plan to take, by figures worked out by hand."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import NOT_GIVEN, epoch_seconds, rfc3339
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.selection import selection_of, selector_score
from tests.builders.records import NOW, a_stored_record

NOW_S = epoch_seconds(NOW)
FRACTIONS = st.floats(min_value=0, max_value=1)


def skill(
    record_id: str = "k",
    *,
    confidence: float = 0.6,
    reinforced: str = rfc3339(NOW),
    **performance: Any,
) -> MemoryRecord:
    """A skill."""
    payload = {"kind": "competence", "skill_name": "fix", "triggers": [], "recipe": []}
    return record(record_id, confidence, reinforced, payload | {"performance": performance or None})


def plan(record_id: str = "p", *, confidence: float = 0.6, **metrics: Any) -> MemoryRecord:
    """A plan."""
    payload = {"kind": "plan_graph", "plan_id": "p", "version": "1", "nodes": [], "edges": []}
    return record(record_id, confidence, rfc3339(NOW), payload | {"metrics": metrics or None})


def record(
    record_id: str, confidence: float, reinforced: str, payload: dict[str, Any]
) -> MemoryRecord:
    """A record of that payload."""
    usual = a_stored_record().record.model_dump(mode="python", by_alias=True)
    usual["lifecycle"]["last_reinforced_at"] = reinforced
    own = {"id": record_id, "type": payload["kind"], "confidence": confidence, "payload": payload}
    return MemoryRecord.model_validate(usual | own)


def test_a_single_candidate_is_as_sure_as_its_score() -> None:
    known = skill(confidence=0.95, success_count=9, failure_count=1, success_rate=0.1)

    selection = selection_of([known], NOW_S)

    assert selection is not None
    assert selection.selected == ("k",)
    assert selection.scores == {"k": pytest.approx((0.95 + 0.9 + 1.0) / 3)}
    assert selection.confidence == pytest.approx(0.95)
    assert not selection.needs_more


def test_of_several_the_best_comes_first_and_is_as_sure_as_it_stands_out() -> None:
    known = [skill("a", confidence=0.3), skill("b", confidence=0.9), skill("c", confidence=0.6)]

    selection = selection_of(known, NOW_S)

    assert selection is not None
    assert selection.selected == ("b", "c", "a")
    assert list(selection.scores.values()) == pytest.approx([2.4 / 3, 2.1 / 3, 1.8 / 3])
    assert selection.confidence == pytest.approx((2.4 - 2.1) / 2.4)
    assert selection.needs_more


def test_two_that_are_equally_good_leave_the_choice_open() -> None:
    selection = selection_of([skill("b"), skill("a")], NOW_S)

    assert selection is not None
    assert selection.selected == ("a", "b")
    assert (selection.confidence, selection.needs_more) == (0.0, True)


def test_only_skills_and_plans_are_selected() -> None:
    fact = a_stored_record().record

    assert selection_of([fact], NOW_S) is None
    assert selection_of([], NOW_S) is None


@pytest.mark.parametrize(
    ("known", "success"),
    [
        (skill(), 0.5),
        (skill(success_count=0, failure_count=0, success_rate=0.9), 0.5),
        (skill(success_count=1, failure_count=3), 0.25),
        (plan(), 0.5),
        (plan(failure_rate=0.2), 0.5),
        (plan(failure_rate=0.2, execution_count=5), 0.8),
    ],
    ids=["unused", "never tried", "tried", "unused plan", "plan never run", "plan run"],
)
def test_success_is_what_was_counted_and_a_half_where_nothing_was(
    known: MemoryRecord, success: float
) -> None:
    assert selector_score(known, NOW_S) == pytest.approx((0.6 + success + 1.0) / 3)


@pytest.mark.parametrize(
    ("reinforced", "recency"),
    [
        (rfc3339(NOW - timedelta(days=30)), 0.5),
        (rfc3339(NOW - timedelta(days=60)), 0.25),
        (rfc3339(NOW + timedelta(days=60)), 1.0),
        (NOT_GIVEN, 0.5),
    ],
    ids=["a month ago", "two months ago", "in the future", "never"],
)
def test_recency_halves_in_thirty_days(reinforced: str, recency: float) -> None:
    assert selector_score(skill(reinforced=reinforced), NOW_S) == pytest.approx(
        (0.6 + 0.5 + recency) / 3
    )


@given(st.lists(FRACTIONS, min_size=1, max_size=6))
def test_scores_and_confidence_are_shares(confidences: list[float]) -> None:
    known = [skill(f"k{n}", confidence=value) for n, value in enumerate(confidences)]

    selection = selection_of(known, NOW_S)

    assert selection is not None
    scores = [selection.scores[each] for each in selection.selected]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in [*scores, selection.confidence])
