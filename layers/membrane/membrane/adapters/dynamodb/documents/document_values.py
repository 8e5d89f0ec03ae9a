"""The large values of documents, and which of them a document names.

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
    head_key,
    named_place,
    names_attribute,
    scope_attribute,
    values_key,
)
from membrane.adapters.dynamodb.table.attributes import Client, Item, number, read_text
from membrane.adapters.dynamodb.table.batches import item_at
from membrane.adapters.dynamodb.table.keys import blob_name
from membrane.adapters.dynamodb.table.writes import Write, commit, lost_race
from membrane.domain.documents.document import Document, Version
from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language.values import LargeValue
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.records import LostRace

_TOUCHED = "r"
"""The instant of the newest write with a large value."""


@dataclass(frozen=True, slots=True)
class DocumentValues:
    client: Client
    table: str
    blobs: BlobStore
    history: DocumentHistory

    def write(
        self, before: Document | None, after: Document, large: Mapping[LargeValue, bytes]
    ) -> None:
        """A PutItem, and a PutObject for each value."""
        if large:
            self._name_place(before, after)
        for value, content in large.items():
            self.blobs.write(blob_name(owner_of_values(after.place.id), value.sha256), content)

    def erase(self, after: Document) -> None:
        """Erase the objects that no version names any more, and the item with the place.

        The objects are listed first: a later version of the document may name new objects.
        """
        owner = owner_of_values(after.place.id)
        listed = [blob.name for blob in self.blobs.list_blobs(owner)]
        named = self._named_at(after.place)
        for name in listed:
            if name not in named:
                self.blobs.erase(name)
        self.blobs.erase_removed(owner)
        self._drop_place(after)

    def names_of(self, place_id: str) -> frozenset[str]:
        """The names of the objects of the document's versions; two GetItem and a Query."""
        item = item_at(self.client, self.table, values_key(place_id))
        return frozenset() if item is None else self._named_at(_place_in(item))

    def _named_at(self, place: Place) -> frozenset[str]:
        """Reads the head first and then the history: a version moves from the head to there."""
        item = item_at(self.client, self.table, head_key(place))
        names = set[str]()
        if item is not None:
            document = from_item(item)
            names |= names_in((*document.former, document.current))
        for versions in self.history.all(place):
            names |= names_in(versions)
        return frozenset(names)

    def _name_place(self, before: Document | None, after: Document) -> None:
        """Later than the state before, also where clocks differ: `_drop_place` compares."""
        touched = after.refreshed_at_s
        if before is not None:
            touched = max(touched, nextafter(before.refreshed_at_s, inf))
        item = {
            **values_key(after.place.id),
            **scope_attribute(after.place.scope),
            **names_attribute(after.place),
            _TOUCHED: number(touched),
        }
        condition = f"attribute_not_exists(pk) OR {_TOUCHED} < :touched"
        values = {":touched": item[_TOUCHED]}
        with suppress(LostRace):  # the item of a later write has the same place
            put = Write("Put", lost_race, condition, item=item, values=values)
            commit(self.client, self.table, [put])

    def _drop_place(self, erased: Document) -> None:
        """Remove the item unless a write over the erased document, or a later one, has put it."""
        with suppress(LostRace):
            delete = Write(
                "Delete",
                lost_race,
                f"{_TOUCHED} <= :erased",
                key=values_key(erased.place.id),
                values={":erased": number(erased.refreshed_at_s)},
            )
            commit(self.client, self.table, [delete])


def names_in(versions: Iterable[Version]) -> set[str]:
    return {
        blob_name(each.text.record_id, each.text.sha256)
        for each in versions
        if isinstance(each.text, LargeValue)
    }


def _place_in(item: Item) -> Place:
    return named_place(item, read_text(item, "scope") if "scope" in item else "")
