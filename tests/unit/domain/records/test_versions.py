"""The versions of a record, and the record as it was at any instant."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import AuditAction, RevisionStatus, Sensitivity
from membrane.domain.lifecycle.changes import (
    penalized_version,
    pinned_version,
    reinforced_version,
    restored_version,
    with_lifecycle,
)
from membrane.domain.lifecycle.endings import deleted_version, pruned_version
from membrane.domain.lifecycle.requests import ChangeLifecycle
from membrane.domain.records.interpretation import InterpretationStatus
from membrane.domain.records.records import MemoryRecord, Relation
from membrane.domain.records.stored import StoredRecord, Tombstone
from membrane.domain.records.versions import GapInTrail, as_of, require_past, versions_of
from membrane.domain.revision.next_versions import (
    contested_version,
    kept_version,
    reactivated_version,
    retracted_version,
    superseded_version,
)
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import Anchor
from tests.builders.generated_lifecycles import CURVES
from tests.builders.interpretations import an_interpretation
from tests.builders.records import NOW, a_lifecycle, a_making, a_record_of, an_observation

WHY = Why("curator", "it was asked for")
POLICY = PolicyDefaults(custom_curves=CURVES)
GRAVE = Tombstone(0.0, "deleted", None, 0)


def a_fact(**fields: Any) -> StoredRecord:
    """A fact made NOW, of an hour's half-life."""
    record = a_record_of(an_observation()).model_copy(update={"lifecycle": a_lifecycle(), **fields})
    anchor = Anchor(record.salience, epoch_seconds(NOW), epoch_seconds(NOW))
    return StoredRecord(record=record, anchor=anchor, version=1, fingerprint=b"")


def after(hours: float) -> Making:
    """The circumstances so many hours after the record was made."""
    return a_making(now=NOW + timedelta(hours=hours))


def at(hours: float) -> str:
    """That instant."""
    return rfc3339(NOW + timedelta(hours=hours))


def altered(stored: StoredRecord, making: Making, **fields: Any) -> StoredRecord:
    """The record with other fields, and an entry that tells of it."""
    record = stored.record.model_copy(update=fields)
    entered = with_entry(record, AuditAction.REVISE, Why("curator", "altered"), making)
    return stored.next_version(entered)


def standing(stored: StoredRecord, instant: str) -> StoredRecord:
    """The record as it was then."""
    found = as_of(stored, instant)
    assert found is not None
    return found


# --- Versions -----------------------------------------------------------------------------------


def test_a_record_that_never_changed_has_the_version_of_its_creation() -> None:
    stored = a_fact()

    (only,) = versions_of(stored)

    assert (only.number, only.valid_from, only.valid_to) == (1, at(0), None)
    assert (only.entry, only.changes) == (stored.trail[0], ())


def test_each_version_tells_its_time_who_made_it_and_what_is_different() -> None:
    stored = altered(a_fact(tags=("a",)), after(1), tags=("b",), scope="")
    stored = retracted_version(stored, WHY, after(3), POLICY)

    versions = versions_of(stored)

    assert [(each.valid_from, each.valid_to) for each in versions] == [
        (at(0), at(1)),
        (at(1), at(3)),
        (at(3), None),
    ]
    assert [each.entry.action for each in versions] == ["create", "revise", "delete"]
    assert [each.scope for each in versions] == ["team", "", ""]
    assert [[change.as_json() for change in each.changes] for each in versions] == [
        [],
        [
            {"field": "scope", "before": "team"},
            {"field": "tags", "before": ["a"], "after": ["b"]},
        ],
        [
            {
                "field": "payload.revision",
                "after": {"status": RevisionStatus.RETRACTED, "since": at(3)},
            }
        ],
    ]


def test_of_a_list_that_only_grew_a_version_tells_what_was_added() -> None:
    cited = Relation(predicate="cites", target_id="b", weight=1.0, created_at=at(1))
    stored = altered(a_fact(), after(1), relations=(cited,), tags=("a",))
    stored = altered(stored, after(2), tags=("a", "b", "c"))

    first, second = versions_of(stored)[1:]

    assert [change.as_json() for change in first.changes] == [
        {"field": "tags", "added": ["a"]},
        {
            "field": "relations",
            "added": [
                {
                    "predicate": "cites",
                    "target_id": "b",
                    "weight": 1.0,
                    "created_at": at(1),
                }
            ],
        },
    ]
    assert [change.as_json() for change in second.changes] == [
        {"field": "tags", "added": ["b", "c"]}
    ]


def test_an_interpretation_that_a_later_pass_extends_is_a_version_of_its_own() -> None:
    first = a_fact(interpretation=an_interpretation("Orion"))
    resolved = InterpretationStatus.RESOLVED
    stored = altered(
        first, after(1), interpretation=an_interpretation("Orion", "Ann", status=resolved)
    )

    _, later = versions_of(stored)

    assert [change.as_json() for change in later.changes] == [
        {
            "field": "interpretation.mentions",
            "added": [{"surface": "Ann", "entity_kind": "project"}],
        },
        {"field": "interpretation.status", "before": "tentative", "after": "resolved"},
    ]
    assert standing(stored, at(0.5)).record.interpretation == an_interpretation("Orion")


def test_before_its_first_interpretation_a_record_had_none() -> None:
    stored = altered(a_fact(), after(1), interpretation=an_interpretation(summary="short"))

    (change,) = versions_of(stored)[1].changes

    assert change.as_json() == {
        "field": "interpretation",
        "after": {"status": "tentative", "summary": "short"},
    }
    assert standing(stored, at(0.5)).record == a_fact().record


def test_what_moves_the_salience_alone_makes_no_version() -> None:
    stored = reinforced_version(a_fact(), WHY, after(1), POLICY)
    stored = penalized_version(stored, 0.1, WHY, after(2), POLICY)

    assert len(versions_of(stored)) == 1


# --- As of an instant ---------------------------------------------------------------------------


def test_before_it_was_made_there_is_no_record() -> None:
    assert as_of(a_fact(), at(-0.001)) is None


def test_the_instant_of_a_change_belongs_to_the_state_after_it() -> None:
    stored = altered(a_fact(tags=("a",)), after(1), tags=("b",))

    assert standing(stored, at(1)).record.tags == ("b",)
    assert standing(stored, at(0.999)).record.tags == ("a",)


def test_a_record_is_read_as_it_was_with_its_salience_audit_and_lifecycle_of_then() -> None:
    begun = a_fact()
    reinforced_once = reinforced_version(begun, WHY, after(1), POLICY)
    stored = pinned_version(reinforced_once, WHY, after(2), POLICY, pin=True)
    stored = superseded_version(stored, "new", WHY, after(3), POLICY)

    then = standing(stored, at(1.5))

    assert then.record == reinforced_once.record
    assert then.anchor == reinforced_once.anchor
    assert then.history == ()
    assert then.record.lifecycle.last_reinforced_at == at(1)
    assert then.record.updated_at == at(1)
    assert standing(stored, at(0.5)).record == begun.record


def test_while_it_was_deleted_there_was_no_record() -> None:
    stored = deleted_version(a_fact(), GRAVE, WHY, after(1))
    stored = restored_version(stored, WHY, after(2), POLICY)

    assert as_of(stored, at(1)) is None
    assert as_of(stored, at(1.999)) is None
    assert standing(stored, at(0.5)).record == a_fact().record
    assert standing(stored, at(2)) == stored


def test_while_it_was_retracted_a_record_is_there_with_no_salience() -> None:
    stored = retracted_version(a_fact(), WHY, after(1), POLICY)
    stored = reactivated_version(stored, stored.record, WHY, after(2), POLICY)

    then = standing(stored, at(1.5))

    assert then.record.payload.revision.status is RevisionStatus.RETRACTED  # type: ignore[union-attr]
    assert then.anchor.salience == 0.0
    assert standing(stored, at(2)).anchor.salience == POLICY.initial_salience


def test_time_in_a_trail_never_runs_back() -> None:
    stored = altered(a_fact(tags=("a",)), after(2), tags=("b",))
    stored = altered(stored, after(1), tags=("c",))

    assert [each.valid_from for each in versions_of(stored)] == [at(0), at(2), at(2)]
    assert standing(stored, at(1.5)).record.tags == ("a",)
    assert standing(stored, at(2)).record.tags == ("c",)


def test_an_anchor_that_a_slow_clock_found_ahead_of_it_stayed_where_it_was() -> None:
    stored = penalized_version(a_fact(), 0.1, WHY, after(2), POLICY)
    late = penalized_version(stored, 0.05, WHY, after(1), POLICY)
    stored = altered(late, after(5), tags=("a",))

    assert standing(stored, at(4)).anchor == late.anchor


@pytest.mark.parametrize("lost", [slice(0, 1), slice(1, 2), slice(2, 3)])
def test_of_a_record_that_lost_audit_entries_no_past_is_told(lost: slice) -> None:
    stored = altered(a_fact(), after(1), tags=("a",))
    stored = altered(stored, after(2), tags=("b",))
    trail = list(stored.trail)
    del trail[lost]

    damaged = replace(
        stored, record=stored.record.model_copy(update={"audit_log": tuple(trail)}), audit_count=3
    )

    with pytest.raises(GapInTrail, match="record rec-1: its audit trail has a gap"):
        versions_of(damaged)
    for hours in (-1, 0.5, 3):
        with pytest.raises(GapInTrail):
            as_of(damaged, at(hours))


def test_what_is_yet_to_come_is_refused() -> None:
    require_past(at(0), at(0))

    with pytest.raises(InvalidArgument, match="future"):
        require_past("2026-01-31T12:00:00.000000001Z", at(0))


# --- Whatever happened --------------------------------------------------------------------------

Op = Callable[[StoredRecord, Making], StoredRecord]


def a_change_of_lifecycle(**decay: Any) -> Op:
    asked = ChangeLifecycle.model_validate({"id": "rec-1", "decay": decay})
    return lambda stored, making: with_lifecycle(stored, asked, WHY, making, POLICY)


def with_a_relation(stored: StoredRecord, making: Making) -> StoredRecord:
    cited = Relation(
        predicate="cites", target_id=f"t{len(stored.trail)}", created_at=making.timestamp
    )
    return altered(stored, making, relations=(*stored.record.relations, cited))


OPERATIONS: Mapping[str, Op] = {
    "reinforce": lambda stored, making: reinforced_version(stored, WHY, making, POLICY),
    "penalize": lambda stored, making: penalized_version(stored, 0.2, WHY, making, POLICY),
    "pin": lambda stored, making: pinned_version(stored, WHY, making, POLICY, pin=True),
    "unpin": lambda stored, making: pinned_version(stored, WHY, making, POLICY, pin=False),
    "slower": a_change_of_lifecycle(half_life_seconds=90_000, min_salience=0.1),
    "linear": a_change_of_lifecycle(curve="linear", half_life_seconds=7_200),
    "custom": a_change_of_lifecycle(curve="custom", custom_curve="steps"),
    "old": a_change_of_lifecycle(max_age_seconds=20_000),
    "retract": lambda stored, making: retracted_version(stored, WHY, making, POLICY),
    "supersede": lambda stored, making: superseded_version(stored, "new", WHY, making, POLICY),
    "take up": lambda stored, making: reactivated_version(
        stored, stored.record, WHY, making, POLICY
    ),
    "contest": lambda stored, making: contested_version(stored, "other", WHY, making),
    "keep": lambda stored, making: kept_version(stored, WHY, making),
    "tags": lambda stored, making: altered(stored, making, tags=(f"t{len(stored.trail)}",)),
    "place": lambda stored, making: altered(
        stored, making, scope=f"s{len(stored.trail)}", sensitivity=Sensitivity.HIGH
    ),
    "relate": with_a_relation,
    "note": altered,
    "delete": lambda stored, making: deleted_version(stored, GRAVE, WHY, making),
    "prune": lambda stored, making: pruned_version(stored, GRAVE, (making, making), POLICY),
}


def lived(stored: StoredRecord, name: str, making: Making) -> StoredRecord:
    """The next version, where there may be one; what is deleted can only be restored."""
    if stored.tombstone is not None:
        return restored_version(stored, WHY, making, POLICY)
    with suppress(FailedPrecondition):
        return OPERATIONS[name](stored, making)
    return stored


STEPS = st.lists(
    st.tuples(
        st.sampled_from(sorted(OPERATIONS)),
        st.one_of(st.just(0), st.integers(1, 10), st.integers(1, 20_000_000_000)),
    ),
    max_size=12,
)


@given(STEPS, st.lists(st.integers(-10, 40_000_000_000), min_size=1, max_size=8))
def test_the_record_as_of_any_instant_is_what_it_was_then(
    steps: Sequence[tuple[str, int]], offsets: Sequence[int]
) -> None:
    stored, now = a_fact(), NOW
    snapshots: list[tuple[datetime, StoredRecord]] = [(now, stored)]
    for name, microseconds in steps:
        now += timedelta(microseconds=microseconds)
        stored = lived(stored, name, a_making(now=now))
        snapshots.append((now, stored))
    changes = [
        moment + timedelta(microseconds=nudge) for moment, _ in snapshots for nudge in (-1, 0)
    ]

    for instant in [*changes, *(NOW + timedelta(microseconds=offset) for offset in offsets)]:
        found = as_of(stored, rfc3339(instant))

        expected = _last(snapshots, instant)
        assert (found is None) == (expected is None)
        if found is not None and expected is not None:
            assert unweighed(found) == unweighed(expected)
            assert salience(found, instant) == pytest.approx(
                salience(expected, instant), rel=1e-9, abs=1e-12
            )


def _last(
    snapshots: Sequence[tuple[datetime, StoredRecord]], instant: datetime
) -> StoredRecord | None:
    """What stood then, and was not deleted."""
    by_then = [stored for moment, stored in snapshots if moment <= instant]
    return by_then[-1] if by_then and by_then[-1].tombstone is None else None


def unweighed(stored: StoredRecord) -> MemoryRecord:
    """The record, whatever its salience."""
    return stored.record.model_copy(update={"salience": 0.0})


def salience(stored: StoredRecord, instant: datetime) -> float:
    """As a reader saw it then."""
    return stored.as_of(epoch_seconds(instant), CURVES).salience


@given(STEPS)
def test_versions_are_numbered_and_follow_one_another(steps: Sequence[tuple[str, int]]) -> None:
    stored, now = a_fact(), NOW
    for name, microseconds in steps:
        now += timedelta(microseconds=microseconds)
        stored = lived(stored, name, a_making(now=now))

    versions = versions_of(replace(stored, tombstone=None))

    assert [each.number for each in versions] == list(range(1, len(versions) + 1))
    assert [each.valid_to for each in versions[:-1]] == [each.valid_from for each in versions[1:]]
    assert all(each.changes for each in versions[1:])
    newest = versions[-1]
    assert (newest.scope, newest.sensitivity) == (stored.scope, stored.sensitivity)
