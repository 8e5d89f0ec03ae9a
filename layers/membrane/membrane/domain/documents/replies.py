"""The replies about keyed documents."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from membrane.domain.documents.model import DocumentAction
from membrane.domain.language.fields import Count, Timestamp
from membrane.domain.language.json_text import Body
from membrane.domain.language.replies import PageReply
from membrane.domain.language.values import JsonValue
from membrane.domain.language.vocabulary import Sensitivity


class DocumentItem(TypedDict):
    """An item of a list."""

    value: Any
    """The item, any JSON."""
    at: Timestamp
    """The time of the append."""
    principal: str
    """The actor that appended the item."""


class DocumentVersion(TypedDict):
    """A version with its audit entry; an erased version has no value."""

    version: Count
    """The number of the version, from 1."""
    action: DocumentAction
    """The write that made the version."""
    at: Timestamp
    """The time of the write."""
    principal: str
    """The actor that wrote the version."""
    rationale: str
    """The reason for the write; empty if none was given, or if the version was erased."""
    value: NotRequired[JsonValue]
    """The value; absent in a deletion, and in an erased version."""
    previous_hash: str
    """The hash of the version before; empty for the first version."""
    hash: str
    """The hash over the audit entry and the previous hash."""


class _AtPlace(TypedDict):
    namespace: list[str]
    """The labels of the namespace."""
    key: str
    """The key within the namespace."""
    scope: str
    """The scope; empty for an unscoped document."""


class StoredDocument(_AtPlace):
    """A document without its value, as a write returns it."""

    sensitivity: Sensitivity
    """The sensitivity; a key with a lower ceiling does not see the document."""
    version: Count
    """The number of the newest version, from 1."""
    created_at: Timestamp
    """The time of the first write since the document was last absent."""
    updated_at: Timestamp
    """The time of the newest version."""
    principal: str
    """The actor that wrote the value."""
    rationale: NotRequired[str]
    """Why the newest version was written; absent without a reason."""
    expires_at: NotRequired[Timestamp]
    """The time from which the document is hidden; absent without a period."""
    salience: NotRequired[float]
    """The salience now, of a document that fades."""
    index: NotRequired[list[str]]
    """The paths of the texts that a search by `query` finds; absent without any."""


class ShownDocument(StoredDocument):
    """A document with its value."""

    value: NotRequired[JsonValue]
    """Absent in a document that is only a list, or deleted."""
    deleted: NotRequired[bool]
    """True for a deleted document whose history was asked for."""
    items: NotRequired[list[DocumentItem]]
    """The newest items of the list, oldest first; absent unless asked for."""
    next_items_before: NotRequired[Count]
    """`items_before` of the next request; absent if the list has no older items. The last page may
    be empty."""
    history: NotRequired[list[DocumentVersion]]
    """Former versions, newest first; absent unless asked for."""
    next_history_before: NotRequired[Count]
    """`history_before` of the next request; absent if there are no older versions. The last page
    may be empty."""
    verified: NotRequired[bool]
    """Whether the hash chain holds."""
    first_broken: NotRequired[Count]
    """The first version that breaks the chain."""


class FoundDocument(ShownDocument):
    """A document that a search found."""

    score: NotRequired[float | None]
    """How well the document fits `query`; null for a document without searchable texts."""


class WrittenDocument(TypedDict):
    """The result of a put."""

    document: NotRequired[StoredDocument]
    """The document as it is now; after a repeat perhaps a later version. Absent if the document was
    deleted since, or is hidden from the key."""
    version: Count
    """The version that the write made."""
    existed: bool
    """Whether there was a document before."""


class AppendedItems(TypedDict):
    """The result of an append."""

    document: NotRequired[StoredDocument]
    """The document beside the list. Absent after a repeat if the document was deleted since."""
    end: Count
    """The position of the newest item; the first item ever appended has position 1."""


class DocumentReply(TypedDict):
    """A document that was read."""

    document: ShownDocument
    """The document."""


class DeletedDocument(TypedDict):
    """The result of a deletion."""

    existed: bool
    """Whether there was a document."""
    version: NotRequired[Count]
    """The version that the deletion made."""
    items: NotRequired[list[DocumentItem]]
    """The items that were taken off, oldest first."""


class FoundDocuments(PageReply):
    """A page of a search."""

    documents: list[FoundDocument]
    """The documents: with `query` the best first, else in the order of namespace and key."""
    examined: Count
    """How many documents the call compared with the request, of those that the key may see."""


class NamespaceList(PageReply):
    """A page of namespaces."""

    namespaces: list[list[str]]
    """The labels of each namespace, sorted."""
    examined: Count
    """How many documents the call compared with the request, of those that the key may see."""


class OperationReceipt(_AtPlace):
    """What a write with an `operation_id` did."""

    version: Count
    """The version that the write made."""
    existed: bool
    """Whether there was a document before the write."""


class BatchedDocuments(TypedDict):
    """The replies to a batch."""

    results: list[Body]
    """An entry for each operation, in order: `status`, and the fields of its reply or `error`."""
