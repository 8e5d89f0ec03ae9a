"""Blobs that nothing names are removed, but never one that a write under way may need."""

from datetime import timedelta

import pytest

from membrane.adapters.dynamodb.documents.document_keys import head_key
from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.domain.documents.changes import put
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.topic import Line
from membrane.usecases.housekeeping.collect_blobs import GRACE, Collected, collect_blobs
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.services import Clock
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.stored_documents import (
    content,
    erasing,
    large_value,
    making,
    place,
    store_next,
)
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import fake_topics, topical
from tests.worlds.memory import documents_of, make_services


@pytest.fixture
def records(clock: FakeClock) -> FakeRecords:
    """An empty store."""
    return FakeRecords(clock)


@pytest.fixture
def blobs(clock: FakeClock) -> FakeBlobs:
    """An empty bucket."""
    return FakeBlobs(clock)


@pytest.fixture
def services(clock: FakeClock, records: FakeRecords, blobs: FakeBlobs) -> TopicServices:
    """The world of the job."""
    return topical(records=records, blobs=blobs, now=clock)


def kept_documents(blobs: BlobStore, now: Clock) -> DynamoDocuments:
    """Documents over a new table and the bucket."""
    return documents_of(make_services(blobs=blobs, now=now))


def collect(services: TopicServices) -> Collected:
    """Run the job over documents in the same bucket."""
    return collect_blobs(services, services.topics, kept_documents(services.blobs, services.now))


def test_an_orphan_is_removed_and_what_a_record_names_stays(
    services: TopicServices, records: FakeRecords, blobs: FakeBlobs, clock: FakeClock
) -> None:
    for name in ("blobs/a/1", "blobs/a/2", "blobs/b/3"):
        blobs.write(name, b"content")
    records.blobs = {"a": frozenset({"blobs/a/2"})}
    clock.advance(days=1)

    collected = collect(services)

    assert set(blobs.blobs) == {"blobs/a/2"}
    assert collected == Collected(listed=3, removed=2)


def test_a_blob_of_less_than_a_day_may_belong_to_a_write_under_way(
    services: TopicServices, blobs: FakeBlobs, clock: FakeClock
) -> None:
    blobs.write("blobs/a/1", b"content")
    clock.now += GRACE - timedelta(microseconds=1)

    collected = collect(services)

    assert set(blobs.blobs) == {"blobs/a/1"}
    assert collected == Collected(listed=1, removed=0)


def test_a_blob_that_only_another_record_names_is_an_orphan(
    services: TopicServices, records: FakeRecords, blobs: FakeBlobs, clock: FakeClock
) -> None:
    blobs.write("blobs/a/1", b"content")
    records.blobs = {"b": frozenset({"blobs/a/1"})}
    clock.advance(days=2)

    assert collect(services).removed == 1


def test_with_nothing_stored_there_is_nothing_to_do(services: TopicServices) -> None:
    assert collect(services) == Collected(listed=0, removed=0)


def test_what_a_topic_names_stays_and_no_record_has_to_name_it(
    services: TopicServices, blobs: FakeBlobs, clock: FakeClock
) -> None:
    large = LargeValue("topic@a", "1" * 64, 200_000)
    line = Line("a", "0" * 16)
    told = Revision(
        id="revision-1",
        value=large,
        field_type=FieldType.STRING,
        valid_from="2026-03-01T09:00:00Z",
        recorded_at="2026-03-01T09:00:00Z",
        order=0,
        provenance="api",
    )
    fake_topics(services).revisions["a", line.id] = [told]
    for name in (f"blobs/topic@a/{large.sha256}", "blobs/topic@a/2", "blobs/topic@b/3"):
        blobs.write(name, b"content")
    clock.advance(days=1)

    collected = collect(services)

    assert set(blobs.blobs) == {f"blobs/topic@a/{large.sha256}"}
    assert collected == Collected(listed=3, removed=2)


def test_what_a_document_names_stays_and_orphans_go(
    services: TopicServices, blobs: FakeBlobs, clock: FakeClock
) -> None:
    documents = kept_documents(blobs, clock)
    former, current = large_value(place(), "x"), large_value(place(), "y")
    first = store_next(
        documents, None, put(None, place(), content(former[0]), making()), large=dict([former])
    )
    second = put(first, place(), content(current[0]), making())
    store_next(documents, first, second, large=dict([current]))
    named = {*blobs.blobs}
    owner = current[0].record_id
    blobs.write(f"blobs/{owner}/{'0' * 64}", b"of a write that lost")
    blobs.write(f"blobs/{large_value(place('gone'))[0].record_id}/{'0' * 64}", b"of no document")
    clock.advance(days=1)

    collected = collect_blobs(services, services.topics, documents)

    assert {*blobs.blobs} == named
    assert collected == Collected(listed=4, removed=2)
    assert len(blobs.removed) == 2


def test_a_value_that_came_late_for_the_erasure_of_its_document_goes_for_good(
    services: TopicServices, blobs: FakeBlobs, clock: FakeClock
) -> None:
    documents = kept_documents(blobs, clock)
    value, text = large_value(place())
    first = store_next(
        documents, None, put(None, place(), content(value), making()), large={value: text}
    )
    made = erasing(first)
    store_next(documents, first, made)
    documents.erase_history(made.after, until_s=0)
    blobs.write(f"blobs/{value.record_id}/{value.sha256}", text)
    clock.advance(days=1)

    assert collect_blobs(services, services.topics, documents).removed == 1

    assert not blobs.blobs
    assert not blobs.removed


def test_nothing_tells_where_a_document_was_once_its_history_has_gone(
    services: TopicServices, blobs: FakeBlobs, clock: FakeClock
) -> None:
    documents = kept_documents(blobs, clock)
    value, text = large_value(place())
    made = put(None, place(), content(value), making(clock()))
    store_next(documents, None, made, large={value: text})
    clock.advance(days=2)
    collect_blobs(services, services.topics, documents)
    assert documents.blob_names(place().id)

    documents.client.delete_item(TableName=documents.table, Key=head_key(place()))
    collect_blobs(services, services.topics, documents)

    assert not documents.blob_names(place().id)
    assert not blobs.blobs
