"""Read the table's stream: the records, topics, facts, new records and changed steps of a batch.

A write that changes the content of an entry sets the flag `stale` (see `table.vectors`). A vector
that TTL removed is made again if its record is still alive.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from membrane.adapters.dynamodb.records.idempotency_items import is_receipt
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.learning_mark import Stage
from membrane.table.items import number, read_text, text
from membrane.table.keys import (
    RECORDS,
    TOPICS,
    VECTOR,
    SearchSpace,
    scope_searched,
    source_of_vector,
)
from membrane.table.vectors import STALE, WRITTEN
from membrane.usecases.search.indexing import ChangedSource, StreamChanges

Image = Mapping[str, Any]

_TTL = {"type": "Service", "principalid": "dynamodb.amazonaws.com"}
"""The identity under which TTL removes an item; the stream capitalises the names differently."""

_FIRST = number(1)
"""The version of a new record; a record that takes the place of an expired one is no INSERT."""

_WAITING = text(Stage.STEP)
"""The mark of a step that is not in a trace yet."""

_STATED = ("document", "scope", "sensitivity", "type", "deleted_at")
"""The attributes that a fact's statement in a topic depends on."""


def changes_in(records: Sequence[Mapping[str, Any]]) -> StreamChanges:
    """The changed records, topics, facts and steps of a batch of the stream."""
    return StreamChanges(
        [*stale_sources_in(records, RECORDS)],
        [*stale_sources_in(records, TOPICS)],
        [*facts_in(records)],
        [*created_in(records)],
        [*ended_in(records)],
    )


def stale_sources_in(
    records: Iterable[Mapping[str, Any]], space: SearchSpace
) -> Iterator[ChangedSource]:
    """The sources whose vectors are out of date, in the stream's order; ids may repeat."""
    for record in records:
        change = record["dynamodb"]
        partition, sort_key = (read_text(change["Keys"], name) for name in ("pk", "sk"))
        if sort_key == space.own and partition.startswith(space.sources):
            old, new = change.get("OldImage") or {}, change.get("NewImage") or {}
            if STALE in new:
                source_id = partition.removeprefix(space.sources)
                yield ChangedSource(source_id, _scopes(filter(None, (old, new))))
        elif sort_key == VECTOR and partition.startswith(space.vectors) and _is_by_ttl(record):
            old = change.get("OldImage") or {}
            if "removed" not in old:
                source_id = source_of_vector(change["Keys"], space)
                yield ChangedSource(source_id, (scope_searched(old, space),))


def facts_in(records: Iterable[Mapping[str, Any]]) -> Iterator[ChangedSource]:
    """The facts whose statement in a topic may be out of date, in the stream's order."""
    for record in records:
        change = record["dynamodb"]
        keys, old, new = change["Keys"], change.get("OldImage"), change.get("NewImage")
        if read_text(keys, "sk") == RECORDS.own and read_text(keys, "pk").startswith(
            RECORDS.sources
        ):
            facts = [image for image in (old, new) if image and _is_fact(image)]
            if facts and _changes_statement(old, new):
                record_id = read_text(keys, "pk").removeprefix(RECORDS.sources)
                yield ChangedSource(record_id, _scopes(facts))


def created_in(records: Iterable[Mapping[str, Any]]) -> Iterator[ChangedSource]:
    """The records that a write made, in the stream's order; restored records are not new."""
    for record in records:
        new = _own_image(record)
        if new.get(STALE) == WRITTEN and new.get("version") == _FIRST:
            yield _source_of(record, new)


def ended_in(records: Iterable[Mapping[str, Any]]) -> Iterator[ChangedSource]:
    """The waiting steps that a write changed, in the stream's order: one may have an outcome.

    Flagged or not: an outcome that repeats the status of a call changes no text to search.
    """
    for record in records:
        old, new = record["dynamodb"].get("OldImage"), _own_image(record)
        if old and new.get("awaits") == _WAITING:
            version = new.get("version")
            if version not in (_FIRST, old.get("version")):
                yield _source_of(record, new)


def _own_image(record: Mapping[str, Any]) -> Image:
    """The new image of a record's own item; empty for any other change."""
    keys, new = record["dynamodb"]["Keys"], record["dynamodb"].get("NewImage") or {}
    is_own = read_text(keys, "sk") == RECORDS.own
    return new if is_own and read_text(keys, "pk").startswith(RECORDS.sources) else {}


def _source_of(record: Mapping[str, Any], new: Image) -> ChangedSource:
    partition = read_text(record["dynamodb"]["Keys"], "pk")
    return ChangedSource(partition.removeprefix(RECORDS.sources), _scopes([new]))


def _is_by_ttl(record: Mapping[str, Any]) -> bool:
    identity = record.get("userIdentity") or {}
    lowered = {str(name).lower(): value for name, value in identity.items()}
    return record["eventName"] == "REMOVE" and lowered == _TTL


def _is_fact(image: Image) -> bool:
    return not is_receipt(image) and read_text(image, "type") == MemoryType.SEMANTIC


def _changes_statement(old: Image | None, new: Image | None) -> bool:
    """Whether a topic has to update its statement of the fact.

    False for a tombstone that TTL removes: the deletion already updated the topic.
    """
    if not new:
        return bool(old) and "deleted_at" not in (old or {})
    return not old or any(old.get(name) != new.get(name) for name in _STATED)


def _scopes(images: Iterable[Image]) -> tuple[str, ...]:
    scopes = (read_text(image, "scope") if "scope" in image else "" for image in images)
    return tuple(dict.fromkeys(scopes))
