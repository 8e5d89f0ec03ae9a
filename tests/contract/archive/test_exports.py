"""Export jobs of an owner, and the walk over everything."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest

from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.ports.archive import (
    ArchivedItem,
    KeyedRecord,
    NextTurn,
    RecordPlace,
    WalkedItem,
)
from membrane.usecases.ports.records import LostRace, Receipt
from tests.builders.stored_records import stored
from tests.worlds.stores import Store

EXPORT = {"id": "export-1", "state": "running"}


def walked(store: Store) -> Sequence[WalkedItem]:
    """The items of a walk over everything."""
    page = store.exports.page(None)
    found = [*page.items]
    while page.next is not None:
        page = store.exports.page(page.next)
        found += page.items
    return found


def counted(items: Sequence[ArchivedItem]) -> Counter[tuple[type, ArchivedItem]]:
    """Places of different kinds may be equal tuples."""
    return Counter((type(each), each) for each in items)


def in_a_day(store: Store) -> int:
    return int(epoch_seconds(store.clock() + timedelta(days=1)))


def test_the_walk_meets_every_record_receipt_and_thread(store: Store) -> None:
    for number in range(7):
        store.records.create(stored(f"record-{number}"))
    keyed = KeyedRecord(Receipt("keyed", b"f" * 32), "record-0")
    thread = NextTurn(b"k" * 32, 5)
    store.restores.restore_receipt(keyed)
    store.restores.restore_thread(thread)

    found = [each.item for each in walked(store)]

    places = [RecordPlace(f"record-{number}") for number in range(7)]
    assert counted(found) == counted([*places, keyed, thread])


def test_a_walk_goes_on_behind_any_item(store: Store) -> None:
    for number in range(7):
        store.records.create(stored(f"record-{number}"))
    found = walked(store)

    for number, each in enumerate(found):
        page = store.exports.page(each.after)

        rest = found[number + 1 :]
        assert list(page.items) == rest[: len(page.items)]
        assert page.items or not rest


def test_an_export_is_kept_once_and_replaced_under_the_version_read(store: Store) -> None:
    first = store.exports.keep_job("owner", EXPORT, in_a_day(store), None)

    done = {**EXPORT, "state": "done"}
    with pytest.raises(LostRace):
        store.exports.keep_job("owner", done, in_a_day(store), None)
    store.exports.keep_job("owner", done, in_a_day(store), first)

    with pytest.raises(LostRace):
        store.exports.keep_job("owner", EXPORT, in_a_day(store), first)
    found = store.exports.job("owner", "export-1")
    assert found is not None
    assert found.progress == done


def test_a_put_of_an_export_that_is_sent_again_is_no_lost_race(store: Store) -> None:
    begun = store.exports.keep_job("owner", EXPORT, in_a_day(store), None)
    first = store.exports.keep_job("owner", EXPORT, in_a_day(store), begun)

    assert store.exports.keep_job("owner", EXPORT, in_a_day(store), begun) == first
    with pytest.raises(LostRace):
        store.exports.keep_job("owner", EXPORT, in_a_day(store), None)


def test_an_export_is_seen_by_the_owner_alone_and_until_it_expires(store: Store) -> None:
    store.exports.keep_job("owner", EXPORT, in_a_day(store), None)

    assert list(store.exports.jobs("owner")) == [EXPORT]
    assert store.exports.job("other", "export-1") is None
    assert list(store.exports.jobs("other")) == []
    store.clock.advance(days=2)
    assert store.exports.job("owner", "export-1") is None
    assert list(store.exports.jobs("owner")) == []
    store.exports.keep_job("owner", EXPORT, in_a_day(store), None)
