"""Leaves of records and their Merkle roots: what they cover, and how leaves are found."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.integrity.anchors import EMPTY, merkle_root, sorted_shard
from membrane.domain.integrity.leaves import (
    NEVER_S,
    NO_CONTENT,
    Leaf,
    LeafKind,
    content_digest,
    find_leaf,
    leaf_of_record,
    place_of,
    unpack_leaves,
)
from membrane.domain.records.stored import StoredRecord
from tests.builders.stored_records import buried, changed, stored

PLACES = st.binary(min_size=32, max_size=32)


def leaf_at(place: bytes, entries: int = 1) -> Leaf:
    return Leaf(place, entries, bytes(32), NO_CONTENT, bytes(32))


@given(st.lists(PLACES, unique=True, max_size=40), PLACES)
def test_a_leaf_is_found_in_its_shard_and_no_other(places: list[bytes], absent: bytes) -> None:
    packed = sorted_shard([leaf_at(place).pack() for place in places])

    for place in places:
        assert find_leaf(packed, place) == leaf_at(place)
    if absent not in places:
        assert find_leaf(packed, absent) is None


def test_the_last_leaf_of_a_place_counts() -> None:
    place = place_of(LeafKind.RECORD, "record-1")

    packed = sorted_shard([leaf_at(place, 1).pack() + leaf_at(place, 2).pack()])

    assert list(unpack_leaves(packed)) == [leaf_at(place, 2)]


def test_a_record_and_a_topic_of_one_id_have_different_places() -> None:
    assert place_of(LeafKind.RECORD, "a") != place_of(LeafKind.TOPIC, "a")


def with_tags(held: StoredRecord, *tags: str) -> StoredRecord:
    return replace(held, record=held.record.model_copy(update={"tags": tags}))


@pytest.mark.parametrize(
    "other",
    [
        with_tags(stored(), "planted"),
        replace(stored(), anchor=stored().anchor._replace(salience=9.0)),
        stored(scope="project:beta"),
    ],
    ids=["tags", "salience", "scope"],
)
def test_what_needs_an_audit_entry_changes_the_state(other: StoredRecord) -> None:
    assert leaf_of_record(other).state != leaf_of_record(stored()).state


def test_what_the_service_changes_silently_leaves_the_leaf_alone() -> None:
    assert leaf_of_record(replace(stored(), version=7)) == leaf_of_record(stored())


def test_the_leaf_of_a_deleted_record_has_the_expiry_of_the_tombstone() -> None:
    deleted = buried(stored())
    assert deleted.tombstone is not None
    leaf = leaf_of_record(deleted)

    assert leaf_of_record(stored()).expires_at_s == NEVER_S
    assert leaf.expires_at_s == deleted.tombstone.expires_at_s
    assert leaf.is_over(leaf.expires_at_s)
    assert not leaf.is_over(leaf.expires_at_s - 1)


def test_the_history_restores_the_content_of_an_earlier_leaf() -> None:
    before = stored()
    changing = changed(before)
    record = changing.record.model_copy(update={"tags": ("later",)})
    after = before.next_version(record)

    assert content_digest(after, 1) == leaf_of_record(before).content
    assert content_digest(after, 2) != leaf_of_record(before).content


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert merkle_root([]) == EMPTY == hashlib.sha256(b"").digest()


def test_the_root_of_three_values_is_that_of_the_standard() -> None:
    one, two, three = (hashlib.sha256(b"\x00" + each).digest() for each in (b"1", b"2", b"3"))
    pair = hashlib.sha256(b"\x01" + one + two).digest()

    assert merkle_root([b"1", b"2", b"3"]) == hashlib.sha256(b"\x01" + pair + three).digest()


@given(st.lists(st.binary(max_size=3), max_size=9), st.lists(st.binary(max_size=3), max_size=9))
def test_two_lists_of_values_never_have_the_same_root(one: list[bytes], other: list[bytes]) -> None:
    assert (merkle_root(one) == merkle_root(other)) is (one == other)
