"""The list beside a document, what keyed writes did, and the end that a put has moved forward.

An append takes the position behind the newest chunk that the writer has read, or replaces an empty
newest chunk. The removal of a list makes the condition of every append under way fail:

    the newest chunk has items   a new, empty chunk takes the position behind the newest chunk
    the newest chunk is empty    the chunk gets a new revision
    an older chunk               stays without items, so the position stays taken

The first two are floors: a reader stops there, because the chunks before were removed. A floor
keeps the mark when an append puts items into the chunk. The items expire at the end of the period.

TTL may remove a document before an anchor has seen an end that a put has moved forward. So the put
leaves the end beside the document for a while: it tells the end from a head that somebody removed.
Documents that follow each other at a place leave an end each: any may be the one of an anchor.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from membrane.adapters.dynamodb.documents import items
from membrane.domain.documents.items import (
    Chunk,
    Once,
    Receipt,
    is_earlier,
    is_later,
    is_shown,
    items_below,
    without_all,
)
from membrane.domain.documents.model import Document, Ending
from membrane.domain.documents.places import Place
from membrane.domain.language.json_text import compact_json, digest
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.lifecycle.pruning import Retention
from membrane.table.blobs import text_in
from membrane.table.entity import Entities
from membrane.table.items import (
    CorruptItem,
    Item,
    LostRace,
    Value,
    Write,
    binary,
    key_in,
    lost_race,
    number,
    parse_text,
    put_next,
    read_binary,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.table.keys import DOCUMENT_OPERATION, primary_key

ONCE, ENDING = "once#", "ending#"

_FIRST_PAGE = 50
"""Chunks: of a list with many items in a chunk, a page reads few chunks in vain."""

_MOST_ON_PAGE = 1_024
"""Chunks: a page of more has a megabyte."""


@dataclass(frozen=True, slots=True)
class DocumentLists(Entities[Document]):
    retention: Retention

    def chunks(
        self,
        place: Place,
        limit: int | None,
        *,
        generation: str,
        now_s: float,
        below: int | None = None,
    ) -> Iterator[Chunk]:
        """The newest chunks of the list, newest first.

        The chunks are read as the caller takes them, because a list may be larger than the memory
        of a function: one Query for up to 50 chunks; each further Query reads twice as many, or a
        megabyte. `below`: only chunks that begin below this position; None = all. `limit`: the
        chunks end with the chunk that completes this number of shown items below `below`; None = no
        end. At least the newest chunk comes, whatever the limit. The chunks also end with the first
        chunk of an earlier document at the place. A chunk may be empty, because its items were
        taken off, and may be hidden by `items.is_shown`.
        """
        last = items.MAX_NUMBER if below is None else below - 1
        first_page = None if limit is None else min(max(1, limit), _FIRST_PAGE)
        known = 0
        for item in self._chunk_items(place, last, first_page):
            chunk = chunk_in(item, place)
            yield chunk
            if is_shown(chunk, generation, now_s):
                known += items_below(chunk, below)
            is_enough = limit is not None and known >= limit
            if is_enough or chunk.is_floor or is_earlier(chunk, generation):
                return

    def put_chunks(
        self, changes: Sequence[tuple[Chunk | None, Chunk]], once: Once | None = None
    ) -> None:
        """Write all chunks or none, each in place of the stored chunk (None = a new chunk).

        At most MAX_CUT. Raises LostRace if a stored chunk has changed, or if the key of `once` is
        known. Items that are taken off without a key pass a fence: nothing keeps them.
        """
        is_new = any(
            before is None or len(after.items) > len(before.items) for before, after in changes
        )
        if is_new or once is not None:
            self.require_open({after.place.scope for _, after in changes})
        writes = [_put_chunk(before, after) for before, after in changes]
        self.commit_all(*writes, *self._once_writes(once))

    def remove_list(self, place: Place, generation: str) -> None:
        """Remove every item, and refuse every append that was under way before; repeatable.

        The items that keyed removals took off go, too. The place behind the newest item stays taken
        for a while. Chunks of a later generation stay: the document may be made anew during the
        removal. Two Queries, then a write for the floor and for each chunk with items.
        """
        while not self._raise_floor(place, generation):
            pass
        for item in self._chunk_items(place):
            self._empty(chunk_in(item, place), generation)
        self._forget_taken(place)

    def remember(self, once: Once) -> None:
        """Store what a write did that had nothing to change; raises LostRace for a known key."""
        self.commit_all(*self._once_writes(once))

    def find_once(self, place: Place, identity: bytes) -> Once | None:
        """What the write under the key did, read consistently; None for an unknown key."""
        item = self.item_at(_once_key(place, identity))
        if item is None or read_number(item, "x") <= epoch_seconds(self.now()):
            return None
        return once_in(item, place)

    def note(self, identity: str, operation_id: str, receipt: Receipt) -> None:
        """Keep where a keyed write goes; a later note of the same operation replaces it."""
        self.require_open({receipt.place.scope})
        item = {
            **_operation_key(identity, operation_id),
            **items.scope_attribute(receipt.place),
            **items.names_attribute(receipt.place),
            "f": binary(receipt.fingerprint),
            **items.expiry(self.until_s()),
        }
        condition = "attribute_not_exists(pk) OR attribute_exists(f)"
        self.commit_all(Write("Put", lost_race, condition, item=item))

    def find_receipt(self, identity: str, operation_id: str) -> Receipt | None:
        """Read consistently; None for an absent or expired note."""
        now_s = epoch_seconds(self.now())
        item = self.lasting_item_at(_operation_key(identity, operation_id), now_s)
        return None if item is None else Receipt(items.named_place(item), read_binary(item, "f"))

    def endings(self, place_id: str) -> Sequence[Ending]:
        """Of each document of the place, the end that a put has moved forward last; one Query."""
        return [*map(ending_in, self.between(items.beside(place_id), ENDING, f"{ENDING}~"))]

    def until_s(self) -> float:
        """Until when what is removed or replaced now is kept, in seconds since 1970."""
        return epoch_seconds(self.now() + self.retention.tombstone)

    def _once_writes(self, once: Once | None) -> tuple[Write, ...]:
        """The write that belongs into the transaction of the effect; none without a key."""
        if once is None:
            return ()
        condition = "attribute_not_exists(pk) OR x <= :now"
        now = {":now": number(epoch_seconds(self.now()))}
        return (Write("Put", lost_race, condition, item=once_item(once), values=now),)

    def _forget_taken(self, place: Place) -> None:
        """A Query, and an UpdateItem for each removal: the items go, and the key stays known."""
        values = {":pk": text(items.beside(place.id)), ":once": text(ONCE)}
        condition = "pk = :pk AND begins_with(sk, :once)"
        for item in self.query(condition, values, only="attribute_exists(o)"):
            there, key = "attribute_exists(pk)", key_in(item)
            with suppress(LostRace):  # TTL has removed the item
                self.commit_all(Write("Update", lost_race, there, key=key, update="REMOVE o"))

    def _raise_floor(self, place: Place, generation: str) -> bool:
        """Whether there is a floor, or none is necessary; False if a write came in between."""
        newest = next(self.chunks(place, 0, generation=generation, now_s=0.0), None)
        if newest is not None and is_later(newest, generation):
            return True
        start, before, until_s = 1, None, self.until_s()
        if newest is not None and newest.items:
            start = newest.next_start
        elif newest is not None:
            before = newest
        floor = Chunk(place, start, 1, (), "", rfc3339(self.now()), "", expires_at_s=until_s)
        if before is not None:
            floor = without_all(before, until_s)
        try:
            self.commit_all(_put_chunk(before, replace(floor, is_floor=True)))
        except LostRace:
            return False
        return True

    def _empty(self, chunk: Chunk, generation: str) -> None:
        """Write the chunk without items; a chunk that changed meanwhile is read again."""
        while chunk.items and not is_later(chunk, generation):
            with suppress(LostRace):
                self.commit_all(_put_chunk(chunk, without_all(chunk, self.until_s())))
                return
            found = self.item_at(items.place_key(chunk.place.id, items.LIST, chunk.start))
            if found is None:  # TTL has removed the chunk
                return
            chunk = chunk_in(found, chunk.place)

    def _chunk_items(
        self, place: Place, last: int = items.MAX_NUMBER, first_page: int | None = None
    ) -> Iterator[Item]:
        """The chunks at the position `last` or below, newest first."""
        return self.between(
            items.beside(place.id),
            items.LIST,
            read_text(items.place_key(place.id, items.LIST, last), "sk"),
            limit=first_page,
            most_on_page=None if first_page is None else _MOST_ON_PAGE,
            backwards=True,
        )


def chunk_in(item: Item, place: Place) -> Chunk:
    """Raises CorruptItem for a damaged item."""
    start = read_text(item, "sk").removeprefix(items.LIST)
    if not start.isdecimal():
        raise CorruptItem(item, "the sort key is no position")
    return Chunk(
        place,
        int(start),
        read_integer(item, "n"),
        tuple(parse_text(item, "d", text_in(item, "d"), list)),
        read_text(item, "u") if "u" in item else "",
        read_text(item, "a"),
        read_text(item, "g"),
        read_integer(item, "r"),
        expires_at_s=read_number(item, "x") if "expires_at" in item else None,
        skipped=read_integer(item, "s") if "s" in item else 0,
        is_floor="z" in item,
    )


def chunk_item(chunk: Chunk) -> dict[str, Value]:
    item: dict[str, Value] = {
        **items.place_key(chunk.place.id, items.LIST, chunk.start),
        **items.scope_attribute(chunk.place),
        "n": number(chunk.taken),
        "a": text(chunk.at),
        "g": text(chunk.generation),
        "r": number(chunk.revision),
        **_ending(chunk.expires_at_s),
    }
    if chunk.principal:
        item["u"] = text(chunk.principal)
    if chunk.skipped:
        item["s"] = number(chunk.skipped)
    if chunk.is_floor:
        item["z"] = number(1)
    return items.with_text(item, "d", compact_json(chunk.items))


def _put_chunk(before: Chunk | None, chunk: Chunk) -> Write:
    return put_next(chunk_item(chunk), 0 if before is None else before.revision, "r")


def once_item(once: Once) -> dict[str, Value]:
    item: dict[str, Value] = {
        **_once_key(once.place, once.identity),
        **items.scope_attribute(once.place),
        "f": binary(once.fingerprint),
        "n": number(once.number),
        **_ending(once.until_s),
    }
    if once.existed:
        item["b"] = number(1)
    return items.with_text(item, "o", compact_json(once.taken)) if once.taken else item


def once_in(item: Item, place: Place) -> Once:
    """Raises CorruptItem for a damaged item."""
    identity = bytes.fromhex(read_text(item, "sk").removeprefix(ONCE))
    taken: list[Any] = parse_text(item, "o", text_in(item, "o"), list) if "o" in item else []
    did = read_integer(item, "n"), "b" in item, tuple(taken)
    return Once(place, identity, read_binary(item, "f"), read_number(item, "x"), *did)


def _ending(instant_s: float | None) -> dict[str, Value]:
    """The exact instant beside the attribute of TTL."""
    return {} if instant_s is None else {"x": number(instant_s), **items.expiry(instant_s)}


def ending_item(
    before: Document | None, after: Document, born: Value, kept_s: float
) -> dict[str, Value] | None:
    """The item, kept for `kept_s` seconds behind the end; None for an end that is not earlier.

    A deleted document needs none: its head stays for a while.
    """
    end_s = after.expires_at_s
    if before is None or after.is_deleted or end_s is None or end_s >= (before.expires_at_s or inf):
        return None
    return {
        **primary_key(items.beside(after.place.id), f"{ENDING}{born['N']}"),
        **items.scope_attribute(after.place),
        "b": born,
        "n": number(after.version),
        "h": text(after.current.entry.hash),
        "x": number(end_s),
        **items.expiry(end_s + kept_s),
    }


def ending_in(item: Item) -> Ending:
    """Raises CorruptItem for a damaged item."""
    version, entry_hash = read_integer(item, "n"), read_text(item, "h")
    return Ending(read_number(item, "b"), version, entry_hash, read_number(item, "x"))


def _once_key(place: Place, identity: bytes) -> dict[str, Value]:
    return primary_key(items.beside(place.id), f"{ONCE}{identity.hex()}")


def _operation_key(identity: str, operation_id: str) -> dict[str, Value]:
    return primary_key(f"{DOCUMENT_OPERATION}{identity}", digest(operation_id).hex())
