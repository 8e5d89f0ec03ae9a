"""Faster transactions of moto: the cost follows the changed items, not the table's size.

For a rollback, moto copies the whole table with the stream, once for every action of a
transaction. The copy made here shares all items with the table that the actions do not change.
"""

import copy
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from moto.dynamodb import models
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table

Actions = Sequence[Mapping[str, Any]]

Place = tuple[DynamoType, DynamoType]
"""An item's key."""


@dataclass(slots=True)
class _Copies:
    """Replaces the module `copy` during a transaction, and copies a table only once.

    Not thread-safe, as moto itself.
    """

    actions: Actions
    copies: dict[str, Table] = field(default_factory=dict)

    def deepcopy(self, value: Any) -> Any:
        """A deep copy; of a table, a copy that the transaction's changes do not reach."""
        if not isinstance(value, Table):
            return copy.deepcopy(value)
        if value.name not in self.copies:
            self.copies[value.name] = _copy_table(value, list(_changed_keys(value, self.actions)))
        return self.copies[value.name]


@contextmanager
def light_transactions() -> Iterator[None]:
    """Replace moto's transactions within this context."""
    usual = DynamoDBBackend.transact_write_items

    def transact_write_items(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        models.copy = _Copies(transact_items)  # type: ignore[assignment, attr-defined]  # the module's import of copy
        try:
            usual(self, transact_items)
        finally:
            models.copy = copy  # type: ignore[attr-defined]  # back again

    DynamoDBBackend.transact_write_items = transact_write_items  # type: ignore[method-assign]  # moto has no other way
    try:
        yield
    finally:
        DynamoDBBackend.transact_write_items = usual  # type: ignore[method-assign]  # back again


def _copy_table(table: Table, touched: Sequence[Place]) -> Table:
    """A copy of the table with separate copies of the items about to change."""
    copied = copy.copy(table)
    copied.items = defaultdict(dict, table.items)
    for partition, _ in touched:
        if partition in table.items:
            copied.items[partition] = dict(table.items[partition])
    for partition, place in touched:
        item = table.items.get(partition, {}).get(place)
        if item is not None:
            copied.items[partition][place] = copy.deepcopy(item)
    if table.stream_shard is not None:
        copied.stream_shard = copy.copy(table.stream_shard)
        copied.stream_shard.items = list(table.stream_shard.items)
        copied.stream_shard.table = copied
    return copied


def _changed_keys(table: Table, actions: Actions) -> Iterator[Place]:
    """The keys of the items that the actions name in the table, existing or not."""
    for action in actions:
        (asked,) = action.values()
        if asked.get("TableName") != table.name:
            continue
        key = asked.get("Key") or asked.get("Item") or {}
        names = (table.hash_key_attr, table.range_key_attr)
        if all(name in key for name in names):
            partition, place = (DynamoType(key[name]) for name in names)
            yield partition, place
