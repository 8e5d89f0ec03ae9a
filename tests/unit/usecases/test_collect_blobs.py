"""Blobs that no record names are removed, but never one that a write under way may need."""

from datetime import timedelta

import pytest

from membrane.usecases.collect_blobs import GRACE, Collected, collect_blobs
from membrane.usecases.ports.services import Services
from tests.fakes import FakeBlobs, FakeClock, FakeRecords, make_services


@pytest.fixture
def blobs(clock: FakeClock) -> FakeBlobs:
    """An empty bucket."""
    return FakeBlobs(clock)


@pytest.fixture
def services(clock: FakeClock, records: FakeRecords, blobs: FakeBlobs) -> Services:
    """The world of the job."""
    return make_services(records=records, blobs=blobs, now=clock)


def test_an_orphan_is_removed_and_what_a_record_names_stays(
    services: Services, records: FakeRecords, blobs: FakeBlobs, clock: FakeClock
) -> None:
    for name in ("blobs/a/1", "blobs/a/2", "blobs/b/3"):
        blobs.put(name, b"content")
    records.blobs = {"a": frozenset({"blobs/a/2"})}
    clock.advance(days=1)

    collected = collect_blobs(services)

    assert set(blobs.blobs) == {"blobs/a/2"}
    assert collected == Collected(listed=3, removed=2)


def test_a_blob_of_less_than_a_day_may_belong_to_a_write_under_way(
    services: Services, blobs: FakeBlobs, clock: FakeClock
) -> None:
    blobs.put("blobs/a/1", b"content")
    clock.now += GRACE - timedelta(microseconds=1)

    collected = collect_blobs(services)

    assert set(blobs.blobs) == {"blobs/a/1"}
    assert collected == Collected(listed=1, removed=0)


def test_a_blob_that_only_another_record_names_is_an_orphan(
    services: Services, records: FakeRecords, blobs: FakeBlobs, clock: FakeClock
) -> None:
    blobs.put("blobs/a/1", b"content")
    records.blobs = {"b": frozenset({"blobs/a/1"})}
    clock.advance(days=2)

    assert collect_blobs(services).removed == 1


def test_with_nothing_stored_there_is_nothing_to_do(services: Services) -> None:
    assert collect_blobs(services) == Collected(listed=0, removed=0)
