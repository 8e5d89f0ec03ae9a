"""Keyed documents for erasures, over the items that the documents' own store writes."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from membrane.adapters.dynamodb.documents import items
from membrane.adapters.dynamodb.documents.lists import chunk_in
from membrane.domain.documents.model import Document, Version, without_content
from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.values import LargeValue
from membrane.table.blobs import BlobStore, text_in
from membrane.table.dynamo import OverTable
from membrane.table.items import (
    Item,
    LostRace,
    Write,
    lost_race,
    number,
    parse_text,
    read_number,
    read_text,
    text,
)
from membrane.table.keys import DOCUMENT, blob_name
from membrane.usecases.ports.surroundings import Clock


@dataclass(frozen=True, slots=True)
class DocumentErasures(OverTable):
    blobs: BlobStore
    now: Clock

    def note_place(self, document: Document, until_s: float) -> None:
        """Keep where the document is, at least until then; for a value in the bucket for ever."""
        item = items.values_item(document.place, document.refreshed_at_s) | items.expiry(until_s)
        later = "attribute_not_exists(pk) OR expires_at < :ends"
        values = {":ends": item["expires_at"]}
        with suppress(LostRace):
            self.commit_all(Write("Put", lost_race, later, item=item, values=values))

    def place_noted(self, place_id: str) -> tuple[Place, float] | None:
        """Where the document of the place is, and the instant of the note. A GetItem."""
        item = self.item_at(items.values_key(place_id))
        return None if item is None else (items.named_place(item), read_number(item, "r"))

    def contents_of(self, document: Document) -> Iterator[Any]:
        """The values, rationales, items and taken items of the document, as JSON.

        Read as the caller takes them: first what the head has, then what lies beside, also of
        earlier documents at the place. A Query, and a GetObject for each value in the bucket.
        """
        yield from self._contents_in(document.versions)
        place_id = document.place.id
        for item in self.query("pk = :pk", {":pk": text(items.beside(place_id))}):
            kind = read_text(item, "sk")
            if kind.startswith(items.VERSIONS):
                yield from self._contents_in(items.versions_in(item, place_id))
            elif kind.startswith(items.LIST):
                yield chunk_in(item, document.place).items
            elif "o" in item:
                yield parse_text(item, "o", text_in(item, "o"), list)

    def _contents_in(self, versions: Iterable[Version]) -> Iterator[Any]:
        for entry, value in versions:
            yield entry.rationale
            match value:
                case LargeValue():
                    content = self.blobs.get(blob_name(value.record_id, value.sha256))
                    yield parse_json(content or b"null")
                case str():
                    yield parse_json(value)
                case None:
                    pass

    def forget_place(self, erased: Document) -> bool:
        """Remove the note of the former place; False if a later put has a value in the bucket."""
        key, last = items.values_key(erased.place.id), {":last": number(erased.refreshed_at_s)}
        condition = "attribute_not_exists(pk) OR r <= :last"
        with suppress(LostRace):
            self.commit_all(Write("Delete", lost_race, condition, key=key, values=last))
            return True
        return False

    def erase_values(self, place_id: str) -> None:
        """Erase every object of the place: a list of the bucket, and a removal of each object."""
        owner = owner_of_values(place_id)
        for blob in list(self.blobs.list_blobs(owner)):
            self.blobs.erase(blob.name)
        self.blobs.erase_removed(owner)

    def clear_versions(self, item: Item, until_s: float) -> None:
        """Remove texts and scope from an item of former versions; the chain of entries stays.

        Until `until_s` if the item has no end: a restore has written the item.
        """
        place = Place("", (), "", erased_id=read_text(item, "pk").removeprefix(DOCUMENT))
        versions = tuple(map(without_content, items.versions_in(item, place.id)))
        ends_s = read_number(item, "expires_at") if "expires_at" in item else until_s
        cleared = items.versions_item(place, item["b"], versions, ends_s)
        born = {":born": item["b"]}
        with suppress(LostRace):  # a later life has taken the place of the item
            self.commit_all(Write("Put", lost_race, "b = :born", item=cleared, values=born))
