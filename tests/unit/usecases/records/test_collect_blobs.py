"""What documents leave in the bucket goes for good, and nothing tells where a document was."""

import pytest

from membrane.adapters.dynamodb.documents.items import head_key
from membrane.adapters.dynamodb.documents.store import DynamoDocuments
from membrane.domain.documents.model import put
from membrane.table.blobs import BlobStore
from membrane.usecases.collect_blobs import collect_blobs
from membrane.usecases.ports.surroundings import Clock
from membrane.wiring.world import World
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
from tests.worlds.memory import documents_of, make_world


@pytest.fixture
def blobs(clock: FakeClock) -> FakeBlobs:
    """An empty bucket."""
    return FakeBlobs(clock)


@pytest.fixture
def services(clock: FakeClock, blobs: FakeBlobs) -> World:
    """The world of the job."""
    return make_world(blobs=blobs, now=clock)


def kept_documents(blobs: BlobStore, now: Clock) -> DynamoDocuments:
    """Documents over a new table and the bucket."""
    return documents_of(make_world(blobs=blobs, now=now))


def test_a_value_that_came_late_for_the_erasure_of_its_document_goes_for_good(
    services: World, blobs: FakeBlobs, clock: FakeClock
) -> None:
    documents = kept_documents(blobs, clock)
    value, text = large_value(place())
    first = store_next(
        documents, None, put(None, place(), content(value), making()), large={value: text}
    )
    made = store_next(documents, first, erasing(first))
    documents.erase_history(made)
    blobs.write(f"blobs/{value.record_id}/{value.sha256}", text)
    clock.advance(days=1)

    assert collect_blobs(services.but(topics=services.topics, documents=documents)).removed == 1

    assert not blobs.blobs
    assert not blobs.removed


def test_nothing_tells_where_a_document_was_once_its_history_has_gone(
    services: World, blobs: FakeBlobs, clock: FakeClock
) -> None:
    documents = kept_documents(blobs, clock)
    value, text = large_value(place())
    made = put(None, place(), content(value), making(clock()))
    store_next(documents, None, made, large={value: text})
    clock.advance(days=2)
    collect_blobs(services.but(topics=services.topics, documents=documents))
    assert documents.blob_names(place().id)

    documents.client.delete_item(TableName=documents.table, Key=head_key(place()))
    collect_blobs(services.but(topics=services.topics, documents=documents))

    assert not documents.blob_names(place().id)
    assert not blobs.blobs
