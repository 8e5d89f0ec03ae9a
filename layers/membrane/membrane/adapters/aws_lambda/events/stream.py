"""The index function's events: the table's stream, what was set aside of it, and doing all anew.

A batch of the stream succeeds or fails as a whole; one that fails is tried again and cut in two.
Records and topics that fail for a reason of their own were set aside by then, by their keys.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

from membrane.adapters.aws_lambda.events import queue
from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.usecases.following.follow_all import Followed, follow_all, follow_all_or_set_aside
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import Changed, Told
from membrane.usecases.search.indexing.index_records import INDEX
from membrane.usecases.search.indexing.reindex import reindex

REINDEX = "membrane-reindex"
"""Names the event that starts a step of a re-index; what it brings is `{"again": bool}`."""

STEP_S = 15.0
"""How long a step begins further pages: whoever invoked it waits for the reply."""

LAG = "IndexLag"

ToldIn = Callable[[Sequence[Mapping[str, Any]]], Told]
"""What the records of a stream tell of records and topics of ours."""

Named = tuple[Waiting, Changed]
"""What was set aside, and for what it is to be tried again."""


def index(event: Event, context: Context, services: TopicServices, told_in: ToldIn) -> JsonObject:
    """The counts of what was done; of a queue's batch the messages that failed, for SQS.

    Raises what the stream's batch is to be repeated for; InvalidArgument for any other event.
    """
    match event:
        case {"Records": [{"eventSource": "aws:dynamodb"}, *_] as records}:
            return _follow(records, services, told_in, _limit(context, services, inf))
        case {"Records": _} if queue.is_batch(event):
            return _retry(event["Records"], services, _limit(context, services, inf))
        case {"membrane-reindex": {**asked}} if asked.keys() <= {"again"}:
            limit, again = _limit(context, services, STEP_S), asked.get("again") is True
            progress = reindex(services, limit, again=again)
            return {"done": progress.is_done, **progress.as_json()}
        case _:
            raise InvalidArgument("not an event of the index function")


def _follow(
    records: Sequence[Mapping[str, Any]],
    services: TopicServices,
    told_in: ToldIn,
    is_out_of_time: IsOutOfTime,
) -> JsonObject:
    """What has no turn before the time is up is set aside, so that no batch meets the timeout."""
    oldest_s = min(float(each["dynamodb"]["ApproximateCreationDateTime"]) for each in records)
    try:
        return _counts(follow_all_or_set_aside(told_in(records), services, is_out_of_time))
    finally:
        lag_s = max(0.0, epoch_seconds(services.now()) - oldest_s)
        services.measure(LAG, lag_s, "Seconds")


def _retry(
    messages: Sequence[Mapping[str, Any]], services: TopicServices, is_out_of_time: IsOutOfTime
) -> JsonObject:
    """All together, for time; the queue, not this function, sets aside what fails again."""
    named = {message["messageId"]: _named(message["body"], services) for message in messages}
    told = [each for each in named.values() if each is not None]
    failed = _failed(told, services, is_out_of_time)
    return queue.failures_of(
        message_id
        for message_id, each in named.items()
        if each is None or (each[0], each[1].record_id) in failed
    )


def _failed(
    named: Sequence[Named], services: TopicServices, is_out_of_time: IsOutOfTime
) -> set[tuple[Waiting, str]]:
    try:
        again = follow_all(_told(named), services, is_out_of_time).failures
    except TRANSIENT as error:
        services.report(INDEX, kind_of(error).code)
        again = named
    return {(kind, changed.record_id) for kind, changed in again}


def _told(named: Sequence[Named]) -> Told:
    by_kind = {kind: [each for of, each in named if of is kind] for kind in Waiting}
    return Told(by_kind[Waiting.RECORD], by_kind[Waiting.TOPIC], by_kind[Waiting.FED])


def _named(body: str, services: ReadingServices) -> Named | None:
    """What was set aside; None, and it is reported, where the message names nothing."""
    try:
        return _read(body)
    except InvalidArgument as error:
        services.report(INDEX, kind_of(error).code)
        return None


def _read(body: str) -> Named:
    """Whoever sends it on its way again may add to it."""
    match parse_json(body):
        case {"record_id": str(source_id), "scopes": [*scopes]}:
            kind = Waiting.RECORD
        case {"topic_id": str(source_id), "scopes": [*scopes]}:
            kind = Waiting.TOPIC
        case {"fed_record_id": str(source_id), "scopes": [*scopes]}:
            kind = Waiting.FED
        case _:
            raise InvalidArgument("a message must name a record_id or topic_id, and scopes")
    return kind, Changed(source_id, tuple(str(scope) for scope in scopes))


def _limit(context: Context, services: ReadingServices, seconds: float) -> IsOutOfTime:
    """Whether no further page is to be begun."""
    end_s = services.elapsed_s() + seconds

    def is_out_of_time() -> bool:
        left_ms = context.get_remaining_time_in_millis()
        return services.elapsed_s() > end_s or left_ms < RESERVE_MS

    return is_out_of_time


def _counts(followed: Followed) -> JsonObject:
    """No part of a batch failed; Lambda asks for that."""
    records, topics = followed.records, followed.topics
    return {
        "batchItemFailures": [],
        "indexed": records.written + topics.written,
        "passed_over": records.passed_over + topics.passed_over,
        "fed": followed.fed.placed,
        "failed": len(followed.failures),
    }
