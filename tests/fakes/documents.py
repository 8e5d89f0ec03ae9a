"""Keyed documents over plain dicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from membrane.domain.documents.document import Document, Version, without_content
from membrane.domain.documents.items import (
    Chunk,
    is_earlier,
    is_later,
    is_shown,
    items_below,
    without_all,
)
from membrane.domain.documents.places import Place, life_of, owner_of_values
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.documents import DocumentPage, Once, Receipt
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Clock
from tests.fakes.bucket import BLOBS, FakeBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeDocuments(StandIn):
    """A fake of DynamoDocuments; `vanish` does what TTL does."""

    blobs: BlobStore = field(default_factory=FakeBlobs)
    now: Clock = field(default_factory=FakeClock)
    heads: dict[Place, Document] = field(default_factory=dict)
    history: dict[Place, dict[int, Version]] = field(default_factory=dict)
    lists: dict[Place, dict[int, Chunk]] = field(default_factory=dict)
    floors: dict[Place, int] = field(default_factory=dict)
    """Where the newest removal of a list has left an empty chunk."""
    receipts: dict[tuple[str, str], tuple[Receipt, float]] = field(default_factory=dict)
    onces: dict[tuple[Place, bytes], Once] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    valued: dict[str, float] = field(default_factory=dict)
    """By the id of a place with large values: the instant of the newest write."""

    def load(self, place: Place) -> Document | None:
        """See DynamoDocuments."""
        return self.heads.get(place)

    def replace(
        self,
        before: Document | None,
        after: Document,
        leaving: Sequence[Version] = (),
        *,
        history_until_s: float,  # noqa: ARG002 - a test removes what expires
        large: Mapping[LargeValue, bytes],
        once: Once | None = None,
    ) -> None:
        """See DynamoDocuments."""
        self._require_new(once)
        if large:
            self.valued[after.place.id] = after.refreshed_at_s
        for value, content in in_own_life(after, large).items():
            self.blobs.write(f"{BLOBS}{value.record_id}/{value.sha256}", content)
        if self._hash_at(after.place) != (before and before.current.entry.hash):
            raise LostRace
        moved = self.history.setdefault(after.place, {})
        moved |= {each.entry.version: each for each in leaving}
        self.heads[after.place] = after
        self._remember(once)

    def refresh(self, before: Document, after: Document) -> bool:
        """See DynamoDocuments."""
        there = self.heads.get(after.place)
        if there is None or self._hash_at(after.place) != before.current.entry.hash:
            return False
        if there.refreshed_at_s > after.refreshed_at_s:
            return False
        self.heads[after.place] = replace(there, refreshed_at_s=after.refreshed_at_s)
        return True

    def page(self, scope: str, prefix: str, after: str | None, limit: int) -> DocumentPage:
        """See DynamoDocuments."""
        found = sorted(
            (each.place.sort_text, each)
            for each in self.heads.values()
            if each.place.scope == scope
        )
        behind = after or ""
        here = [(at, each) for at, each in found if at.startswith(prefix) and at > behind]
        shown = here[:limit]
        last = shown[-1][0] if len(shown) < len(here) else None
        return DocumentPage([each for _, each in shown], last)

    def versions(self, place: Place, before: int, limit: int) -> Sequence[Version]:
        """See DynamoDocuments."""
        kept = self.history.get(place, {})
        numbers = sorted((number for number in kept if number < before), reverse=True)
        return [kept[number] for number in numbers][:limit]

    def erase_history(self, after: Document, *, until_s: float) -> None:  # noqa: ARG002 - as above
        """See DynamoDocuments."""
        place = after.place
        for number, version in self.history.get(place, {}).items():
            if number < after.version:
                self.history[place][number] = without_content(version)
        self.erased.add(place.id)
        owner = owner_of_values(place.id)
        for blob in list(self.blobs.list_blobs(owner)):
            of_object, _, _ = blob.name.removeprefix(BLOBS).rpartition("/")
            if life_of(of_object) <= after.version:
                self.blobs.erase(blob.name)
        self.blobs.erase_removed(owner)

    def chunks(
        self,
        place: Place,
        limit: int | None,
        *,
        generation: str,
        now_s: float,
        below: int | None = None,
    ) -> Iterator[Chunk]:
        """See DynamoDocuments."""
        kept = self.lists.get(place, {})
        known = 0
        for start in sorted((each for each in kept if each < (below or inf)), reverse=True):
            chunk = kept[start]
            yield chunk
            if is_shown(chunk, generation, now_s):
                known += items_below(chunk, below)
            is_enough = limit is not None and known >= limit
            if is_enough or start == self.floors.get(place) or is_earlier(chunk, generation):
                return

    def put_chunk(self, before: Chunk | None, after: Chunk, once: Once | None = None) -> None:
        """See DynamoDocuments."""
        self._put_chunks([(before, after)], once)

    def take_off(self, cut: Sequence[tuple[Chunk, Chunk]], once: Once | None) -> None:
        """See DynamoDocuments."""
        self._put_chunks(cut, once)

    def _put_chunks(self, changes: Sequence[tuple[Chunk | None, Chunk]], once: Once | None) -> None:
        self._require_new(once)
        for before, after in changes:
            there = self.lists.setdefault(after.place, {}).get(after.start)
            if (there and there.revision) != (before and before.revision):
                raise LostRace
        for _, after in changes:
            self.lists[after.place][after.start] = after
        self._remember(once)

    def remember(self, once: Once) -> None:
        """See DynamoDocuments."""
        self._require_new(once)
        self._remember(once)

    def find_once(self, place: Place, identity: bytes) -> Once | None:
        """See DynamoDocuments."""
        found = self.onces.get((place, identity))
        return None if found is None or found.until_s <= epoch_seconds(self.now()) else found

    def _require_new(self, once: Once | None) -> None:
        if once is not None and self.find_once(once.place, once.identity) is not None:
            raise LostRace

    def _remember(self, once: Once | None) -> None:
        if once is not None:
            self.onces[once.place, once.identity] = once

    def remove_list(self, place: Place, *, until_s: float, generation: str) -> None:
        """See DynamoDocuments."""
        kept = self.lists.setdefault(place, {})
        newest = kept[max(kept)] if kept else None
        removed = [each for each in kept.values() if not is_later(each, generation)]
        if newest is None or newest in removed:
            self._raise_floor(place, newest, until_s)
        for chunk in removed:
            if chunk.items:
                kept[chunk.start] = without_all(chunk, until_s)
        for key, once in self.onces.items():
            if once.place == place:
                self.onces[key] = once._replace(taken=())

    def _raise_floor(self, place: Place, newest: Chunk | None, until_s: float) -> None:
        if newest is not None and not newest.items:
            floor = without_all(newest, until_s)
        else:
            start = 1 if newest is None else newest.next_start
            at = rfc3339(self.now())
            floor = Chunk(place, start, 1, (), "", at, "", expires_at_s=until_s)
        self.lists[place][floor.start] = floor
        self.floors[place] = floor.start

    def note(self, identity: str, operation_id: str, receipt: Receipt, until_s: float) -> None:
        """See DynamoDocuments."""
        self.receipts[identity, operation_id] = receipt, until_s

    def find_receipt(self, identity: str, operation_id: str) -> Receipt | None:
        """See DynamoDocuments."""
        receipt, until_s = self.receipts.get((identity, operation_id), (None, inf))
        return None if until_s <= epoch_seconds(self.now()) else receipt

    def blob_names(self, place_id: str) -> frozenset[str]:
        """See DynamoDocuments."""
        if place_id not in self.valued:
            return frozenset()
        heads = [each for place, each in self.heads.items() if place.id == place_id]
        versions = [each for head in heads for each in (*head.former, head.current)]
        for place, moved in self.history.items():
            versions += moved.values() if place.id == place_id else ()
        return frozenset(
            f"{BLOBS}{each.text.record_id}/{each.text.sha256}"
            for each in versions
            if isinstance(each.text, LargeValue)
        )

    def forget_values(self, place_id: str, before_s: float) -> None:
        """See DynamoDocuments."""
        if self.valued.get(place_id, before_s) < before_s:
            del self.valued[place_id]

    def is_erased(self, place_id: str) -> bool:
        """See DynamoDocuments."""
        return place_id in self.erased

    def vanish(self, place: Place) -> None:
        """Remove the head, as TTL does once the time of the document has passed."""
        del self.heads[place]

    def _hash_at(self, place: Place) -> str | None:
        there = self.heads.get(place)
        return None if there is None else there.current.entry.hash


def in_own_life(
    document: Document, large: Mapping[LargeValue, bytes]
) -> Mapping[LargeValue, bytes]:
    """The values as the document names them."""
    owner = owner_of_values(document.place.id, document.shown_from)
    return {LargeValue(owner, each.sha256, each.size): large[each] for each in large}
