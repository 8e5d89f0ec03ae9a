"""The codec between what records state in topics and items, each in a partition of its own."""

from collections.abc import Iterator, Sequence

from membrane.adapters.dynamodb.table.attributes import (
    Item,
    Value,
    number,
    read_integer,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.writes import Write, lost
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.domain.topics.placing.statements import Statement

_AS_READ = "#version = :version"
_NAMES = {"#version": "version"}
_TEXTS = ("content", "topic_id", "line_id", "revision_id", "valid_from")


def statement_in(item: Item) -> Statement:
    """The statement of an item; raises CorruptItem where it is none of ours."""
    return Statement(
        record_id=topic_keys.stating_record(item),
        blobs=tuple(read_text(item, "blobs").split()),
        is_withdrawn="withdrawn" in item,
        version=read_integer(item, "version"),
        **{name: read_text(item, name) for name in _TEXTS},
    )


def statement_writes(
    statements: Sequence[tuple[Statement | None, Statement | None]],
) -> Iterator[Write]:
    """What makes the statements what they are to be; lost where one is not as it was read."""
    for before, after in statements:
        if after is not None:
            version = 0 if before is None else before.version
            yield _next(after, version)
        elif before is not None:
            yield _gone(before)


def _next(after: Statement, version: int) -> Write:
    item = _item(after, version + 1)
    if not version:
        return Write("Put", lost, "attribute_not_exists(pk)", item=item)
    return Write("Put", lost, _AS_READ, item=item, names=_NAMES, values=_values(version))


def _gone(before: Statement) -> Write:
    key = topic_keys.statement_key(before.record_id)
    return Write("Delete", lost, _AS_READ, key=key, names=_NAMES, values=_values(before.version))


def _values(version: int) -> dict[str, Value]:
    return {":version": number(version)}


def _item(statement: Statement, version: int) -> dict[str, Value]:
    item: dict[str, Value] = topic_keys.statement_key(statement.record_id) | {
        "blobs": text(" ".join(statement.blobs)),
        "version": number(version),
    }
    item |= {name: text(getattr(statement, name)) for name in _TEXTS}
    if statement.is_withdrawn:
        item["withdrawn"] = text("yes")
    return item
