"""What an item is, by its keys: one table for every walk over the whole table."""

from collections.abc import Mapping
from enum import StrEnum

from membrane.table import keys
from membrane.table.items import Item, Value, read_text, text


class ItemKind(StrEnum):
    """What an item is. Other items are reached through their record, topic or document."""

    RECORD = "record"
    RECEIPT = "receipt"
    """The use of an idempotency key, at the place of a record."""
    TOPIC = "topic"
    TOPIC_RECEIPT = "topic receipt"
    CHANGE = "change"
    """An unfinished change of topics."""
    HEAD = "head"
    THREAD = "thread"
    """The next turn of a thread."""
    NAMES = "names"
    VECTOR = "vector"
    TOPIC_VECTOR = "topic vector"
    ANSWER = "answer"
    UPLOAD = "upload"
    EXPORT = "export"
    STUDY = "study"
    DOCUMENTS = "documents"
    """A keyed document."""
    DOCUMENT = "document"
    """What lies beside a keyed document, and the receipts of writes."""
    SCOPE = "scope"
    """What is kept of a scope, which the partition names."""
    SCOPES = "scopes"
    """The entry of a scope in a registry, which the sort key names."""


_ANY = ""
_KINDS: Mapping[tuple[str, str], ItemKind] = {
    ("record", "record"): ItemKind.RECORD,
    ("topic", "topic"): ItemKind.TOPIC,
    ("topic", "receipt"): ItemKind.TOPIC_RECEIPT,
    ("topic-change", "change"): ItemKind.CHANGE,
    ("head", "head"): ItemKind.HEAD,
    ("head", "thread"): ItemKind.THREAD,
    ("names", _ANY): ItemKind.NAMES,
    ("vector", _ANY): ItemKind.VECTOR,
    ("topic-vector", _ANY): ItemKind.TOPIC_VECTOR,
    ("answer", "receipt"): ItemKind.ANSWER,
    ("upload", _ANY): ItemKind.UPLOAD,
    ("export", _ANY): ItemKind.EXPORT,
    ("study", _ANY): ItemKind.STUDY,
    ("documents", _ANY): ItemKind.DOCUMENTS,
    ("document", _ANY): ItemKind.DOCUMENT,
    ("document-operation", _ANY): ItemKind.DOCUMENT,
    ("scope", _ANY): ItemKind.SCOPE,
    ("topics-home", _ANY): ItemKind.SCOPE,
    ("topic-log", _ANY): ItemKind.SCOPE,
    ("scopes", _ANY): ItemKind.SCOPES,
    ("topic-scopes", _ANY): ItemKind.SCOPES,
    ("topics-homes", _ANY): ItemKind.SCOPES,
}
"""By the beginning of the partition, and the sort key."""

IS_OWN = "sk IN (:record, :topic) AND attribute_not_exists(receipt_for)"
"""The filter of a walk over records and topics; OWN has the values."""

OWN: Mapping[str, Value] = {":record": text(keys.RECORDS.own), ":topic": text(keys.TOPICS.own)}


def kind_of(item: Item) -> ItemKind | None:
    """None also for an item in the form of a record or topic outside the partition of one."""
    beginning = read_text(item, "pk").partition("#")[0]
    found = _KINDS.get((beginning, read_text(item, "sk"))) or _KINDS.get((beginning, _ANY))
    return ItemKind.RECEIPT if found is ItemKind.RECORD and "receipt_for" in item else found


def name_of(item: Item) -> str:
    """The rest of the partition: the id of the record, topic or job, or the place of the scope."""
    return read_text(item, "pk").partition("#")[2]
