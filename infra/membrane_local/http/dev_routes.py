"""`/_dev/...`: routes of the local stack alone, for the owner on this machine.

They send events and messages, show queues, pause the stream, move the clock, and take imports.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from membrane.adapters.aws_lambda.http.problems import headers_of, problem
from membrane.adapters.https import is_loopback
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import (
    DomainError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    Unavailable,
)
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.language.timestamps import normalise, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane_local.clock import FIRST, LAST
from membrane_local.events.agenda import BusyError
from membrane_local.events.deliveries import Deliveries
from membrane_local.events.queues import Message, Queue
from membrane_local.functions import FunctionError, PayloadTooLargeError
from membrane_local.http.gateway import FORBIDDEN, NOT_FOUND, Gateway, too_large
from membrane_local.http.import_routes import import_key, import_result, put_object
from membrane_local.http_messages import Request, Response
from membrane_local.storage.table import ForeignTableError
from membrane_local.table_keys import TableKeys

PREFIX = "/_dev/"
PATIENCE_S = 50.0
"""The longest wait for a caller; many callers give up after a minute."""
NOT_OWNER = Response.of_json(
    403, {"message": "the routes of development take a key for all scopes and up to hyper alone"}
)


@dataclass(frozen=True, slots=True)
class DevRoutes:
    gateway: Gateway
    deliveries: Deliveries
    reset: Callable[[], None]

    def refusal(self, request: Request) -> Response | None:
        if "origin" in request.headers or not is_local(request):
            return FORBIDDEN  # refuses web pages in the developer's browser
        context = self.gateway.principal_context(request)
        if isinstance(context, Response):
            return context
        caller = principal_of(**context)  # the routes make keys, and invoke as any principal
        is_unbound = caller.is_admin_of_all and not caller.user_required
        return None if is_unbound and caller.ceiling is Sensitivity.HYPER else NOT_OWNER

    def answer(self, request: Request) -> Response:
        """The response to a request under PREFIX that was not refused."""
        try:
            return self._answer(request)
        except DomainError as error:
            body = problem(error)
            return Response.of_json(body["status"], body, headers_of(error))

    def _answer(self, request: Request) -> Response:
        """The response; `?wait` waits for due deliveries after any request, and before a GET."""
        waits = "wait" in dict(parse_qsl(request.raw_query, keep_blank_values=True))
        if waits and request.method == "GET":
            self._settle()
        place = request.raw_path.removeprefix(PREFIX).split("/")
        response = self._route(request.method, place, request)
        if waits:
            self._settle()
        return response

    def _settle(self) -> None:
        """Wait until every due event is delivered; raises Unavailable after PATIENCE_S."""
        if not self.deliveries.agenda.wait_until_idle(PATIENCE_S):
            raise Unavailable("not everything that is due could be delivered yet")

    def _route(self, method: str, place: list[str], request: Request) -> Response:
        match method, place:
            case "PUT", ["imports" | "restores" as folder, name]:
                key, caller = import_key(folder, name), self._caller(request)
                functions, bus = self.gateway.functions, self.deliveries.bus
                return put_object(functions, bus, caller, key, request.file)
            case "GET", ["imports" | "restores" as folder, name]:
                imports = self.gateway.functions.store.imports
                return import_result(imports, import_key(folder, name), request)
            case "POST", ["invoke", logical_id]:
                return self._invoke(logical_id, request)
            case "POST", ["reset"]:
                return self._reset()
            case "GET", ["clock"]:
                return self._clock()
            case "POST", ["clock"]:
                self._set_clock(parse_json(request.body))
                return self._clock()
            case "GET", ["keys"]:
                return Response.of_json(200, {"keys": self._keys().list_keys()})
            case "POST", ["keys"]:
                return Response.of_json(201, self._keys().create(parse_json(request.body)))
            case "DELETE", ["keys", key_id]:
                return Response.of_json(200, self._keys().revoke(key_id))
            case _:
                return self._answer_about_events(method, place, request)

    def _answer_about_events(self, method: str, place: list[str], request: Request) -> Response:
        match method, place:
            case "POST", ["events"]:
                body = parse_json(request.body)
                if not isinstance(body, dict) or body.keys() != {"Entries"}:
                    raise InvalidArgument('the body must be {"Entries": […]}')
                return Response.of_json(200, self.deliveries.bus.put_events(body["Entries"]))
            case "POST", ["stream"]:
                match parse_json(request.body):
                    case {"paused": bool(paused), **rest} if not rest:
                        self.deliveries.pause(paused=paused)
                    case _:
                        raise InvalidArgument('the body must be {"paused": true or false}')
                return Response.of_json(200, {"paused": self.deliveries.is_paused})
            case "GET", ["queues"]:
                queues = {name: self._summary(name) for name in self.deliveries.queues}
                return Response.of_json(200, {"queues": queues})
            case "GET", ["queues", name]:
                return Response.of_json(200, self._content(name))
            case "POST", ["queues", name]:
                bodies = _bodies(parse_json(request.body))
                return Response.of_json(200, {"message_ids": self._queue(name).send_all(bodies)})
            case "DELETE", ["queues", name, message_id]:
                if not self._queue(name).delete([message_id]):
                    raise NotFound(f"{name} has no message {message_id}")
                return Response(204, {}, b"")
            case _:
                return NOT_FOUND

    def _invoke(self, logical_id: str, request: Request) -> Response:
        """The function's reply, or the error as Lambda reports errors; 202 for an `Event`."""
        event = parse_json(request.body)
        try:
            if request.headers.get("x-amz-invocation-type") == "Event":
                self.deliveries.invoke(logical_id, event)
                return Response.of_json(202, {})
            return Response.of_json(200, self.gateway.functions.invoke(logical_id, event))
        except KeyError as error:
            raise NotFound(f"the template has no function {logical_id}") from error
        except PayloadTooLargeError:
            return too_large(request)
        except FunctionError as error:
            body = {"errorType": error.error_type, "errorMessage": str(error)}
            return Response.of_json(200, body, {"x-amz-function-error": "Unhandled"})

    def _reset(self) -> Response:
        try:
            self.reset()
        except ForeignTableError as error:
            raise InvalidArgument(str(error)) from error
        except BusyError as error:
            raise FailedPrecondition(f"nothing was emptied: {error} is still running") from error
        return Response.of_json(200, {"status": "empty"})

    def _clock(self) -> Response:
        clock = self.gateway.functions.clock
        return Response.of_json(200, {"now": rfc3339(clock.now()), "frozen": clock.frozen})

    def _set_clock(self, body: Any) -> None:
        clock = self.gateway.functions.clock
        match body:
            case {"advance_seconds": bool(), **rest}:
                raise InvalidArgument(_CLOCK_FORMS)
            case {"advance_seconds": int() | float() as seconds, **rest} if not rest:
                _within_calendar(lambda: clock.advance(timedelta(seconds=seconds)))
            case {"set": str(text), **rest} if not rest:
                try:
                    instant = datetime.fromisoformat(normalise(text))
                except ValueError as error:
                    raise InvalidArgument(f"invalid timestamp: {error}") from error
                _within_calendar(lambda: clock.set_to(instant))
            case {"frozen": bool(frozen), **rest} if not rest:
                clock.freeze(frozen=frozen)
            case _:
                raise InvalidArgument(_CLOCK_FORMS)

    def _queue(self, name: str) -> Queue:
        if name not in self.deliveries.queues:
            raise NotFound(f"the template has no queue {name}")
        return self.deliveries.queues[name]

    def _summary(self, name: str) -> JsonObject:
        queue, sources = self._queue(name), self.deliveries.sources
        reading = (each.function for each in sources.queue_sources if each.queue == name)
        filling = (each.logical_id for each in sources.queues if each.dead_letters == name)
        return {
            "visible": len(queue.waiting()),
            "in_flight": queue.count_hidden(),
            "read_by": next(reading, None),
            "dead_letters_of": next(filling, None),
        }

    def _content(self, name: str) -> JsonObject:
        """The queue's summary, with the messages where no function reads the queue."""
        summary = self._summary(name)
        waiting = [] if summary["read_by"] else self._queue(name).waiting()
        return {**summary, "messages": [_message_json(each) for each in waiting]}

    def _caller(self, request: Request) -> Principal:
        """The principal of a request that was not refused; raises Unavailable."""
        context = self.gateway.principal_context(request)
        if isinstance(context, Response):
            raise Unavailable("the key cannot be looked up")
        return principal_of(**context)

    def _keys(self) -> TableKeys:
        functions = self.gateway.functions
        store = functions.worlds[functions.template.authorizer_id].keys
        return TableKeys(store, functions.clock.now)


_FORMS = 'the body must be {"body": message} or {"messages": [{"body": message}, …]}'
_CLOCK_FORMS = (
    'the body must be {"advance_seconds": number}, {"set": "RFC 3339 timestamp"} '
    'or {"frozen": true or false}'
)


def is_local(request: Request) -> bool:
    """Whether the Host header names the loopback interface; a page of a rebound name does not."""
    try:
        return is_loopback(urlsplit(f"//{request.headers.get('host', '')}").hostname or "")
    except ValueError:
        return False


def _within_calendar(move: Callable[[], None]) -> None:
    try:
        move()
    except (OverflowError, ValueError) as error:
        raise InvalidArgument(f"the clock cannot leave {FIRST:%Y} to {LAST:%Y}") from error


def _message_json(message: Message) -> JsonObject:
    return {
        "message_id": message.message_id,
        "body": message.body,
        "attributes": {},
        "sent_at": rfc3339(message.sent_at),
        "receives": message.receives,
    }


def _bodies(body: Any) -> list[str]:
    """The texts of the messages; a JSON value other than text is serialized."""
    match body:
        case {"messages": [_, *_] as messages, **rest} if not rest:
            return [_text(message) for message in messages]
        case _:
            return [_text(body)]


def _text(message: Any) -> str:
    match message:
        case {"body": str(text), **rest} if not rest:
            return text
        case {"body": value, **rest} if not rest:
            return compact_json(value)
        case _:
            raise InvalidArgument(_FORMS)
