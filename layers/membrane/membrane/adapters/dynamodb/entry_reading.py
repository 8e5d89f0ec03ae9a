"""What both searches share: the scopes that there are, and entries of the one embedder alone."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb import table_keys
from membrane.adapters.dynamodb.attributes import Item, read_text, text
from membrane.adapters.dynamodb.entry_items import decode_entry, embedder_of
from membrane.adapters.dynamodb.queries import items_of
from membrane.adapters.dynamodb.scope_states import ScopeState
from membrane.domain.errors import WrongEmbedder
from membrane.domain.search.entries import Entry

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef


def registered_scopes(client: "DynamoDBClient", table: str, at_most: int) -> Sequence[str]:
    """So many of the scopes that have, or had, entries; one Query."""
    request: QueryInputTypeDef = {
        "TableName": table,
        "ConsistentRead": False,
        "KeyConditionExpression": "pk = :scopes",
        "ExpressionAttributeValues": {":scopes": text(table_keys.SCOPES)},
        "Limit": at_most,
    }
    found = islice(items_of(client, request), at_most)
    return [table_keys.scope_at(read_text(item, "sk")) for item in found]


def require_embedder(embedder: str, states: Iterable[ScopeState]) -> None:
    """Raises WrongEmbedder where a scope may have entries of another embedder."""
    for name in sorted(set().union(*(state.embedders for state in states))):
        _require_same(embedder, name)


def entries_in(items: Iterable[Item], embedder: str) -> list[Entry]:
    """The entries of these items; raises WrongEmbedder, and CorruptItem for what is no entry."""
    found = []
    for item in items:
        _require_same(embedder, embedder_of(item))
        found.append(decode_entry(item))
    return found


def _require_same(embedder: str, other: str) -> None:
    if other != embedder:
        raise WrongEmbedder(
            f"the search index was made with the embedder {other}, and the embedder now is "
            f"{embedder}: run `membrane reindex`"
        )
