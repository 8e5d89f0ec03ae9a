"""Vectors in DynamoDB: an item for a record or topic, in a partition of its own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from membrane.adapters.dynamodb.search.markers import NO_LATER, marker
from membrane.adapters.dynamodb.search.scope_registry import ScopeRegistry
from membrane.adapters.dynamodb.search.vector_items import Encoding, vector_attributes, vector_item
from membrane.domain.language.errors import Unavailable
from membrane.domain.search.entries import Entry, unpack_dense, unpack_terms
from membrane.domain.search.vectors import hybrid
from membrane.table.dynamo import OverTable
from membrane.table.items import number
from membrane.table.writes import LostRace, Write
from membrane.usecases.ports.surroundings import Clock


class _Later(Exception):
    """The stored vector, or marker, is of a later version."""


@dataclass(frozen=True, slots=True)
class DynamoVectors(OverTable):
    """Vectors over one table, with `shards` shards to a scope.

    Any method may raise ResourceExhausted or Unavailable.
    """

    encodings: Sequence[Encoding]
    """The present encoding and, while the embedder changes, the former encoding."""
    shards: int
    registry: ScopeRegistry
    now: Clock

    def put_entry(
        self, entry: Entry, version: int, expires_at_s: int | None, former: bytes | None = None
    ) -> bool:
        """Write an entry; False without a write if the entry of a later version is stored.

        `former` is the packed vector of the former embedder during a change of embedder. The entry
        expires at `expires_at_s`, in seconds since 1970; None = never. A conditional put, plus an
        update for a new level of sensitivity in the scope.
        """
        item = vector_item(entry, version, expires_at_s, self.shards, self.registry.space)
        several = [entry.dense] if former is None else [entry.dense, former]
        for encoding, dense in zip(self.encodings, several, strict=True):
            vector = hybrid(unpack_dense(dense), unpack_terms(entry.terms))
            item |= vector_attributes(encoding, dense, vector)
        values = {":version": number(version)}
        write = Write("Put", lambda _: _Later(), NO_LATER, item=item, values=values)
        with _unavailable_after_conflict():
            self.registry.register(entry.scope, entry.sensitivity)
            return self._is_put(write)

    def end_entry(self, source_id: str, version: int) -> None:
        """Remove the entry of a superseded record, unless of a later version.

        A conditional put of a marker.
        """
        put = marker(source_id, version, self.now(), self.registry.space)
        values = {":version": number(version)}
        unless_later = put._replace(refusal=lambda _: _Later(), condition=NO_LATER, values=values)
        with _unavailable_after_conflict():
            self._is_put(unless_later)

    def _is_put(self, write: Write) -> bool:
        try:
            self.commit_all(write)
        except _Later:
            return False
        return True


@contextmanager
def _unavailable_after_conflict() -> Iterator[None]:
    try:
        yield
    except LostRace as conflict:
        raise Unavailable("the store did not answer") from conflict
