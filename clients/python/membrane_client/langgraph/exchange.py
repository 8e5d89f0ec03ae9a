"""The batches that do work: reads before writes, in requests of at most 100 operations."""

import os
from collections import deque
from collections.abc import Sequence

from membrane_client.core.api import Api
from membrane_client.core.protocol import Steps
from membrane_client.langgraph.work import Work
from membrane_client.operations.documents import batch_documents
from membrane_client.values.documents import DocumentResult

MAX_OPERATIONS = 100
"""Of a batch."""

MAX_BYTES = 2_500_000
"""Of the operations of a batch; the client uploads the value of a larger operation."""

_LACKS_ROOM_OR_TIME = frozenset({413, 503})
"""The reply has no room for a later operation, or the request had no time."""


def exchange(api: Api, works: Sequence[Work], *, check_first: bool) -> Steps[None]:
    """Do the work: the reads, then the last write of each place.

    Each work has a result or an error afterwards. With `check_first`, an operation that is not
    valid or not permitted refuses its whole request.
    """
    reads = [each for each in works if each.request is not None and not each.is_write]
    writes = [each for each in works if each.request is not None and each.is_write]
    last = {each.place: each for each in writes}
    waiting = deque([*reads, *last.values()])
    # One key for all requests: a write that is sent again is done once.
    key = os.urandom(16).hex()
    while waiting:
        part = _next_part(waiting)
        results = yield from batch_documents(
            api,
            [each.request or {} for each in part],
            check_first=check_first,
            idempotency_key=key,
        )
        left = [
            further
            for position, (work, result) in enumerate(zip(part, results, strict=True))
            for further in _further(work, result, position)
        ]
        waiting.extendleft(reversed(left))
    for each in writes:
        each.error = last[each.place].error


def _next_part(waiting: deque[Work]) -> list[Work]:
    """The operations of the next request: as many as fit, one at least."""
    part = [waiting.popleft()]
    size = part[0].size
    while waiting and len(part) < MAX_OPERATIONS and size + waiting[0].size <= MAX_BYTES:
        size += waiting[0].size
        part.append(waiting.popleft())
    return part


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
