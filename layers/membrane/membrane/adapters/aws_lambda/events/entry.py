"""Detect the source of an event by the event's shape, and perform the request inside."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from membrane.adapters.aws_lambda.events.runs import Message, answer_batch, is_batch
from membrane.adapters.aws_lambda.http.gateway import answer_http, is_http
from membrane.adapters.aws_lambda.http.operations import SUCCESS, Row, perform, reporting
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.domain.access.principals import Principal, Source
from membrane.domain.ingest.reports import IngestEvent
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, ScopeFenced
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import compact_json, parse_json, reparse
from membrane.usecases.machinery.calls import known_values, reply_body
from membrane.usecases.ports.world import World
from membrane.usecases.records.inline_large_values import inline_large_values


def answer(event: Event, context: Context, rows: tuple[Row, ...], world: World) -> Reply:
    """Answer a request from HTTP, bus or direct invocation, or a batch of queue messages.

    `rows` is the only row of the function.

    Outside HTTP, a refusal raises the DomainError: Lambda retries an asynchronous invocation and
    then sends the event to the dead-letter queue; a direct caller gets the error of the function.
    """
    if not isinstance(event, Mapping):
        raise InvalidArgument("the request must be a JSON object")
    if is_http(event):
        return answer_http(event, rows, world)
    (row,) = rows
    if is_batch(event):
        principal = _open_principal(world.sources.queue, Source.QUEUE)
        take = partial(_take, row=row, principal=principal, world=world)
        return answer_batch(event["Records"], take, row.rpc, world)
    if "detail-type" in event and "detail" in event:
        principal = _open_principal(world.sources.bus, Source.BUS)
        key, request_in = _key_of(event), partial(_request_in, event, row.rpc)
    else:
        principal = _open_principal(world.sources.direct, Source.DIRECT)
        key, request_in = context.aws_request_id, partial(reparse, event)
    try:
        with reporting(row.rpc, world):
            result = perform(row, request_in(), principal, world, key)
            body = inline_large_values(reply_body(result), world, known_values(result))
            return dict(body.get("record", body))
    except ScopeFenced:
        if principal.source is not Source.BUS:
            raise
        return {}  # the erasure would remove the record, and a retry end among the dead letters


def _take(message: Message, *, row: Row, principal: Principal, world: World) -> None:
    request = parse_json(message["body"])
    perform(row, request, principal, world, message["messageId"])
    world.report(row.rpc, SUCCESS)


def _open_principal(principal: Principal | None, source: Source) -> Principal:
    """The principal for events of the source; raises PermissionDenied for a closed source."""
    if principal is None:
        raise PermissionDenied(f"{_SOURCE_NAMES[source]} is closed in this deployment")
    return principal._replace(source=source)


_SOURCE_NAMES = {
    Source.QUEUE: "the queue",
    Source.BUS: "the event bus",
    Source.DIRECT: "direct invocation",
}


def _request_in(event: Mapping[str, Any], rpc: str) -> Any:
    """The request in an event.

    A detail type equal to the RPC's name carries a request of the RPC. IngestEvent also takes any
    other detail type: the event is reported with the detail as JSON text, cut at the limit of a
    text. Raises InvalidArgument for a different detail type sent to any other RPC.
    """
    detail = reparse(event["detail"])
    if event["detail-type"] == rpc:
        return detail
    if rpc != IngestEvent.__name__:
        raise InvalidArgument(f"{rpc} does not take events of another detail type")
    return {
        "source": event.get("source"),
        "event_kind": event["detail-type"],
        "ref": event.get("id"),
        "timestamp": event.get("time"),
        "summary": compact_json(detail)[:MAX_TEXT_CHARACTERS],
    }


def _key_of(event: Mapping[str, Any]) -> str:
    """The idempotency key for an event without one; raises InvalidArgument without an id."""
    event_id = event.get("id")
    if not isinstance(event_id, str):
        raise InvalidArgument("an event needs an id")
    return event_id
