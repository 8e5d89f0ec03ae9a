"""What an operation on a store asks of the service, and what LangGraph gets from the answers."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.store.base import Item, Result, SearchItem

from membrane_client.core.adapters import refusal_of
from membrane_client.core.encoding import json_text
from membrane_client.errors import APIError, MembraneError, is_absent
from membrane_client.values.documents import DocumentResult, FoundDocument, ShownDocument

MAX_PAGE = 1_000
"""Documents or namespaces of a page."""


class Work:
    """An operation with an answer that is known already; below, operations with requests."""

    is_write = False

    def __init__(self, request: Mapping[str, Any] | None = None, result: Result = None) -> None:
        """Raises InvalidCall or TypeError for a request without a form in JSON."""
        content = b"null" if request is None else json_text(request)
        self.request: Mapping[str, Any] | None = json.loads(content)
        """An operation of a batch of documents; None where there is nothing to ask.

        A copy: the caller may change the value before the request leaves.
        """
        self.size = 0 if request is None else len(content)
        """Bytes of JSON."""
        self.result = result
        self.error: MembraneError | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """Namespace and key."""
        asked = self.request or {}
        return (*asked["namespace"], asked["key"])

    def accept(self, _answer: DocumentResult) -> "Sequence[Work]":
        """Take in an answer; returns the work that is left."""
        return ()

    def refuse(self, answer: DocumentResult) -> None:
        """Keep the error of the answer for the caller."""
        self.error = refusal_of(answer)


class Write(Work):
    """A put or a deletion."""

    is_write = True


class Get(Work):
    def accept(self, answer: DocumentResult) -> Sequence[Work]:
        document = answer.document
        if document is not None and _has_value(document):
            self.result = Item(**_fields(document))
        return ()

    def refuse(self, answer: DocumentResult) -> None:
        super().refuse(answer)
        if isinstance(self.error, APIError) and is_absent(self.error):
            self.error = None


class Search(Work):
    """A search, page by page up to `offset` and `limit`.

    A search by query goes on to the last page, because each page ranks the documents of a part of
    the namespace; a page has the best of the part. Documents that `offset` skips keep their period:
    with an offset, the documents of the result are refreshed afterwards, one by one.
    """

    def __init__(
        self, request: Mapping[str, Any], *, limit: int, offset: int, refresh: bool
    ) -> None:
        self._end = offset + limit
        self._offset = offset
        self._refreshes_later = refresh and offset > 0
        self._is_ranked = bool(str(request.get("query", "")).strip())
        self._found: list[FoundDocument] = []
        page = {"limit": min(self._end, MAX_PAGE), "refresh": refresh and not offset}
        super().__init__({**request, **page})

    def accept(self, answer: DocumentResult) -> Sequence[Work]:
        self._found += filter(_has_value, answer.documents)
        if answer.next_cursor and (self._is_ranked or len(self._found) < self._end):
            self.request = {**(self.request or {}), "cursor": answer.next_cursor}
            return (self,)
        if self._is_ranked:
            self._found.sort(key=_rank)
        shown = self._found[self._offset : self._end]
        self.result = [SearchItem(**_fields(each), score=each.score) for each in shown]
        return [_refreshing(each) for each in shown if self._refreshes_later and each.expires_at]


class Namespaces(Work):
    """A listing, page by page up to `offset` and `limit`."""

    def __init__(self, request: Mapping[str, Any], *, limit: int, offset: int) -> None:
        self._end = offset + limit
        self._offset = offset
        self._found: list[tuple[str, ...]] = []
        super().__init__({**request, "limit": min(self._end, MAX_PAGE)})

    def accept(self, answer: DocumentResult) -> Sequence[Work]:
        self._found += map(tuple, answer.namespaces)
        if answer.next_cursor and len(self._found) < self._end:
            self.request = {**(self.request or {}), "cursor": answer.next_cursor}
            return (self,)
        self.result = self._found[self._offset : self._end]
        return ()


def _rank(document: FoundDocument) -> float:
    """The best first; documents without a score last."""
    return 1.0 if document.score is None else -document.score


def _refreshing(document: ShownDocument) -> Get:
    place = {"namespace": document.namespace, "key": document.key, "scope": document.scope}
    return Get({"op": "get", "refresh": True, **place})


def _has_value(document: ShownDocument) -> bool:
    """Whether the document is an item: a list without a value is none."""
    return "value" in document.raw


def _fields(document: ShownDocument) -> dict[str, Any]:
    return {
        "namespace": tuple(document.namespace),
        "key": document.key,
        "value": document.value,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }
