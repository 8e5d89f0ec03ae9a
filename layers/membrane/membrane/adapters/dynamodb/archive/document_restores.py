"""Write the keyed documents of an export into empty places."""

from dataclasses import dataclass

from membrane.adapters.dynamodb.documents.chunk_items import chunk_item
from membrane.adapters.dynamodb.documents.document_history import (
    DocumentHistory,
    HistoryKind,
    history_item,
)
from membrane.adapters.dynamodb.documents.document_items import to_item
from membrane.adapters.dynamodb.documents.document_keys import EXPIRES, head_key
from membrane.adapters.dynamodb.documents.document_values import DocumentValues
from membrane.adapters.dynamodb.table.attributes import Client, Item
from membrane.adapters.dynamodb.table.batches import item_at
from membrane.adapters.dynamodb.table.writes import Write, commit
from membrane.domain.archive.keyed_document_lines import ArchivedDocument
from membrane.domain.documents.document import DocumentAction
from membrane.usecases.ports.archive import DifferentItem
from membrane.usecases.ports.bucket import BlobStore


class _Occupied(Exception):
    """The key has an item."""

    def __init__(self, item: Item) -> None:
        super().__init__()
        self.item = item


@dataclass(frozen=True, slots=True)
class DynamoDocumentRestores:
    """The DocumentRestores over one table and bucket."""

    client: Client
    table: str
    blobs: BlobStore

    def restore_document(self, archived: ArchivedDocument, *, history_until_s: float) -> None:
        """A GetItem first, because a refused document leaves nothing; then a PutItem for each item.

        Each former version is a separate item. A later put changes none of these items.
        """
        document = archived.document
        if item_at(self.client, self.table, head_key(document.place)) is not None:
            raise DifferentItem
        history = DocumentHistory(self.client, self.table)
        values = DocumentValues(self.client, self.table, self.blobs, history)
        values.write(None, document, archived.values)
        is_erased = document.current.entry.action is DocumentAction.ERASE
        kind = HistoryKind.SEALED if is_erased else HistoryKind.VALUES
        for version in archived.former:
            self._put(history_item(document.place, (version,), kind, history_until_s))
        for chunk in archived.chunks:
            self._put(chunk_item(chunk))
        self._put(to_item(document))

    def _put(self, item: Item) -> None:
        """Put the item; leaves an item with the same content and a different time of removal."""
        try:
            put = Write("Put", _Occupied, "attribute_not_exists(pk)", item=item)
            commit(self.client, self.table, [put])
        except _Occupied as occupied:
            if _without_expiry(occupied.item) != _without_expiry(item):
                raise DifferentItem from occupied


def _without_expiry(item: Item) -> Item:
    return {name: value for name, value in item.items() if name != EXPIRES}
