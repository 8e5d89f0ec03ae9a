"""While a scope is erased nothing new comes into it; deletions and erasures pass."""

import pytest

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.domain.documents.changes import delete, put, with_fresh_period
from membrane.domain.documents.items import without_newest
from membrane.domain.language.errors import ScopeFenced
from membrane.usecases.erasure.fenced_stores import fence_documents
from membrane.usecases.ports.documents import Receipt
from tests.builders.stored_documents import (
    KEPT_S,
    SCOPE,
    chunk,
    content,
    deleted,
    erasing,
    making,
    place,
    store_next,
    written,
)
from tests.fakes.fences import FakeFences
from tests.worlds.memory import documents_of, make_services

LONG = '"' + "x" * 700 + '"'


@pytest.fixture
def fences() -> FakeFences:
    return FakeFences()


@pytest.fixture
def documents(fences: FakeFences) -> DynamoDocuments:
    return fence_documents(documents_of(make_services()), fences)


def test_a_put_and_an_append_are_refused(documents: DynamoDocuments, fences: FakeFences) -> None:
    before = written(documents, place(), "1")
    fences.put(SCOPE, "erasure-1")

    with pytest.raises(ScopeFenced):
        written(documents, place(), "2", before=before)
    with pytest.raises(ScopeFenced):
        documents.put_chunk(None, chunk(place()))
    with pytest.raises(ScopeFenced):
        documents.note("ann", "op-1", Receipt(place(), b""), 0)

    assert documents.load(place()) == before
    assert list(documents.chunks(place(), 5, generation="", now_s=0)) == []
    assert documents.find_receipt("ann", "op-1") is None


def test_a_deletion_an_erasure_and_a_removal_of_items_pass(
    documents: DynamoDocuments, fences: FakeFences
) -> None:
    before = written(documents, place(), "1")
    items = chunk(place())
    documents.put_chunk(None, items)
    fences.put(SCOPE, "erasure-1")

    gone = deleted(documents, before)
    documents.take_off([(items, without_newest(items, 1))], None)
    end = erasing(gone)
    store_next(documents, gone, end)
    documents.erase_history(end.after, until_s=0)

    assert documents.load(place()) == end.after


def test_a_deletion_that_moves_former_values_is_refused(
    documents: DynamoDocuments, fences: FakeFences
) -> None:
    """The values are written beside the document before the deletion is decided."""
    before = written(documents, place(), LONG)
    fences.put(SCOPE, "erasure-1")

    with pytest.raises(ScopeFenced):
        store_next(documents, before, delete(before, making(), KEPT_S))

    assert documents.load(place()) == before


def test_other_scopes_and_reads_pass(documents: DynamoDocuments, fences: FakeFences) -> None:
    fences.put(SCOPE, "erasure-1")
    other = place(scope="project:other")

    made = put(None, other, content(ttl_s=5.0), making())
    document = store_next(documents, None, made)

    assert documents.load(other) == document
    assert documents.refresh(document, with_fresh_period(document, document.refreshed_at_s + 1))
