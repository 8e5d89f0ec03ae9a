"""Vectors in DynamoDB: one item for a record or topic, in a partition of its own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.search.scope_registry import ScopeRegistry
from membrane.adapters.dynamodb.search.vector_items import Encoding, encoded, vector_item
from membrane.adapters.dynamodb.table.attributes import Item, number
from membrane.adapters.dynamodb.table.writes import Write, commit
from membrane.domain.language.errors import Unavailable
from membrane.domain.search.entries import Entry, unpack_dense, unpack_terms
from membrane.domain.search.vectors import hybrid
from membrane.usecases.ports.records import LostRace

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_NO_LATER = "attribute_not_exists(pk) OR source_version <= :version"


class _Later(Exception):
    """What stands there is of a later version."""


@dataclass(frozen=True, slots=True)
class DynamoVectors:
    """The VectorStore over one table, of so many shards to a scope."""

    client: "DynamoDBClient"
    table: str
    encoding: Encoding
    shards: int
    registry: ScopeRegistry

    def put(self, entry: Entry, version: int, expires_at_s: int | None) -> bool:
        """One conditional put, and one update where the scope has a new level of sensitivity."""
        self.registry.register(entry.scope, entry.sensitivity)
        item = vector_item(entry, version, expires_at_s, self.shards, self.registry.space)
        item |= encoded(self.encoding, entry.dense, _vector(entry))
        values = {":version": number(version)}
        write = Write("Put", _later, _NO_LATER, item=item, values=values)
        try:
            commit(self.client, self.table, [write])
        except _Later:
            return False
        except LostRace as conflict:
            raise Unavailable("the store did not answer") from conflict
        return True


def _later(_item: Item) -> Exception:
    return _Later()


def _vector(entry: Entry) -> list[int]:
    return list(hybrid(unpack_dense(entry.dense), unpack_terms(entry.terms)))
