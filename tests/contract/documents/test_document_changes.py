"""A document is replaced under the version read; versions that leave the head stay readable."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.domain.documents.changes import put, with_fresh_period
from membrane.domain.documents.document import (
    Document,
    DocumentAction,
    Version,
    first_broken,
    without_content,
)
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.usecases.ports.documents import Once, Receipt
from membrane.usecases.ports.records import LostRace
from tests.builders.stored_documents import (
    KEPT_S,
    SCOPE,
    chunk,
    content,
    deleted,
    erasing,
    large_value,
    making,
    place,
    store_next,
    written,
)
from tests.builders.stored_records import noise
from tests.fakes.clock import MORNING
from tests.fakes.interrupted_blobs import InterruptedBlobs
from tests.worlds.metering import meter
from tests.worlds.stores import Store

if TYPE_CHECKING:
    from membrane.domain.documents.replies import DocumentItem

UNTIL_S = epoch_seconds(MORNING) + KEPT_S
LONG = [f'"{letter * 700}"' for letter in "abcdefg"]
"""Values that do not stay in the head as former versions."""


def vanish(store: Store, document: Document) -> None:
    """Remove the head, as TTL does at a time of its own choosing."""
    (head,) = [each for each in store.everything() if each["sk"] == {"S": place().sort_text}]
    assert document.place == place()
    store.remove(head)


def everything(documents: DynamoDocuments) -> list[Version]:
    """Every version of the document, oldest first."""
    document = documents.load(place())
    assert document is not None
    inline = [*document.former, document.current]
    moved = documents.versions(place(), inline[0].entry.version, 1_000)
    return [*reversed(moved), *inline]


def test_only_the_first_of_two_writers_of_a_new_document_wins(store: Store) -> None:
    first = written(store.documents, place(), "1")

    with pytest.raises(LostRace):
        written(store.documents, place(), "2")

    assert store.documents.load(place()) == first


def test_only_the_first_of_two_writers_over_a_version_wins(store: Store) -> None:
    first = written(store.documents, place(), "1")
    second = written(store.documents, place(), "2", before=first)

    with pytest.raises(LostRace):
        written(store.documents, place(), "3", before=first)

    assert store.documents.load(place()) == second


def test_a_document_that_vanished_is_not_replaced(store: Store) -> None:
    first = written(store.documents, place(), "1")
    vanish(store, first)

    with pytest.raises(LostRace):
        written(store.documents, place(), "2", before=first)

    assert store.documents.load(place()) is None


def test_a_version_of_the_same_number_in_a_later_life_is_not_replaced(store: Store) -> None:
    first = written(store.documents, place(), "1")
    vanish(store, first)
    store.clock.advance(days=1)
    again = written(store.documents, place(), "2", now=store.clock())

    with pytest.raises(LostRace):
        written(store.documents, place(), "3", before=first)

    assert store.documents.load(place()) == again


def test_every_former_version_is_read_newest_first(store: Store) -> None:
    texts = [*LONG[:3], "1", "2", "3", *LONG[3:], "4"]
    document = written(store.documents, place(), *texts)

    versions = everything(store.documents)

    assert [each.text for each in versions] == texts
    assert first_broken(place(), versions) is None
    inline = len(document.former) + 1
    moved = list(reversed(versions[:-inline]))
    oldest = document.version - inline + 1
    assert store.documents.versions(place(), oldest, 4) == moved[:4]
    assert store.documents.versions(place(), 3, 1_000) == moved[-2:]
    assert store.documents.versions(place(), 1, 1_000) == []


def test_a_write_that_was_cut_off_behind_its_history_is_repeated(table: Store) -> None:
    first = written(table.documents, place(), LONG[0])
    made = put(first, place(), content(LONG[1]), making())
    with pytest.raises(LostRace):  # writes the history, and then loses
        store_next(table.documents, replace(first, current=made.after.current), made)

    written(table.documents, place(), LONG[2], before=first)

    assert [each.text for each in everything(table.documents)] == [LONG[0], LONG[2]]


def test_a_later_life_at_the_place_has_a_history_of_its_own(store: Store) -> None:
    earlier = written(store.documents, place(), *LONG)
    vanish(store, earlier)
    store.clock.advance(days=1)

    written(store.documents, place(), "1", "2", "3", "4", "5", "6", now=store.clock())

    versions = everything(store.documents)
    assert [each.text for each in versions] == ["1", "2", "3", "4", "5", "6"]
    assert first_broken(place(), versions) is None
    assert [each.text for each in store.documents.versions(place(), 6, 1)] == ["5"]


def test_a_writer_of_an_earlier_life_leaves_the_later_history_alone(store: Store) -> None:
    earlier = written(store.documents, place(), LONG[0])
    vanish(store, earlier)
    store.clock.advance(days=1)
    written(store.documents, place(), LONG[1], LONG[2], now=store.clock())

    with pytest.raises(LostRace):
        written(store.documents, place(), LONG[3], before=earlier)

    assert [each.text for each in everything(store.documents)] == [LONG[1], LONG[2]]


def test_a_later_life_writes_history_over_that_of_an_erased_life(store: Store) -> None:
    earlier = written(store.documents, place(), LONG[0])
    made = erasing(earlier)
    store_next(store.documents, earlier, made)
    store.documents.erase_history(made.after, until_s=UNTIL_S)
    vanish(store, made.after)
    store.clock.advance(days=40)

    written(store.documents, place(), LONG[1], LONG[2], now=store.clock())

    assert [each.text for each in everything(store.documents)] == [LONG[1], LONG[2]]


def test_a_deleted_document_keeps_former_values(store: Store) -> None:
    document = deleted(store.documents, written(store.documents, place(), *LONG[:2]))

    versions = everything(store.documents)

    assert store.documents.load(place()) == document
    assert [each.text for each in versions] == [*LONG[:2], None]
    assert versions[-1].entry.action is DocumentAction.DELETE


def test_an_erasure_leaves_the_chain_and_no_value(store: Store) -> None:
    document = written(store.documents, place(), *LONG[:3], "1", "2")
    made = erasing(document)
    store_next(store.documents, document, made)

    store.documents.erase_history(made.after, until_s=UNTIL_S)
    store.documents.erase_history(made.after, until_s=UNTIL_S)

    versions = everything(store.documents)
    assert [each.entry.version for each in versions] == [1, 2, 3, 4, 5, 6]
    assert [each.text for each in versions] == [None] * 6
    assert versions[:5] == [without_content(each) for each in versions[:5]]
    assert first_broken(place(), versions) is None
    assert store.documents.is_erased(place().id)
    assert not store.documents.is_erased(place("other").id)


def test_a_write_that_is_late_for_an_erasure_brings_nothing_back(store: Store) -> None:
    document = written(store.documents, place(), LONG[0], LONG[1])
    late = put(document, place(), content(LONG[2]), making())
    made = erasing(document)
    store_next(store.documents, document, made)
    store.documents.erase_history(made.after, until_s=UNTIL_S)

    with pytest.raises(LostRace):
        store_next(store.documents, document, late)

    assert [each.text for each in everything(store.documents)] == [None] * 3


def test_a_write_between_head_and_history_of_an_erasure_is_erased_too(store: Store) -> None:
    document = written(store.documents, place(), LONG[0], LONG[1])
    late = put(document, place(), content(LONG[2]), making())
    made = erasing(document)
    store_next(store.documents, document, made)
    with pytest.raises(LostRace):
        store_next(store.documents, document, late)

    store.documents.erase_history(made.after, until_s=UNTIL_S)

    assert [each.text for each in everything(store.documents)] == [None] * 3


def test_an_erasure_that_lost_its_race_does_not_hold_up_later_writes(store: Store) -> None:
    document = written(store.documents, place(), "1", "2")
    made = erasing(document)
    third = written(store.documents, place(), "3", before=document)
    with pytest.raises(LostRace):
        store_next(store.documents, document, made)

    written(store.documents, place(), "4", "5", "6", before=third)

    assert [each.text for each in everything(store.documents)] == ["1", "2", "3", "4", "5", "6"]


def test_an_erasure_that_lost_its_race_leaves_moved_values(store: Store) -> None:
    document = written(store.documents, place(), LONG[0])
    made = erasing(document)
    written(store.documents, place(), LONG[1], before=document)

    with pytest.raises(LostRace):
        store_next(store.documents, document, made)

    assert [each.text for each in everything(store.documents)] == LONG[:2]


def test_a_shorter_erasure_that_is_late_keeps_the_entries_of_the_longer_one(store: Store) -> None:
    document = written(store.documents, place(), "1", "2")
    late = erasing(document)
    third = written(store.documents, place(), "3", before=document)
    store_next(store.documents, third, erasing(third))

    with pytest.raises(LostRace):
        store_next(store.documents, document, late)

    assert [each.entry.version for each in everything(store.documents)] == [1, 2, 3, 4]


def test_versions_after_an_erasure_keep_their_values(store: Store) -> None:
    document = written(store.documents, place(), LONG[0])
    made = erasing(document)
    store_next(store.documents, document, made)
    written(store.documents, place(), LONG[1], LONG[2], before=made.after)

    store.documents.erase_history(made.after, until_s=UNTIL_S)

    assert [each.text for each in everything(store.documents)] == [None, None, LONG[1], LONG[2]]


def test_an_erasure_removes_large_values_but_those_written_after(store: Store) -> None:
    former, text = large_value(place(), "x")
    later, later_text = large_value(place(), "y")
    first = store_next(
        store.documents, None, put(None, place(), content(former), making()), large={former: text}
    )
    made = erasing(first)
    store_next(store.documents, first, made)
    again = put(made.after, place(), content(later), making())
    store_next(store.documents, made.after, again, large={later: later_text})

    store.documents.erase_history(made.after, until_s=UNTIL_S)

    blobs = store.blobs
    name = f"blobs/{later.record_id}/3/{later.sha256}"
    assert [blob.name for blob in blobs.list_blobs()] == [name]
    assert store.documents.blob_names(place().id) == {name}


@pytest.mark.parametrize("letter", ["x", "y"])
@pytest.mark.parametrize("is_put_paused", [True, False])
def test_a_put_over_the_erased_document_keeps_the_value_while_the_eraser_goes_on(
    store: Store, letter: str, *, is_put_paused: bool
) -> None:
    value, text = large_value(place(), "x")
    made = put(None, place(), content(value), making())
    first = store_next(store.documents, None, made, large={value: text})
    end = erasing(first)
    store_next(store.documents, first, end)
    anew, own_text = large_value(place(), letter)
    again = put(end.after, place(), content(anew), making())

    def erase_on(documents: DynamoDocuments) -> None:
        documents.erase_history(end.after, until_s=UNTIL_S)

    def put_on(documents: DynamoDocuments) -> None:
        store_next(documents, end.after, again, large={anew: own_text})

    first_one, second = (put_on, erase_on) if is_put_paused else (erase_on, put_on)
    first_one(interrupted(store, lambda: second(store.documents)))

    assert store.documents.load(place()) == again.after
    (name,) = store.documents.blob_names(place().id)
    assert store.blobs.get(name) == own_text
    assert [blob.name for blob in store.blobs.list_blobs()] == [name]


def interrupted(store: Store, amid: Callable[[], object]) -> DynamoDocuments:
    """The documents for a client that another one interrupts in the bucket."""
    documents = store.documents
    assert isinstance(documents, DynamoDocuments)
    return replace(documents, blobs=InterruptedBlobs(documents.blobs, amid))


def test_the_place_beside_large_values_is_forgotten_unless_a_put_came_since(
    table: Store,
) -> None:
    value, text = large_value(place())
    made = put(None, place(), content(value), making())
    first = store_next(table.documents, None, made, large={value: text})
    names = table.documents.blob_names(place().id)

    table.documents.forget_values(place().id, first.refreshed_at_s)
    assert table.documents.blob_names(place().id) == names != frozenset()

    table.documents.forget_values(place().id, first.refreshed_at_s + 1)
    assert table.partition(f"document#{place().id}") == []


def test_an_erasure_removes_the_name_of_the_place_beside_the_values(table: Store) -> None:
    value, text = large_value(place())
    made = put(None, place(), content(value), making())
    first = store_next(table.documents, None, made, large={value: text})
    end = erasing(first)
    store_next(table.documents, first, end)

    table.documents.erase_history(end.after, until_s=UNTIL_S)

    beside = table.partition(f"document#{place().id}")
    assert [each["sk"]["S"] for each in beside] == ["history#0000000001"]
    assert not [*table.blobs.list_blobs()]


def test_large_values_of_former_versions_are_named_until_they_go(store: Store) -> None:
    values = [large_value(place(), letter) for letter in "xyz"]
    document = None
    for value, text in values:
        made = put(document, place(), content(value), making())
        document = store_next(store.documents, document, made, large={value: text})
    document = written(store.documents, place(), *LONG[:3], before=document)

    named = store.documents.blob_names(place().id)

    assert named == {f"blobs/{each.record_id}/{each.sha256}" for each, _ in values}
    assert store.documents.blob_names(place("other").id) == frozenset()


def test_a_refresh_moves_the_expiry_and_makes_no_version(store: Store) -> None:
    document = written(store.documents, place(), "1", ttl_s=60.0)
    later = with_fresh_period(document, document.refreshed_at_s + 30.5)

    assert store.documents.refresh(document, later)

    assert store.documents.load(place()) == later
    assert later.expires_at_s == document.refreshed_at_s + 90.5


def test_a_late_refresh_does_not_bring_the_expiry_forward(store: Store) -> None:
    document = written(store.documents, place(), "1", ttl_s=60.0)
    latest = with_fresh_period(document, document.refreshed_at_s + 30)
    store.documents.refresh(document, latest)

    assert not store.documents.refresh(
        document, with_fresh_period(document, document.refreshed_at_s + 1)
    )

    assert store.documents.load(place()) == latest


def test_a_write_follows_a_refresh_that_came_in_between(store: Store) -> None:
    document = written(store.documents, place(), "1", ttl_s=60.0)
    store.documents.refresh(document, with_fresh_period(document, document.refreshed_at_s + 30))

    after = written(store.documents, place(), "2", before=document)

    assert store.documents.load(place()) == after


def test_a_changed_or_absent_document_is_not_refreshed(store: Store) -> None:
    document = written(store.documents, place(), "1", ttl_s=60.0)
    later = with_fresh_period(document, document.refreshed_at_s + 30)
    second = written(store.documents, place(), "2", before=document, ttl_s=60.0)

    assert not store.documents.refresh(document, later)

    assert store.documents.load(place()) == second
    vanish(store, second)
    assert not store.documents.refresh(second, with_fresh_period(second, later.refreshed_at_s))
    assert store.documents.load(place()) is None


def test_the_head_and_what_lies_beside_expire_by_ttl(table: Store) -> None:
    document = written(table.documents, place(), LONG[0], LONG[1], ttl_s=60.0)

    history, head = table.everything()

    assert head["expires_at"] == {"N": str(int(document.refreshed_at_s + 60) + 1)}
    assert history["expires_at"] == {"N": str(int(UNTIL_S) + 1)}
    assert history["scope"] == {"S": SCOPE}


def test_a_receipt_is_read_until_it_expires_and_a_later_one_replaces_it(store: Store) -> None:
    now_s = epoch_seconds(store.clock())
    store.documents.note("ann", "op-1", Receipt(place("old"), b"1"), now_s + 60)
    store.documents.note("ann", "op-1", Receipt(place("a/b", "x", "y"), b"2"), now_s + 60)
    store.documents.note("bob", "op-1", Receipt(place(scope=""), b"3"), now_s + 60)

    assert store.documents.find_receipt("ann", "op-1") == Receipt(place("a/b", "x", "y"), b"2")
    assert store.documents.find_receipt("bob", "op-1") == Receipt(place(scope=""), b"3")
    assert store.documents.find_receipt("ann", "op-2") is None
    store.clock.advance(seconds=61)
    assert store.documents.find_receipt("ann", "op-1") is None


def test_a_key_is_known_until_it_expires_and_a_write_under_a_known_key_changes_nothing(
    store: Store,
) -> None:
    until_s = epoch_seconds(store.clock()) + 60
    once = Once(place(), b"key", b"put", until_s, 1, existed=True)
    first = written(store.documents, place(), "1", once=once)
    item: DocumentItem = {"value": "é" * 9, "at": rfc3339(MORNING), "principal": "ann"}
    removal = Once(place(), b"removal", b"take", until_s, existed=True, taken=(item,))
    store.documents.remember(removal)

    for attempt in (
        lambda: written(store.documents, place(), "2", before=first, once=once),
        lambda: store.documents.put_chunk(None, chunk(place()), once),
        lambda: store.documents.remember(removal),
    ):
        with pytest.raises(LostRace):
            attempt()

    assert store.documents.load(place()) == first
    assert list(store.documents.chunks(place(), 9, generation="", now_s=0)) == []
    assert store.documents.find_once(place(), b"key") == once
    assert store.documents.find_once(place(), b"removal") == removal
    assert store.documents.find_once(place("other"), b"key") is None
    store.documents.remove_list(place(), until_s=until_s, generation=first.created_at)
    assert store.documents.find_once(place(), b"removal") == removal._replace(taken=())
    store.clock.advance(seconds=60)
    assert store.documents.find_once(place(), b"key") is None
    store.documents.remember(once._replace(until_s=until_s + 60))


def test_a_put_of_a_kilobyte_costs_two_write_units_and_a_get_one_request(
    table: Store,
) -> None:
    documents = table.documents
    text = f'"{noise(998)}"'
    cost = meter(table.client)

    first = written(documents, place(), text)
    after_first = replace(cost)
    written(documents, place(), text[::-1], before=first)
    after_second = replace(cost)
    documents.load(place())
    after_get = replace(cost)

    assert (after_first.requests, after_first.write_units) == (1, 2)
    second = after_second - after_first
    assert (second.requests, second.write_units) == (2, 4)  # the head, and the former version
    got = after_get - after_second
    assert (got.requests, got.read_units) == (1, 1)
