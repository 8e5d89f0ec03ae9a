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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf, nextafter

from membrane.adapters.dynamodb.documents.items import (
    FORMER,
    MAX_ITEM_BYTES,
    MAX_NUMBER,
    VERSIONS,
    beside,
    document_in,
    documents_partition,
    expiry,
    head_key,
    head_of,
    named_place,
    values_item,
    values_key,
    versions_in,
    versions_item,
    versions_text,
    with_text,
)
from membrane.adapters.dynamodb.documents.lists import DocumentLists, ending_item
from membrane.domain.documents import model
from membrane.domain.documents.items import Once
from membrane.domain.documents.places import Place, life_of, owner_of_values
from membrane.domain.language.values import LargeValue
from membrane.table.blobs import Packing, units_in
from membrane.table.dynamo import page_of
from membrane.table.entity import Change, Draft, Log, Origin
from membrane.table.index import touch
from membrane.table.items import (
    Item,
    LostRace,
    Query,
    Refusal,
    Value,
    Write,
    key_in,
    lost_race,
    number,
    put_new,
    read_number,
    read_text,
    size_of,
    text,
)
from membrane.table.keys import BLOBS, DOCUMENT, DOCUMENTS, blob_name, primary_key
from membrane.usecases.ports.records import NO_VALUES

MAX_TAIL = 8
"""Versions in a head at most; each further version moves all former versions beside the head."""

EXTRA_UNITS = 1
"""Write units that former versions may add to a head."""

_SURROGATE = "\ud800"
"""No text has the characters from here up to U+DFFF."""


class DynamoDocuments(DocumentLists):
    """Every write is conditional, every read strongly consistent.

    Any method may raise ResourceExhausted or Unavailable.
    """

    __slots__ = ()

    logs = (FORMER,)
    version = "w"
    max_inline = MAX_ITEM_BYTES

    def encode(self, held: model.Document) -> tuple[dict[str, Value], dict[str, str]]:
        return head_of(held), {}

    def entries_of(self, held: model.Document, _log: Log) -> Sequence[model.Version]:
        return held.versions

    def origin_of(self, held: model.Document) -> Origin:
        item = {self.version: number(held.writes), **FORMER.counts(held.count_beside, 0)}
        return Origin(item, {FORMER.name: len(held.versions)})

    def tail_of(
        self, change: Change[model.Document], _log: Log
    ) -> tuple[Sequence[model.Version], int]:
        return change.after.versions, change.after.count_beside

    def owner_of(self, held: model.Document) -> str:
        return owner_of_values(held.place.id)

    def beside(self, held: model.Document) -> dict[str, Value]:
        return {"pk": text(beside(held.place.id)), "b": number(held.born_s)}

    def item_beside(
        self, held: model.Document, _log: Log, _position: int, entries: Sequence[model.Version]
    ) -> Packing:
        item = versions_item(held.place, number(held.born_s), entries, self.until_s())
        return Packing(self.owner_of(held), item)

    def add_beside(
        self, draft: Draft, change: Change[model.Document], head: dict[str, Value]
    ) -> None:
        """Add the end that the change moves forward, and the removal from a former place."""
        kept_s = self.retention.tombstone.total_seconds()
        if ending := ending_item(change.before, change.after, head["b"], kept_s):
            draft.add(Packing("", ending))
        if change.before is not None and _is_moved(change):
            key, same = head_key(change.before.place), {":same": number(change.before.writes)}
            draft.writes.append(Write("Delete", lost_race, "w = :same", key=key, values=same))

    def count_leaving(self, _log: Log, item: Item, entries: Sequence[model.Version]) -> int:
        """All former versions, where they would add more than EXTRA_UNITS to every write's price.

        They follow from two states of the document, so a later try moves the same versions.
        """
        if len(entries) == 1:
            return 0
        former = len(entries) - 1
        whole, alone = (
            units_in(size_of(with_text(item, FORMER.tail, versions_text(each))))
            for each in (entries, entries[-1:])
        )
        return former if former >= MAX_TAIL or whole > alone + EXTRA_UNITS else 0

    def open_scopes(self, changes: Sequence[Change[model.Document]]) -> Collection[str]:
        return {each.after.place.scope for each in changes if self._keeps_value(each.after)}

    def _keeps_value(self, after: model.Document) -> bool:
        """Whether the document has a value, or a deletion moves a value beside the head."""
        if not after.is_deleted:
            return True
        leaving = self.count_leaving(FORMER, head_of(after), after.versions)
        return any(value is not None for _, value in after.versions[:leaving])

    def put_new(self, item: Mapping[str, Value], refusal: Refusal) -> Write:
        return put_new(item, refusal)

    def put_of(self, change: Change[model.Document], item: Mapping[str, Value]) -> Write:
        """Put the head; at another place without a condition, beside the removal of the former."""
        if _is_moved(change):
            return Write("Put", lost_race, item=item)
        return super().put_of(change, item)

    def load(self, place: Place) -> model.Document | None:
        """The document at the place, also a deleted or expired one; one GetItem."""
        found = self.item_at(head_key(place))
        return None if found is None else document_in(found)

    def replace(
        self,
        before: model.Document | None,
        after: model.Document,
        large: Mapping[LargeValue, bytes] = NO_VALUES,
        once: Once | None = None,
    ) -> model.Document:
        """Write the document, and return it as it is stored.

        Raises LostRace if the stored document is no longer `before`, or if the key of `once` is
        known. `large` has the JSON texts of new large values, which are written before. A PutItem
        of the head; one transaction with the versions that leave the head, with what a keyed write
        did, and with an end that moves forward: TTL may remove the document before an anchor has
        seen the end. An erasure passes a fence, and a deletion that moves no value beside the head.
        """
        writes = 0 if before is None else before.writes
        change = Change(before, replace(after, writes=writes))
        if large:
            self.require_unfenced([change])
            touched = after.refreshed_at_s
            if before is not None:  # later also where clocks differ
                touched = max(touched, nextafter(before.refreshed_at_s, inf))
            self.write_values(after.place, after.shown_from, large, touched)
        (item,) = self.commit([change], once=self._once_writes(once))
        leaving = FORMER.count_beside(item) - after.count_beside
        return replace(after, writes=writes + 1, versions=after.versions[leaving:])

    def move(self, erased: model.Document, nameless: Place) -> None:
        """Move an erased head to a place without names. Raises LostRace. One transaction."""
        self.commit([Change(erased, replace(erased, place=nameless))])

    def refresh(self, after: model.Document) -> bool:
        """Write the new expiry; False without a write if the document has changed since.

        Never brings the expiry forward. The client library sends an update again whose reply was
        lost: then the table holds the refreshed document.
        """
        return touch(
            self,
            head_key(after.place),
            "w = :before OR (w = :w AND r = :r)",
            {":before": number(after.writes)},
            sets={
                "w": number(after.writes + 1),
                "r": number(after.refreshed_at_s),
                **expiry(after.expires_at_s),
            },
        )

    def page(
        self, scope: str, prefix: str, after: str | None, limit: int
    ) -> tuple[Sequence[model.Document], str | None]:
        """The documents whose ordered places begin with `prefix`, and where the next page begins.

        In the order of `Place.sort_text`, with deleted and expired documents that are stored; None
        = there is no next page. `after`: an ordered place, or a text between two of them, to begin
        behind. At most `limit` documents, and at most 1 MB. One Query, by borders: `begins_with` of
        dynoxide does not tell capital letters apart.
        """
        if after and not after.startswith(prefix):
            if after > prefix:
                return (), None
            after = None
        partition = documents_partition(scope)
        condition, values = "pk = :pk", {":pk": text(partition)}
        if prefix:
            condition += " AND sk BETWEEN :first AND :last"
            values |= {":first": text(prefix), ":last": text(_behind(prefix))}
        query: Query = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
            "Limit": limit,
        }
        if after:
            query["ExclusiveStartKey"] = primary_key(partition, after)
        items, last = page_of(self.client, query)
        found = [document_in(each) for each in items if read_text(each, "sk").startswith(prefix)]
        return found, None if last is None else read_text(last, "sk")

    def versions(
        self, document: model.Document, before: int, limit: int
    ) -> Sequence[model.Version]:
        """Former versions below `before`, beside the head, newest first. A Query a megabyte."""
        end = min(before, document.version) - 1
        found = self.log_entries(document, FORMER, max(0, end - limit), end)
        return [version for _, version in found][::-1]

    def former(self, document: model.Document, before: int) -> Iterator[model.Versions]:
        """The items of versions below `before`, newest first. A Query a megabyte, on demand."""
        end = min(document.count_beside, before - 1)
        if end > 0:
            place_id, span = document.place.id, FORMER.span(0, end)
            for item in self.between(beside(place_id), *span, backwards=True):
                if read_number(item, "b") == document.born_s:
                    yield versions_in(item, place_id)

    def erase_history(self, erased: model.Document) -> None:
        """Remove every value and text of the versions beside the head, and the large values.

        Repeatable. The audit entries stay. Versions that were made after the erasure keep their
        values; the items of earlier lives go.
        """

        def without_erased(each: model.Version) -> model.Version:
            return model.without_content(each) if each.entry.version <= erased.version else each

        for item in self._items(erased.place.id):
            versions = versions_in(item, erased.place.id)
            with suppress(LostRace):  # a later life has taken the place of the item
                if read_number(item, "b") < erased.born_s:
                    same, values = "b = :born", {":born": item["b"]}
                    self.commit_all(
                        Write("Delete", lost_race, same, key=key_in(item), values=values)
                    )
                elif any(without_erased(each) != each for each in versions):
                    self.rewrite(erased, FORMER, [item], without_erased)
        self._erase_values(erased)

    def blob_names(self, place_id: str) -> frozenset[str]:
        """The names of the objects in the bucket that the versions of a document need.

        Two GetItem and a Query; the head is read first, as versions move from there.
        """
        return frozenset(names_in(self._all_versions(place_id)))

    def is_erased(self, place_id: str) -> bool:
        """Whether the document was erased, as long as the audit entries are kept."""
        versions = self._all_versions(place_id)
        return any(entry.action is model.DocumentAction.ERASE for entry, _ in versions)

    def forget_values(self, place_id: str, before_s: float) -> None:
        """Forget where the document with large values is, unless a put has such a value since.

        `before_s`: in seconds since 1970. For a document whose versions name no object.
        """
        with suppress(LostRace):
            values = {":before": number(before_s)}
            key = values_key(place_id)
            self.commit_all(Write("Delete", lost_race, "r < :before", key=key, values=values))

    def _all_versions(self, place_id: str) -> Iterator[model.Version]:
        """The versions of the head, if a value was large, and of all lives beside the head."""
        item = self.item_at(values_key(place_id))
        document = None if item is None else self.load(named_place(item))
        yield from () if document is None else document.versions
        for each in self._items(place_id):
            yield from versions_in(each, place_id)

    def _items(self, place_id: str) -> Iterator[Item]:
        return self.between(beside(place_id), *FORMER.span(0, MAX_NUMBER))

    def write_values(
        self, place: Place, life: int, large: Mapping[LargeValue, bytes], touched_s: float
    ) -> None:
        """A PutItem of the place, then a PutObject for each value."""
        item = values_item(place, touched_s)
        condition, values = "attribute_not_exists(pk) OR r < :touched", {":touched": item["r"]}
        with suppress(LostRace):  # the item of a later write has the same place
            self.commit_all(Write("Put", lost_race, condition, item=item, values=values))
        owner = owner_of_values(place.id, life)
        for value, content in large.items():
            self.blobs.write(blob_name(owner, value.sha256), content)

    def _erase_values(self, erased: model.Document) -> None:
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


def _is_moved(change: Change[model.Document]) -> bool:
    return change.before is not None and change.before.place != change.after.place


def _behind(prefix: str) -> str:
    """The first text behind all texts that begin with the prefix, which has a `/`."""
    known = prefix.rstrip(chr(sys.maxunicode))
    following = chr(ord(known[-1]) + 1)
    return known[:-1] + ("\ue000" if following == _SURROGATE else following)


def names_in(versions: Iterable[model.Version]) -> set[str]:
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
