"""Read the table's stream: the records, topics, new records and changed steps of a batch.

A write that changes the content of an entry sets the flag `stale` (see `table.index`). A vector
that TTL removed is made again if its record is still alive.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from membrane.domain.records.learning_mark import Stage
from membrane.table.index import REMOVED, STALE, WRITTEN
from membrane.table.items import number, place_in, read_text, text
from membrane.table.keys import RECORDS, TOPICS, VECTOR, scope_searched
from membrane.usecases.search.indexing import ChangedSource, StreamChanges

Image = Mapping[str, Any]

_TTL = {"type": "Service", "principalid": "dynamodb.amazonaws.com"}
"""The identity under which TTL removes an item; the stream capitalises the names differently."""

_FIRST = number(1)
"""The version of a new record; a record that takes the place of an expired one is no INSERT."""

_WAITING = text(Stage.STEP)
"""The mark of a step that is not in a trace yet."""


def changes_in(records: Sequence[Mapping[str, Any]]) -> StreamChanges:
    """The changes in a batch of the stream, in the stream's order; ids may repeat."""
    stale: dict[str, list[ChangedSource]] = {RECORDS.sources: [], TOPICS.sources: []}
    created, ended = list[ChangedSource](), list[ChangedSource]()
    for record in records:
        change = record["dynamodb"]
        partition, sort_key = place_in(change["Keys"])
        old, new = change.get("OldImage") or {}, change.get("NewImage") or {}
        for space in (RECORDS, TOPICS):
            if sort_key == space.own and partition.startswith(space.sources) and STALE in new:
                source_id = partition.removeprefix(space.sources)
                stale[space.sources].append(ChangedSource(source_id, _scopes([old, new])))
            elif partition.startswith(space.vectors) and sort_key == VECTOR and _is_lost(record):
                source_id = partition.removeprefix(space.vectors)
                scope = scope_searched(old, space)
                stale[space.sources].append(ChangedSource(source_id, (scope,)))
        if sort_key == RECORDS.own and partition.startswith(RECORDS.sources):
            record_id = partition.removeprefix(RECORDS.sources)
            if _is_created(new):
                created.append(ChangedSource(record_id, _scopes([new])))
            if old and _is_changed_step(old, new):
                ended.append(ChangedSource(record_id, _scopes([new])))
    return StreamChanges(stale[RECORDS.sources], stale[TOPICS.sources], created, ended)


def _is_created(new: Image) -> bool:
    """Whether a write made the record; a restored record is not new."""
    return new.get(STALE) == WRITTEN and new.get("version") == _FIRST


def _is_changed_step(old: Image, new: Image) -> bool:
    """Whether the write changed a waiting step, which may have an outcome now.

    Flagged or not: an outcome that repeats the status of a call changes no text to search.
    """
    unchanged = (_FIRST, old.get("version"))
    return new.get("awaits") == _WAITING and new.get("version") not in unchanged


def _is_lost(record: Mapping[str, Any]) -> bool:
    """Whether TTL removed a vector, and no marker."""
    identity = record.get("userIdentity") or {}
    lowered = {str(name).lower(): value for name, value in identity.items()}
    is_by_ttl = record["eventName"] == "REMOVE" and lowered == _TTL
    return is_by_ttl and REMOVED not in (record["dynamodb"].get("OldImage") or {})


def _scopes(images: Iterable[Image]) -> tuple[str, ...]:
    scopes = (read_text(image, "scope") if "scope" in image else "" for image in images if image)
    return tuple(dict.fromkeys(scopes))
