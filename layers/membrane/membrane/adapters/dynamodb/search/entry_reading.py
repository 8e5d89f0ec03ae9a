"""What both searches share: the scopes that there are, and entries of the one embedder alone."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.search.entry_items import (
    ATTRIBUTES,
    decode_entry,
    embedder_of,
    is_entry,
)
from membrane.adapters.dynamodb.search.scope_states import ScopeState, ScopeStates
from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import Item, read_text, text
from membrane.adapters.dynamodb.table.batches import items_at
from membrane.adapters.dynamodb.table.queries import items_of
from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.search.entries import Entry

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import QueryInputTypeDef


def registered_scopes(states: ScopeStates, at_most: int) -> Sequence[str]:
    """So many of the scopes that have, or had, entries; one Query."""
    request: QueryInputTypeDef = {
        "TableName": states.table,
        "ConsistentRead": False,
        "KeyConditionExpression": "pk = :scopes",
        "ExpressionAttributeValues": {":scopes": text(states.space.scopes)},
        "Limit": at_most,
    }
    found = islice(items_of(states.client, request), at_most)
    return [table_keys.scope_at(read_text(item, "sk")) for item in found]


def require_embedder(embedder: str, states: Iterable[ScopeState]) -> None:
    """Raises WrongEmbedder where a scope may have entries of another embedder."""
    for name in sorted(set().union(*(state.embedders for state in states))):
        _require_same(embedder, name)


def entries_at(
    places: Sequence[tuple[str, str]], states: ScopeStates, shards: int
) -> Sequence[Entry]:
    """The entries at these places, by scope and id; one strongly consistent BatchGetItem for 100.

    Raises what `entries_in` does.
    """
    space = states.space
    keys = [table_keys.entry_key(*place, shards, space) for place in dict.fromkeys(places)]
    found = items_at(states.client, states.table, keys, consistent=True, attributes=ATTRIBUTES)
    return entries_in((item for item in found if is_entry(item)), states.embedder_name)


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
