"""The vectors of records and topics: an item each, and searches by the table's own vector index.

The examined vectors never pass through the service. Filtered by equality, every scope, shard, level
of sensitivity and (unless all types are wanted) type is a search of its own. Filtered by IN, one
search covers all levels and types of a scope and shard. If the index refuses IN, the process
filters by equality from then on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, product, starmap
from math import log, sqrt
from typing import Any

import numpy as np
from botocore.exceptions import ClientError
from numpy.typing import NDArray

from membrane.adapters.dynamodb.search import vector_items
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.entries import (
    SKETCH_DIMENSIONS,
    Entry,
    is_word,
    unpack_dense,
    unpack_terms,
)
from membrane.domain.search.questions import Question
from membrane.table.dynamo import OverTable, items_at, translating_errors, waiting_for_index
from membrane.table.index import NO_LATER, REMOVED, ScopeRegistry, marker
from membrane.table.items import Client, LostRace, Value, Write, is_expired, lost_race, number, text
from membrane.table.keys import searched_partition, vector_key
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.ports.search import MAX_FOUND, Search, SearchResult
from membrane.usecases.ports.surroundings import Clock, Measure

MAX_NEAREST = 100
"""Items of one search at most (AWS, `SearchVectors`)."""

REFUSED = "VectorFiltersRefused"
"""The metric of a process whose searches by IN the index refuses."""

_ALL = frozenset(MemoryType)

_HOSTS = ("dynamodb.", "dynamodb-fips.")
_OF_SEARCHES = "search-"

Condition = Mapping[str, Sequence[str]]
"""The filtered attributes of a search, and the permitted values of every attribute."""


class FilterRefused(Exception):
    """The index does not support IN."""


@dataclass(slots=True)
class Filtering:
    """The filter of the searches of one space, for the life of the process."""

    measure: Measure
    by_in: bool = False


@dataclass(frozen=True, slots=True)
class VectorIndex(OverTable):
    """The vectors of one space over one table, with `shards` shards to a scope.

    A search is eventually consistent. Any method may raise ResourceExhausted or Unavailable.
    """

    encodings: Sequence[vector_items.Encoding]
    """The present encoding and, while the embedder changes, the former encoding."""
    shards: int
    registry: ScopeRegistry
    filtering: Filtering
    now: Clock

    # --- write ------------------------------------------------------------------------------------

    def put_entry(
        self, entry: Entry, version: int, expires_at_s: int | None, former: bytes | None = None
    ) -> bool:
        """Write an entry; False without a write if the entry of a later version is stored.

        `former` is the packed vector of the former embedder during a change of embedder. The entry
        expires at `expires_at_s`, in seconds since 1970; None = never. A conditional put, plus an
        update for a new level of sensitivity in the scope.
        """
        item = vector_items.vector_item(
            entry, version, expires_at_s, self.shards, self.registry.space
        )
        several = [entry.dense] if former is None else [entry.dense, former]
        for encoding, dense in zip(self.encodings, several, strict=True):
            vector = hybrid(unpack_dense(dense), unpack_terms(entry.terms))
            item |= vector_items.vector_attributes(encoding, dense, vector)
        put = Write("Put", lost_race, item=item)
        with _unavailable_after_conflict():
            self.registry.register(entry.scope, entry.sensitivity)
            return self._is_put(put, version)

    def end_entry(self, source_id: str, version: int) -> None:
        """Remove a superseded record's entry, unless of a later version, by a marker."""
        put = marker(source_id, version, self.now(), self.registry.space)
        with _unavailable_after_conflict():
            self._is_put(put, version)

    def _is_put(self, put: Write, version: int) -> bool:
        """Whether the vector or marker is put: no later one is stored."""
        values = {":version": number(version)}
        return self.is_done(put._replace(condition=NO_LATER, values=values))

    # --- read -------------------------------------------------------------------------------------

    def scopes(self, prefix: str = "") -> Sequence[str]:
        """Scopes with the prefix that have or had entries, unordered; MAX_SCOPES + 1 at most."""
        return self.registry.scopes(MAX_SCOPES + 1, prefix)

    def at(self, source_ids: Sequence[str], dimensions: int) -> Sequence[Entry]:
        """The entries of the ids, unordered, with dense vectors of `dimensions` dimensions.

        Ids without an entry are left out. Raises WrongEmbedder for a vector of a different
        embedder. One strongly consistent BatchGetItem for 100 ids.
        """
        encoding, space = self._encoding(dimensions), self.registry.space
        keys = [vector_key(each, space) for each in dict.fromkeys(source_ids)]
        attributes = (*encoding.attributes, REMOVED)
        found = items_at(self.client, self.table, keys, consistent=True, attributes=attributes)
        now_s, name = epoch_seconds(self.now()), encoding.attribute_name("embedder")
        made = [item for item in found if name in item and REMOVED not in item]
        return [
            vector_items.entry_in(item, encoding, space)
            for item in made
            if not is_expired(item, now_s)
        ]

    def search(self, search: Search) -> SearchResult:
        """The nearest entries; raises WrongEmbedder for a vector of a different embedder.

        One BatchGetItem, and one SearchVectors for every part of the scopes that has vectors.
        """
        vector = hybrid_question(search.question, search.dense)
        if not any(vector):
            return SearchResult((), 0)
        encoding = self._encoding(len(search.dense))
        nearest = partial(self._nearest, encoding.index, [number(each) for each in vector])
        parts = [*self._parts(search)]
        single = [*chain.from_iterable(map(_single, parts))]
        try:
            replies = side_by_side(nearest, parts if self.filtering.by_in else single)
        except FilterRefused:
            self.filtering.by_in = False
            self.filtering.measure(REFUSED, 1, "Count")
            replies = side_by_side(nearest, single)
        examined = sum(reply["ConsumedCapacity"]["VectorSearchRequestBytes"] for reply in replies)
        found = chain.from_iterable(reply["SearchResults"] for reply in replies)
        return SearchResult(self._nearest_of(found, search, encoding), int(examined))

    def _parts(self, search: Search) -> Iterator[Condition]:
        types = {} if search.types >= _ALL else {"type": sorted(search.types)}
        for scope, levels in sorted(self.registry.levels(search.scopes).items()):
            seen = [level for level in levels if level.level <= search.ceiling.level]
            for shard in range(self.shards) if seen else ():
                partition = searched_partition(scope, shard, self.registry.space)
                yield {"search_pk": [partition], "sensitivity": seen, **types}

    def _encoding(self, dimensions: int) -> vector_items.Encoding:
        for encoding in self.encodings:
            if encoding.dimensions == dimensions:
                return encoding
        raise LookupError(f"no vector index is made from vectors of {dimensions} dimensions")

    def _nearest_of(
        self, found: Iterable[Any], search: Search, encoding: vector_items.Encoding
    ) -> list[Entry]:
        """The entries of the nearest items, MAX_FOUND at most, without duplicates.

        The index may lag behind: an item whose scope or sensitivity has changed can be found twice.
        """
        nearest = sorted(found, key=lambda each: (each["Score"], each["Item"]["pk"]["S"]))
        space, now_s = self.registry.space, epoch_seconds(self.now())
        lasting = [each["Item"] for each in nearest if not is_expired(each["Item"], now_s)]
        entries = [vector_items.entry_in(item, encoding, space) for item in lasting]
        seen = [
            entry
            for entry in entries
            if entry.scope in search.scopes
            and entry.sensitivity.level <= search.ceiling.level
            and entry.type in search.types
        ]
        return list({entry.record_id: entry for entry in reversed(seen)}.values())[::-1][:MAX_FOUND]

    def _nearest(self, index: str, vector: Sequence[Value], condition: Condition) -> Any:
        """One SearchVectors; raises FilterRefused."""
        filters = [
            (name, {f":{name}{at}": text(value) for at, value in enumerate(values)})
            for name, values in sorted(condition.items())
        ]
        is_single = all(len(values) == 1 for _, values in filters)
        try:
            with translating_errors(), waiting_for_index():
                return self.client.search_vectors(
                    TableName=self.table,
                    IndexName=index,
                    SearchVector=vector,
                    TopK=MAX_NEAREST,
                    SearchConditionExpression=" AND ".join(starmap(_expression, filters)),
                    ExpressionAttributeNames={f"#{name}": name for name, _ in filters},
                    ExpressionAttributeValues={
                        slot: value for _, values in filters for slot, value in values.items()
                    },
                    ReturnConsumedCapacity="INDEXES",
                )
        except ClientError as error:
            if is_single or error.response["Error"]["Code"] != "ValidationException":
                raise
            raise FilterRefused from error


@contextmanager
def _unavailable_after_conflict() -> Iterator[None]:
    try:
        yield
    except LostRace as conflict:
        raise Unavailable("the store did not answer") from conflict


def _expression(name: str, values: Mapping[str, Value]) -> str:
    listed = ", ".join(values)
    return f"#{name} = {listed}" if len(values) == 1 else f"#{name} IN ({listed})"


def _single(part: Condition) -> Iterator[Condition]:
    """A condition for every combination of single values."""
    for values in product(*part.values()):
        yield {name: [value] for name, value in zip(part, values, strict=True)}


def route_searches(client: Client) -> None:
    """Send the client's searches to the separate address of vector indexes.

    botocore derives the address from the endpoint rules of DynamoDB. The layer leaves the rules
    out: botocore would evaluate them at every other call, too. A client with a custom endpoint
    keeps searching at the custom endpoint.
    """
    client.meta.events.register(
        "before-call.dynamodb.SearchVectors", _route_search, unique_id="search-address"
    )


def _route_search(params: dict[str, Any], **_: Any) -> None:
    scheme, _separator, host = params["url"].partition("://")
    if host.startswith(_HOSTS):
        params["url"] = f"{scheme}://{_OF_SEARCHES}{host}"


# --- the indexed vector: a dense embedding for meaning, and a hashed sketch of the words ----------
#
# The index holds small integers: a cosine does not depend on the length of a vector, and DynamoDB
# charges a number by its digits.

DENSE_SHARE = 0.7
"""The share of the dense parts in the cosine of two hybrid vectors."""

LARGEST_INTEGER = 99
"""The largest component of every scaled vector, of two digits."""

Vector = NDArray[np.float64]


def hybrid(dense: Sequence[float], terms: Mapping[int, int]) -> Sequence[int]:
    """The vector of a document: words count by frequency in the document, not by rarity."""
    damped = {term: 1.0 + log(count) for term, count in terms.items() if count}
    return _as_integers(_concatenate(dense, _sketch(damped)))


def hybrid_question(question: Question, dense: Sequence[float]) -> Sequence[int]:
    """The vector of a question: words count by their weights in the question."""
    return _as_integers(_concatenate(dense, _sketch(question.terms)))


def _concatenate(dense: Sequence[float], sketch: Vector) -> Vector:
    """Both parts, scaled to length 1, then weighted; a part of zeros stays zero."""
    parts = (_unit(np.array(dense)) * sqrt(DENSE_SHARE), _unit(sketch) * sqrt(1.0 - DENSE_SHARE))
    return np.concatenate(parts)


def _as_integers(vector: Vector) -> Sequence[int]:
    largest = float(np.abs(vector).max())
    scaled = vector * (LARGEST_INTEGER / largest) if largest > 0.0 else vector
    integers: list[int] = np.rint(scaled).astype(np.int64).tolist()
    return integers


def _sketch(weights: Mapping[int, float]) -> Vector:
    """The hashed sum of the words without marks; a hash gives dimension and sign."""
    words = [term for term in weights if is_word(term)]
    values = np.array([weights[word] for word in words], np.float64)
    mixed = np.array(words, np.uint32) * np.uint32(2_654_435_769)  # Fibonacci hashing
    signs = np.where(mixed & np.uint32(1 << 15), 1.0, -1.0)
    places = (mixed >> np.uint32(16)) % SKETCH_DIMENSIONS
    sketch = np.zeros(SKETCH_DIMENSIONS)
    np.add.at(sketch, places, values * signs)
    return sketch


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector
