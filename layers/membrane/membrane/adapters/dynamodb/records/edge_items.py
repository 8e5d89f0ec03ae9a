"""Relations as items: an edge in the record's partition, the inverse in the target's."""

from collections.abc import Iterable, Iterator

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    BORN,
    Item,
    Value,
    number,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.texts import raising_corrupt_item
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord


def edge_items(stored: StoredRecord, there: tuple[Relation, ...] = ()) -> list[dict[str, Value]]:
    """Two items per relation: an edge in the record's partition, the inverse in the target's.

    Relations that `there` has at the same position already are left out.
    """
    return [
        item
        for position, relation in enumerate(stored.record.relations)
        if there[position : position + 1] != (relation,)
        for item in _pair(stored, position, relation)
    ]


def inverse_item(stored: StoredRecord, relation: Relation) -> dict[str, Value]:
    """The inverse of a relation of the record, in the target's partition."""
    position = stored.record.relations.index(relation)
    _, inverse = _pair(stored, position, relation)
    return inverse


def inverse_key(edge: Item, source_id: str) -> dict[str, Value]:
    """The key of the inverse of an edge, in the target's partition."""
    target_id, predicate = read_text(edge, "target_id"), read_text(edge, "predicate")
    return table_keys.inverse_edge_key(source_id, predicate, target_id)


def relations_in(edges: Iterable[Item]) -> list[Relation]:
    """The relations of a record's edges, in the caller's order.

    Raises CorruptItem for a damaged item.
    """
    ordered = sorted(edges, key=lambda edge: read_integer(edge, "position"))
    return [_relation(edge) for edge in ordered]


def _pair(stored: StoredRecord, position: int, relation: Relation) -> Iterator[dict[str, Value]]:
    attributes: dict[str, Value] = {
        "predicate": text(relation.predicate),
        "weight": number(relation.weight),
        "created_at": text(relation.created_at or NOT_GIVEN),
        "position": number(position),
        BORN: number(stored.anchor.born_s),
    }
    ends = (stored.id, relation.predicate, relation.target_id)
    yield {**table_keys.edge_key(*ends), "target_id": text(relation.target_id), **attributes}
    yield {**table_keys.inverse_edge_key(*ends), "source_id": text(stored.id), **attributes}


def _relation(item: Item) -> Relation:
    with raising_corrupt_item(item):
        return Relation(
            predicate=read_text(item, "predicate"),
            target_id=read_text(item, "target_id"),
            weight=read_number(item, "weight"),
            created_at=read_text(item, "created_at"),
        )
