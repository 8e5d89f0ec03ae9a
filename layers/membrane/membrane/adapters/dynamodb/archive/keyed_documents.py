"""What exports read of keyed documents, and what restores write: heads and the items beside them.

A restore writes the items beside a head first and the head last, so that no reader finds half of a
document: readers come from the head. Each item beside has the birth of the document as `restored`;
a document that is refused in the end takes along the items that the restore has written.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from membrane.adapters.dynamodb.documents import lists
from membrane.adapters.dynamodb.documents.items import (
    FORMER,
    LIST,
    VERSIONS,
    beside,
    document_in,
    head_key,
    place_key,
    versions_in,
    versions_item,
)
from membrane.adapters.dynamodb.documents.store import DynamoDocuments
from membrane.domain.archive.document_lines import Passed
from membrane.domain.documents.items import Beside, Chunk, Former, has_lost
from membrane.domain.documents.model import Document
from membrane.domain.documents.places import Place
from membrane.domain.language.errors import InvalidArgument
from membrane.table.dynamo import key_at, place_of
from membrane.table.entity import SPILL, Change, Entities, is_of
from membrane.table.items import (
    Item,
    LostRace,
    Refusal,
    Value,
    Write,
    is_expired,
    key_in,
    lost_race,
    number,
    read_number,
    read_text,
    text,
)
from membrane.usecases.ports.walks import DifferentItem

RESTORED = "restored"

_TOGETHER = 64
"""Items of a list that are in memory together."""


class DocumentArchive(DynamoDocuments):
    __slots__ = ()

    def at(self, place: str) -> Document | None:
        """The unexpired document with the head at the place. One GetItem; raises CorruptItem."""
        found = self.lasting_item_at(key_at(place), self.now_s())
        return None if found is None else document_in(found)

    def find(self, place: Place) -> Document | None:
        """As `at`."""
        return self.at(place_of(head_key(place)))

    def parts_beside(
        self, document: Document, passed: Passed, is_seen: Callable[[], bool]
    ) -> Iterator[tuple[Item, Passed]]:
        """The items beside the document, each with how far the export has come behind the item.

        Former versions come first, then the list, then what keyed writes did: a keyed write whose
        effect an export has is in the export, too. If the document has changed since an earlier run
        of the export, the rest of the list and all keyed writes are read. `is_seen` is asked once
        items of list or writes were read, and False ends the items. A Query, and one more where
        former versions are beside. Raises CorruptItem.
        """
        if passed.born_s != document.born_s:
            passed = Passed(document.born_s)
        if passed.writes != document.writes:
            passed = passed._replace(writes=document.writes, written="")
        place_id, count = document.place.id, document.count_beside
        if count:
            for item in self._behind(place_id, passed.former or VERSIONS, FORMER.place(count - 1)):
                if is_of(item, FORMER, document.born_s):
                    if not passed.oldest:
                        oldest = FORMER.position_of(item) + 1
                        passed = passed._replace(oldest=oldest, oldest_until_s=_until(item))
                    passed = passed._replace(former=read_text(item, "sk"))
                    yield item, passed
        items = self._behind(place_id, passed.written or passed.listed or LIST, f"{lists.ONCE}~")
        while (several := [*islice(items, _TOGETHER)]) and is_seen():
            for item in several:
                sort_key = read_text(item, "sk")
                if sort_key.startswith(LIST):
                    passed = passed._replace(listed=sort_key)
                else:
                    passed = passed._replace(written=sort_key)
                yield item, passed

    @staticmethod
    def part_of(item: Item, place: Place) -> Beside:
        """Raises CorruptItem for a damaged item."""
        sort_key = read_text(item, "sk")
        if sort_key.startswith(VERSIONS):
            return Former(versions_in(item, place.id), _until(item))
        return (
            lists.chunk_in(item, place) if sort_key.startswith(LIST) else lists.once_in(item, place)
        )

    def former_items(self, place: Place, born_s: float) -> Iterator[Former]:
        """The versions beside the place, oldest first, item by item."""
        for item in self._behind(place.id, VERSIONS, f"{VERSIONS}~"):
            if read_number(item, "b") == born_s:
                yield Former(versions_in(item, place.id), _until(item))

    def is_stored(self, document: Document, part: Beside) -> bool:
        """Whether the document has the equal part, or lost the items since; versions by hash."""
        match part:
            case Former(versions):
                last = versions[-1].entry.version
                beside = self.versions(document, last + 1, len(versions))
                known = {each.entry.hash for each in (*document.versions, *beside)}
                return known.issuperset(each.entry.hash for each in versions)
            case Chunk(place, start):
                found = self.item_at(place_key(place.id, LIST, start))
                is_equal = found is not None and lists.chunk_in(found, place) == part
                return is_equal or has_lost(document, part)
            case _:
                found_once = self.find_once(part.place, part.identity)
                return found_once in (part, part._replace(taken=()))

    def put_beside(self, place: Place, part: Beside, born_s: float) -> None:
        """Write an item beside a place without a head; a repeat writes the item again.

        Raises DifferentItem if the place of the item holds something else, and InvalidArgument for
        more versions than the history looks for in an item.
        """
        born = number(born_s)
        match part:
            case Former(versions, until_s):
                if len(versions) > SPILL:
                    raise InvalidArgument(f"a line has {SPILL} former versions at most")
                item = versions_item(place, born, versions, until_s)
            case Chunk():
                item = lists.chunk_item(part)
            case _:
                item = lists.once_item(part)
        put = Write(
            "Put",
            lambda _: DifferentItem(),
            f"attribute_not_exists(pk) OR {RESTORED} = :born OR expires_at <= :now",
            item={**item, RESTORED: born},
            values={":born": born, ":now": number(self.now_s())},
        )
        self.commit_all(put)

    def put_head(self, document: Document) -> None:
        """Write the document itself; raises LostRace if there is a document.

        One conditional PutItem; a transaction with versions that find no room in the head.
        """
        self.commit([Change(None, document)])

    def put_new(self, item: Mapping[str, Value], refusal: Refusal) -> Write:
        """Put the head where no document is, or an expired one."""
        return Entities.put_new(self, item, refusal)

    def discard(self, place: Place, born_s: float, of: Document | None = None) -> None:
        """Delete the items beside the place that a restore has written; values follow as unnamed.

        `of`: only the items that the document has lost. A Query, and a DeleteItem for each item.
        """
        same, values = f"{RESTORED} = :born", {":born": number(born_s)}
        key_values = {":pk": text(beside(place.id)), **values}
        for item in self.query("pk = :pk", key_values, only=same):
            if of is None or has_lost(of, self.part_of(item, place)):
                gone = Write("Delete", lost_race, same, key=key_in(item), values=values)
                with suppress(LostRace):  # a later writer has replaced the item
                    self.commit_all(gone)

    def _behind(self, place_id: str, first: str, last: str) -> Iterator[Item]:
        """The items with sort keys behind `first`, up to `last`, without those of the past."""
        if first < last:
            for item in self.between(beside(place_id), first, last):
                if read_text(item, "sk") != first and not is_expired(item, self.now_s()):
                    yield item


def _until(item: Item) -> float | None:
    return read_number(item, "expires_at") if "expires_at" in item else None
