"""Uploads and large values in the store: claimed with the record that takes them, or not at all."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.payloads import EpisodicPayload, TimelineEvent, ToolNode
from membrane.domain.records.sizes import Upload
from membrane.domain.records.stored import StoredRecord
from membrane.table.items import CorruptItem, IdTaken
from tests.builders.stored_records import NOW, NOW_S, changed, noise, stored
from tests.worlds.stores import Store

DAY_S = 86_400
CONTENT = f'"{noise(LARGE_VALUE_BYTES)}"'.encode()
SHA256 = hashlib.sha256(CONTENT).hexdigest()
AGENT = principal_of("agent", Permission, ["*"], "hyper")


def upload(upload_id: str = "upload-1", *, expires_at_s: int = int(NOW_S) + DAY_S) -> Upload:
    """An upload of CONTENT, opened this morning."""
    fingerprint = b"\x01" * 32
    return Upload(
        upload_id, len(CONTENT), SHA256, AGENT.identity, expires_at_s, fingerprint, "project:alpha"
    )


def with_large_value(record_id: str = "record-1") -> tuple[StoredRecord, dict[LargeValue, bytes]]:
    """A tool's call whose result is CONTENT, and what is written with it."""
    large = LargeValue(record_id, SHA256, len(CONTENT))
    payload = EpisodicPayload(
        kind="episodic",
        timeline=(TimelineEvent(t=NOW, event_kind="tool_call", ref="node"),),
        tool_graph=(ToolNode(id="node", tool="cat", result=large),),
    )
    return stored(record_id, payload=payload), {large: CONTENT}


# --- uploads -------------------------------------------------------------------------------------


def test_an_upload_is_found_as_it_was_opened(store: Store) -> None:
    store.uploads.open(upload())

    assert store.uploads.find("upload-1") == upload()
    assert store.uploads.find("upload-2") is None


def test_opening_it_again_gives_the_one_that_stands(store: Store) -> None:
    store.uploads.open(upload())

    standing = store.uploads.open(replace(upload(), size=1))

    assert standing == upload()


def test_one_that_has_expired_makes_room(store: Store) -> None:
    store.uploads.open(upload(expires_at_s=int(NOW_S) - 1))

    assert store.uploads.open(upload()) is None
    assert store.uploads.find("upload-1") == upload()


# --- claims --------------------------------------------------------------------------------------


def test_a_record_and_its_claims_are_one_write(store: Store) -> None:
    opened = [upload(f"upload-{n}") for n in range(4)]
    for each in opened:
        store.uploads.open(each)
    new, values = with_large_value()

    store.records.create(new, uploads=opened, values=values)

    assert store.records.load("record-1") == new
    assert [store.uploads.find(each.id) for each in opened] == [
        replace(each, claimed_by="record-1") for each in opened
    ]


def _claimed_by_another(store: Store) -> None:
    other, values = with_large_value("record-2")
    store.uploads.open(upload())
    store.records.create(other, uploads=[upload()], values=values)


@pytest.mark.parametrize(
    ("prepare", "error"),
    [
        (lambda _: None, NotFound),
        (lambda store: store.uploads.open(upload(expires_at_s=int(NOW_S))), NotFound),
        (lambda store: store.uploads.open(replace(upload(), opened_by="other")), NotFound),
        (_claimed_by_another, FailedPrecondition),
    ],
    ids=["never opened", "expired", "another principal's", "claimed"],
)
def test_without_its_claim_a_record_is_not_written(
    store: Store, prepare: Callable[[Store], object], error: type[Exception]
) -> None:
    prepare(store)
    new, values = with_large_value()

    with pytest.raises(error):
        store.records.create(new, uploads=[upload()], values=values)

    assert store.records.load("record-1") is None


def test_that_an_id_is_taken_comes_before_the_claim(store: Store) -> None:
    _claimed_by_another(store)
    again, values = with_large_value("record-2")

    with pytest.raises(IdTaken):
        store.records.create(again, uploads=[upload()], values=values)


def test_where_the_id_is_taken_no_value_is_put_for_nothing(table: Store) -> None:
    other = stored("record-1")
    table.records.create(other)
    new, values = with_large_value("record-1")

    with pytest.raises(IdTaken):
        table.records.create(new, values=values)

    assert list(table.blobs.list_blobs()) == []


# --- values --------------------------------------------------------------------------------------


def test_a_large_value_is_read_apart_and_byte_for_byte(store: Store) -> None:
    new, values = with_large_value()
    store.records.create(new, values=values)

    (large,) = values
    assert store.records.load("record-1") == new
    assert store.records.value(large) == CONTENT
    assert SHA256 in store.records.link(large)


def test_a_change_keeps_the_value(store: Store) -> None:
    new, values = with_large_value()
    store.records.create(new, values=values)
    before = store.records.load("record-1")
    assert isinstance(before, StoredRecord)

    store.records.replace(before, changed(before))

    (large,) = values
    after = store.records.load("record-1")
    assert isinstance(after, StoredRecord)
    assert after.record.payload == new.record.payload
    assert store.records.value(large) == CONTENT


def test_a_record_names_its_values_so_that_they_are_no_orphans(table: Store) -> None:
    new, values = with_large_value()
    table.records.create(new, values=values)

    assert table.records.blob_names("record-1") == {f"blobs/record-1/{SHA256}"}


@pytest.mark.parametrize("damage", [b"altered", None], ids=["altered", "absent"])
def test_a_value_that_is_not_what_was_written_is_never_shown(
    table: Store, damage: bytes | None
) -> None:
    new, values = with_large_value()
    table.records.create(new, values=values)
    name = f"blobs/record-1/{SHA256}"
    if damage is None:
        table.blobs.remove(name)
    else:
        table.blobs.write(name, damage)

    (large,) = values
    with pytest.raises(CorruptItem, match="record-1"):
        table.records.value(large)
