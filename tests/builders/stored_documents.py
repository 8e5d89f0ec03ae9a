"""Documents as a store keeps them: places, contents, and the next version of a document."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from membrane.adapters.dynamodb.documents.store import DynamoDocuments
from membrane.domain.documents.items import Chunk, Once
from membrane.domain.documents.model import (
    Content,
    Document,
    DocumentAction,
    Entry,
    Making,
    Text,
    Version,
    delete,
    erase,
    put,
)
from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.pruning import Retention
from membrane.table.blobs import BlobStore
from tests.fakes.clock import MORNING, FakeClock, FakeFences

SCOPE = "project:whales"
KEPT_S = Retention().tombstone.total_seconds()


def place(key: str = "prefs", *labels: str, scope: str = SCOPE) -> Place:
    """A place in the namespace of the labels, or in `users`."""
    return Place(scope, labels or ("users",), key)


def making(now: datetime = MORNING, **changes: Any) -> Making:
    usual: dict[str, Any] = {"principal": "ann", "salt": "0f" * 16}
    return Making(epoch_seconds(now), rfc3339(now), **{**usual, **changes})


def content(text: Text = '"dark"', **changes: Any) -> Content:
    return Content(text, changes.pop("sensitivity", Sensitivity.LOW), **changes)


def large_value(where: Place, letter: str = "x") -> tuple[LargeValue, bytes]:
    """A value that belongs in the bucket, and its JSON text."""
    text = compact_json(letter * LARGE_VALUE_BYTES).encode()
    sha256 = hashlib.sha256(text).hexdigest()
    return LargeValue(owner_of_values(where.id), sha256, len(text)), text


def store_next(
    documents: DynamoDocuments, before: Document | None, after: Document, **beside: Any
) -> Document:
    """Replace the document and return the new document."""
    return documents.replace(before, after, **beside)


def written(
    documents: DynamoDocuments,
    where: Place,
    *texts: Text,
    before: Document | None = None,
    now: datetime = MORNING,
    once: Once | None = None,
    **changes: Any,
) -> Document:
    """The document after a put of each text in turn."""
    document = before
    for text in texts:
        made = put(document, where, content(text, **changes), making(now))
        document = store_next(documents, document, made, once=once)
    assert document is not None
    return document


def deleted(documents: DynamoDocuments, document: Document, now: datetime = MORNING) -> Document:
    return store_next(documents, document, delete(document, making(now), KEPT_S))


def erasing(document: Document, now: datetime = MORNING) -> Document:
    return erase(document, making(now), KEPT_S)


def chunk(where: Place, start: int = 1, items: Sequence[Any] = ("a",), **changes: Any) -> Chunk:
    usual = {
        "taken": max(1, len(items)),
        "principal": "ann",
        "at": rfc3339(MORNING),
        "generation": rfc3339(MORNING),
    }
    return Chunk(where, start, items=tuple(items), **{**usual, **changes})


_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
_NAMES = st.text(_CHARACTERS, min_size=1, max_size=24).filter(lambda name: name not in {".", ".."})
_LONG = st.text(_CHARACTERS, min_size=28, max_size=30)
_HASHES = st.binary(min_size=32, max_size=32).map(bytes.hex)
_SECONDS = st.integers(0, 10**16).map(lambda microseconds: microseconds / 1e6)
_PERIODS = st.none() | st.floats(1e-3, 1e9)
_INSTANTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1))  # noqa: DTZ001 - UTC, below


def places() -> st.SearchStrategy[Place]:
    labels = st.lists(_NAMES, min_size=1, max_size=4) | st.lists(_LONG, min_size=12, max_size=16)
    return st.builds(
        Place, st.sampled_from(["", SCOPE, "é#="]), labels.map(tuple), _NAMES, erased_id=st.just("")
    )


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A document of any form; entries are a chain, but the hashes are random."""
    where = draw(places())
    is_deleted = draw(st.booleans())
    count, first = draw(st.integers(1, 4)), draw(st.integers(1, 10_000))
    versions = [draw(_versions(where, first + position)) for position in range(count)]
    if is_deleted:
        versions[-1] = Version(versions[-1].entry, None)
    else:
        entry = versions[-1].entry
        versions[-1] = Version(_as_put(entry), versions[-1].text)
    return Document(
        where,
        tuple(versions),
        draw(st.sampled_from(Sensitivity)),
        created_at=_timestamp(draw(_INSTANTS)),
        shown_from=draw(st.integers(1, 2**53)),
        ttl_s=draw(_PERIODS),
        half_life_s=draw(_PERIODS),
        refreshed_at_s=draw(_SECONDS),
        removed_at_s=draw(_SECONDS) if is_deleted else None,
        index=tuple(draw(st.lists(st.text(_CHARACTERS, min_size=1), max_size=3))),
        passages=tuple(draw(st.lists(st.binary(min_size=1), max_size=12))),
        embedder=draw(st.sampled_from(["", "minilm"])),
    )


@st.composite
def _versions(draw: st.DrawFn, where: Place, number: int) -> Version:
    entry = Entry(
        number,
        draw(st.sampled_from(DocumentAction)),
        _timestamp(draw(_INSTANTS)),
        draw(st.text(_CHARACTERS)),
        draw(st.just("") | _HASHES),
        draw(_HASHES),
        draw(_HASHES),
        draw(st.just("") | st.binary(min_size=16, max_size=16).map(bytes.hex)),
        draw(st.text(_CHARACTERS)),
    )
    large = st.builds(
        LargeValue,
        st.builds(owner_of_values, st.just(where.id), st.integers(1, 10**10)),
        _HASHES,
        st.integers(1, 2**40),
    )
    return Version(entry, draw(st.none() | st.text(_CHARACTERS).map(compact_json) | large))


def _as_put(entry: Entry) -> Entry:
    kept = entry.at, entry.principal, entry.previous_hash, entry.hash, entry.text_hash, entry.salt
    return Entry(entry.version, DocumentAction.PUT, *kept, entry.rationale)


def _timestamp(naive: datetime) -> str:
    return rfc3339(naive.replace(tzinfo=MORNING.tzinfo))


def chunks() -> st.SearchStrategy[Chunk]:
    values = st.lists(st.text(_CHARACTERS) | st.integers(-5, 5) | st.none(), max_size=4).map(tuple)
    return st.builds(
        Chunk,
        places(),
        st.integers(1, 10**6),
        st.integers(1, 100),
        values,
        st.text(_CHARACTERS),
        _INSTANTS.map(_timestamp),
        _INSTANTS.map(_timestamp),
        st.integers(1, 1_000),
        expires_at_s=st.none() | _SECONDS,
        skipped=st.integers(0, 99),
    )


def store_large_versions(client: Any, table: str, blobs: BlobStore, letters: str) -> None:
    """Put a value for the bucket again and again over the document of `place`."""
    documents = DynamoDocuments(
        client, table, blobs, FakeFences().require_open, FakeClock(), Retention()
    )
    held: Document | None = None
    for letter in letters:
        large, content = large_value(place(), letter)
        made = put(held, place(), Content(large, Sensitivity.LOW), making())
        held = store_next(documents, held, made, large={large: content})
