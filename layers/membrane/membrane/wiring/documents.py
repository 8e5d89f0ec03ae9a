"""The composition root of keyed documents; the embedder is loaded for the first text."""

import os
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.adapters.dynamodb.search.cursor_key import CursorKey
from membrane.usecases.erasure.fenced_stores import fence_documents
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_documents import DocumentServices
from membrane.wiring import services as wiring

if TYPE_CHECKING:
    from collections.abc import Callable

    from types_boto3_dynamodb import DynamoDBClient

    from membrane.usecases.ports.search import Embedder


def document_services() -> DocumentServices:
    return wiring.replacement_of(DocumentServices) or _from_environment()


def build_documents(
    usual: Services,
    table: str,
    dynamodb: "DynamoDBClient",
    *,
    embedder: "Callable[[], Embedder]",
) -> DocumentServices:
    return DocumentServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        documents=build_document_store(usual, table, dynamodb),
        embedder=embedder,
        cursor_key=CursorKey(dynamodb, table, wiring.new_cursor_key),
    )


def build_document_store(
    usual: Services, table: str, dynamodb: "DynamoDBClient"
) -> "DynamoDocuments":
    documents = DynamoDocuments(dynamodb, table, usual.blobs, usual.now)
    return fence_documents(documents, usual.fences)


def _present_embedder() -> "Embedder":
    """The embedder that the settings name; the first call loads numpy and the model."""
    from membrane.wiring.search import reading_services

    return reading_services().embedders[0]


@cache
def _from_environment() -> DocumentServices:
    table = wiring.environment_settings().table
    return build_documents(
        wiring.services(), table, wiring.table_client(), embedder=_present_embedder
    )


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    document_services()
