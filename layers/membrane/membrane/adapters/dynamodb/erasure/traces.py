"""The kind of an item of the table, and the scope, records and topics in the item."""

from collections.abc import Callable, Mapping

from membrane.adapters.dynamodb.archive.exports import export_in
from membrane.adapters.dynamodb.indexes.names import entities_in
from membrane.adapters.dynamodb.records.idempotency_items import is_receipt
from membrane.adapters.dynamodb.records.writes import head_in
from membrane.adapters.dynamodb.search.answer_receipts import receipt_in
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.side_items import statement_in
from membrane.adapters.dynamodb.topics.topic_items import REPLY, json_in
from membrane.domain.erasure.jobs import Kind
from membrane.table import keys
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import place_of
from membrane.table.items import Item, read_text
from membrane.table.progress import progress_in
from membrane.usecases.ports.erasure import Trace


def trace_of(item: Item, blobs: BlobStore) -> Trace | None:
    """The trace of an item; None if an erasure reaches the item through its record or topic.

    Raises CorruptItem for a damaged item.
    """
    partition, sort_key = read_text(item, "pk"), read_text(item, "sk")
    prefix = partition.partition("#")[0]
    if prefix == "record":
        return _of_record(item, sort_key)
    if prefix == "topic":
        return _of_topic(item, sort_key, blobs)
    if prefix in _STATES:
        return Trace(Kind.SCOPE_STATE, place_of(item), keys.scope_at(partition.partition("#")[2]))
    if prefix in _REGISTRIES:
        return Trace(Kind.SCOPE_STATE, place_of(item), keys.scope_at(sort_key))
    return None if prefix not in _OTHERS else _OTHERS[prefix](item)


def _of_record(item: Item, sort_key: str) -> Trace | None:
    if sort_key != keys.RECORD:
        return None
    if is_receipt(item):
        names = (read_text(item, "receipt_for"),)
        return Trace(Kind.IDEMPOTENCY_KEY, place_of(item), names=names)
    return Trace(Kind.RECORD, keys.record_id_of(item), _scope_of(item))


def _of_topic(item: Item, sort_key: str, blobs: BlobStore) -> Trace | None:
    match sort_key:
        case topic_keys.TOPIC:
            return Trace(Kind.TOPIC, topic_keys.topic_id_of(item), _scope_of(item))
        case topic_keys.RECEIPT:
            topics = json_in(item, REPLY, blobs, dict)["topics"]
            return Trace(Kind.TOPIC_REPLY, place_of(item), names=tuple(topics))
        case topic_keys.STATEMENT:
            statement = statement_in(item)
            names = (statement.record_id, statement.topic_id)
            return Trace(Kind.STATEMENT, place_of(item), names=names)
        case _:
            return None


def _of_vector(item: Item, space: keys.SearchSpace) -> Trace | None:
    if "search_pk" not in item:  # a marker
        return None
    source_id = keys.source_of_vector(item, space)
    return Trace(Kind.VECTOR, place_of(item), keys.scope_searched(item, space), (source_id,))


def _of_head(item: Item) -> Trace | None:
    if "holders" not in item:
        return None
    holders = head_in(b"", item).holders
    return Trace(Kind.HEAD, place_of(item), names=tuple(each.record_id for each in holders))


def _of_names(item: Item) -> Trace:
    scope = keys.scope_at(read_text(item, "pk").removeprefix(keys.NAMES))
    return Trace(Kind.ENTITY_NAMES, place_of(item), scope, names=entities_in(item))


def _of_answer(item: Item) -> Trace | None:
    if "told" not in item:  # the credit spent of a receipt, which names nothing
        return None
    receipt = receipt_in(item, read_text(item, "pk").removeprefix(keys.ANSWER))
    return Trace(
        Kind.ANSWER_RECEIPT,
        place_of(item),
        names=tuple(each.record_id for each in receipt.explained),
        scopes=tuple(receipt.trust.get("scopes") or ()),
        text=receipt.query,
    )


def _of_upload(item: Item) -> Trace:
    names = (read_text(item, "claimed_by"),) if "claimed_by" in item else ()
    return Trace(Kind.UPLOAD, place_of(item), _scope_of(item), names)


def _of_export(item: Item) -> Trace:
    export = export_in(item)
    scopes = export["selection"].get("scopes") or ()
    return Trace(Kind.EXPORT, place_of(item), scopes=tuple(scopes))


def _of_study(item: Item) -> Trace:
    names = (progress_in(item)["document"],)
    return Trace(Kind.STUDY, place_of(item), _scope_of(item), names)


def _of_document(item: Item) -> Trace:
    return Trace(Kind.DOCUMENT, place_of(item), _scope_of(item))


def _of_documents(item: Item) -> Trace:
    scope = keys.scope_at(read_text(item, "pk").removeprefix(keys.DOCUMENTS))
    return Trace(Kind.DOCUMENT, place_of(item), scope)


def _scope_of(item: Item) -> str:
    return read_text(item, "scope") if "scope" in item else ""


_STATES = frozenset({"scope", "topics-home", "topic-log"})
"""Partitions that end in a scope."""

_REGISTRIES = frozenset({keys.RECORDS.scopes, keys.TOPICS.scopes, topic_keys.SCOPES})
"""Partitions whose sort keys are scopes."""

_OTHERS: Mapping[str, Callable[[Item], Trace | None]] = {
    "vector": lambda item: _of_vector(item, keys.RECORDS),
    "topic-vector": lambda item: _of_vector(item, keys.TOPICS),
    "head": _of_head,
    "names": _of_names,
    "answer": _of_answer,
    "upload": _of_upload,
    "export": _of_export,
    "study": _of_study,
    "documents": _of_documents,
    "document": _of_document,
    "document-operation": _of_document,
}
