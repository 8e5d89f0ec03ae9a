"""What reinforcing, penalizing, pinning, another lifecycle and restoring make of a record."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import DeletionPolicy
from membrane.domain.lifecycle.changes import (
    penalized_version,
    pinned_version,
    reinforced_version,
    restored_version,
    with_lifecycle,
)
from membrane.domain.lifecycle.requests import ChangeLifecycle
from membrane.domain.records.audit import first_broken
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import StoredRecord, Tombstone
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import Anchor, decay_class
from membrane.domain.salience.lifecycle import Lifecycle
from tests.builders.generated_lifecycles import AGES, ANCHORS, CURVES, LIFECYCLES, SALIENCES
from tests.builders.records import (
    NOW,
    RECORD_ID,
    a_lifecycle,
    a_making,
    a_stored_record,
)

WHY = Why("curator", "it helped")
POLICY = PolicyDefaults(custom_curves=CURVES)
NOW_S = epoch_seconds(NOW)
HOUR_S = 3_600
GRAVE = Tombstone(deleted_at_s=NOW_S, reason="deleted", due_s=None, expires_at_s=0)


def after(**time: float) -> Making:
    """The circumstances so long after NOW."""
    return a_making(now=NOW + timedelta(**time), salt="6b")


def salience_of(stored: StoredRecord, **time: float) -> float:
    """The salience so long after NOW."""
    return stored.as_of(epoch_seconds(NOW + timedelta(**time)), CURVES).salience


def asked(**fields: Any) -> ChangeLifecycle:
    return validate(ChangeLifecycle, {"id": RECORD_ID, **fields})


def changed(stored: StoredRecord, making: Making, **fields: Any) -> StoredRecord:
    return with_lifecycle(stored, asked(**fields), WHY, making, POLICY)


def told(entry: AuditEntry) -> tuple[str, str, str, float | None, float | None]:
    """What an entry says of the deed, and of the salience before and after it."""
    return (
        entry.action,
        entry.actor,
        entry.rationale,
        entry.salience_before,
        entry.salience_after,
    )


# --- reinforcing ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hours", "salience"), [(0, 1.0), (1, 0.7), (2, 0.45), (5, 0.23125), (1_000, 0.2)]
)
def test_reinforcing_adds_the_gain_to_what_is_left(hours: int, salience: float) -> None:
    stored = a_stored_record(a_lifecycle(reinforcement_gain=0.2))

    risen = reinforced_version(stored, WHY, after(hours=hours), POLICY)

    assert salience_of(risen, hours=hours) == pytest.approx(salience, abs=1e-9)
    assert risen.anchor.at_s == NOW_S + hours * HOUR_S


def test_a_reinforced_record_fades_on_from_where_it_rose_to() -> None:
    stored = a_stored_record(a_lifecycle(reinforcement_gain=0.2))

    risen = reinforced_version(stored, WHY, after(hours=1), POLICY)

    assert salience_of(risen, hours=2) == pytest.approx(0.35, abs=1e-9)


def test_reinforcing_is_audited_with_the_salience_before_and_after() -> None:
    stored = a_stored_record(a_lifecycle(reinforcement_gain=0.2))

    risen = reinforced_version(stored, WHY, after(hours=1), POLICY)

    assert told(risen.trail[-1]) == ("reinforce", "curator", "it helped", 0.5, 0.7)
    assert risen.record.lifecycle.last_reinforced_at == "2026-01-31T13:00:00Z"
    assert risen.record.updated_at == risen.trail[-1].timestamp == "2026-01-31T13:00:00Z"


@pytest.mark.parametrize("salience", [0.9, 1.0, 1.5, 1e100])
def test_nothing_is_reinforced_beyond_1(salience: float) -> None:
    stored = a_stored_record(anchor=Anchor(salience, NOW_S, NOW_S))

    risen = reinforced_version(stored, WHY, after(), POLICY)

    assert risen.anchor.salience == 1.0


def test_without_a_gain_reinforcing_sets_the_clock_of_decay_alone() -> None:
    stored = a_stored_record(a_lifecycle(reinforcement_gain=0.0, curve="linear"))

    risen = reinforced_version(stored, WHY, after(hours=1), POLICY)

    assert (risen.anchor.salience, risen.anchor.at_s) == (0.5, NOW_S + HOUR_S)
    assert salience_of(risen, hours=2) == pytest.approx(0.25)


def test_what_has_faded_to_nothing_can_be_reinforced() -> None:
    stored = a_stored_record(anchor=Anchor(0.0, NOW_S, NOW_S))

    risen = reinforced_version(stored, WHY, after(), POLICY)

    assert told(risen.trail[-1])[3:] == (0.0, 0.2)


def test_reinforcing_does_not_bring_back_what_is_past_its_max_age() -> None:
    stored = a_stored_record(a_lifecycle(max_age_seconds=600))

    risen = reinforced_version(stored, WHY, after(seconds=600), POLICY)

    assert told(risen.trail[-1])[3:] == (0.0, 0.0)
    assert salience_of(risen, seconds=600) == 0.0


def test_a_pinned_record_that_is_reinforced_rises_and_stays_there() -> None:
    stored = a_stored_record(a_lifecycle(pinned=True), Anchor(0.5, NOW_S, NOW_S))

    risen = reinforced_version(stored, WHY, after(hours=1), POLICY)

    assert salience_of(risen, days=1_000) == 0.7


# --- penalizing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "salience"), [(0.0, 0.5), (0.1, 0.4), (0.5, 0.0), (0.6, 0.0), (1e308, 0.0)]
)
def test_penalizing_takes_the_amount_off_what_is_left(amount: float, salience: float) -> None:
    stored = a_stored_record()

    fallen = penalized_version(stored, amount, WHY, after(hours=1), POLICY)

    assert salience_of(fallen, hours=1) == pytest.approx(salience, abs=1e-9)
    assert fallen.anchor.at_s == NOW_S + HOUR_S


def test_penalizing_is_audited_in_the_peers_words() -> None:
    stored = a_stored_record()

    fallen = penalized_version(stored, 0.25, WHY, after(hours=1), POLICY)

    assert told(fallen.trail[-1]) == ("decay", "curator", "penalty: it helped", 0.5, 0.25)
    assert fallen.record.lifecycle == stored.record.lifecycle, "reinforced then as before"


@pytest.mark.parametrize(
    ("held", "left"), [(0.5, 0.2), (0.2, 0.2), (0.1, 0.1), (0.0, 0.0)], ids=str
)
def test_a_penalty_stops_at_the_floor_which_lifts_nothing(held: float, left: float) -> None:
    stored = a_stored_record(a_lifecycle(min_salience=0.2), Anchor(held, NOW_S, NOW_S))

    fallen = penalized_version(stored, 5.0, WHY, after(), POLICY)

    assert fallen.anchor.salience == left


def test_what_a_penalty_leaves_below_the_vanishing_point_is_nothing() -> None:
    stored = a_stored_record(anchor=Anchor(3e-100, NOW_S, NOW_S))

    fallen = penalized_version(stored, 2.5e-100, WHY, after(), POLICY)

    assert fallen.anchor.salience == 0.0
    assert fallen.trail[-1].salience_after == 0.0


def test_a_penalty_that_leaves_nothing_makes_a_record_due_at_once() -> None:
    stored = a_stored_record()

    fallen = penalized_version(stored, 1.0, WHY, after(), POLICY)

    assert fallen.anchor == Anchor(0.0, NOW_S, NOW_S)


# --- pinning -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape",
    [{}, {"curve": "linear"}, {"curve": "custom", "custom_curve": "steps"}],
    ids=["exponential", "linear", "custom"],
)
def test_pinning_freezes_the_salience_as_of_now(shape: dict[str, Any]) -> None:
    stored = a_stored_record(a_lifecycle(**shape))

    held = pinned_version(stored, WHY, after(hours=1), POLICY, pin=True)

    assert held.record.lifecycle.pinned is True
    assert [salience_of(held, hours=1), salience_of(held, days=40_000)] == [0.5, 0.5]
    assert told(held.trail[-1]) == ("revise", "curator", "pinned: it helped", 0.5, 0.5)


def test_what_is_unpinned_goes_on_fading_from_then() -> None:
    stored = a_stored_record(a_lifecycle(pinned=True), Anchor(0.5, NOW_S, NOW_S))

    fading = pinned_version(stored, WHY, after(days=10), POLICY, pin=False)

    assert salience_of(fading, days=10) == 0.5
    assert salience_of(fading, days=10, hours=1) == pytest.approx(0.25, abs=1e-9)
    assert told(fading.trail[-1]) == ("revise", "curator", "unpinned: it helped", 0.5, 0.5)


def test_unpinning_past_the_max_age_ends_a_record() -> None:
    stored = a_stored_record(a_lifecycle(pinned=True, max_age_seconds=600))

    fading = pinned_version(stored, WHY, after(days=1), POLICY, pin=False)

    assert told(fading.trail[-1])[3:] == (1.0, 0.0)


@pytest.mark.parametrize("pin", [True, False])
def test_what_is_so_already_is_audited_and_fades_as_it_did(pin: bool) -> None:  # noqa: FBT001 - a parameter
    stored = a_stored_record(a_lifecycle(pinned=pin, curve="linear"))

    again = pinned_version(stored, WHY, after(hours=1), POLICY, pin=pin)

    assert again.anchor == stored.anchor
    assert len(again.trail) == 2
    assert told(again.trail[-1])[3:] == (None, None), "its salience was not moved"


def test_without_a_reason_the_deed_alone_is_audited() -> None:
    stored = a_stored_record()

    held = pinned_version(stored, Why("curator", ""), after(), POLICY, pin=True)

    assert held.trail[-1].rationale == "pinned"


# --- another lifecycle ---------------------------------------------------------------------------


def test_another_half_life_holds_from_now_on() -> None:
    stored = a_stored_record()

    slower = changed(stored, after(hours=1), decay={"half_life_seconds": 2 * HOUR_S})

    assert salience_of(slower, hours=1) == 0.5
    assert salience_of(slower, hours=3) == pytest.approx(0.25, abs=1e-9)
    assert told(slower.trail[-1]) == (
        "revise",
        "curator",
        "lifecycle half_life_seconds 3600 -> 7200: it helped",
        0.5,
        0.5,
    )


def test_what_is_not_asked_for_stays_as_it_was() -> None:
    stored = a_stored_record(a_lifecycle(min_salience=0.01, reinforcement_gain=0.3))

    other = changed(stored, after(), decay={"half_life_seconds": 60})

    assert other.record.lifecycle == stored.record.lifecycle.model_copy(
        update={"decay": stored.record.lifecycle.decay.model_copy(update={"half_life_seconds": 60})}
    )


@pytest.mark.parametrize("policy", ["manual_only", "never"])
def test_another_deletion_policy_alone_moves_no_anchor(policy: str) -> None:
    stored = a_stored_record(a_lifecycle(curve="linear"))

    kept = changed(stored, after(hours=1), deletion_policy=policy)

    assert (kept.anchor, kept.version) == (stored.anchor, 2)
    assert kept.record.lifecycle.deletion_policy is DeletionPolicy(policy)
    assert told(kept.trail[-1]) == (
        "revise",
        "curator",
        f"lifecycle deletion_policy auto_prune -> {policy}: it helped",
        None,
        None,
    )


def test_another_gain_alone_moves_no_anchor() -> None:
    stored = a_stored_record(a_lifecycle(curve="linear"))

    other = changed(stored, after(hours=1), decay={"reinforcement_gain": 0.5})

    assert other.anchor == stored.anchor
    assert other.record.lifecycle.decay.reinforcement_gain == 0.5
    assert other.trail[-1].salience_before is None


def test_the_profile_of_a_pinned_record_may_change_and_its_salience_stays() -> None:
    stored = a_stored_record(a_lifecycle(pinned=True), Anchor(0.5, NOW_S, NOW_S))
    other = changed(stored, after(hours=1), decay={"half_life_seconds": 60})

    fading = pinned_version(other, WHY, after(hours=2), POLICY, pin=False)

    assert (other.anchor, salience_of(other, hours=1)) == (stored.anchor, 0.5)
    assert salience_of(fading, hours=2, seconds=60) == pytest.approx(0.25, abs=1e-9)


def test_a_floor_lifts_nothing_that_has_faded_below_it_already() -> None:
    stored = a_stored_record()

    floored = changed(stored, after(hours=2), decay={"min_salience": 0.4})

    assert salience_of(floored, hours=2) == 0.25
    assert salience_of(floored, days=1_000) == 0.25


def test_a_max_age_that_is_taken_off_too_late_brings_nothing_back() -> None:
    stored = a_stored_record(a_lifecycle(max_age_seconds=600))

    older = changed(stored, after(hours=1), decay={"max_age_seconds": 0})

    assert told(older.trail[-1])[2:] == (
        "lifecycle max_age_seconds 600 -> 0: it helped",
        0.0,
        0.0,
    )


def test_a_max_age_counts_from_the_records_creation() -> None:
    stored = a_stored_record()

    aged = changed(stored, after(hours=1), decay={"max_age_seconds": HOUR_S})

    assert told(aged.trail[-1])[3:] == (0.5, 0.0)


def test_another_curve_goes_on_from_what_is_left() -> None:
    stored = a_stored_record()

    stepped = changed(stored, after(hours=1), decay={"curve": "custom", "custom_curve": "steps"})

    assert salience_of(stepped, hours=1) == 0.5
    assert salience_of(stepped, hours=2) == pytest.approx(0.25)
    assert "curve exponential -> custom" in stepped.trail[-1].rationale
    assert "custom_curve  -> steps" in stepped.trail[-1].rationale


@pytest.mark.parametrize("nothing", [{}, {"decay": {}}, {"decay": {"curve": None}}], ids=str)
def test_to_change_nothing_is_refused(nothing: dict[str, Any]) -> None:
    stored = a_stored_record()

    with pytest.raises(InvalidArgument, match="nothing is to be changed"):
        changed(stored, after(), **nothing)


def test_what_is_so_already_is_confirmed() -> None:
    stored = a_stored_record()
    same = stored.record.lifecycle.decay.model_dump(mode="json")

    confirmed = changed(stored, after(hours=1), decay=same, deletion_policy="auto_prune")

    assert confirmed.anchor == stored.anchor
    assert confirmed.trail[-1].rationale == "lifecycle confirmed: it helped"


# --- restoring -----------------------------------------------------------------------------------


def test_a_restored_record_is_as_salient_as_a_new_one() -> None:
    stored = replace(a_stored_record(), tombstone=GRAVE)

    back = restored_version(stored, WHY, after(days=1), POLICY)

    assert back.tombstone is None
    assert back.anchor == Anchor(1.0, NOW_S + 86_400, NOW_S)
    assert back.record.lifecycle == stored.record.lifecycle
    action, actor, rationale, before, now = told(back.trail[-1])
    assert (action, actor, rationale, now) == ("revise", "curator", "restored: it helped", 1.0)
    assert before == pytest.approx(2.0**-24)


def test_it_is_the_operator_who_says_how_salient_a_new_record_is() -> None:
    stored = replace(a_stored_record(), tombstone=GRAVE)

    back = restored_version(stored, WHY, after(days=1), PolicyDefaults(initial_salience=0.6))

    assert back.anchor.salience == 0.6


@pytest.mark.parametrize(
    ("max_age_s", "kept_s", "deed"),
    [
        (0, 0, "restored"),
        (86_400, 0, "restored, max_age_seconds 86400 -> 0"),
        (86_399, 0, "restored, max_age_seconds 86399 -> 0"),
        (86_401, 86_401, "restored"),
    ],
)
def test_a_max_age_that_has_passed_is_taken_off(max_age_s: int, kept_s: int, deed: str) -> None:
    stored = replace(a_stored_record(a_lifecycle(max_age_seconds=max_age_s)), tombstone=GRAVE)

    back = restored_version(stored, Why("curator", ""), after(days=1), POLICY)

    assert back.record.lifecycle.decay.max_age_seconds == kept_s
    assert (back.trail[-1].rationale, salience_of(back, days=1)) == (deed, 1.0)


# --- whatever is done ----------------------------------------------------------------------------

CHANGES = {
    "reinforced": lambda stored, making: reinforced_version(stored, WHY, making, POLICY),
    "penalized": lambda stored, making: penalized_version(stored, 0.1, WHY, making, POLICY),
    "pinned": lambda stored, making: pinned_version(stored, WHY, making, POLICY, pin=True),
    "unpinned": lambda stored, making: pinned_version(stored, WHY, making, POLICY, pin=False),
    "another half-life": lambda stored, making: changed(
        stored, making, decay={"half_life_seconds": 77}
    ),
    "another deletion policy": lambda stored, making: changed(
        stored, making, deletion_policy="never"
    ),
    "restored": lambda stored, making: restored_version(stored, WHY, making, POLICY),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_no_anchor_is_moved_back(change: Any) -> None:
    stored = a_stored_record(anchor=Anchor(0.5, NOW_S + 60, NOW_S))

    later = change(stored, after())

    assert later.anchor.at_s == NOW_S + 60
    assert later.anchor.born_s == NOW_S


@given(LIFECYCLES, ANCHORS, AGES, st.sampled_from(sorted(CHANGES)))
def test_an_entry_says_what_the_salience_was_and_became(
    lifecycle: Lifecycle, anchor: Anchor, age_s: float, name: str
) -> None:
    stored = a_stored_record(lifecycle, anchor)
    making = a_making(now=from_epoch_seconds(anchor.at_s + min(age_s, 1e9)), salt="6b")
    now_s = epoch_seconds(making.now)

    later = CHANGES[name](stored, making)

    entry = later.trail[-1]
    before, now = (each.as_of(now_s, CURVES).salience for each in (stored, later))
    if entry.salience_before is None:
        assert (later.anchor, now) == (anchor, before)
    else:
        assert (entry.salience_before, entry.salience_after) == (before, now)
    assert later.version == 2
    assert first_broken(RECORD_ID, later.trail, later.written_entries) is None


@given(LIFECYCLES, ANCHORS, AGES, st.booleans())
def test_pinning_and_unpinning_move_no_salience_but_past_the_max_age(
    lifecycle: Lifecycle,
    anchor: Anchor,
    age_s: float,
    pin: bool,  # noqa: FBT001 - drawn
) -> None:
    stored = a_stored_record(lifecycle, anchor)
    making = a_making(now=from_epoch_seconds(anchor.at_s + min(age_s, 1e9)))
    now_s = epoch_seconds(making.now)

    later = pinned_version(stored, WHY, making, POLICY, pin=pin)

    before, now = (each.as_of(now_s, CURVES).salience for each in (stored, later))
    assert now == before or (not pin and lifecycle.decay.max_age_seconds and now == 0.0)


@given(LIFECYCLES, ANCHORS, AGES, SALIENCES)
def test_the_anchor_moves_where_a_record_fades_otherwise_from_now_on(
    lifecycle: Lifecycle, anchor: Anchor, age_s: float, floor: float
) -> None:
    stored = a_stored_record(lifecycle, anchor)
    making = a_making(now=from_epoch_seconds(anchor.at_s + min(age_s, 1e9)))

    later = changed(stored, making, decay={"min_salience": floor})

    fades_alike = decay_class(later.record.lifecycle) == decay_class(lifecycle)
    moved = later.trail[-1].salience_before is not None
    assert moved is not fades_alike
    assert later.anchor.at_s == (epoch_seconds(making.now) if moved else anchor.at_s)
