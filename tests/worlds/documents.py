"""A caller of keyed documents: requests as JSON, and replies as JSON, over any services."""

from dataclasses import dataclass, field, replace
from typing import Any

from membrane.adapters.aws_lambda.http.operations import Operation, perform
from membrane.adapters.aws_lambda.routes.documents import (
    APPEND_ITEMS,
    BATCH_DOCUMENTS,
    DELETE_DOCUMENT,
    GET_DOCUMENT,
    LIST_NAMESPACES,
    PUT_DOCUMENT,
    READ_OPERATION,
    SEARCH_DOCUMENTS,
)
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.services_documents import DocumentServices

NOTES = ["users", "ann"]
"""A namespace of two labels."""


def writer(
    actor_id: str = "ann",
    permissions: tuple[str, ...] = ("ingest", "read"),
    scopes: tuple[str, ...] = ("team",),
    ceiling: str = "medium",
) -> Principal:
    return principal_of(actor_id, permissions, scopes, ceiling)


@dataclass(frozen=True, slots=True)
class DocumentCaller:
    """Performs operations as one principal, in one namespace unless told otherwise."""

    services: DocumentServices
    principal: Principal = field(default_factory=writer)
    namespace: tuple[str, ...] = tuple(NOTES)

    def as_(self, **principal: Any) -> "DocumentCaller":
        """The same services for another principal."""
        return replace(self, principal=writer(**principal))

    def put(self, key: str, value: Any, **more: Any) -> JsonObject:
        return self._at(PUT_DOCUMENT, key, value=value, **more)

    def perform_put(self, asked: JsonObject) -> JsonObject:
        return self.perform(PUT_DOCUMENT, asked)

    def get(self, key: str, **more: Any) -> JsonObject:
        """The document in the reply."""
        document: JsonObject = self._at(GET_DOCUMENT, key, **more)["document"]
        return document

    def delete(self, key: str, **more: Any) -> JsonObject:
        return self._at(DELETE_DOCUMENT, key, **more)

    def append(self, key: str, *items: Any, **more: Any) -> JsonObject:
        return self._at(APPEND_ITEMS, key, items=list(items), **more)

    def items(self, key: str, count: int = 100) -> list[Any]:
        return [each["value"] for each in self.get(key, items=count)["items"]]

    def search(self, **asked: Any) -> JsonObject:
        return self.perform(SEARCH_DOCUMENTS, asked)

    def namespaces(self, **asked: Any) -> JsonObject:
        return self.perform(LIST_NAMESPACES, asked)

    def receipt(self, operation_id: str) -> JsonObject:
        return self.perform(READ_OPERATION, {"operation_id": operation_id})

    def batch(self, *operations: Any, **more: Any) -> list[JsonObject]:
        asked = {"operations": list(operations), **more}
        results: list[JsonObject] = self.perform(BATCH_DOCUMENTS, asked)["results"]
        return results

    def perform(self, operation: Operation, asked: JsonObject) -> JsonObject:
        """The body of the reply; a replay is marked as `replayed`."""
        result = perform(operation, asked, self.principal, self.services)
        body = dict(operation.present(result))
        return {**body, "replayed": True} if getattr(result, "replayed", False) else body

    def _at(self, operation: Operation, key: str, **more: Any) -> JsonObject:
        return self.perform(operation, {"namespace": [*self.namespace], "key": key, **more})
