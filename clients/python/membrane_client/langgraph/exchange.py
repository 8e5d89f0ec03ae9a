"""The operations of a store in batches: reads before writes, in requests of at most 100."""

import json
import os
from collections import deque
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from langgraph.store.base import Item, Result, SearchItem

from membrane_client.core.adapters import MAX_OPERATIONS, batches, refusal_of
from membrane_client.core.encoding import json_text
from membrane_client.core.protocol import Steps
from membrane_client.errors import APIError, MembraneError, is_absent
from membrane_client.operations import Routes
from membrane_client.values.documents import DocumentResult, ShownDocument

MAX_BYTES = 2_500_000
"""Of the operations of a batch; the client uploads the value of a larger operation."""

_HOLDS_FOR_ALL = frozenset({429, *range(500, 600)})
_LACKS_ROOM_OR_TIME = frozenset({413, 503})
"""The reply has no room for a later operation, or the request had no time."""


class Work:
    """An operation of a batch of documents, and what LangGraph gets from the answers."""

    def __init__(
        self,
        request: Mapping[str, Any] | None = None,
        *,
        result: Result = None,
        shown: slice = slice(0),
        refreshes_later: bool = False,
    ) -> None:
        """Without a request, `result` is known already; `shown` are the items of a list to return.

        With `refreshes_later`, the documents of the result are refreshed afterwards, one by one:
        documents that an offset skips keep their period. Raises InvalidCall or TypeError for a
        request without a form in JSON.
        """
        content = b"null" if request is None else json_text(request)
        # A copy: the caller may change the value before the request leaves.
        self.request: Mapping[str, Any] = json.loads(content) or {}
        self.size = len(content)
        self.is_write = self.request.get("op") in {"put", "delete"}
        self.result = result
        self.error: MembraneError | None = None
        self._shown, self._refreshes_later = shown, refreshes_later
        self._found: list[Any] = []

    @property
    def place(self) -> tuple[Any, ...]:
        return (*self.request["namespace"], self.request["key"])

    def accept(self, answer: DocumentResult) -> "Sequence[Work]":
        """Take in an answer; returns the work that is left."""
        if refusal := refusal_of(answer):
            is_none = self.request["op"] == "get" and is_absent(refusal)
            self.error = None if is_none else refusal
            return ()
        match self.request["op"]:
            case "get":
                if answer.document is not None and _has_value(answer.document):
                    self.result = Item(**_fields(answer.document))
                return ()
            case "namespaces":
                return self._continue(answer, [tuple(each) for each in answer.namespaces])
            case "search":
                return self._continue(
                    answer, [each for each in answer.documents if _has_value(each)]
                )
            case _:
                return ()

    def _continue(self, answer: DocumentResult, page: Sequence[Any]) -> "Sequence[Work]":
        """Go on to the next page; by query to the last, because each page ranks a part."""
        self._found += page
        is_ranked = bool(self.request.get("query", "").strip())
        if answer.next_cursor and (is_ranked or len(self._found) < self._shown.stop):
            self.request = {**self.request, "cursor": answer.next_cursor}
            return (self,)
        if is_ranked:
            self._found.sort(key=lambda each: 1.0 if each.score is None else -each.score)
        shown = self._found[self._shown]
        if self.request["op"] == "namespaces":
            self.result = shown
            return ()
        self.result = [SearchItem(**_fields(each), score=each.score) for each in shown]
        asked = {"op": "get", "refresh": True}
        return [
            Work({**asked, "namespace": each.namespace, "key": each.key, "scope": each.scope})
            for each in shown
            if self._refreshes_later and each.expires_at
        ]


def exchange(api: Routes, works: Sequence[Work], *, is_shared: bool = False) -> Steps[None]:
    """Do the work: the reads, then the last write of each place; each has a result or an error.

    Of one caller, an operation that is not valid or not permitted refuses its whole request, and a
    request that is refused or fails raises MembraneError. Of several callers, each work has an
    error of its own, and after the failure of a write, the write before of the place is sent: an
    earlier write is left out only where a later write took place.
    """
    writes: dict[tuple[Any, ...], list[Work]] = {}
    for each in works:
        if each.is_write:
            writes.setdefault(each.place, []).append(each)
    last = [each.pop() for each in writes.values()]
    waiting = deque([*(each for each in works if each.request and not each.is_write), *last])
    alone = deque[Work]()
    key = os.urandom(16).hex()  # one for all requests: a write that is sent again is done once
    while waiting or alone:
        source = alone or waiting
        most = 1 if alone else MAX_OPERATIONS
        part = next(batches(source, lambda each: each.size, most, MAX_BYTES))
        for _ in part:
            source.popleft()
        try:
            results = yield from api.batch_documents(
                [each.request for each in part], check_first=not is_shared, idempotency_key=key
            )
            waiting.extendleft(reversed(_accept(part, results)))
        except MembraneError as error:
            if not is_shared:
                raise
            alone.extend(_to_send_alone(part, error))
        failed = [each.place for each in part if is_shared and each.is_write and each.error]
        waiting.extend(writes[place].pop() for place in failed if writes[place])
    for final in () if is_shared else last:
        for each in writes[final.place]:
            each.error = final.error


def _to_send_alone(part: Sequence[Work], error: MembraneError) -> Sequence[Work]:
    """The operations to send alone, where one may be the reason; otherwise each has the error.

    A refusal without a code comes from the gateway, and holds for every request: a wrong URL, an
    unknown key. A request that is too large is the exception.
    """
    is_of_one = isinstance(error, APIError) and (
        error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        or (error.code != "" and error.status not in _HOLDS_FOR_ALL)
    )
    if is_of_one and len(part) > 1:
        return part
    for each in part:
        each.error = error
    return ()


def _accept(part: Sequence[Work], results: Sequence[DocumentResult]) -> Sequence[Work]:
    """The work that is left. The first of a request never lacks room or time: each gets on."""
    left: list[Work] = []
    for position, (work, result) in enumerate(zip(part, results, strict=True)):
        is_late = result.error is not None and result.status in _LACKS_ROOM_OR_TIME
        left += [work] if position and is_late else work.accept(result)
    return left


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
