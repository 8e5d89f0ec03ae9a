"""Heads: who may hold what must be single, laid down in the transaction they go with."""

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.records import Head, Holder, LostRace
from tests.builders.stored_records import changed, stored
from tests.worlds.stores import Store

KEY = b"\x00the fact\xff"
FIRST = Holder("first", Sensitivity.LOW)
SECOND = Holder("second", Sensitivity.HIGH, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00.5Z")


def read(store: Store, record_id: str) -> StoredRecord:
    """The record as it is now."""
    held = store.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def test_a_head_that_was_never_claimed_is_held_by_nobody(store: Store) -> None:
    assert store.records.head(KEY) == Head(KEY)


def test_a_record_claims_a_head_as_it_is_created(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])

    assert store.records.head(KEY) == Head(KEY, 1, (FIRST,))
    assert store.records.head(KEY + b"\x00") == Head(KEY + b"\x00")


def test_several_heads_are_read_as_each_is_alone(store: Store) -> None:
    keys = [bytes((number,)) for number in range(120)]
    store.records.create(stored("first"), heads=[Head(keys[0], 0, (FIRST,)), Head(keys[110])])

    found = store.records.heads_of(keys)

    assert found == {each: store.records.head(each) for each in keys}
    assert [found[each].version for each in (keys[0], keys[1], keys[110])] == [1, 0, 1]


def test_a_head_keeps_several_holders_with_their_windows(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST, SECOND))])

    assert store.records.head(KEY).holders == (FIRST, SECOND)


def test_a_head_keeps_up_to_when_it_names_all_that_counts(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,), 1_772_355_600.25)])

    assert store.records.head(KEY).known_to_s == 1_772_355_600.25


def test_of_two_claims_one_wins_and_the_loser_is_not_stored(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])

    with pytest.raises(LostRace):
        store.records.create(stored("second"), heads=[Head(KEY, 0, (SECOND,))])

    assert store.records.head(KEY).holders == (FIRST,)
    assert store.records.load("second") is None


def test_a_head_moves_to_whoever_has_read_it_as_it_is(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])

    store.records.create(stored("second"), heads=[Head(KEY, 1, (SECOND,))])

    assert store.records.head(KEY) == Head(KEY, 2, (SECOND,))


def test_a_record_whose_head_has_moved_meanwhile_is_not_changed(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])
    store.records.create(stored("second"), heads=[Head(KEY, 1, (FIRST, SECOND))])
    before = read(store, "first")

    with pytest.raises(LostRace):
        store.records.replace_all([(before, changed(before))], heads=[Head(KEY, 1, ())])

    assert store.records.load("first") == before
    assert store.records.head(KEY).holders == (FIRST, SECOND)


def test_a_head_without_holders_may_be_claimed_again(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, 0, (FIRST,))])
    before = read(store, "first")

    store.records.replace_all([(before, changed(before))], heads=[Head(KEY, 1, ())])
    assert store.records.head(KEY) == Head(KEY, 2)
    store.records.create(stored("second"), heads=[Head(KEY, 2, (SECOND,))])

    assert store.records.head(KEY).holders == (SECOND,)


def test_where_one_head_is_lost_no_other_moves(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(b"one", 0, (FIRST,))])

    with pytest.raises(LostRace):
        store.records.create(
            stored("second"), heads=[Head(b"two", 0, (SECOND,)), Head(b"one", 0, (SECOND,))]
        )

    assert store.records.head(b"two") == Head(b"two")
