"""The index function's events: the table's stream, what was set aside of it, and re-indexing.

A batch of the stream succeeds or fails as a whole; one that fails is tried again and cut in two.
Records that fail for a reason of their own were set aside by then, by their keys.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from membrane.adapters.aws_lambda import queue
from membrane.adapters.aws_lambda.entry import Context, Event
from membrane.adapters.aws_lambda.problems import kind_of
from membrane.domain.errors import InvalidArgument
from membrane.domain.json_text import JsonObject, parse_json
from membrane.domain.timestamps import epoch_seconds
from membrane.usecases.index_records import INDEX, index_or_set_aside, index_records
from membrane.usecases.indexing import PASSING, Changed, Indexed
from membrane.usecases.ports.reading import ReadingServices
from membrane.usecases.reindex import reindex

REINDEX = "membrane-reindex"
"""Names the event that starts a step of a re-index; what it brings is `{"again": bool}`."""

STEP_S = 15.0
"""How long a step begins further pages: whoever invoked it waits for the reply."""
RESERVE_MS = 10_000
"""Left to a step when it begins no further page."""

LAG = "IndexLag"

ChangedIn = Callable[[Iterable[Mapping[str, Any]]], Iterable[Changed]]
"""What the records of a stream tell of records of ours."""


def index(
    event: Event, context: Context, services: ReadingServices, changed_in: ChangedIn
) -> JsonObject:
    """The counts of what was done; of a queue's batch the messages that failed, for SQS.

    Raises what the stream's batch is to be repeated for; InvalidArgument for any other event.
    """
    match event:
        case {"Records": [{"eventSource": "aws:dynamodb"}, *_] as records}:
            return _follow(records, services, changed_in)
        case {"Records": _} if queue.is_batch(event):
            return _retry(event["Records"], services)
        case {"membrane-reindex": {**asked}} if asked.keys() <= {"again"}:
            return _step(context, services, again=asked.get("again") is True)
        case _:
            raise InvalidArgument("not an event of the index function")


def _follow(
    records: Sequence[Mapping[str, Any]], services: ReadingServices, changed_in: ChangedIn
) -> JsonObject:
    oldest_s = min(float(each["dynamodb"]["ApproximateCreationDateTime"]) for each in records)
    try:
        return _counts(index_or_set_aside(changed_in(records), services))
    finally:
        lag_s = max(0.0, epoch_seconds(services.now()) - oldest_s)
        services.measure(LAG, lag_s, "Seconds")


def _retry(messages: Sequence[Mapping[str, Any]], services: ReadingServices) -> JsonObject:
    """All together, for time; the queue, not this function, sets aside what fails again."""
    named = {message["messageId"]: _named(message["body"], services) for message in messages}
    failed = _failed([changed for changed in named.values() if changed is not None], services)
    return {
        "batchItemFailures": [
            {"itemIdentifier": message_id}
            for message_id, changed in named.items()
            if changed is None or changed.record_id in failed
        ]
    }


def _failed(changed: Sequence[Changed], services: ReadingServices) -> set[str]:
    """The ids of the records that are to come again."""
    try:
        indexed = index_records(changed, services)
    except PASSING as error:
        services.report(INDEX, kind_of(error).code)
        return {each.record_id for each in changed}
    return {each.changed.record_id for each in indexed.failed}


def _named(body: str, services: ReadingServices) -> Changed | None:
    """What was set aside; None, and it is reported, where the message names nothing."""
    try:
        return _read(body)
    except InvalidArgument as error:
        services.report(INDEX, kind_of(error).code)
        return None


def _read(body: str) -> Changed:
    """Whoever sends it on its way again may add to it."""
    match parse_json(body):
        case {"record_id": str(record_id), "scopes": [*scopes]}:
            return Changed(record_id, tuple(str(scope) for scope in scopes))
        case _:
            raise InvalidArgument("a message must name a record_id and scopes")


def _step(context: Context, services: ReadingServices, *, again: bool) -> JsonObject:
    end_s = services.elapsed_s() + STEP_S

    def is_out_of_time() -> bool:
        left_ms = context.get_remaining_time_in_millis()
        return services.elapsed_s() > end_s or left_ms < RESERVE_MS

    progress = reindex(services, is_out_of_time, again=again)
    return {"done": progress.is_done, **progress.as_json()}


def _counts(indexed: Indexed) -> JsonObject:
    """No part of a batch failed; Lambda asks for that."""
    return {
        "batchItemFailures": [],
        "indexed": indexed.written,
        "unchanged": indexed.unchanged,
        "removed": indexed.removed,
        "failed": len(indexed.failed),
    }
