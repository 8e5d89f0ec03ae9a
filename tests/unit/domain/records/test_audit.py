"""The audit trail is a chain: what is changed, missing or moved shows."""

import hashlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.records import (
    AuditEntry,
    entry_after,
    first_broken,
    is_erased,
    without_text,
)

RECORD = "rec-1"
ACTIONS = list(AuditAction)


def a_trail(
    length: int = 4, saliences: Sequence[tuple[float, float] | None] = ()
) -> list[AuditEntry]:
    """So many entries; `saliences` are those of the first ones."""
    trail: list[AuditEntry] = []
    for number in range(length):
        entry = entry_after(
            trail,
            record_id=RECORD,
            action=ACTIONS[number % len(ACTIONS)],
            actor=f"actor-{number}",
            rationale=f"reason {number}",
            principal=f"key-{number}",
            timestamp=f"2026-01-31T12:00:{number:02}Z",
            salt=f"{number:032x}",
            saliences=saliences[number] if number < len(saliences) else None,
        )
        trail.append(entry)
    return trail


def erased(entry: AuditEntry) -> AuditEntry:
    """The entry without its free text, whose salted hash it keeps."""
    text = entry.salt.encode() + canonical_json([entry.actor, entry.rationale])
    text_hash = hashlib.sha256(text).hexdigest()
    return changed(entry, actor="", rationale="", salt="", text_hash=text_hash)


def changed(entry: AuditEntry, **fields: Any) -> AuditEntry:
    return entry.model_copy(update=fields)


def with_entry_at(trail: Sequence[AuditEntry], position: int, entry: AuditEntry) -> Any:
    return [*trail[:position], entry, *trail[position + 1 :]]


def test_a_trail_that_nobody_touched_is_intact() -> None:
    trail = a_trail(20)

    broken = first_broken(RECORD, trail)

    assert broken is None


def test_each_entry_carries_its_own_hash_and_the_one_before_it() -> None:
    trail = a_trail()

    previous = [entry.previous_hash for entry in trail]

    assert previous == ["", *(entry.hash for entry in trail[:-1])]
    assert len({entry.hash for entry in trail}) == len(trail)


def test_a_hash_is_made_as_the_module_documents_it() -> None:
    entry = a_trail(1)[0]
    text_hash = hashlib.sha256(b"0" * 32 + b'["actor-0","reason 0"]').hexdigest()

    hashed = f'["rec-1","","create","2026-01-31T12:00:00Z","key-0","{text_hash}"]'

    assert entry.hash == hashlib.sha256(hashed.encode()).hexdigest()


def test_the_saliences_of_an_entry_are_part_of_its_hash() -> None:
    entry = a_trail(1, [(0.5, 1.0)])[0]
    text_hash = hashlib.sha256(b"0" * 32 + b'["actor-0","reason 0"]').hexdigest()

    hashed = f'["rec-1","","create","2026-01-31T12:00:00Z","key-0","{text_hash}",0.5,1.0]'

    assert (entry.salience_before, entry.salience_after) == (0.5, 1.0)
    assert entry.hash == hashlib.sha256(hashed.encode()).hexdigest()


def test_the_same_text_under_another_salt_has_another_hash() -> None:
    fields: dict[str, Any] = {
        "record_id": RECORD,
        "action": AuditAction.CREATE,
        "actor": "a",
        "rationale": "r",
        "principal": "p",
        "timestamp": "2026-01-31T12:00:00Z",
    }

    hashes = {entry_after((), salt=salt, **fields).hash for salt in ("00", "01")}

    assert len(hashes) == 2


@pytest.mark.parametrize("position", [0, 1, 3])
@pytest.mark.parametrize(
    "change",
    [
        {"action": AuditAction.DECAY},
        {"actor": "mallory"},
        {"actor": ""},
        {"timestamp": "2026-01-31T12:00:59Z"},
        {"rationale": "another reason"},
        {"rationale": ""},
        {"principal": "key-of-mallory"},
        {"previous_hash": "0" * 64},
        {"hash": "0" * 64},
        {"hash": ""},
        {"salt": "ff"},
        {"salt": ""},
        {"text_hash": "0" * 64},
    ],
    ids=str,
)
def test_a_change_of_any_field_shows_where_it_was_made(
    position: int, change: dict[str, Any]
) -> None:
    trail = a_trail()
    forged = with_entry_at(trail, position, changed(trail[position], **change))

    broken = first_broken(RECORD, forged)

    assert broken == position


@pytest.mark.parametrize("saliences", [[(0.5, 0.7)], [None, (1e-100, 1e100), None, (0.0, 1 / 3)]])
def test_entries_with_and_without_saliences_make_one_chain(
    saliences: list[tuple[float, float] | None],
) -> None:
    trail = a_trail(5, saliences)

    broken = first_broken(RECORD, trail)

    assert broken is None


@pytest.mark.parametrize("is_without_text", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        {"salience_before": 0.6},
        {"salience_after": 0.5},
        {"salience_before": 0.7, "salience_after": 0.5},
        {"salience_before": None},
        {"salience_after": None},
        {"salience_before": None, "salience_after": None},
    ],
    ids=str,
)
def test_a_salience_that_was_changed_or_removed_shows(
    change: dict[str, float | None],
    is_without_text: bool,  # noqa: FBT001 - a parameter
) -> None:
    trail = a_trail(3, [None, (0.5, 0.7)])
    kept = [erased(entry) for entry in trail] if is_without_text else trail

    broken = first_broken(RECORD, with_entry_at(kept, 1, changed(kept[1], **change)))

    assert broken == 1


@pytest.mark.parametrize(
    "added", [{"salience_before": 0.5}, {"salience_before": 0.0, "salience_after": 0.0}], ids=str
)
def test_a_salience_that_was_put_into_an_entry_shows(added: dict[str, float]) -> None:
    trail = a_trail()

    broken = first_broken(RECORD, with_entry_at(trail, 1, changed(trail[1], **added)))

    assert broken == 1


@pytest.mark.parametrize("position", [0, 1, 3])
def test_moving_text_from_actor_to_rationale_shows(position: int) -> None:
    trail = a_trail()
    entry = trail[position]
    moved = changed(entry, actor=entry.actor + entry.rationale, rationale="")

    broken = first_broken(RECORD, with_entry_at(trail, position, moved))

    assert broken == position


def test_a_trail_of_another_record_is_broken_from_its_first_entry() -> None:
    trail = a_trail()

    broken = first_broken("rec-2", trail)

    assert broken == 0


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_missing_entry_shows_at_the_one_after_it(position: int) -> None:
    trail = a_trail()
    del trail[position]

    broken = first_broken(RECORD, trail)

    assert broken == position


@pytest.mark.parametrize("left", [0, 1, 3])
def test_a_missing_end_shows_where_the_number_of_entries_is_known(left: int) -> None:
    trail = a_trail(4)

    broken = first_broken(RECORD, trail[:left], written=4)

    assert broken == left


def test_a_trail_of_as_many_entries_as_were_written_is_intact() -> None:
    trail = a_trail(4)

    broken = first_broken(RECORD, trail, written=4)

    assert broken is None


def test_an_entry_that_nobody_wrote_shows_however_well_it_follows() -> None:
    trail = a_trail(5)

    broken = first_broken(RECORD, trail, written=4)

    assert broken == 4


def test_a_broken_entry_is_named_before_a_missing_end() -> None:
    trail = a_trail(4)
    trail[1] = changed(trail[1], actor="mallory")

    broken = first_broken(RECORD, trail[:3], written=4)

    assert broken == 1


@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (0, 3), (2, 3)])
def test_entries_in_another_order_show(one: int, other: int) -> None:
    trail = a_trail()
    trail[one], trail[other] = trail[other], trail[one]

    broken = first_broken(RECORD, trail)

    assert broken == one


@pytest.mark.parametrize("position", [0, 1, 3])
def test_an_entry_that_stands_twice_shows(position: int) -> None:
    trail = a_trail()
    trail.insert(position, trail[position])

    broken = first_broken(RECORD, trail)

    assert broken == position + 1


@pytest.mark.parametrize("position", [0, 1, 3])
def test_a_forged_entry_with_a_valid_hash_of_its_own_shows_at_the_one_after_it(
    position: int,
) -> None:
    trail = a_trail(5)
    forged = entry_after(
        trail[:position],
        record_id=RECORD,
        action=AuditAction.REVISE,
        actor="mallory",
        rationale="none",
        principal="key-of-mallory",
        timestamp="2026-01-31T12:00:00Z",
        salt="00",
    )

    broken = first_broken(RECORD, with_entry_at(trail, position, forged))

    assert broken == position + 1


@pytest.mark.parametrize("positions", [{0}, {2}, {3}, {0, 1, 2, 3}], ids=str)
def test_a_trail_whose_text_was_erased_is_intact(positions: set[int]) -> None:
    trail = [
        erased(entry) if position in positions else entry
        for position, entry in enumerate(a_trail())
    ]

    broken = first_broken(RECORD, trail)

    assert broken is None


@pytest.mark.parametrize("saliences", [None, (0.5, 0.7)])
def test_an_entry_without_text_keeps_its_salted_hash_and_all_else(
    saliences: tuple[float, float] | None,
) -> None:
    entry = a_trail(1, [saliences])[0]

    left = without_text(entry)

    assert left == erased(entry)
    assert (is_erased(left), is_erased(entry)) == (True, False)


def test_an_entry_loses_its_text_once() -> None:
    left = without_text(a_trail(1)[0])

    assert without_text(left) == left


def test_an_entry_that_never_had_a_text_can_lose_it_too() -> None:
    fields: dict[str, Any] = {"record_id": RECORD, "action": AuditAction.CREATE, "principal": "p"}
    entry = entry_after(
        (), actor="", rationale="", timestamp="2026-01-31T12:00:00Z", salt="5a", **fields
    )

    left = without_text(entry)

    assert is_erased(left)
    assert first_broken(RECORD, [left]) is None


def test_a_trail_goes_on_after_an_erased_entry() -> None:
    trail = [erased(entry) for entry in a_trail(3)]

    newest = entry_after(
        trail,
        record_id=RECORD,
        action=AuditAction.DELETE,
        actor="operator",
        rationale="asked to",
        principal="key-of-operator",
        timestamp="2026-02-01T12:00:00Z",
        salt="ff",
    )

    assert newest.previous_hash == trail[-1].hash
    assert first_broken(RECORD, [*trail, newest]) is None


@pytest.mark.parametrize("position", [0, 1, 3])
@pytest.mark.parametrize(
    "change",
    [
        {"action": AuditAction.DECAY},
        {"timestamp": "2026-01-31T12:00:59Z"},
        {"principal": "key-of-mallory"},
        {"previous_hash": "0" * 64},
        {"hash": "0" * 64},
        {"text_hash": "0" * 64},
        {"text_hash": ""},
    ],
    ids=str,
)
def test_a_change_of_what_is_left_of_an_erased_entry_shows(
    position: int, change: dict[str, Any]
) -> None:
    trail = [erased(entry) for entry in a_trail()]
    forged = with_entry_at(trail, position, changed(trail[position], **change))

    broken = first_broken(RECORD, forged)

    assert broken == position


@pytest.mark.parametrize(
    "text",
    [{"actor": "mallory"}, {"rationale": "an invented reason"}, {"salt": "ff"}],
    ids=str,
)
def test_text_that_was_put_into_an_erased_entry_shows(text: dict[str, str]) -> None:
    trail = [erased(entry) for entry in a_trail()]
    forged = with_entry_at(trail, 1, changed(trail[1], **text))

    broken = first_broken(RECORD, forged)

    assert broken == 1


def test_text_that_was_replaced_under_the_hash_of_the_old_text_shows() -> None:
    trail = a_trail()
    text_hash = erased(trail[1]).text_hash
    replaced = changed(trail[1], rationale="an invented reason", text_hash=text_hash)

    broken = first_broken(RECORD, with_entry_at(trail, 1, replaced))

    assert broken == 1


@given(
    st.integers(0, 3),
    st.sampled_from(["actor", "timestamp", "rationale", "principal", "hash", "salt"]),
    st.text(min_size=1),
)
def test_no_addition_to_any_text_of_an_entry_goes_unseen(
    position: int, field: str, addition: str
) -> None:
    trail = a_trail()
    longer = getattr(trail[position], field) + addition

    broken = first_broken(
        RECORD, with_entry_at(trail, position, changed(trail[position], **{field: longer}))
    )

    assert broken == position
