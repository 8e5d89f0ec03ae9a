"""Keyed documents: read, found, written and listed. Written by `make openapi`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from membrane_client.value import Linked, Page, Value
from membrane_client.values import words
from membrane_client.values.records import BatchError


class OperationReceipt(Value):
    namespace: Sequence[str]  # The labels of the namespace
    key: str  # The key within the namespace
    scope: str  # The scope; empty for an unscoped document
    version: int  # The version that the write made
    existed: bool  # Whether there was a document before the write


class StoredDocument(Value):
    namespace: Sequence[str]  # The labels of the namespace
    key: str  # The key within the namespace
    scope: str  # The scope; empty for an unscoped document
    sensitivity: words.Sensitivity | str  # The sensitivity
    version: int  # The number of the newest version, from 1
    created_at: datetime  # The time of the first write since the document was last absent
    updated_at: datetime  # The time of the newest version
    principal: str  # The actor that wrote the value
    rationale: str = ""  # Why the newest version was written; absent without a reason
    expires_at: datetime | None  # The time from which the document is hidden
    salience: float | None  # The salience now, of a document that fades
    index: Sequence[str]  # The paths of the texts that a search by `query` finds


class DocumentItem(Value):
    value: Any  # The item, any JSON
    at: datetime  # The time of the append
    principal: str  # The actor that appended the item


class DocumentVersion(Value):
    version: int  # The number of the version, from 1
    action: str  # The write that made the version
    at: datetime  # The time of the write
    principal: str  # The actor that wrote the version
    rationale: str  # The reason for the write
    value: Linked[Any]  # The value; absent in a deletion, and in an erased version
    previous_hash: str  # The hash of the version before; empty for the first version
    hash: str  # The hash over the audit entry and the previous hash


class ShownDocument(StoredDocument, within="document"):
    value: Linked[Any]  # Absent in a document that is only a list, or deleted
    deleted: bool = False  # True for a deleted document whose history was asked for
    items: Sequence[DocumentItem]  # The newest items of the list, oldest first
    next_items_before: int | None  # `items_before` of the next request
    history: Sequence[DocumentVersion]  # Former versions, newest first; absent unless asked for
    next_history_before: int | None  # `history_before` of the next request
    verified: bool | None  # Whether the hash chain holds
    first_broken: int | None  # The first version that breaks the chain


class FoundDocument(ShownDocument):
    score: float | None  # How well the document fits `query`


class DocumentResult(Value):
    status: int
    error: BatchError | None
    document: ShownDocument | None  # The document
    version: int | None  # The version that the write made
    existed: bool | None  # Whether there was a document before
    items: Sequence[DocumentItem]  # The items that were taken off, oldest first
    end: int | None  # The position of the newest item; the first item ever appended has position 1
    next_cursor: str | None  # Where the next page begins; absent on the last page
    documents: Sequence[FoundDocument]  # The documents
    examined: int | None
    namespaces: Sequence[list[str]]  # The labels of each namespace, sorted


class BatchedDocuments(Value):
    results: Sequence[DocumentResult]  # An entry for each operation, in order


class FoundDocuments(Page[FoundDocument], of="documents"):
    documents: Sequence[FoundDocument]  # The documents
    examined: int


class WrittenDocument(Value):
    document: StoredDocument | None  # The document as it is now
    version: int  # The version that the write made
    existed: bool  # Whether there was a document before


class DeletedDocument(Value):
    existed: bool  # Whether there was a document
    version: int | None  # The version that the deletion made
    items: Sequence[DocumentItem]  # The items that were taken off, oldest first


class AppendedItems(Value):
    document: StoredDocument | None  # The document beside the list
    end: int  # The position of the newest item; the first item ever appended has position 1


class NamespaceList(Page[list[str]], of="namespaces"):
    namespaces: Sequence[list[str]]  # The labels of each namespace, sorted
    examined: int
