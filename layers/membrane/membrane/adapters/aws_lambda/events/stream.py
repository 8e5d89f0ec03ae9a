"""The index function's events: the table's stream, sources set aside, steps of a re-index.

A batch of the stream succeeds or fails as a whole; Lambda retries a failed batch and splits the
batch in two. Records and topics that fail for a reason of their own are set aside before, by id.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from membrane.adapters.aws_lambda.events.runs import Run, failures_of, is_batch
from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases import follow_changes
from membrane.usecases.machinery.calls import TRANSIENT, IsOutOfTime
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.world import World
from membrane.usecases.search.indexing import INDEX, ChangedSource, StreamChanges
from membrane.usecases.search.reindex import reindex

REINDEX = "membrane-reindex"
"""Names the event that starts a step of a re-index; the value is `{"again": bool}`."""

STEP_S = 15.0
"""Seconds in which a step starts further pages: the caller waits for the reply."""

LAG = "IndexLag"

ChangesIn = Callable[[Sequence[Mapping[str, Any]]], StreamChanges]
"""The changed records and topics in records of the stream."""

SetAsideSource = tuple[Waiting, ChangedSource]
"""A source that was set aside, and the kind of work to retry."""


def index(event: Event, context: Context, world: World, changes_in: ChangesIn) -> JsonObject:
    """The counts of the processed sources; for a batch of the queue, the failed messages for SQS.

    Raises a failure for which the stream's batch must be repeated; InvalidArgument for any other
    event.
    """
    match event:
        case {"Records": [{"eventSource": "aws:dynamodb"}, *_] as records}:
            return _follow(records, world, changes_in, _time_limit(context, world, inf))
        case {"Records": _} if is_batch(event):
            return _retry(event["Records"], world, _time_limit(context, world, inf))
        case {"membrane-reindex": {**asked}} if asked.keys() <= {"again"}:
            limit, again = _time_limit(context, world, STEP_S), asked.get("again") is True
            progress = reindex(world, limit, again=again)
            return {"done": progress.is_done, **progress.as_json()}
        case _:
            raise InvalidArgument("not an event of the index function")


def _follow(
    records: Sequence[Mapping[str, Any]],
    world: World,
    changes_in: ChangesIn,
    is_out_of_time: IsOutOfTime,
) -> JsonObject:
    """Index the changes; set aside the rest when time is up, so that no batch meets the timeout."""
    oldest_s = min(float(each["dynamodb"]["ApproximateCreationDateTime"]) for each in records)
    try:
        return _counts(
            follow_changes.follow_all_or_set_aside(changes_in(records), world, is_out_of_time)
        )
    finally:
        lag_s = max(0.0, epoch_seconds(world.now()) - oldest_s)
        world.measure(LAG, lag_s, "Seconds")


def _retry(
    messages: Sequence[Mapping[str, Any]], world: World, is_out_of_time: IsOutOfTime
) -> JsonObject:
    """Retry all messages as one batch, to save time; SQS sets aside a repeated failure."""
    sources = {
        message["messageId"]: _parse_or_report(message["body"], world) for message in messages
    }
    parsed = [each for each in sources.values() if each is not None]
    failed = _failed_keys(parsed, world, is_out_of_time)
    return failures_of(
        message_id
        for message_id, each in sources.items()
        if each is None or (each[0], each[1].record_id) in failed
    )


def _failed_keys(
    sources: Sequence[SetAsideSource], world: World, is_out_of_time: IsOutOfTime
) -> set[tuple[Waiting, str]]:
    try:
        again = follow_changes.follow_all(_changes_of(sources), world, is_out_of_time).failures
    except TRANSIENT as error:
        world.report(INDEX, kind_of(error).code)
        again = sources
    return {(kind, changed.record_id) for kind, changed in again}


def _changes_of(sources: Sequence[SetAsideSource]) -> StreamChanges:
    by_kind = {kind: [each for of, each in sources if of is kind] for kind in Waiting}
    return StreamChanges(
        by_kind[Waiting.RECORD],
        by_kind[Waiting.TOPIC],
        by_kind[Waiting.CREATED],
        by_kind[Waiting.ENDED],
    )


def _parse_or_report(body: str, world: World) -> SetAsideSource | None:
    """The source of a message; None, with a report, for a message that names no source."""
    try:
        return _parse_message(body)
    except InvalidArgument as error:
        world.report(INDEX, kind_of(error).code)
        return None


def _parse_message(body: str) -> SetAsideSource:
    """The source of a message; `membrane redrive` may have added further names."""
    sent = parse_json(body)
    if isinstance(sent, dict) and isinstance(scopes := sent.get("scopes"), list):
        for kind in Waiting:
            if isinstance(source_id := sent.get(kind), str):
                return kind, ChangedSource(source_id, tuple(map(str, scopes)))
    raise InvalidArgument("a message must name a record_id or topic_id, and scopes")


def _time_limit(context: Context, world: World, seconds: float) -> IsOutOfTime:
    """A predicate: whether there is no time for a further page."""
    run, end_s = Run(context, world), world.elapsed_s() + seconds
    return lambda: world.elapsed_s() > end_s or run.is_out_of_time()


def _counts(followed: follow_changes.FollowResult) -> JsonObject:
    """The reply without failed parts of the batch; Lambda requires the empty list."""
    records, topics = followed.records, followed.topics
    return {
        "batchItemFailures": [],
        "indexed": records.written + topics.written,
        "passed_over": records.passed_over + topics.passed_over,
        "failed": len(followed.failures),
    }
