"""The scope, records and topics that an item of the table names."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter

from membrane.adapters.dynamodb.indexes.names import entities_in
from membrane.adapters.dynamodb.records.writes import head_in
from membrane.adapters.dynamodb.search.answer_receipts import receipt_in
from membrane.adapters.dynamodb.topics.topic_documents import REPLY, json_in
from membrane.adapters.dynamodb.topics.topic_side_items import statement_in
from membrane.domain.erasure.jobs import Kind
from membrane.table import keys
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import place_of
from membrane.table.items import Item, read_text
from membrane.table.progress import progress_in
from membrane.table.walk import ItemKind, kind_of, name_of
from membrane.usecases.ports.walks import Trace

_KINDS: Mapping[ItemKind, Kind] = {
    ItemKind.RECORD: Kind.RECORD,
    ItemKind.RECEIPT: Kind.IDEMPOTENCY_KEY,
    ItemKind.TOPIC: Kind.TOPIC,
    ItemKind.STATEMENT: Kind.STATEMENT,
    ItemKind.HEAD: Kind.HEAD,
    ItemKind.NAMES: Kind.ENTITY_NAMES,
    ItemKind.VECTOR: Kind.VECTOR,
    ItemKind.TOPIC_VECTOR: Kind.VECTOR,
    ItemKind.UPLOAD: Kind.UPLOAD,
    ItemKind.STUDY: Kind.STUDY,
    ItemKind.DOCUMENTS: Kind.DOCUMENT,
    ItemKind.DOCUMENT: Kind.DOCUMENT,
    ItemKind.SCOPE: Kind.SCOPE_STATE,
    ItemKind.SCOPES: Kind.SCOPE_STATE,
}

_SCOPES: Mapping[ItemKind, Callable[[Item], str]] = {
    **dict.fromkeys(
        (ItemKind.RECORD, ItemKind.TOPIC, ItemKind.UPLOAD, ItemKind.STUDY, ItemKind.DOCUMENT),
        lambda item: read_text(item, "scope") if "scope" in item else "",
    ),
    **dict.fromkeys(
        (ItemKind.NAMES, ItemKind.DOCUMENTS, ItemKind.SCOPE),
        lambda item: keys.scope_at(name_of(item)),
    ),
    ItemKind.SCOPES: lambda item: keys.scope_at(read_text(item, "sk")),
    ItemKind.VECTOR: lambda item: keys.scope_searched(item, keys.RECORDS),
    ItemKind.TOPIC_VECTOR: lambda item: keys.scope_searched(item, keys.TOPICS),
}

_NAMES: Mapping[ItemKind, Callable[[Item], Iterable[str]]] = {
    ItemKind.RECEIPT: lambda item: [read_text(item, "receipt_for")],
    ItemKind.STATEMENT: lambda item: attrgetter("record_id", "topic_id")(statement_in(item)),
    ItemKind.HEAD: lambda item: [each.record_id for each in head_in(b"", item).holders],
    ItemKind.NAMES: entities_in,
    ItemKind.VECTOR: lambda item: [name_of(item)],
    ItemKind.TOPIC_VECTOR: lambda item: [name_of(item)],
    ItemKind.UPLOAD: lambda item: [read_text(item, "claimed_by")] if "claimed_by" in item else [],
    ItemKind.STUDY: lambda item: [progress_in(item)["document"]],
}


def trace_of(item: Item, blobs: BlobStore) -> Trace | None:
    """The trace of an item; None if an erasure reaches the item through its record or topic.

    Raises CorruptItem for a damaged item.
    """
    kind, place, name = kind_of(item), place_of(item), name_of(item)
    match kind:
        case None | ItemKind.CHANGE | ItemKind.THREAD:
            return None
        case ItemKind.VECTOR | ItemKind.TOPIC_VECTOR if "search_pk" not in item:  # a marker
            return None
        case ItemKind.ANSWER:
            receipt = receipt_in(item, name)
            names = tuple(each.record_id for each in receipt.explained)
            scopes = tuple(receipt.trust.get("scopes") or ())
            return Trace(Kind.ANSWER_RECEIPT, place, None, names, scopes, receipt.query)
        case ItemKind.EXPORT:
            scopes = tuple(progress_in(item)["selection"].get("scopes") or ())
            return Trace(Kind.EXPORT, place, scopes=scopes)
        case ItemKind.TOPIC_RECEIPT:
            topics = json_in(item, REPLY, blobs, dict)["topics"]
            return Trace(Kind.TOPIC_REPLY, place, names=tuple(topics))
        case _:
            scope = _SCOPES[kind](item) if kind in _SCOPES else None
            own_id = name if kind in (ItemKind.RECORD, ItemKind.TOPIC) else place
            return Trace(_KINDS[kind], own_id, scope, tuple(_NAMES.get(kind, _no_names)(item)))


def _no_names(_item: Item) -> Iterable[str]:
    return ()
