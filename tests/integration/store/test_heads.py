"""Heads: who holds what must be single. Moved in the transaction of the write they go with."""

import pytest

from membrane.domain.stored import StoredRecord
from membrane.usecases.ports.records import Head, LostRace
from tests.integration.store.samples import changed, stored
from tests.integration.store.stores import Store

KEY = b"\x00the fact\xff"


def test_a_head_that_was_never_claimed_is_held_by_nobody(store: Store) -> None:
    assert store.records.holder(KEY) is None


def test_a_record_claims_a_head_as_it_is_created(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, None, "first")])

    assert store.records.holder(KEY) == "first"
    assert store.records.holder(KEY + b"\x00") is None


def test_of_two_claims_one_wins_and_the_loser_is_not_stored(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, None, "first")])

    with pytest.raises(LostRace):
        store.records.create(stored("second"), heads=[Head(KEY, None, "second")])

    assert store.records.holder(KEY) == "first"
    assert store.records.load("second") is None


def test_a_head_moves_to_the_record_that_knows_its_holder(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, None, "first")])

    store.records.create(stored("second"), heads=[Head(KEY, "first", "second")])

    assert store.records.holder(KEY) == "second"


def test_a_record_that_expects_another_holder_is_not_changed(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, None, "first")])
    before = store.records.load("first")
    assert isinstance(before, StoredRecord)

    with pytest.raises(LostRace):
        store.records.replace(before, changed(before), heads=[Head(KEY, "other", None)])

    assert store.records.load("first") == before
    assert store.records.holder(KEY) == "first"


def test_a_released_head_may_be_claimed_again(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(KEY, None, "first")])
    before = store.records.load("first")
    assert isinstance(before, StoredRecord)

    store.records.replace(before, changed(before), heads=[Head(KEY, "first", None)])
    assert store.records.holder(KEY) is None
    store.records.create(stored("second"), heads=[Head(KEY, None, "second")])

    assert store.records.holder(KEY) == "second"


def test_of_several_heads_all_move_or_none(store: Store) -> None:
    store.records.create(stored("first"), heads=[Head(b"one", None, "first")])

    with pytest.raises(LostRace):
        store.records.create(
            stored("second"), heads=[Head(b"two", None, "second"), Head(b"one", None, "second")]
        )

    assert store.records.holder(b"two") is None
