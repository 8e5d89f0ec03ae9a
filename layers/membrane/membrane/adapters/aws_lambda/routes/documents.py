"""The routes of keyed documents, with a function of their own."""

from functools import partial

from membrane.adapters.aws_lambda.http import document_bodies
from membrane.adapters.aws_lambda.http.bodies import (
    batch_body,
    body_alone,
)
from membrane.adapters.aws_lambda.http.document_batch import perform_documents
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.documents.requests import (
    AppendItems,
    BatchDocuments,
    DeleteDocument,
    GetDocument,
    ListNamespaces,
    PutDocument,
    ReadOperation,
    SearchDocuments,
)
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.documents.append_items import append_items
from membrane.usecases.documents.delete_document import delete_document
from membrane.usecases.documents.keyed_writes import read_operation
from membrane.usecases.documents.list_namespaces import list_namespaces
from membrane.usecases.documents.put_document import put_document
from membrane.usecases.documents.read_document import read_document
from membrane.usecases.documents.search_documents import search_documents

_READ, _INGEST = Permission.READ, Permission.INGEST
_DOCUMENT = "/v1/documents/{path+}"

PUT_DOCUMENT = Operation(
    PutDocument,
    f"PUT {_DOCUMENT}",
    _INGEST,
    document_bodies.place_and_body,
    put_document,
)
GET_DOCUMENT = Operation(
    GetDocument,
    f"GET {_DOCUMENT}",
    _READ,
    document_bodies.place_and_query,
    read_document,
)
DELETE_DOCUMENT = Operation(
    DeleteDocument,
    f"DELETE {_DOCUMENT}",
    _INGEST,
    document_bodies.place_body_and_query,
    delete_document,
)
APPEND_ITEMS = Operation(
    AppendItems,
    f"POST {_DOCUMENT}",
    _INGEST,
    document_bodies.place_and_list_items,
    append_items,
)
SEARCH_DOCUMENTS = Operation(
    SearchDocuments,
    "POST /v1/documents/search",
    _READ,
    body_alone,
    search_documents,
)
LIST_NAMESPACES = Operation(
    ListNamespaces,
    "GET /v1/namespaces",
    _READ,
    document_bodies.labels_and_page,
    list_namespaces,
)
READ_OPERATION = Operation(
    ReadOperation,
    "GET /v1/document-operations",
    _READ,
    document_bodies.operation_id,
    read_operation,
)

BATCHED = {
    "put": PUT_DOCUMENT,
    "get": GET_DOCUMENT,
    "delete": DELETE_DOCUMENT,
    "append": APPEND_ITEMS,
    "search": SEARCH_DOCUMENTS,
    "namespaces": LIST_NAMESPACES,
}
"""The operations of a batch, by the word in `op`."""

BATCH_DOCUMENTS = Operation(
    BatchDocuments,
    "POST /v1/documents/batch",
    None,
    batch_body,
    partial(perform_documents, operations=BATCHED),
    has_users_within=True,
)

DOCUMENTS = (*BATCHED.values(), READ_OPERATION, BATCH_DOCUMENTS)
