"""`/_dev/...`: routes of the local stack alone, for the owner on this machine."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from membrane.adapters.aws_lambda.http.problems import headers_of, problem
from membrane.adapters.https.endpoints import is_loopback
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import (
    DomainError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    Unavailable,
)
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.timestamps import normalise, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane_local.clock import FIRST, LAST
from membrane_local.events.agenda import BusyError
from membrane_local.events.deliveries import Deliveries
from membrane_local.functions import FunctionError, PayloadTooLargeError
from membrane_local.http.event_routes import EventRoutes
from membrane_local.http.gateway import FORBIDDEN, NOT_FOUND, Gateway, too_large
from membrane_local.http.import_routes import ImportRoutes
from membrane_local.http_messages import Request, Response
from membrane_local.storage.table import ForeignTableError
from membrane_local.table_keys import TableKeys

PREFIX = "/_dev/"
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
        return None if _is_owner(principal_of(**context)) else NOT_OWNER

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
        events = EventRoutes(self.deliveries)
        if waits and request.method == "GET":
            events.settle()
        response = self._route(request.method, request.raw_path.removeprefix(PREFIX), request)
        if waits:
            events.settle()
        return response

    def _route(self, method: str, place: str, request: Request) -> Response:
        match method, place.split("/"):
            case "GET" | "PUT", ["imports" | "restores" as prefix, name]:
                return self._answer_about_import(f"{prefix}/", name, request)
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
            case _, ["events" | "queues" | "stream", *_] as parts:
                return EventRoutes(self.deliveries).answer(method, parts, request)
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
                _within_calendar(
                    lambda: clock.set_to(datetime.fromisoformat(_valid_timestamp(text)))
                )
            case {"frozen": bool(frozen), **rest} if not rest:
                clock.freeze(frozen=frozen)
            case _:
                raise InvalidArgument(_CLOCK_FORMS)

    def _answer_about_import(self, prefix: str, name: str, request: Request) -> Response:
        functions, caller = self.gateway.functions, self._caller(request)

        def keep_caller(key: str) -> None:
            functions.importers[key] = caller

        routes = ImportRoutes(functions.store.imports, self.deliveries.bus, prefix, keep_caller)
        return routes.answer(name, request)

    def _caller(self, request: Request) -> Principal:
        """The principal of a request that was not refused; raises Unavailable."""
        context = self.gateway.principal_context(request)
        if isinstance(context, Response):
            raise Unavailable("the key cannot be looked up")
        return principal_of(**context)

    def _keys(self) -> TableKeys:
        functions = self.gateway.functions
        store = functions.services[functions.template.authorizer_id].keys
        return TableKeys(store, functions.clock.now)


_CLOCK_FORMS = (
    'the body must be {"advance_seconds": number}, {"set": "RFC 3339 timestamp"} '
    'or {"frozen": true or false}'
)


def _is_owner(caller: Principal) -> bool:
    """Whether the caller has every memory: the routes make keys, and invoke as any principal."""
    is_unbound = caller.is_admin_of_all and not caller.user_required
    return is_unbound and caller.ceiling is Sensitivity.HYPER


def is_local(request: Request) -> bool:
    """Whether the Host header names the loopback interface; a page of a rebound name does not."""
    try:
        return is_loopback(urlsplit(f"//{request.headers.get('host', '')}").hostname or "")
    except ValueError:
        return False


def _valid_timestamp(text: str) -> str:
    try:
        return normalise(text)
    except ValueError as error:
        raise InvalidArgument(f"invalid timestamp: {error}") from error


def _within_calendar(move: Callable[[], None]) -> None:
    try:
        move()
    except (OverflowError, ValueError) as error:
        raise InvalidArgument(f"the clock cannot leave {FIRST:%Y} to {LAST:%Y}") from error
