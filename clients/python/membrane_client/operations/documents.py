"""JSON values under keys in namespaces, with lists beside the values. Written by `make openapi`."""

from collections.abc import Sequence
from typing import Any, Unpack

from membrane_client.core.api import Api
from membrane_client.core.protocol import Json, Steps, Texts
from membrane_client.core.sync_and_async import ask, operation, pages, write
from membrane_client.operations.parameters import Caller, DocumentChange, Listing, Write
from membrane_client.values import documents


class Documents:
    @ask("GET /v1/document-operations", documents.OperationReceipt)
    def read_operation(self, operation_id: str, **more: Unpack[Caller]) -> None:
        """Read the receipt of a write with an `operation_id`, by the same caller."""

    @operation
    def batch_documents(
        api: Api,
        operations: Sequence[Json],
        *,
        check_first: bool | None = None,
        **more: Unpack[Write],
    ) -> Steps[Sequence[documents.DocumentResult]]:
        """Do up to 100 operations in order: put, get, delete, append, search, namespaces."""
        return (
            yield from api.write("POST /v1/documents/batch", locals(), documents.BatchedDocuments)
        ).results

    @pages("POST /v1/documents/search", documents.FoundDocuments, documents.FoundDocument)
    def search_documents(
        self,
        namespace_prefix: Texts | None = None,
        *,
        filter: Json | None = None,
        query: str | None = None,
        refresh: bool | None = None,
        **more: Unpack[Listing],
    ) -> None:
        """Find documents in and below a namespace: by fields of the value, by words and meaning."""

    @write("PUT /v1/documents/{path}", documents.WrittenDocument)
    def put_document(
        self,
        namespace: Texts,
        key: str,
        value: Any,
        *,
        sensitivity: str | None = None,
        index: bool | Texts | None = None,
        ttl_seconds: float | None = None,
        half_life_seconds: float | None = None,
        **more: Unpack[DocumentChange],
    ) -> None:
        """Write a document, whatever was there before."""

    @ask("GET /v1/documents/{path}", documents.ShownDocument)
    def get_document(
        self,
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
    ) -> None:
        """Read a document."""

    @write("DELETE /v1/documents/{path}", documents.DeletedDocument, query=("items", "erase"))
    def delete_document(
        self,
        namespace: Texts,
        key: str,
        *,
        items: int | None = None,
        erase: bool = False,
        **more: Unpack[DocumentChange],
    ) -> None:
        """Delete a document, or take the newest items off its list."""

    @write("POST /v1/documents/{path}/items", documents.AppendedItems)
    def append_items(
        self,
        namespace: Texts,
        key: str,
        items: Sequence[Any],
        *,
        scope: str | None = None,
        sensitivity: str | None = None,
        ttl_seconds: float | None = None,
        **more: Unpack[Write],
    ) -> None:
        """Append items to the list beside a document's value.

        Makes the document if it is absent.
        """

    @pages("GET /v1/namespaces", documents.NamespaceList, list[str])
    def list_namespaces(
        self,
        *,
        prefix: Texts | None = None,
        suffix: Texts | None = None,
        max_depth: int | None = None,
        **more: Unpack[Listing],
    ) -> None:
        """List the namespaces that have documents."""
