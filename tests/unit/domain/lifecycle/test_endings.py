"""How a record ends, what of it is left, and what may be restored."""

from dataclasses import replace
from datetime import timedelta

import pytest

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.changes import penalized_version
from membrane.domain.lifecycle.endings import (
    DECAY_SERVICE,
    deleted_version,
    erased_record,
    expired_record,
    pruned_version,
    require_restorable,
    with_erased_trail,
)
from membrane.domain.records.audit import first_broken, is_erased
from membrane.domain.records.idempotency import operation
from membrane.domain.records.stored import ERASED, AnyRecord, RemovedRecord, StoredRecord, Tombstone
from membrane.domain.salience.decay_defaults import PolicyDefaults
from tests.builders.records import (
    NOW,
    PRINCIPAL,
    RECORD_ID,
    a_lifecycle,
    a_making,
    a_stored_record,
)

WHY = Why("curator", "asked to")
POLICY = PolicyDefaults()
NOW_S = epoch_seconds(NOW)
GRAVE = Tombstone(
    deleted_at_s=NOW_S, reason="deleted", due_s=int(NOW_S) + 60, expires_at_s=int(NOW_S) + 120
)
ERASED_GRAVE = GRAVE._replace(reason=ERASED, due_s=int(NOW_S))


def after(salt: str = "6b", **time: float) -> Making:
    """The circumstances so long after NOW."""
    return a_making(now=NOW + timedelta(**time), salt=salt)


def a_history() -> StoredRecord:
    """A record that was changed before, and remembers the operation."""
    done = operation(PRINCIPAL, "Penalize", "key-1", b"body")
    changed = penalized_version(
        a_stored_record(), 0.25, Why("critic", "misled"), after("61", minutes=1), POLICY
    )
    return changed.with_operation(done)


def swept(stored: StoredRecord, reason: str = "too little", **time: float) -> StoredRecord:
    grave = GRAVE._replace(reason=reason)
    return pruned_version(stored, grave, (after("6b", **time), after("6c", **time)), POLICY)


# --- deleted -------------------------------------------------------------------------------------


def test_a_buried_record_keeps_all_that_it_was() -> None:
    stored = a_history()

    gone = deleted_version(stored, GRAVE, WHY, after())

    assert (gone.tombstone, gone.version) == (GRAVE, stored.version + 1)
    assert (gone.anchor, gone.operations) == (stored.anchor, stored.operations)
    assert (gone.record.payload, gone.record.lifecycle) == (
        stored.record.payload,
        stored.record.lifecycle,
    )
    entry = gone.trail[-1]
    assert (entry.action, entry.actor, entry.rationale) == ("delete", "curator", "asked to")
    assert first_broken(RECORD_ID, gone.trail, gone.written_entries) is None


# --- pruned --------------------------------------------------------------------------------------


def test_what_is_pruned_is_audited_as_decay_and_then_as_deletion() -> None:
    gone = swept(a_stored_record(), hours=10)

    decay, deletion = gone.trail[-2:]
    assert (decay.action, decay.actor) == ("decay", DECAY_SERVICE)
    assert decay.rationale == "decay applied: 1.0000 -> 0.0010 (elapsed 36000s)"
    assert (decay.salience_before, decay.salience_after) == (1.0, 0.0009765625)
    assert (deletion.action, deletion.actor) == ("delete", DECAY_SERVICE)
    assert deletion.rationale == "auto-pruned: too little"
    assert deletion.salience_before is None
    assert first_broken(RECORD_ID, gone.trail, gone.written_entries) is None


def test_pruning_moves_no_anchor() -> None:
    stored = a_stored_record()

    gone = swept(stored, hours=10)

    assert gone.anchor == stored.anchor
    assert gone.tombstone == GRAVE._replace(reason="too little")


def test_what_is_pruned_by_its_age_has_decayed_to_nothing() -> None:
    gone = swept(a_stored_record(a_lifecycle(max_age_seconds=600)), seconds=600)

    decay = gone.trail[-2]
    assert (decay.salience_before, decay.salience_after) == (1.0, 0.0)


# --- forgotten and erased ------------------------------------------------------------------------


def test_what_is_forgotten_leaves_who_it_was_and_its_audit() -> None:
    stored = deleted_version(a_history(), GRAVE, WHY, after())

    remains = expired_record(stored, after("6d", days=30), GRAVE)

    assert (remains.id, remains.type) == (stored.id, stored.type)
    assert (remains.scope, remains.sensitivity) == (stored.scope, stored.sensitivity)
    assert (remains.fingerprint, remains.operations) == (stored.fingerprint, stored.operations)
    assert (remains.born_s, remains.version) == (NOW_S, stored.version + 1)
    assert remains.trail[:-1] == stored.trail
    assert (remains.trail[-1].action, remains.trail[-1].actor) == ("delete", DECAY_SERVICE)
    assert first_broken(RECORD_ID, remains.trail, remains.written_entries) is None


@pytest.mark.parametrize("standing", ["alive", "buried", "forgotten"])
def test_erasing_leaves_no_free_text_but_why_it_was_erased(standing: str) -> None:
    living = a_history()
    dead = deleted_version(living, GRAVE, WHY, after())
    held: dict[str, AnyRecord] = {
        "alive": living,
        "buried": dead,
        "forgotten": expired_record(dead, after("6d"), GRAVE),
    }

    remains = erased_record(held[standing], ERASED_GRAVE, Why("officer", "by law"), after("6e"))

    *earlier, last = remains.trail
    assert all(map(is_erased, earlier))
    assert (last.action, last.actor, last.rationale) == ("delete", "officer", "by law")
    assert {entry.principal for entry in remains.trail} == {PRINCIPAL}
    assert remains.tombstone.is_erased
    assert first_broken(RECORD_ID, remains.trail, remains.written_entries) is None


def test_erasing_keeps_what_the_salience_was() -> None:
    stored = a_history()

    remains = erased_record(stored, ERASED_GRAVE, WHY, after())

    kept = [(entry.salience_before, entry.salience_after) for entry in remains.trail]
    assert kept == [
        *((entry.salience_before, entry.salience_after) for entry in stored.trail),
        (None, None),
    ]
    assert kept[1] != (None, None)


def test_to_erase_the_text_again_changes_nothing() -> None:
    remains = erased_record(a_history(), ERASED_GRAVE, WHY, after())

    again = with_erased_trail(remains)

    assert again == remains


def test_remains_of_which_nothing_is_left_to_remove_are_due_no_more() -> None:
    remains = expired_record(deleted_version(a_history(), GRAVE, WHY, after()), after("6d"), GRAVE)

    cleared = remains.without_due_time()

    assert cleared == replace(remains, tombstone=GRAVE._replace(due_s=None))


# --- what may be restored ------------------------------------------------------------------------


def test_a_deleted_record_may_be_restored_until_its_tombstone_is_due() -> None:
    stored = deleted_version(a_stored_record(), GRAVE, WHY, after())

    assert require_restorable(stored, NOW_S + 59.999) is stored


def refusals() -> dict[str, tuple[AnyRecord, float, str]]:
    """What cannot be restored: as it stands, when it is asked for, and why."""
    dead = deleted_version(a_stored_record(), GRAVE, WHY, after())
    late = "the time in which the record could be restored is over"
    gone = "the record was erased; nothing is left to restore"
    forgotten_ = expired_record(dead, after("6d"), GRAVE)
    erased_: RemovedRecord = erased_record(dead, ERASED_GRAVE, WHY, after("6e"))
    return {
        "alive": (a_stored_record(), NOW_S, "the record is not deleted"),
        "due": (dead, NOW_S + 60, late),
        "due for long": (dead, NOW_S + 1e9, late),
        "forgotten": (forgotten_, NOW_S, late),
        "forgotten and cleared": (forgotten_.without_due_time(), NOW_S, late),
        "erased": (erased_, NOW_S - 1, gone),
        "erased and cleared": (erased_.without_due_time(), NOW_S - 1, gone),
    }


@pytest.mark.parametrize(("held", "now_s", "words"), refusals().values(), ids=refusals())
def test_what_lives_or_is_gone_cannot_be_restored(
    held: AnyRecord, now_s: float, words: str
) -> None:
    with pytest.raises(FailedPrecondition) as caught:
        require_restorable(held, now_s)

    assert str(caught.value) == words
