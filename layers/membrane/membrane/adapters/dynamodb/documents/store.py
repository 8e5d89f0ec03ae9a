"""Keyed documents over one table and bucket: heads, former versions beside them, large values.

A head has the newest versions. A put that overflows the head moves all former versions into an item
beside the head, in one transaction under the count of the head's writes: no write that lost a race
leaves anything. The items beside a head have the birth of the document, because a document that is
put after TTL has removed a head begins with version 1 again, and items of the earlier life may
still be there.

An object of a value in the bucket has a name for each life of its document. A life begins with a
put where no document is, and with a lower sensitivity; the number of a life is the version it
begins with. An erasure that has become version 7 removes the objects of the lives up to 7, whoever
is at work:

    put A      reads version 6, and writes an object of life 7 at most. Version 7 is taken, so the
               put loses its race, and no version will ever name the object
    put B      reads the erased version 7, and writes the same value into an object of life 8,
               before or after the eraser lists the objects: the eraser leaves life 8

An object that put A writes behind the eraser is unnamed, and `collect_blobs` erases the object; the
same holds for a later life of an earlier document whose head had expired.

Beside a document that had a value in the bucket is an item with the place of the head: the names
of the values tell only a digest of the place. The item is written before the value.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf, nextafter

from membrane.adapters.dynamodb.documents.items import (
    MAX_NUMBER,
    VERSIONS,
    beside,
    document_in,
    documents_partition,
    expiry,
    head_item,
    head_key,
    named_place,
    names_attribute,
    place_key,
    scope_attribute,
    values_key,
    versions_in,
    versions_item,
)
from membrane.adapters.dynamodb.documents.lists import DocumentLists, ending_item
from membrane.domain.documents.model import (
    Document,
    DocumentAction,
    Version,
    Versions,
    without_content,
)
from membrane.domain.documents.places import Place, life_of, owner_of_values
from membrane.domain.language.values import LargeValue
from membrane.table.dynamo import page_of
from membrane.table.items import Item, Query, number, read_integer, read_number, read_text, text
from membrane.table.keys import BLOBS, DOCUMENT, DOCUMENTS, blob_name, primary_key
from membrane.table.writes import LostRace, Write, lost_race
from membrane.usecases.ports.documents import DocumentPage, Once
from membrane.usecases.ports.records import NO_VALUES

_SURROGATE = "\ud800"
"""No text has the characters from here up to U+DFFF."""


class _Refreshed(Exception):
    """The table holds the refreshed document."""


class DynamoDocuments(DocumentLists):
    """Every write is conditional, every read strongly consistent.

    Any method may raise ResourceExhausted or Unavailable.
    """

    __slots__ = ()

    def load(self, place: Place) -> Document | None:
        """The document at the place, also a deleted or expired one; one GetItem."""
        found = self.item_at(head_key(place))
        return None if found is None else document_in(found)

    def replace(
        self,
        before: Document | None,
        after: Document,
        large: Mapping[LargeValue, bytes] = NO_VALUES,
        once: Once | None = None,
    ) -> Document:
        """Write the document, and return it as it is stored.

        Raises LostRace if the stored document is no longer `before`, or if the key of `once` is
        known. `large` has the JSON texts of new large values, which are written before. A PutItem
        of the head; one transaction with the versions that leave the head, with what a keyed write
        did, and with an end that moves forward: TTL may remove the document before an anchor has
        seen the end. An erasure passes a fence, and a deletion that moves no value beside the head.
        """
        item, leaving = head_item(before, after)
        if not after.is_deleted or any(value is not None for _, value in leaving):
            self.fences.require_open({after.place.scope})
        if large:
            touched = after.refreshed_at_s
            if before is not None:  # later also where clocks differ
                touched = max(touched, nextafter(before.refreshed_at_s, inf))
            self.write_values(after.place, after.shown_from, large, touched)
        condition, values = "attribute_not_exists(pk)", {}
        if before is not None:
            condition, values = "w = :before", {":before": before.head["w"]}
        writes = [Write("Put", lost_race, condition, item=item, values=values)]
        if leaving:
            moved = versions_item(after.place, item["b"], leaving, self.until_s())
            writes.append(Write("Put", lost_race, item=moved))
        kept_s = self.retention.tombstone.total_seconds()
        if ending := ending_item(before, after, item["b"], kept_s):
            writes.append(Write("Put", lost_race, item=ending))
        self.commit_all(*writes, *self._once_writes(once))
        return replace(after, head=item, versions=after.versions[len(leaving) :])

    def refresh(self, after: Document) -> bool:
        """Write the new expiry; False without a write if the document has changed since.

        An UpdateItem; never brings the expiry forward.
        """
        changed = {"r": number(after.refreshed_at_s), **expiry(after.expires_at_s)}
        changed["w"] = number(read_integer(after.head, "w") + 1)

        def refusal(existing: Item) -> Exception:
            """The client library sends an update again whose reply was lost."""
            is_own = all(existing.get(name) == changed[name] for name in ("w", "r"))
            return _Refreshed() if is_own else LostRace()

        update = "SET " + ", ".join(f"{name} = :{name}" for name in changed)
        values = {f":{name}": value for name, value in changed.items()}
        values[":before"] = after.head["w"]
        key = head_key(after.place)
        try:
            self.commit_all(
                Write("Update", refusal, "w = :before", key=key, update=update, values=values)
            )
        except LostRace:
            return False
        except _Refreshed:
            return True
        return True

    def page(self, scope: str, prefix: str, after: str | None, limit: int) -> DocumentPage:
        """One request for the documents whose ordered places begin with `prefix`.

        `after`: an ordered place, or a text between two of them, to begin behind. At most `limit`
        documents, and at most 1 MB. One Query, by borders: `begins_with` of dynoxide does not tell
        capital letters apart.
        """
        if after and not after.startswith(prefix):
            if after > prefix:
                return DocumentPage((), None)
            after = None
        partition = documents_partition(scope)
        query: Query = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": text(partition)},
            "Limit": limit,
        }
        if prefix:
            query["KeyConditionExpression"] = "pk = :pk AND sk BETWEEN :first AND :last"
            query["ExpressionAttributeValues"] = {
                ":pk": text(partition),
                ":first": text(prefix),
                ":last": text(_behind(prefix)),
            }
        if after:
            query["ExclusiveStartKey"] = primary_key(partition, after)
        items, last = page_of(self.client, query)
        found = [document_in(each) for each in items if read_text(each, "sk").startswith(prefix)]
        return DocumentPage(found, None if last is None else read_text(last, "sk"))

    def versions(self, document: Document, before: int, limit: int) -> Sequence[Version]:
        """Versions beside the head, with numbers below `before`, newest first.

        One Query backwards for about `limit` versions, at most a megabyte; none without versions
        beside the head.
        """
        found: list[Version] = []
        for versions in self.former(document, before, limit):
            found += [each for each in reversed(versions) if each.entry.version < before]
            if len(found) >= limit:
                break
        return found[:limit]

    def former(
        self, document: Document, before: int, limit: int | None = None
    ) -> Iterator[Versions]:
        """The items beside the head with a version below `before`, newest first.

        One Query backwards, lazily, for `limit` items or a megabyte.
        """
        count = read_integer(document.head, "n") if "n" in document.head else 0
        last = min(count, before - 1)
        for item in self._items(document.place.id, last - 1, limit) if last > 0 else ():
            if item.get("b") == document.head["b"]:
                yield versions_in(item, document.place.id)

    def erase_history(self, erased: Document) -> None:
        """Remove every value and text of the versions beside the head, and the large values.

        Repeatable. The audit entries stay. Versions that were made after the erasure keep their
        values; the items of earlier lives go.
        """
        place, born = erased.place, read_number(erased.head, "b")
        for item in self._items(place.id):
            versions = versions_in(item, place.id)
            cleared = tuple(
                without_content(each) if each.entry.version <= erased.version else each
                for each in versions
            )
            same, values = "b = :born", {":born": item["b"]}
            if read_number(item, "b") < born:
                key = primary_key(read_text(item, "pk"), read_text(item, "sk"))
                write = Write("Delete", lost_race, same, key=key, values=values)
            elif cleared != versions:
                emptied = versions_item(place, item["b"], cleared, self.until_s())
                write = Write("Put", lost_race, same, item=emptied, values=values)
            else:
                continue
            with suppress(LostRace):  # a later life has taken the place of the item
                self.commit_all(write)
        self._erase_values(erased)

    def blob_names(self, place_id: str) -> frozenset[str]:
        """The names of the objects in the bucket that the versions of a document need.

        Two GetItem and a Query; the head is read first, as versions move from there.
        """
        return frozenset(names_in(self._all_versions(place_id)))

    def is_erased(self, place_id: str) -> bool:
        """Whether the document was erased, as long as the audit entries are kept."""
        versions = self._all_versions(place_id)
        return any(entry.action is DocumentAction.ERASE for entry, _ in versions)

    def forget_values(self, place_id: str, before_s: float) -> None:
        """Forget where the document with large values is, unless a put has such a value since.

        `before_s`: in seconds since 1970. For a document whose versions name no object.
        """
        with suppress(LostRace):
            values = {":before": number(before_s)}
            key = values_key(place_id)
            self.commit_all(Write("Delete", lost_race, "r < :before", key=key, values=values))

    def _all_versions(self, place_id: str) -> Iterator[Version]:
        """The versions of the head, if a value was large, and of all lives beside the head."""
        item = self.item_at(values_key(place_id))
        document = None if item is None else self.load(named_place(item))
        yield from () if document is None else document.versions
        for each in self._items(place_id):
            yield from versions_in(each, place_id)

    def _items(
        self, place_id: str, last: int = MAX_NUMBER, limit: int | None = None
    ) -> Iterator[Item]:
        """Items that begin at the position `last` or below, newest first."""
        values = {
            ":pk": text(beside(place_id)),
            ":first": text(VERSIONS),
            ":last": place_key(place_id, VERSIONS, last)["sk"],
        }
        condition = "pk = :pk AND sk BETWEEN :first AND :last"
        return self.query(condition, values, limit=limit, backwards=True)

    def write_values(
        self, place: Place, life: int, large: Mapping[LargeValue, bytes], touched_s: float
    ) -> None:
        """A PutItem of the place, then a PutObject for each value."""
        item = {
            **values_key(place.id),
            **scope_attribute(place),
            **names_attribute(place),
            "r": number(touched_s),
        }
        condition, values = "attribute_not_exists(pk) OR r < :touched", {":touched": item["r"]}
        with suppress(LostRace):  # the item of a later write has the same place
            self.commit_all(Write("Put", lost_race, condition, item=item, values=values))
        owner = owner_of_values(place.id, life)
        for value, content in large.items():
            self.blobs.write(blob_name(owner, value.sha256), content)

    def _erase_values(self, erased: Document) -> None:
        """Erase the objects of the lives up to the erasure; the item with the place expires."""
        owner = owner_of_values(erased.place.id)
        for blob in list(self.blobs.list_blobs(owner)):
            life_owner, _, _ = blob.name.removeprefix(BLOBS).rpartition("/")
            if life_of(life_owner) <= erased.version:
                self.blobs.erase(blob.name)
        self.blobs.erase_removed(owner)
        write = Write(
            "Update",
            lost_race,
            "r <= :erased",
            key=values_key(erased.place.id),
            update="SET expires_at = :ends",
            values={
                ":erased": number(erased.refreshed_at_s),
                ":ends": expiry(erased.removed_at_s)["expires_at"],
            },
        )
        with suppress(LostRace):  # no value was large, or a later put has a large value
            self.commit_all(write)


def _behind(prefix: str) -> str:
    """The first text behind all texts that begin with the prefix, which has a `/`."""
    known = prefix.rstrip(chr(sys.maxunicode))
    following = chr(ord(known[-1]) + 1)
    return known[:-1] + ("\ue000" if following == _SURROGATE else following)


def names_in(versions: Iterable[Version]) -> set[str]:
    """The names of the objects in the bucket that the versions need."""
    return {
        blob_name(each.record_id, each.sha256)
        for _, each in versions
        if isinstance(each, LargeValue)
    }


def blob_names_in(item: Item) -> set[str]:
    """The names of the objects of any item of the table: of a head, or of versions, else none."""
    partition = read_text(item, "pk")
    if partition.startswith(DOCUMENTS):
        return names_in(document_in(item).versions)
    if partition.startswith(DOCUMENT) and read_text(item, "sk").startswith(VERSIONS):
        return names_in(versions_in(item, partition.removeprefix(DOCUMENT)))
    return set()
