"""The batches that do work: reads before writes, in requests of at most 100 operations."""

import os
from collections import deque
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from membrane_client.core.adapters import MAX_OPERATIONS
from membrane_client.core.protocol import Steps
from membrane_client.errors import APIError, MembraneError
from membrane_client.langgraph.work import Work
from membrane_client.operations import Routes
from membrane_client.values.documents import DocumentResult

MAX_BYTES = 2_500_000
"""Of the operations of a batch; the client uploads the value of a larger operation."""

_LACKS_ROOM_OR_TIME = frozenset({413, 503})
"""The reply has no room for a later operation, or the request had no time."""


def exchange(api: Routes, works: Sequence[Work]) -> Steps[None]:
    """Do the work of one caller: the reads, then the last write of each place.

    Each work has a result or an error afterwards. An operation that is not valid or not permitted
    refuses its whole request. Raises MembraneError for a request that is refused or fails.
    """
    last = {place: writes[-1] for place, writes in _writes_of(works).items()}
    waiting = deque([*_reads_of(works), *last.values()])
    key = _new_key()
    while waiting:
        part = _next_part(waiting)
        left = yield from _send(api, part, key, check_first=True)
        waiting.extendleft(reversed(left))
    for place, writes in _writes_of(works).items():
        for each in writes:
            each.error = last[place].error


def exchange_shared(api: Routes, works: Sequence[Work]) -> Steps[None]:
    """Do the work of several callers; each work has its own result or error afterwards.

    The last write of a place is sent; after a failure, the write before, and so on. So an earlier
    write is left out only where a later write took place.
    """
    writes = _writes_of(works)
    waiting = deque([*_reads_of(works), *(each.pop() for each in writes.values())])
    alone = deque[Work]()
    key = _new_key()
    while waiting or alone:
        part = [alone.popleft()] if alone else _next_part(waiting)
        try:
            waiting.extendleft(reversed((yield from _send(api, part, key, check_first=False))))
        except MembraneError as error:
            if len(part) > 1 and _is_of_an_operation(error):
                alone.extend(part)
                continue
            for each in part:
                each.error = error
        waiting.extend(_writes_before(part, writes))


def _writes_before(
    part: Sequence[Work], writes: Mapping[tuple[Any, ...], list[Work]]
) -> Sequence[Work]:
    """Take the writes before the failed ones out of the writes that are left of each place."""
    failed = [each for each in part if each.is_write and each.error is not None]
    return [writes[each.place].pop() for each in failed if writes[each.place]]


def _new_key() -> str:
    """One key for all requests: a write that is sent again is done once."""
    return os.urandom(16).hex()


def _reads_of(works: Sequence[Work]) -> list[Work]:
    return [each for each in works if each.request is not None and not each.is_write]


def _writes_of(works: Sequence[Work]) -> Mapping[tuple[Any, ...], list[Work]]:
    """The writes of each place, in order."""
    writes: dict[tuple[Any, ...], list[Work]] = {}
    for each in works:
        if each.request is not None and each.is_write:
            writes.setdefault(each.place, []).append(each)
    return writes


def _is_of_an_operation(error: MembraneError) -> bool:
    """Whether an operation may be the reason for the refusal of a request.

    A refusal without a code comes from the gateway, and holds for every request: a wrong URL, an
    unknown key. A request that is too large is the exception.
    """
    if not isinstance(error, APIError) or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return False
    if error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return True
    return error.status != HTTPStatus.TOO_MANY_REQUESTS and error.code != ""


def _next_part(waiting: deque[Work]) -> list[Work]:
    """The operations of the next request: as many as fit, one at least."""
    part = [waiting.popleft()]
    size = part[0].size
    while waiting and len(part) < MAX_OPERATIONS and size + waiting[0].size <= MAX_BYTES:
        size += waiting[0].size
        part.append(waiting.popleft())
    return part


def _send(
    api: Routes, part: Sequence[Work], key: str, *, check_first: bool
) -> Steps[Sequence[Work]]:
    """One request; returns the work that is left."""
    results = yield from api.batch_documents(
        [each.request or {} for each in part], check_first=check_first, idempotency_key=key
    )
    return [
        further
        for position, (work, result) in enumerate(zip(part, results, strict=True))
        for further in _further(work, result, position)
    ]


def _further(work: Work, result: DocumentResult, position: int) -> Sequence[Work]:
    """The work that a result leaves to do.

    The first operation of a request never lacks room or time, so each request gets on.
    """
    if result.error is None:
        return work.accept(result)
    if position and result.status in _LACKS_ROOM_OR_TIME:
        return (work,)
    work.refuse(result)
    return ()
