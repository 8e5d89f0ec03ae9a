"""Keyed documents: JSON values under keys in namespaces, with lists beside the values."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from membrane_client.core.api import Api
from membrane_client.core.encoding import whole_text
from membrane_client.core.large_values import values_of_documents
from membrane_client.core.parameters import Json, Opt, Texts, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.errors import InvalidCall
from membrane_client.operations.ingest import with_scope
from membrane_client.values.documents import (
    AppendedItems,
    BatchedDocuments,
    DeletedDocument,
    DocumentReply,
    DocumentResult,
    FoundDocuments,
    NamespaceList,
    OperationReceipt,
    ShownDocument,
    WrittenDocument,
)
from membrane_client.values.value import Value

ITEMS = "items"
"""The last segment of the path to the list beside a value."""


def put_document(
    api: Api,
    namespace: Texts,
    key: str,
    value: Any,
    *,
    scope: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    index: Opt[bool | Texts] = NOT_GIVEN,
    ttl_seconds: Opt[float] = NOT_GIVEN,
    half_life_seconds: Opt[float] = NOT_GIVEN,
    expected_version: Opt[int] = NOT_GIVEN,
    must_exist: Opt[bool] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    operation_id: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[WrittenDocument]:
    """Write a document: any JSON but null, of at most 10 MiB, in a namespace of 1 to 16 labels.

    `index` is what a search by `query` finds: True for all texts, or paths such as `tags[*]`.
    Raises Conflict unless the document has `expected_version`; 0 = there must be no document.
    """
    given = _at_place(locals())
    return api.write("PUT /v1/documents/{path}", given, WrittenDocument, large=values_of_documents)


def get_document(
    api: Api,
    namespace: Texts,
    key: str,
    *,
    scope: Opt[str] = NOT_GIVEN,
    refresh: bool = False,
    items: int = 0,
    items_before: Opt[int] = NOT_GIVEN,
    history: int = 0,
    history_before: Opt[int] = NOT_GIVEN,
    verify: bool = False,
    user: User = NOT_GIVEN,
) -> Steps[ShownDocument]:
    """The document, with the newest `items` of the list and the newest `history` versions.

    A reply has at most 5 MiB of items and versions. To read older items, send `next_items_before`
    of the reply as `items_before`; for versions, `next_history_before` as `history_before`.
    `refresh` begins `ttl_seconds` and salience anew; `verify` checks the hash chain of the
    versions. Raises NotFound where there is no document.
    """
    reply = yield from api.read("GET /v1/documents/{path}", _at_place(locals()), DocumentReply)
    return reply.document


def delete_document(
    api: Api,
    namespace: Texts,
    key: str,
    *,
    scope: Opt[str] = NOT_GIVEN,
    erase: bool = False,
    items: Opt[int] = NOT_GIVEN,
    expected_version: Opt[int] = NOT_GIVEN,
    must_exist: Opt[bool] = NOT_GIVEN,
    rationale: Opt[str] = NOT_GIVEN,
    operation_id: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[DeletedDocument]:
    """Delete the document, or take off and return the newest `items` of the list.

    An absent document is no error. `erase` removes all content for good, and needs admin.
    """
    given = _at_place(locals())
    return api.write("DELETE /v1/documents/{path}", given, DeletedDocument, ("erase", ITEMS))


def append_items(
    api: Api,
    namespace: Texts,
    key: str,
    items: Sequence[Any],
    *,
    scope: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    ttl_seconds: Opt[float] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[AppendedItems]:
    """Append 1 to 100 items to the list beside the value; makes the document if it is absent.

    `sensitivity` and `ttl_seconds` are of a new document.
    """
    given = _at_place(locals(), ITEMS)
    return api.write("POST /v1/documents/{path}", given, AppendedItems, large=values_of_documents)


def search_documents(
    api: Api,
    namespace_prefix: Opt[Texts] = NOT_GIVEN,
    *,
    filter: Opt[Json] = NOT_GIVEN,
    query: Opt[str] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    limit: Opt[int] = 10,
    cursor: Opt[str] = NOT_GIVEN,
    refresh: Opt[bool] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[FoundDocuments]:
    """Documents in and below a namespace, `limit` a page; with `query` the best first.

    `filter` has conditions on the value: `{"kind": "note", "score": {"$gte": 3}}`. A page examines
    a bounded number of documents, so a page may be short or empty before the last.
    """
    _require_labels("namespace_prefix", namespace_prefix)
    return api.ask("POST /v1/documents/search", locals(), FoundDocuments)


def batch_documents(
    api: Api,
    operations: Sequence[Json],
    *,
    check_first: Opt[bool] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[Sequence[DocumentResult]]:
    """Do up to 100 operations in order, `{"op": "get", "namespace": ["users"], "key": "ann"}`.

    `op` is put, get, delete, append, search or namespaces; the other fields are as in the methods.
    An operation may fail alone; with `check_first`, an operation that is not valid or not permitted
    refuses the whole batch before any effect.
    """
    given = {**locals(), "operations": [_with_scope(api, each, user) for each in operations]}
    reply = yield from api.write(
        "POST /v1/documents/batch", given, BatchedDocuments, large=values_of_documents
    )
    return reply.results


def list_namespaces(
    api: Api,
    *,
    prefix: Opt[Texts] = NOT_GIVEN,
    suffix: Opt[Texts] = NOT_GIVEN,
    max_depth: Opt[int] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    limit: int = 100,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[NamespaceList]:
    """Namespaces with documents, sorted, `limit` a page.

    `*` in `prefix` or `suffix` stands for one label; `max_depth` cuts namespaces to so many labels.
    """
    _require_labels("prefix", prefix)
    _require_labels("suffix", suffix)
    return api.read("GET /v1/namespaces", locals(), NamespaceList)


def read_operation(
    api: Api, operation_id: str, *, user: User = NOT_GIVEN
) -> Steps[OperationReceipt]:
    """The receipt of a write with an `operation_id`; raises NotFound without the write."""
    return api.read("GET /v1/document-operations", locals(), OperationReceipt)


def _at_place(given: Mapping[str, Any], *further: str) -> Mapping[str, Any]:
    """The parameters with the segments of the path in place of namespace and key."""
    others = {name: value for name, value in given.items() if name not in {"namespace", "key"}}
    namespace, key = given["namespace"], given["key"]
    _require_labels("namespace", namespace)
    if not namespace:
        raise InvalidCall("namespace is empty: expected 1 to 16 labels")
    labels = [_encode("namespace", each) for each in namespace]
    return {**others, "path": (*labels, _encode("key", key), *further)}


def _require_labels(name: str, labels: object) -> None:
    """Raises InvalidCall for a text, whose characters would each be a label."""
    if isinstance(labels, str):
        raise InvalidCall(f"{name} is {labels!r}: expected a sequence of labels")


def _encode(name: str, text: object) -> str:
    """The label or the key, percent-encoded by itself.

    API Gateway decodes a path once, so the path is encoded once more on the way: "/" travels as
    "%252F". Raises InvalidCall for a name that no document has.
    """
    if not isinstance(text, str) or text in {"", ".", ".."}:
        raise InvalidCall(f"{name} has {text!r}: expected a text other than '', '.' and '..'")
    return quote(whole_text(text), safe="")


def _with_scope(api: Api, operation: Json, user: User) -> Json:
    """The operation, in the client's scope unless the operation or a user has a scope."""
    raw = operation.raw if isinstance(operation, Value) else operation
    return with_scope(api, raw, raw.get("user", user))
