"""Where an event comes from, told by its shape (design 5), and the way it takes from there."""

from collections.abc import Mapping
from functools import partial

from membrane.adapters.aws_lambda.events import bus, queue
from membrane.adapters.aws_lambda.http.gateway import answer_http, is_http
from membrane.adapters.aws_lambda.http.operations import SUCCESS, Operation, perform, reported
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.domain.access.trust import Principal, Source
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.json_text import parse_json, reparsed
from membrane.usecases.machinery.calls import at_hand
from membrane.usecases.ports.services import Services
from membrane.usecases.records.large_values_shown import shown


def answer(event: Event, context: Context, operation: Operation, services: Services) -> Reply:
    """For an ingest function: one request from HTTP, bus or direct invoke, or a batch of messages.

    Outside HTTP a refusal raises its DomainError: Lambda retries what is asynchronous and then
    hands it to the dead-letter queue; a direct caller gets it as the function's error.
    """
    if not isinstance(event, Mapping):
        raise InvalidArgument("the request must be a JSON object")
    if is_http(event):
        return answer_http(event, (operation,), services)
    if queue.is_batch(event):
        principal = _opened(services.sources.queue, Source.QUEUE)
        take = partial(_take, operation=operation, principal=principal, services=services)
        return queue.answer_batch(event["Records"], take, operation.rpc, services)
    if bus.is_bus_event(event):
        principal = _opened(services.sources.bus, Source.BUS)
        key, request_in = bus.key_of(event), partial(bus.request_in, event, operation.rpc)
    else:
        principal = _opened(services.sources.direct, Source.DIRECT)
        key, request_in = context.aws_request_id, partial(reparsed, event)
    with reported(operation.rpc, services):
        result = perform(operation, request_in(), principal, services, key)
        body = shown(operation.present(result), services, at_hand(result))
    return dict(body.get("record", body))


def _take(
    message: queue.Message, *, operation: Operation, principal: Principal, services: Services
) -> None:
    asked = parse_json(message["body"])
    perform(operation, asked, principal, services, message["messageId"])
    services.report(operation.rpc, SUCCESS)


def _opened(principal: Principal | None, source: Source) -> Principal:
    """The principal that events of the source act as; raises PermissionDenied where closed."""
    if principal is None:
        raise PermissionDenied(f"{_SPOKEN[source]} is closed in this deployment")
    return principal._replace(source=source)


_SPOKEN = {
    Source.QUEUE: "the queue",
    Source.BUS: "the event bus",
    Source.DIRECT: "direct invocation",
}
