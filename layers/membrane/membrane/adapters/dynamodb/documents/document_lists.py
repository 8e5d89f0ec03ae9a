"""The list beside a head, an item of the table for each append.

An append takes the position behind the newest chunk that the writer has read, or replaces an empty
newest chunk. The removal of a list makes the condition of every append under way fail:

    the newest chunk has items   a new, empty chunk takes the position behind the newest chunk
    the newest chunk is empty    the chunk gets a new revision
    an older chunk               stays without items, so the position stays taken

The first two are floors: a reader stops there, because the chunks before were removed. A floor
keeps the mark when an append puts items into the chunk. The items
expire at the end of the period.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from membrane.adapters.dynamodb.documents.document_items import expiry
from membrane.adapters.dynamodb.documents.document_keys import (
    APPENDED,
    AUTHOR,
    ENDS,
    EXPIRES,
    FLOOR,
    GENERATION,
    ITEMS,
    LIST,
    MAX_NUMBER,
    REVISION,
    SCOPE,
    SKIPPED,
    TAKEN,
    TAKEN_OFF,
    beside,
    chunk_key,
    scope_attribute,
)
from membrane.adapters.dynamodb.documents.version_texts import text_in, with_text
from membrane.domain.documents.items import (
    Chunk,
    is_earlier,
    is_later,
    is_shown,
    items_below,
    without_all,
)
from membrane.domain.documents.places import Place
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.table.dynamo import OverTable
from membrane.table.items import (
    CorruptItem,
    Item,
    Value,
    number,
    parse_text,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.table.writes import LostRace, Write, lost_race

OPTIONAL = (AUTHOR, ENDS, EXPIRES, SKIPPED)
"""Attributes that not every chunk has."""

FORMER = ("i", "f", TAKEN_OFF, "b")
"""Attributes of chunks by earlier versions, whose keyed appends and removals were noted in chunks:
every update removes them, and the removal of a list reaches the items that were taken off."""


def chunk_item(chunk: Chunk) -> dict[str, Value]:
    item: dict[str, Value] = {
        **chunk_key(chunk.place, chunk.start),
        **scope_attribute(chunk.place.scope),
        TAKEN: number(chunk.taken),
        APPENDED: text(chunk.at),
        GENERATION: text(chunk.generation),
        REVISION: number(chunk.revision),
    }
    if chunk.principal:
        item[AUTHOR] = text(chunk.principal)
    if chunk.expires_at_s is not None:
        item |= {ENDS: number(chunk.expires_at_s), **expiry(chunk.expires_at_s)}
    if chunk.skipped:
        item[SKIPPED] = number(chunk.skipped)
    return with_text(item, ITEMS, compact_json(chunk.items))


def chunk_in(item: Item, place: Place) -> Chunk:
    """Raises CorruptItem for a damaged item."""
    start = read_text(item, "sk").removeprefix(LIST)
    if not start.isdecimal():
        raise CorruptItem(item, "the sort key is no position")
    items: list[Any] = parse_text(item, ITEMS, text_in(item, ITEMS), list)
    return Chunk(
        place,
        int(start),
        read_integer(item, TAKEN),
        tuple(items),
        read_text(item, AUTHOR) if AUTHOR in item else "",
        read_text(item, APPENDED),
        read_text(item, GENERATION),
        read_integer(item, REVISION),
        expires_at_s=read_number(item, ENDS) if EXPIRES in item else None,
        skipped=read_integer(item, SKIPPED) if SKIPPED in item else 0,
    )


_FIXED = ("pk", "sk", SCOPE)

_FIRST_PAGE = 50
"""Chunks: of a list with many items in a chunk, a page reads few chunks in vain."""

_MOST_ON_PAGE = 1_024
"""Chunks: a page of more has a megabyte."""


class DocumentLists(OverTable):
    def newest(
        self,
        place: Place,
        limit: int | None,
        generation: str,
        now_s: float,
        below: int | None = None,
    ) -> Iterator[Chunk]:
        """One Query for up to 50 chunks; each further Query reads twice as many, or a megabyte."""
        last = MAX_NUMBER if below is None else below - 1
        first_page = None if limit is None else min(max(1, limit), _FIRST_PAGE)
        known = 0
        for item in self._items(place, last, first_page):
            chunk = chunk_in(item, place)
            yield chunk
            if is_shown(chunk, generation, now_s):
                known += items_below(chunk, below)
            is_enough = limit is not None and known >= limit
            if is_enough or FLOOR in item or is_earlier(chunk, generation):
                return

    def put(self, changes: Sequence[tuple[Chunk | None, Chunk]], also: Sequence[Write]) -> None:
        """A PutItem or UpdateItem of each chunk and the other writes, together."""
        writes = [
            _creation(chunk_item(after)) if before is None else _update(before, chunk_item(after))
            for before, after in changes
        ]
        self.commit_all(*writes, *also)

    def remove(self, place: Place, now: datetime, until_s: float, generation: str) -> None:
        """Two Queries, then a write for the floor and for each chunk with items."""
        while not self._raise_floor(place, now, until_s, generation):
            pass
        for item in self._items(place):
            self._empty(item, place, until_s, generation)

    def _raise_floor(self, place: Place, now: datetime, until_s: float, generation: str) -> bool:
        """Whether there is a floor, or none is necessary; False if a write came in between."""
        newest = next(self.newest(place, 0, generation, 0.0), None)
        if newest is not None and is_later(newest, generation):
            return True
        try:
            if newest is None or newest.items:
                start = 1 if newest is None else newest.next_start
                floor = Chunk(place, start, 1, (), "", rfc3339(now), "", expires_at_s=until_s)
                write = _creation({**chunk_item(floor), FLOOR: number(1)})
            else:
                emptied = chunk_item(without_all(newest, until_s))
                write = _update(newest, {**emptied, FLOOR: number(1)})
            self.commit_all(write)
        except LostRace:
            return False
        return True

    def _empty(self, item: Item, place: Place, until_s: float, generation: str) -> None:
        """Write the chunk without items; a chunk that changed meanwhile is read again."""
        found: Item | None = item
        while found is not None:  # None: TTL has removed the chunk
            chunk = chunk_in(found, place)
            has_content = chunk.items or TAKEN_OFF in found
            if not has_content or is_later(chunk, generation):
                return
            with suppress(LostRace):
                emptied = chunk_item(without_all(chunk, until_s))
                self.commit_all(_update(chunk, emptied))
                return
            found = self.item_at(chunk_key(place, chunk.start))

    def _items(
        self, place: Place, last: int = MAX_NUMBER, first_page: int | None = None
    ) -> Iterator[Item]:
        """The chunks at the position `last` or below, newest first."""
        condition = "pk = :pk AND sk BETWEEN :first AND :last"
        values = {
            ":pk": text(beside(place.id)),
            ":first": text(LIST),
            ":last": chunk_key(place, last)["sk"],
        }
        most = None if first_page is None else _MOST_ON_PAGE
        return self.query(condition, values, limit=first_page, most_on_page=most, backwards=True)


def _creation(item: Item) -> Write:
    return Write("Put", lost_race, "attribute_not_exists(pk)", item=item)


def _update(before: Chunk, item: Item) -> Write:
    """The update of a stored chunk, which leaves the mark of a floor."""
    changed = {name: value for name, value in item.items() if name not in _FIXED}
    absent = [name for name in (*OPTIONAL, *FORMER) if name not in item]
    update = "SET " + ", ".join(f"{name} = :{name}" for name in changed)
    return Write(
        "Update",
        lost_race,
        f"{REVISION} = :before",
        key=chunk_key(before.place, before.start),
        update=f"{update} REMOVE {', '.join(absent)}",
        values={
            ":before": number(before.revision),
            **{f":{name}": value for name, value in changed.items()},
        },
    )
