"""What the table's stream tells: of which records and topics the vectors have to be made anew.

A write that changes what is indexed sets the flag `stale` (see `search.markers`). A vector that TTL
removed is put again where its record still lives.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from membrane.adapters.dynamodb.records.idempotency_items import is_receipt
from membrane.adapters.dynamodb.search.markers import STALE
from membrane.adapters.dynamodb.table.attributes import read_text
from membrane.adapters.dynamodb.table.keys import (
    RECORDS,
    TOPICS,
    VECTOR,
    SearchSpace,
    scope_searched,
    source_of_vector,
)
from membrane.domain.language.vocabulary import MemoryType
from membrane.usecases.search.indexing.changes import Changed, Told

Image = Mapping[str, Any]

_TTL = {"type": "Service", "principalid": "dynamodb.amazonaws.com"}
"""Who removes an item whose time is over; the stream writes the names in either case."""

_STATED = ("document", "scope", "sensitivity", "type", "deleted_at")
"""What a topic tells of a fact is made from; where none of it changes, the topic stays."""


def told_in(records: Sequence[Mapping[str, Any]]) -> Told:
    """All that these records of a stream tell."""
    return Told(
        [*changed_in(records, RECORDS)], [*changed_in(records, TOPICS)], [*facts_in(records)]
    )


def changed_in(records: Iterable[Mapping[str, Any]], space: SearchSpace) -> Iterator[Changed]:
    """Whose vectors have to be made anew, in the stream's order; one may come several times."""
    for record in records:
        told = record["dynamodb"]
        partition, place = (read_text(told["Keys"], name) for name in ("pk", "sk"))
        if place == space.own and partition.startswith(space.sources):
            old, new = told.get("OldImage") or {}, told.get("NewImage") or {}
            if STALE in new:
                source_id = partition.removeprefix(space.sources)
                yield Changed(source_id, _scopes(filter(None, (old, new))))
        elif place == VECTOR and partition.startswith(space.vectors) and _is_by_ttl(record):
            old = told.get("OldImage") or {}
            if "removed" not in old:
                source_id = source_of_vector(told["Keys"], space)
                yield Changed(source_id, (scope_searched(old, space),))


def facts_in(records: Iterable[Mapping[str, Any]]) -> Iterator[Changed]:
    """The facts of which a topic may have to tell something else, in the stream's order."""
    for record in records:
        told = record["dynamodb"]
        keys, old, new = told["Keys"], told.get("OldImage"), told.get("NewImage")
        if read_text(keys, "sk") == RECORDS.own and read_text(keys, "pk").startswith(
            RECORDS.sources
        ):
            facts = [image for image in (old, new) if image and _is_fact(image)]
            if facts and _is_told_otherwise(old, new):
                record_id = read_text(keys, "pk").removeprefix(RECORDS.sources)
                yield Changed(record_id, _scopes(facts))


def _is_by_ttl(record: Mapping[str, Any]) -> bool:
    identity = record.get("userIdentity") or {}
    named = {str(name).lower(): value for name, value in identity.items()}
    return record["eventName"] == "REMOVE" and named == _TTL


def _is_fact(image: Image) -> bool:
    return not is_receipt(image) and read_text(image, "type") == MemoryType.SEMANTIC


def _is_told_otherwise(old: Image | None, new: Image | None) -> bool:
    """A fact that TTL removes was deleted long before, and its topic was told then."""
    if not new:
        return bool(old) and "deleted_at" not in (old or {})
    return not old or any(old.get(name) != new.get(name) for name in _STATED)


def _scopes(images: Iterable[Image]) -> tuple[str, ...]:
    scopes = (read_text(image, "scope") if "scope" in image else "" for image in images)
    return tuple(dict.fromkeys(scopes))
