"""Export jobs of an owner, and the walk over everything."""

from datetime import timedelta

import pytest

from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.ports.archive import ArchivePage, KeyedRecord, NextTurn
from membrane.usecases.ports.records import LostRace, Receipt
from tests.builders.stored_records import stored
from tests.worlds.stores import Store

EXPORT = {"id": "export-1", "state": "running"}


def pages(store: Store) -> list[ArchivePage]:
    found = [store.exports.page(None)]
    while (after := found[-1].next) is not None:
        found.append(store.exports.page(after))
    return found


def in_a_day(store: Store) -> int:
    return int(epoch_seconds(store.clock() + timedelta(days=1)))


def test_the_walk_meets_every_record_receipt_and_thread(store: Store) -> None:
    for number in range(7):
        store.records.create(stored(f"record-{number}"))
    keyed = KeyedRecord(Receipt("keyed", b"f" * 32), "record-0")
    thread = NextTurn(b"k" * 32, 5)
    store.restores.restore_receipt(keyed)
    store.restores.restore_thread(thread)

    found = pages(store)

    ids = [each for page in found for each in page.record_ids]
    assert sorted(ids) == [f"record-{number}" for number in range(7)]
    assert [each for page in found for each in page.receipts] == [keyed]
    assert [each for page in found for each in page.threads] == [thread]


def test_an_export_is_kept_once_and_replaced_under_the_version_read(store: Store) -> None:
    first = store.exports.keep_job("owner", EXPORT, in_a_day(store), None)

    with pytest.raises(LostRace):
        store.exports.keep_job("owner", EXPORT, in_a_day(store), None)
    done = {**EXPORT, "state": "done"}
    store.exports.keep_job("owner", done, in_a_day(store), first)

    with pytest.raises(LostRace):
        store.exports.keep_job("owner", EXPORT, in_a_day(store), first)
    found = store.exports.job("owner", "export-1")
    assert found is not None
    assert found.progress == done


def test_an_export_is_seen_by_the_owner_alone_and_until_it_expires(store: Store) -> None:
    store.exports.keep_job("owner", EXPORT, in_a_day(store), None)

    assert list(store.exports.jobs("owner")) == [EXPORT]
    assert store.exports.job("other", "export-1") is None
    assert list(store.exports.jobs("other")) == []
    store.clock.advance(days=2)
    assert store.exports.job("owner", "export-1") is None
    assert list(store.exports.jobs("owner")) == []
    store.exports.keep_job("owner", EXPORT, in_a_day(store), None)
