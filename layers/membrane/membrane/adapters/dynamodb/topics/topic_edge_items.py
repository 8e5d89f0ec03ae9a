"""The codec between edges of topics and items: one in either end's partition."""

from membrane.adapters.dynamodb.table.attributes import CorruptItem, Item, Value, read_text, text
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.domain.topics.topic import Edge

_NAMES = ("from_id", "to_id", "kind", "created_at", "principal")


def edge_items(edge: Edge) -> list[dict[str, Value]]:
    """In the source's partition and in the target's."""
    return [key | _attributes(edge) for key in edge_keys(edge.from_id, edge.to_id, edge.kind)]


def edge_keys(from_id: str, to_id: str, kind: str) -> list[dict[str, Value]]:
    """The keys of both items of an edge, the source's first."""
    return [
        topic_keys.topic_key(from_id, topic_keys.outgoing(to_id, kind)),
        topic_keys.topic_key(to_id, topic_keys.incoming(from_id, kind)),
    ]


def edge_in(item: Item) -> Edge:
    """The edge of an item; raises CorruptItem where it is none of ours."""
    return Edge(
        from_id=read_text(item, "from_id"),
        to_id=read_text(item, "to_id"),
        kind=read_text(item, "kind"),
        created_at=read_text(item, "created_at"),
        principal=read_text(item, "principal"),
        removed_at=read_text(item, "removed_at") if "removed_at" in item else None,
        earlier=_periods(item) if "earlier" in item else (),
    )


def _attributes(edge: Edge) -> dict[str, Value]:
    found = {name: text(getattr(edge, name)) for name in _NAMES}
    if edge.removed_at is not None:
        found["removed_at"] = text(edge.removed_at)
    if edge.earlier:
        found["earlier"] = text(" ".join(instant for period in edge.earlier for instant in period))
    return found


def _periods(item: Item) -> tuple[tuple[str, str], ...]:
    instants = read_text(item, "earlier").split(" ")
    try:
        return tuple(zip(instants[::2], instants[1::2], strict=True))
    except ValueError as error:
        raise CorruptItem(item, "a period of the edge has no end") from error
