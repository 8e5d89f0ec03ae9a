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
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import AuditAction, Sensitivity
from membrane.domain.lifecycle.changes import (
    deleted_version,
    penalized_version,
    pinned_version,
    pruned_version,
    reinforced_version,
    restored_version,
    with_lifecycle,
)
from membrane.domain.lifecycle.requests import ChangeLifecycle
from membrane.domain.records.records import MemoryRecord, Relation
from membrane.domain.records.stored import StoredRecord, Tombstone
from membrane.domain.records.versions import as_of, versions_of
from membrane.domain.revision.changes import (
    contested_version,
    kept_version,
    reactivated_version,
    retracted_version,
    superseded_version,
)
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import Anchor
from tests.builders.observations import CURVES
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
    return a_making(now=NOW + timedelta(hours=hours))._replace(policy=POLICY)


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


# --- As of an instant ---------------------------------------------------------------------------


def test_time_in_a_trail_never_runs_back() -> None:
    stored = altered(a_fact(tags=("a",)), after(2), tags=("b",))
    stored = altered(stored, after(1), tags=("c",))

    assert [each.valid_from for each in versions_of(stored)] == [at(0), at(2), at(2)]
    assert standing(stored, at(1.5)).record.tags == ("a",)
    assert standing(stored, at(2)).record.tags == ("c",)


def test_an_anchor_that_a_slow_clock_found_ahead_of_it_stayed_where_it_was() -> None:
    stored = penalized_version(a_fact(), 0.1, WHY, after(2))
    late = penalized_version(stored, 0.05, WHY, after(1))
    stored = altered(late, after(5), tags=("a",))

    assert standing(stored, at(4)).anchor == late.anchor


# --- Whatever happened --------------------------------------------------------------------------

Op = Callable[[StoredRecord, Making], StoredRecord]


def a_change_of_lifecycle(**decay: Any) -> Op:
    asked = ChangeLifecycle.model_validate({"id": "rec-1", "decay": decay})
    return lambda stored, making: with_lifecycle(stored, asked, WHY, making)


def with_a_relation(stored: StoredRecord, making: Making) -> StoredRecord:
    cited = Relation(
        predicate="cites", target_id=f"t{len(stored.trail)}", created_at=making.timestamp
    )
    return altered(stored, making, relations=(*stored.record.relations, cited))


OPERATIONS: Mapping[str, Op] = {
    "reinforce": lambda stored, making: reinforced_version(stored, WHY, making),
    "penalize": lambda stored, making: penalized_version(stored, 0.2, WHY, making),
    "pin": lambda stored, making: pinned_version(stored, WHY, making, pin=True),
    "unpin": lambda stored, making: pinned_version(stored, WHY, making, pin=False),
    "slower": a_change_of_lifecycle(half_life_seconds=90_000, min_salience=0.1),
    "linear": a_change_of_lifecycle(curve="linear", half_life_seconds=7_200),
    "custom": a_change_of_lifecycle(curve="custom", custom_curve="steps"),
    "old": a_change_of_lifecycle(max_age_seconds=20_000),
    "retract": lambda stored, making: retracted_version(stored, WHY, making),
    "supersede": lambda stored, making: superseded_version(stored, "new", WHY, making),
    "take up": lambda stored, making: reactivated_version(stored, stored.record, WHY, making),
    "contest": lambda stored, making: contested_version(stored, "other", WHY, making),
    "keep": lambda stored, making: kept_version(stored, WHY, making),
    "tags": lambda stored, making: altered(stored, making, tags=(f"t{len(stored.trail)}",)),
    "place": lambda stored, making: altered(
        stored, making, scope=f"s{len(stored.trail)}", sensitivity=Sensitivity.HIGH
    ),
    "relate": with_a_relation,
    "note": altered,
    "delete": lambda stored, making: deleted_version(stored, GRAVE, WHY, making),
    "prune": lambda stored, making: pruned_version(stored, GRAVE, (making, making)),
}


def lived(stored: StoredRecord, name: str, making: Making) -> StoredRecord:
    """The next version, where there may be one; what is deleted can only be restored."""
    if stored.tombstone is not None:
        return restored_version(stored, WHY, making)
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
        stored = lived(stored, name, a_making(now=now)._replace(policy=POLICY))
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
        stored = lived(stored, name, a_making(now=now)._replace(policy=POLICY))

    versions = versions_of(replace(stored, tombstone=None))

    assert [each.number for each in versions] == list(range(1, len(versions) + 1))
    assert [each.valid_to for each in versions[:-1]] == [each.valid_from for each in versions[1:]]
    assert all(each.changes for each in versions[1:])
    newest = versions[-1]
    assert (newest.scope, newest.sensitivity) == (stored.scope, stored.sensitivity)
