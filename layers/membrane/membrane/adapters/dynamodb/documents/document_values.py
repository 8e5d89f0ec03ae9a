"""The large values of documents, and which of them a document names.

An object of a value has a name for each life of its document. A life begins with a put where no
document is, and with a lower sensitivity; the number of a life is the version it begins with. An
erasure that has become version 7 removes the objects of the lives up to 7, whoever is at work:

    put A      reads version 6, and writes an object of life 7 at most. Version 7 is taken, so the
               put loses its race, and no version will ever name the object
    put B      reads the erased version 7, and writes the same value into an object of life 8,
               before or after the eraser lists the objects: the eraser leaves life 8

The eraser may pause for any time between its requests. An object that put A writes behind the
eraser is unnamed, and `collect_blobs` erases the object; the same holds for a later life of an
earlier document whose head had expired.

Beside a document that had a value in the bucket is an item with the place of the head: the names
of the values tell only a digest of the place. The item is written before the value.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf, nextafter

from membrane.adapters.dynamodb.documents.document_history import DocumentHistory
from membrane.adapters.dynamodb.documents.document_items import from_item
from membrane.adapters.dynamodb.documents.document_keys import (
    SCOPE,
    TOUCHED,
    head_key,
    named_place,
    names_attribute,
    scope_attribute,
    values_key,
)
from membrane.adapters.dynamodb.documents.version_texts import versions_in
from membrane.domain.documents.model import Document, Version
from membrane.domain.documents.places import Place, life_of, owner_of_values
from membrane.domain.language.values import LargeValue
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable
from membrane.table.items import Item, number, read_text
from membrane.table.keys import BLOBS, DOCUMENT, DOCUMENTS, HISTORY, blob_name
from membrane.table.writes import LostRace, Write, lost_race


@dataclass(frozen=True, slots=True)
class DocumentValues(OverTable):
    blobs: BlobStore
    history: DocumentHistory

    def write(
        self, before: Document | None, after: Document, large: Mapping[LargeValue, bytes]
    ) -> None:
        """A PutItem, and a PutObject for each value."""
        if large:
            self._name_place(before, after)
        owner = owner_of_values(after.place.id, after.shown_from)
        for value, content in large.items():
            self.blobs.write(blob_name(owner, value.sha256), content)

    def erase(self, after: Document) -> None:
        """Erase the objects of the lives up to the erasure, and the item with the place."""
        owner = owner_of_values(after.place.id)
        for blob in list(self.blobs.list_blobs(owner)):
            if life_at(blob.name) <= after.version:
                self.blobs.erase(blob.name)
        self.blobs.erase_removed(owner)
        self._drop(after.place.id, after.refreshed_at_s)

    def forget(self, place_id: str, before_s: float) -> None:
        """One DeleteItem; a put under way has just written the item."""
        self._drop(place_id, nextafter(before_s, -inf))

    def names_of(self, place_id: str) -> frozenset[str]:
        """The names of the objects of the document's versions; two GetItem and a Query."""
        item = self.item_at(values_key(place_id))
        return frozenset() if item is None else self._named_at(_place_in(item))

    def _named_at(self, place: Place) -> frozenset[str]:
        """Reads the head first and then the history: a version moves from the head to there."""
        item = self.item_at(head_key(place))
        names = set[str]()
        if item is not None:
            document = from_item(item)
            names |= names_in(document.versions)
        for versions in self.history.all(place):
            names |= names_in(versions)
        return frozenset(names)

    def _name_place(self, before: Document | None, after: Document) -> None:
        """Later than the state before, also where clocks differ: `_drop` compares."""
        touched = after.refreshed_at_s
        if before is not None:
            touched = max(touched, nextafter(before.refreshed_at_s, inf))
        item = {
            **values_key(after.place.id),
            **scope_attribute(after.place.scope),
            **names_attribute(after.place),
            TOUCHED: number(touched),
        }
        condition = f"attribute_not_exists(pk) OR {TOUCHED} < :touched"
        values = {":touched": item[TOUCHED]}
        with suppress(LostRace):  # the item of a later write has the same place
            put = Write("Put", lost_race, condition, item=item, values=values)
            self.commit_all(put)

    def _drop(self, place_id: str, until_s: float) -> None:
        """Remove the item with the place, unless a later write has put the item."""
        with suppress(LostRace):
            delete = Write(
                "Delete",
                lost_race,
                f"{TOUCHED} <= :until",
                key=values_key(place_id),
                values={":until": number(until_s)},
            )
            self.commit_all(delete)


def blob_names_in(item: Item) -> set[str]:
    """The names of the objects of any item of the table: of a head, or of history, else none."""
    partition = read_text(item, "pk")
    if partition.startswith(DOCUMENTS):
        document = from_item(item)
        return names_in(document.versions)
    if partition.startswith(DOCUMENT) and read_text(item, "sk").startswith(HISTORY):
        return names_in(versions_in(item, partition.removeprefix(DOCUMENT)))
    return set()


def names_in(versions: Iterable[Version]) -> set[str]:
    return {
        blob_name(each.text.record_id, each.text.sha256)
        for each in versions
        if isinstance(each.text, LargeValue)
    }


def life_at(name: str) -> int:
    """The life of the document in the name of an object."""
    owner, _, _ = name.removeprefix(BLOBS).rpartition("/")
    return life_of(owner)


def _place_in(item: Item) -> Place:
    return named_place(item, read_text(item, SCOPE) if SCOPE in item else "")
