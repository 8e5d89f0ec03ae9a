"""Records come back as they were written, and a key is used once."""

import pytest
from hypothesis import given, settings

from membrane.domain.records.stored import StoredRecord
from membrane.table.items import IdTaken, KeyUsed
from membrane.usecases.ports.records import Receipt
from tests.builders.generated_records import SCOPES, records
from tests.builders.stored_records import event, noise, stored
from tests.worlds.depth import examples
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


LARGE_TEXTS = {
    "repetitive": "x" * 100_000,
    "just inline": noise(40_000),
    "random": noise(100_000),
    "unicode": "é日🧠" * 33_000,
    "random unicode": "".join(chr(0x4E00 + ord(letter) * 97) for letter in noise(32_000)),
}


@settings(max_examples=examples(60))
@given(generated=records())
def test_a_record_of_any_type_and_scope_comes_back_equal(
    store: Store, generated: StoredRecord
) -> None:
    store.records.create(generated)

    assert store.records.load(generated.id) == generated


@pytest.mark.parametrize("summary", LARGE_TEXTS.values(), ids=LARGE_TEXTS)
def test_a_record_with_a_large_text_comes_back_equal(store: Store, summary: str) -> None:
    large = stored(payload=event(summary=summary))

    store.records.create(large)

    assert store.records.load(large.id) == large


def test_a_record_of_a_hundred_long_tags_comes_back_equal(store: Store) -> None:
    tagged = stored(tags=tuple(f"{number:03d}" + "é" * 253 for number in range(100)))

    store.records.create(tagged)

    assert store.records.load(tagged.id) == tagged


@pytest.mark.parametrize("record_id", ["a", "." * 128, "record", "a:b-c_d.e", "-"])
def test_a_record_of_any_allowed_id_comes_back_equal(store: Store, record_id: str) -> None:
    record = stored(record_id)

    store.records.create(record)

    assert store.records.load(record_id) == record


def test_a_record_that_was_never_stored_is_none(store: Store) -> None:
    store.records.create(stored("record-10"))

    assert store.records.load("record-1") is None


def test_an_id_is_given_once(store: Store) -> None:
    first = stored(payload=event("build:1"))
    store.records.create(first)

    with pytest.raises(IdTaken) as refused:
        store.records.create(stored(payload=event("build:2"), scope="elsewhere"))

    assert refused.value.record_id == first.id
    assert store.records.load(first.id) == first


def test_a_record_in_one_scope_is_the_same_elsewhere(store: Store) -> None:
    for number, scope in enumerate(SCOPES):
        store.records.create(stored(f"record-{number}", scope=scope))

    elsewhere = store.elsewhere()
    found = [elsewhere.load(f"record-{number}") for number in range(len(SCOPES))]

    assert [one and one.scope for one in found] == list(SCOPES)


def test_a_document_is_compressed_only_where_that_saves_a_write_unit(table: Store) -> None:
    table.records.create(stored("two units either way", payload=event(summary=noise(700))))
    table.records.create(stored("many units", payload=event(summary="words " * 10_000)))

    assert "S" in table.own_item("two units either way")["document"]
    assert "B" in table.own_item("many units")["document"]


@pytest.mark.parametrize("summary", ["random", "random unicode"])
def test_a_document_over_32_kb_compressed_goes_to_a_blob_of_its_own(
    table: Store, summary: str
) -> None:
    table.records.create(stored(payload=event(summary=LARGE_TEXTS[summary])))

    document = table.own_item("record-1")["document"]

    assert list(document) == ["M"], f"the document lies inline, as {list(document)}"
    sha256 = document["M"]["sha256"]["S"]
    assert table.blobs.get(f"blobs/record-1/{sha256}") is not None
