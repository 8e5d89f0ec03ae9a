"""Keyed documents: read, found, written and listed."""

from collections.abc import Sequence
from typing import Any

from membrane_client.values.records import BatchError, Page
from membrane_client.values.value import (
    Field,
    Value,
    count,
    flag,
    instant,
    json_value,
    optional_count,
    optional_instant,
    optional_number,
    optional_part,
    optional_text,
    part,
    parts,
    text,
    texts,
    word,
)
from membrane_client.values.words import Sensitivity


class DocumentItem(Value):
    """An item of a list."""

    value = Field[Any](lambda raw, _: raw, None)
    """Any JSON; the service never replaces an item by a link."""
    at = instant()
    principal = text()


class DocumentVersion(Value):
    """A version with its audit entry."""

    version = count()
    action = text()
    """`put`, `delete` or `erase`."""
    at = instant()
    principal = text()
    rationale = text()
    value = json_value()
    """None also in a deletion and in an erased version."""
    previous_hash = text()
    hash = text()


class StoredDocument(Value):
    """A document without its value, as a write returns it."""

    namespace = texts()
    key = text()
    scope = text()
    """Empty for an unscoped document."""
    sensitivity = word(Sensitivity)
    version = count()
    created_at = instant()
    updated_at = instant()
    principal = text()
    """The actor that wrote the value."""
    rationale = text(default="")
    """Why the newest version was written."""
    expires_at = optional_instant()
    """When the document is hidden; None without a period."""
    salience = optional_number()
    """None for a document that does not fade."""
    index = texts()
    """The paths of the texts that a search by `query` finds."""


class ShownDocument(StoredDocument):
    """A document with its value."""

    value = json_value()
    """None in a document that is only a list, or deleted."""
    deleted = flag(default=False)
    """True for a deleted document whose history was asked for."""
    items = parts(DocumentItem)
    """The newest items of the list, the oldest first; empty unless asked for."""
    next_items_before = optional_count()
    """`items_before` of the next call; None if the list has no older items."""
    history = parts(DocumentVersion)
    """Former versions, the newest first; empty unless asked for."""
    next_history_before = optional_count()
    """`history_before` of the next call; None if there are no older versions."""
    verified = Field[bool | None](lambda raw, _: raw, None)
    """Whether the hash chain holds; None where `verify` was not asked for."""
    first_broken = optional_count()
    """The first version that breaks the chain."""


class FoundDocument(ShownDocument):
    """A document that a search found."""

    score = optional_number()
    """How well the document fits `query`; None without a query or without searchable texts."""


class DocumentReply(Value):
    document = part(ShownDocument)


class WrittenDocument(Value):
    """The result of a put."""

    document = optional_part(StoredDocument)
    """As of the reply; after a repeat perhaps a later version, or None for a document that was
    deleted since or is hidden."""
    version = count()
    """The version that the write made."""
    existed = flag()


class AppendedItems(Value):
    """The result of an append."""

    document = optional_part(StoredDocument)
    """None after a repeat if the document was deleted since."""
    end = count()
    """The position of the newest item, from 1."""


class DeletedDocument(Value):
    """The result of a deletion."""

    existed = flag()
    version = optional_count()
    """The version that the deletion made."""
    items = parts(DocumentItem)
    """The items that were taken off the list, the oldest first."""


class FoundDocuments(Page[FoundDocument]):
    """A page of a search."""

    LISTS = "documents"
    documents = parts(FoundDocument)
    examined = count()
    """How many of the documents that the key may see the call compared with the request."""


class NamespaceList(Page[list[str]]):
    """A page of namespaces."""

    LISTS = "namespaces"
    namespaces = Field[Sequence[list[str]]](lambda raw, _: raw, ())
    examined = count()
    """How many of the documents that the key may see the call compared with the request."""


class OperationReceipt(Value):
    """What a write with an `operation_id` did."""

    namespace = texts()
    key = text()
    scope = text()
    version = count()
    existed = flag()


class DocumentResult(Value):
    """The result of an operation in a batch: the fields of the operation's reply, or `error`."""

    status = count()
    error = optional_part(BatchError)
    document = optional_part(ShownDocument)
    """Of `put`, `get` and `append`."""
    version = optional_count()
    """Of `put` and `delete`."""
    existed = Field[bool | None](lambda raw, _: raw, None)
    """Of `put` and `delete`."""
    items = parts(DocumentItem)
    """Of `delete` with `items`."""
    end = optional_count()
    """Of `append`."""
    documents = parts(FoundDocument)
    """Of `search`."""
    namespaces = Field[Sequence[list[str]]](lambda raw, _: raw, ())
    """Of `namespaces`."""
    examined = optional_count()
    next_cursor = optional_text()


class BatchedDocuments(Value):
    results = parts(DocumentResult)
    """In the order of the operations."""
