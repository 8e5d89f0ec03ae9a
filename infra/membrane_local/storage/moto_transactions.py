"""Transactions of moto that cost what they touch, and not what the table holds.

moto copies the whole table, its stream with it, once for each action of a transaction, so that it
can take the transaction back. Here the copy shares with the table all that the actions leave alone.
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
    """Stands for the module `copy` while one transaction is under way; each table is copied once.

    Only to be used by one thread at a time, as moto is.
    """

    actions: Actions
    made: dict[str, Table] = field(default_factory=dict)

    def deepcopy(self, value: Any) -> Any:
        """A copy that no change of the value reaches; of a table, none that the actions make."""
        if not isinstance(value, Table):
            return copy.deepcopy(value)
        if value.name not in self.made:
            self.made[value.name] = _copied(value, list(_touched(value, self.actions)))
        return self.made[value.name]


@contextmanager
def light_transactions() -> Iterator[None]:
    """Let transactions of moto be so within this context."""
    usual = DynamoDBBackend.transact_write_items

    def transact_write_items(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
        models.copy = _Copies(transact_items)  # type: ignore[assignment, attr-defined]  # what it imports
        try:
            usual(self, transact_items)
        finally:
            models.copy = copy  # type: ignore[attr-defined]  # the same

    DynamoDBBackend.transact_write_items = transact_write_items  # type: ignore[method-assign]  # moto has no other way
    try:
        yield
    finally:
        DynamoDBBackend.transact_write_items = usual  # type: ignore[method-assign]  # back again


def _copied(table: Table, touched: Sequence[Place]) -> Table:
    """The table as it is now, with copies of its own of what is about to change."""
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


def _touched(table: Table, actions: Actions) -> Iterator[Place]:
    """The keys of what the actions name in the table, whether it is there or not."""
    for action in actions:
        (asked,) = action.values()
        if asked.get("TableName") != table.name:
            continue
        key = asked.get("Key") or asked.get("Item") or {}
        names = (table.hash_key_attr, table.range_key_attr)
        if all(name in key for name in names):
            partition, place = (DynamoType(key[name]) for name in names)
            yield partition, place
