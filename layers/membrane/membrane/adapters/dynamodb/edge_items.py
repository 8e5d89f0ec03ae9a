"""Relations as items: an edge in the record's partition, its inverse in the target's."""

from collections.abc import Iterator

from membrane.adapters.dynamodb import table_keys
from membrane.adapters.dynamodb.attributes import Item, Value, number, read_number, read_text, text
from membrane.adapters.dynamodb.texts import named
from membrane.domain.records import MemoryRecord, Relation
from membrane.domain.timestamps import NOT_GIVEN


def edge_items(record: MemoryRecord) -> list[dict[str, Value]]:
    """Two items per relation: one in the record's partition, one in its target's."""
    return [item for relation in record.relations for item in _pair(record.id, relation)]


def _pair(record_id: str, relation: Relation) -> Iterator[dict[str, Value]]:
    attributes: dict[str, Value] = {
        "predicate": text(relation.predicate),
        "weight": number(relation.weight),
        "created_at": text(relation.created_at or NOT_GIVEN),
    }
    yield {
        "pk": text(table_keys.record_partition(record_id)),
        "sk": text(table_keys.edge(relation.predicate, relation.target_id)),
        "target_id": text(relation.target_id),
        **attributes,
    }
    yield {
        "pk": text(table_keys.record_partition(relation.target_id)),
        "sk": text(table_keys.inverse_edge(relation.predicate, record_id)),
        "source_id": text(record_id),
        **attributes,
    }


def relation_in(item: Item) -> Relation:
    """The relation of an edge; raises CorruptItem where the item is none of ours."""
    with named(item):
        return Relation(
            predicate=read_text(item, "predicate"),
            target_id=read_text(item, "target_id"),
            weight=read_number(item, "weight"),
            created_at=read_text(item, "created_at"),
        )
