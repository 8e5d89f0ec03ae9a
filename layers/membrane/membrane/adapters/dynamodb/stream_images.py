"""What the table's stream tells: which records and topics may have to be counted or indexed anew.

A stream tells of every item that changes, with its image before and after. Most changes of a record
touch its salience alone; they are told from those that the search needs here, without a request.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from membrane.adapters.dynamodb.records.receipts import is_receipt
from membrane.adapters.dynamodb.table.attributes import read_integer, read_number, read_text
from membrane.adapters.dynamodb.table.keys import RECORDS, TOPICS, SearchSpace
from membrane.domain.language.vocabulary import MemoryType
from membrane.usecases.following.changes import Told
from membrane.usecases.search.indexing.batch import Changed, index_version

Image = Mapping[str, Any]

_TELLING = ("document", "scope", "sensitivity", "type", "deleted_at")
"""What an entry is made from; where none of it changes, the entry stays."""

_TELLING_OF_TOPICS = ("document", "fields", "scope", "sensitivity", "status")


def told_in(records: Sequence[Mapping[str, Any]]) -> Told:
    """All that these records of a stream tell."""
    return Told([*changed_in(records)], [*topics_changed_in(records)], [*facts_in(records)])


def changed_in(records: Iterable[Mapping[str, Any]]) -> Iterator[Changed]:
    """What these records of a stream tell, in their order; a record may come several times."""
    for told in _told_of(RECORDS, records):
        old, new = told.get("OldImage"), told.get("NewImage")
        own = _images(told)
        is_searched = _tells(old, new, _TELLING)
        if own and (is_searched or _is_counted(old, new)):
            yield Changed(_id(told, RECORDS), _scopes(own), _latest(own, new), is_searched)


def topics_changed_in(records: Iterable[Mapping[str, Any]]) -> Iterator[Changed]:
    """What they tell of topics, in their order; a topic may come several times."""
    for told in _told_of(TOPICS, records):
        old, new = told.get("OldImage"), told.get("NewImage")
        if _tells(old, new, _TELLING_OF_TOPICS):
            own = _images(told)
            yield Changed(_id(told, TOPICS), _scopes(own), _latest(own, new))


def facts_in(records: Iterable[Mapping[str, Any]]) -> Iterator[Changed]:
    """The facts among them of which a topic may have to tell something else, in their order."""
    for told in _told_of(RECORDS, records):
        old, new = told.get("OldImage"), told.get("NewImage")
        own = _images(told)
        if any(map(_is_fact, own)) and _tells(old, new, _TELLING):
            yield Changed(_id(told, RECORDS), _scopes(own), _latest(own, new))


def _told_of(space: SearchSpace, records: Iterable[Mapping[str, Any]]) -> Iterator[Image]:
    """What is told of own items; other items have the same sort key by chance."""
    for record in records:
        told = record["dynamodb"]
        keys = told["Keys"]
        if read_text(keys, "sk") == space.own and read_text(keys, "pk").startswith(space.sources):
            yield told


def _id(told: Image, space: SearchSpace) -> str:
    return read_text(told["Keys"], "pk").removeprefix(space.sources)


def _images(told: Image) -> list[Image]:
    """Those that there are, but for receipts."""
    images = [told[name] for name in ("OldImage", "NewImage") if told.get(name)]
    return [image for image in images if not is_receipt(image)]


def _scopes(own: Iterable[Image]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_scope, own)))


def _latest(own: Iterable[Image], new: Image | None) -> int:
    """The version that is told of; what is gone was there until now."""
    return max(map(_version, own)) + (not new)


def _is_fact(image: Image) -> bool:
    return not is_receipt(image) and read_text(image, "type") == MemoryType.SEMANTIC


def _tells(old: Image | None, new: Image | None, telling: Collection[str]) -> bool:
    """What TTL removes was deleted long before, and then its entry was."""
    if not new:
        return bool(old) and "deleted_at" not in (old or {})
    return not old or any(old.get(name) != new.get(name) for name in telling)


def _is_counted(old: Image | None, new: Image | None) -> bool:
    """Any next version; what stands elsewhere in an index by now is none."""
    return bool(old and new) and (old or {}).get("version") != (new or {}).get("version")


def _scope(image: Image) -> str:
    return read_text(image, "scope") if "scope" in image else ""


def _version(image: Image) -> int:
    return index_version(read_number(image, "created_at"), read_integer(image, "version"))
