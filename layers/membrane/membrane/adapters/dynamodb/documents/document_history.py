"""Former versions that left a head, in items beside the head.

A life of a document begins with version 1 and ends when TTL removes the head; a document that is
put at the place later begins with version 1 again. The items of an earlier life may still be there.

An item of history is one of three kinds:

    VALUES   versions with values, moved by a put or a deletion
    MARKER   erased versions, moved by an erasure whose head may not be written yet
    SEALED   erased versions of a document whose head is erased: no write of the same life
             brings a value back
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum

from membrane.adapters.dynamodb.documents.document_items import expiry, hash_value
from membrane.adapters.dynamodb.documents.document_keys import (
    HASH,
    KIND,
    MAX_NUMBER,
    VERSIONS,
    beside,
    history_key,
    scope_attribute,
)
from membrane.adapters.dynamodb.documents.version_texts import (
    versions_in,
    versions_text,
    with_text,
)
from membrane.domain.documents.model import (
    MAX_FORMER,
    Document,
    Version,
    Versions,
    without_content,
)
from membrane.domain.documents.places import Place
from membrane.domain.language.timestamps import is_before
from membrane.table.dynamo import OverTable
from membrane.table.items import Item, Value, number, read_integer, text
from membrane.table.keys import HISTORY
from membrane.table.writes import LostRace, Write, lost_race

_UNSETTLED = MAX_FORMER + 1
"""An item of a later life has at most so many versions, so it can displace the last so many."""


class HistoryKind(IntEnum):
    VALUES = 0
    MARKER = 1
    SEALED = 2


class _Occupied(Exception):
    """An item of history exists at the key."""

    def __init__(self, item: Item) -> None:
        super().__init__()
        self.item = item


class DocumentHistory(OverTable):
    def move(self, place: Place, leaving: Sequence[Version], until_s: float) -> None:
        """One PutItem, or two where an item exists; raises LostRace.

        The versions that leave follow from the state of the head alone. An item of the same life
        with values therefore has the same versions, and stays as it is.
        """
        are_erased = all(each == without_content(each) for each in leaving)
        kind = HistoryKind.MARKER if are_erased else HistoryKind.VALUES
        item = history_item(place, tuple(leaving), kind, until_s)
        try:
            self.commit_all(Write("Put", _Occupied, "attribute_not_exists(pk)", item=item))
        except _Occupied as occupied:
            if _has_to_replace(occupied.item, place, leaving, kind):
                self._put_in_place_of(occupied.item, item)

    def before(self, place: Place, version: int, limit: int) -> Sequence[Version]:
        """One Query backwards for about `limit` versions, at most a megabyte."""
        kept: list[Versions] = []
        for item in self._items(place.id, version - 1, limit + _UNSETTLED + 1):
            _add(kept, versions_in(item, place.id))
            if sum(map(len, kept[:-_UNSETTLED])) >= limit:
                break
        newest_first = [each for versions in kept for each in reversed(versions)]
        below = [each for each in newest_first if each.entry.version < version]
        return below[:limit]

    def seal(self, erasure: Document, until_s: float) -> None:
        """Two requests for an item with values or a marker, after the Query; repeatable.

        A late write that replaces an item meanwhile fails the condition, so that the next pass
        finds the item.
        """
        while self._seal_all(erasure, until_s):
            pass

    def all(self, place: Place) -> Sequence[Versions]:
        """The versions of every item, of all lives: a strongly consistent Query."""
        return [versions_in(item, place.id) for item in self._items(place.id)]

    def is_sealed(self, place_id: str) -> bool:
        """Whether an erasure has removed versions of the document."""
        items = self._items(place_id)
        return any(read_integer(item, KIND) == HistoryKind.SEALED for item in items)

    def _seal_all(self, erasure: Document, until_s: float) -> bool:
        """Whether a further pass is necessary."""
        place = erasure.place
        was_late = False
        for item in self._items(place.id):
            if read_integer(item, KIND) == HistoryKind.SEALED:
                continue
            versions = versions_in(item, place.id)
            if _is_after(erasure, versions[0]):
                continue
            erased_ones = tuple(map(without_content, versions))
            sealed = history_item(place, erased_ones, HistoryKind.SEALED, until_s)
            try:
                self._put_in_place_of(item, sealed)
            except LostRace:
                was_late = True
        return was_late

    def _items(
        self, place_id: str, highest: int = MAX_NUMBER, limit: int | None = None
    ) -> Iterator[Item]:
        """Items that begin with the version `highest` or below, newest first."""
        condition = "pk = :pk AND sk BETWEEN :first AND :last"
        values = {
            ":pk": text(beside(place_id)),
            ":first": text(HISTORY),
            ":last": text(f"{HISTORY}{highest:010d}"),
        }
        return self.query(condition, values, limit=limit, backwards=True)

    def _put_in_place_of(self, existing: Item, item: Item) -> None:
        condition = f"{HASH} = :hash AND {KIND} = :kind"
        values = {":hash": existing[HASH], ":kind": existing[KIND]}
        self.commit_all(Write("Put", lost_race, condition, item=item, values=values))


def history_item(
    place: Place, versions: Versions, kind: HistoryKind, until_s: float
) -> dict[str, Value]:
    item = {
        **history_key(place, versions[0].entry.version),
        **scope_attribute(place.scope),
        HASH: hash_value(versions[-1].entry.hash),
        KIND: number(kind.value),
        **expiry(until_s),
    }
    return with_text(item, VERSIONS, versions_text(versions))


def _has_to_replace(
    existing: Item, place: Place, leaving: Sequence[Version], kind: HistoryKind
) -> bool:
    """Whether the versions that leave take the place of an item; raises LostRace."""
    there = versions_in(existing, place.id)
    first, own = there[0].entry, leaving[0].entry
    if first.hash != own.hash:
        if is_before(own.at, first.at):
            raise LostRace  # the head of this write is of an earlier life
        return True
    existing_kind = read_integer(existing, KIND)
    if existing_kind == HistoryKind.SEALED or len(there) > len(leaving):
        raise LostRace
    is_longer = len(leaving) > len(there)
    return existing_kind == HistoryKind.MARKER and (kind is HistoryKind.VALUES or is_longer)


def _is_after(erasure: Document, version: Version) -> bool:
    """Whether the version is the erasure itself or later; an earlier life has larger numbers."""
    entry = erasure.current.entry
    return version.entry.version >= entry.version and not is_before(version.entry.at, entry.at)


def _add(kept: list[Versions], older: Versions) -> None:
    """Add the versions of the next item; of two lives that overlap, the later life stays."""
    while kept and kept[-1][0].entry.version <= older[-1].entry.version:
        if is_before(older[0].entry.at, kept[-1][0].entry.at):
            return
        kept.pop()
    kept.append(older)
