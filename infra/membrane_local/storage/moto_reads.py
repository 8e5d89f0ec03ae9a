"""Faster reads of moto: the cost follows the result, not the table's size.

moto sorts every item of the table before a query selects a partition, and tries ten types and six
spellings on every attribute of a reply.
"""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import Any

from moto.core.serialize import BaseJSONSerializer
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table


@contextmanager
def light_reads() -> Iterator[None]:
    """Within this context, a query examines candidate items alone, a reply the present types."""
    query, structure = Table.query, BaseJSONSerializer._serialize_type_structure  # noqa: SLF001 - moto has no other way

    parameters = signature(query)

    def query_of_its_items(self: Table, *args: Any, **options: Any) -> Any:
        wanted = _items_for(self, parameters.bind(self, *args, **options).arguments)
        return query(self if wanted is None else _holding(self, wanted), *args, **options)

    def structure_of_its_types(
        self: BaseJSONSerializer, serialized: Any, value: Any, shape: Any, key: str
    ) -> None:
        found = _attribute(value) if shape.name == "AttributeValue" and key else None
        if found is None:
            structure(self, serialized, value, shape, key)
            return
        kind, held = found
        wrapper: dict[str, Any] = {}
        self._serialize(wrapper, held, shape.members[kind], kind)
        self._default_serialize(serialized, wrapper, shape, key)

    Table.query = query_of_its_items  # type: ignore[method-assign]  # the same
    BaseJSONSerializer._serialize_type_structure = structure_of_its_types  # type: ignore[method-assign]  # noqa: SLF001
    try:
        yield
    finally:
        Table.query = query  # type: ignore[method-assign]  # back again
        BaseJSONSerializer._serialize_type_structure = structure  # type: ignore[method-assign]  # noqa: SLF001


def _items_for(
    table: Table, arguments: Mapping[str, Any]
) -> dict[DynamoType, dict[DynamoType, Item]] | None:
    """The candidate items of the query, by key; None where moto has to examine all items."""
    if not arguments.get("index_name"):
        hash_key = arguments["hash_key"]
        return {} if hash_key not in table.items else {hash_key: table.items[hash_key]}
    wanted = arguments.get("hash_key_conditions")
    if not wanted:
        return None
    found: dict[DynamoType, dict[DynamoType, Item]] = {}
    for partition, places in table.items.items():
        for place, item in places.items():
            if all(_has(item, name, value) for name, value in wanted):
                found.setdefault(partition, {})[place] = item
    return found


def _has(item: Item, name: str, value: DynamoType) -> bool:
    found = item.attrs.get(name)
    return found is not None and found.type == value.type and found.value == value.value


def _holding(table: Table, items: dict[DynamoType, dict[DynamoType, Item]]) -> Table:
    """A shallow copy of the table with these items alone, for reading."""
    view = copy.copy(table)
    view.items = items  # type: ignore[assignment]  # moto reads items as a mapping
    return view


def _attribute(value: Any) -> tuple[str, Any] | None:
    """The type and the value of an attribute; None for any other object."""
    if isinstance(value, DynamoType):
        return value.type, value.value
    if isinstance(value, dict) and len(value) == 1:
        ((kind, held),) = value.items()
        return kind, held
    return None
