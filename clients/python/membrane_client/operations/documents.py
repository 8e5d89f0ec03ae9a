"""JSON values under keys in namespaces, with lists beside the values. Written by `make openapi`."""

from collections.abc import Sequence
from typing import Any, Unpack

from membrane_client.core.api import Api, in_scope
from membrane_client.core.parameters import Json, Texts
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import listing, operation
from membrane_client.operations.parameters import Caller, DocumentChange, Listing, Write
from membrane_client.values.documents import (
    AppendedItems,
    BatchedDocuments,
    DeletedDocument,
    DocumentReply,
    DocumentResult,
    FoundDocument,
    FoundDocuments,
    NamespaceList,
    OperationReceipt,
    ShownDocument,
    WrittenDocument,
)


class Documents:
    @operation
    def read_operation(
        api: Api, operation_id: str, **more: Unpack[Caller]
    ) -> Steps[OperationReceipt]:
        """Read the receipt of a write with an `operation_id`, by the same caller."""
        return api.read("GET /v1/document-operations", locals(), OperationReceipt)

    @operation
    def batch_documents(
        api: Api,
        operations: Sequence[Json],
        *,
        check_first: bool | None = None,
        **more: Unpack[Write],
    ) -> Steps[Sequence[DocumentResult]]:
        """Do up to 100 operations in order: put, get, delete, append, search, namespaces."""
        return (
            yield from api.write(
                "POST /v1/documents/batch",
                {**locals(), "operations": [in_scope(api, each, more) for each in operations]},
                BatchedDocuments,
            )
        ).results

    @listing(FoundDocument)
    def search_documents(
        api: Api,
        namespace_prefix: Texts | None = None,
        *,
        filter: Json | None = None,
        query: str | None = None,
        refresh: bool | None = None,
        **more: Unpack[Listing],
    ) -> Steps[FoundDocuments]:
        """Find documents in and below a namespace: by fields of the value, by words and meaning."""
        return api.ask("POST /v1/documents/search", locals(), FoundDocuments)

    @operation
    def put_document(
        api: Api,
        namespace: Texts,
        key: str,
        value: Any,
        *,
        sensitivity: str | None = None,
        index: bool | Texts | None = None,
        ttl_seconds: float | None = None,
        half_life_seconds: float | None = None,
        **more: Unpack[DocumentChange],
    ) -> Steps[WrittenDocument]:
        """Write a document, whatever was there before."""
        return api.write("PUT /v1/documents/{path}", locals(), WrittenDocument)

    @operation
    def get_document(
        api: Api,
        namespace: Texts,
        key: str,
        *,
        scope: str | None = None,
        refresh: bool = False,
        items: int = 0,
        items_before: int | None = None,
        history: int = 0,
        history_before: int | None = None,
        verify: bool = False,
        **more: Unpack[Caller],
    ) -> Steps[ShownDocument]:
        """Read a document."""
        return (yield from api.read("GET /v1/documents/{path}", locals(), DocumentReply)).document

    @operation
    def delete_document(
        api: Api,
        namespace: Texts,
        key: str,
        *,
        items: int | None = None,
        erase: bool = False,
        **more: Unpack[DocumentChange],
    ) -> Steps[DeletedDocument]:
        """Delete a document, or take the newest items off its list."""
        return api.write(
            "DELETE /v1/documents/{path}", locals(), DeletedDocument, query=("items", "erase")
        )

    @operation
    def append_items(
        api: Api,
        namespace: Texts,
        key: str,
        items: Sequence[Any],
        *,
        scope: str | None = None,
        sensitivity: str | None = None,
        ttl_seconds: float | None = None,
        **more: Unpack[Write],
    ) -> Steps[AppendedItems]:
        """Append items to the list beside a document's value.

        Makes the document if it is absent.
        """
        return api.write("POST /v1/documents/{path}/items", locals(), AppendedItems)

    @listing(list[str])
    def list_namespaces(
        api: Api,
        *,
        prefix: Texts | None = None,
        suffix: Texts | None = None,
        max_depth: int | None = None,
        **more: Unpack[Listing],
    ) -> Steps[NamespaceList]:
        """List the namespaces that have documents."""
        return api.read("GET /v1/namespaces", locals(), NamespaceList)
