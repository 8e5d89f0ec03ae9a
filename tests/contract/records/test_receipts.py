"""A key's receipt: which record the key made, where the client chose the record's id."""

import pytest

from membrane.usecases.ports.records import IdTaken, KeyUsed, Receipt
from tests.builders.stored_records import stored
from tests.worlds.stores import Store

RECEIPT = Receipt("keyed", b"f" * 32)


def test_a_key_is_used_once_and_its_receipt_says_for_what(store: Store) -> None:
    store.records.create(stored("chosen"), receipts={"chosen": RECEIPT})

    with pytest.raises(KeyUsed) as refused:
        store.records.create(stored("another"), receipts={"another": Receipt("keyed", b"g" * 32)})

    assert (refused.value.record_id, refused.value.fingerprint) == ("chosen", b"f" * 32)
    assert store.records.load("another") is None


def test_a_receipt_is_no_record(store: Store) -> None:
    store.records.create(stored("chosen"), receipts={"chosen": RECEIPT})

    assert store.records.load("keyed") is None
    assert store.records.load("chosen") == stored("chosen")


def test_a_receipt_can_be_read(store: Store) -> None:
    store.records.create(stored("chosen"), receipts={"chosen": RECEIPT})

    found = store.records.receipt("keyed")

    assert found is not None
    assert (found.record_id, found.fingerprint) == ("chosen", b"f" * 32)
    assert store.records.receipt("chosen") is None
    assert store.records.receipt("never") is None


def test_a_record_cannot_take_the_place_of_a_receipt(store: Store) -> None:
    store.records.create(stored("chosen"), receipts={"chosen": RECEIPT})

    with pytest.raises(KeyUsed) as refused:
        store.records.create(stored("keyed"))

    assert refused.value.record_id == "chosen"


def test_a_receipt_cannot_take_the_place_of_a_record(store: Store) -> None:
    store.records.create(stored("keyed"))

    with pytest.raises(IdTaken) as refused:
        store.records.create(stored("chosen"), receipts={"chosen": RECEIPT})

    assert refused.value.record_id == "keyed"
    assert store.records.load("chosen") is None


def test_the_same_write_again_is_known_by_its_key_first(store: Store) -> None:
    store.records.create(stored("chosen"), receipts={"chosen": RECEIPT})

    with pytest.raises(KeyUsed):
        store.records.create(stored("chosen"), receipts={"chosen": RECEIPT})


def test_a_refused_record_leaves_no_receipt(store: Store) -> None:
    store.records.create(stored("taken"))
    with pytest.raises(IdTaken):
        store.records.create(stored("taken"), receipts={"taken": RECEIPT})

    store.records.create(stored("free"), receipts={"free": RECEIPT})

    assert store.records.load("free") == stored("free")
