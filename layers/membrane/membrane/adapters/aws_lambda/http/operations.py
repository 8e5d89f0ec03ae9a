"""An RPC at the edge: the row of the route, and the way from a request to a result."""

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.domain.access.principals import USER, Principal, for_user
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import MAX_DEPTH, JsonObject, parse_json
from membrane.domain.language.requests import validate
from membrane.domain.language.values import key_of_uploads
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import fingerprint_of
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

IF_MATCH, IF_NONE_MATCH = "if-match", "if-none-match"
NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class HttpRequest(NamedTuple):
    """The parts of an HTTP event from which a request is assembled."""

    body: str | bytes | None
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    has_user: bool = False
    """Whether the query may name the user: a GET or DELETE may have no body."""
    headers: Mapping[str, str] = NO_HEADERS
    """By lower-case name."""

    def json_body(self, levels: int = MAX_DEPTH, *, refuses_surrogates: bool = True) -> Any:
        """The body as JSON of at most `levels` levels; raises InvalidArgument without a body."""
        if not self.body:
            raise InvalidArgument("the request needs a JSON body")
        return parse_json(self.body, levels, refuses_surrogates=refuses_surrogates)

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name]

    def once(self, name: str) -> str | None:
        """The value of a query parameter; raises InvalidArgument for a repeated parameter."""
        values = self.values(name)
        if len(values) > 1:
            raise InvalidArgument(f"{name} may be given once")
        return values[0] if values else None

    def require_query_within(self, allowed: Iterable[str]) -> None:
        """Raises InvalidArgument for a query parameter that the route does not have."""
        known = {*allowed, USER} if self.has_user else set(allowed)
        if any(name not in known for name, _ in self.query):
            names = ", ".join(sorted(known)) or "none"
            raise InvalidArgument(f"unknown query parameter; this route takes: {names}")

    def with_user(self, asked: JsonObject) -> JsonObject:
        """The request's JSON with the user from the query."""
        user = self.once(USER) if self.has_user else None
        if user is None:
            return asked
        if USER in asked:
            raise InvalidArgument(f"{USER} stands in the query; the body must have none")
        return {**asked, USER: user}


def request_of(event: Mapping[str, Any]) -> HttpRequest:
    """The parts of the event; raises InvalidArgument."""
    try:
        pairs = parse_qsl(event.get("rawQueryString", ""), keep_blank_values=True, errors="strict")
    except ValueError as error:
        raise InvalidArgument("the query string is not valid") from error
    has_user = event["routeKey"].startswith(("GET ", "DELETE "))
    path = event.get("pathParameters") or {}
    return HttpRequest(body_of(event), path, tuple(pairs), has_user, event["headers"])


def body_of(event: Mapping[str, Any]) -> str | bytes | None:
    body: str | None = event.get("body")
    if not body or not event.get("isBase64Encoded"):
        return body
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise InvalidArgument("the body is not valid base64") from error


KEY = "idempotency_key"
OPERATION_ID = "operation_id"
"""The key of a write whose receipt can be read later; takes precedence over KEY."""
SUCCESS = "OK"
CREATED = 201
ACCEPTED = 202
NO_CONTENT = 204


@dataclass(frozen=True, eq=False)
class Row:
    """A route: who answers, what may be asked, and what comes back.

    A place such as `records.requests:ReadAudit` is a module and a name in the module; the place
    may have the whole name of the module instead.
    """

    function: str
    """The folder in `functions/` of the Lambda function behind the route."""
    route: str
    """Method and path in the form of API Gateway's route keys."""
    permission: Permission | None
    """None = the verb checks the permission that the request needs."""
    request: str
    """The place of the request's model below `membrane.domain`. Each field of the model says where
    the field stands in an HTTP request."""
    reply: str
    """The place of the type of the reply's body below `membrane.domain`; empty = no body."""
    verb: str
    """The place of the use case below `membrane.usecases`. The use case takes the request, the
    call, and the world, and returns the body, or a result with a `body`."""
    status: int = 200
    also_for: Permission | None = None
    """A permission that opens the route, too; the verb checks which permission is needed."""
    levels: int = MAX_DEPTH
    """Permitted nesting of the request."""
    name: str = ""
    """The RPC, if different from the name of the request's class."""
    body: str = ""
    """The function of `http.assembling` that reads an unusual body."""
    has_users_within: bool = False
    """Whether parts of the request may name a user: the items of a batch, the arguments of a tool.

    The verb narrows the principal to the user of a part; a list of tools reads no memory."""

    @property
    def rpc(self) -> str:
        return self.name or self.request.rpartition(":")[2]

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @cached_property
    def request_type(self) -> type[Part]:
        found: type[Part] = _load("membrane.domain", self.request)
        return found

    @cached_property
    def reply_type(self) -> Any:
        return _load("membrane.domain", self.reply) if self.reply else None

    @cached_property
    def run(self) -> Callable[[Any, Call, Any], Any]:
        found: Callable[[Any, Call, Any], Any] = _load("membrane.usecases", self.verb)
        return found

    @property
    def takes_key(self) -> bool:
        """Whether the request can be repeated under an idempotency key."""
        return KEY in self.request_type.model_fields

    def require_permission(self, principal: Principal) -> None:
        """Raises PermissionDenied."""
        if self.permission is not None and self.also_for not in principal.permissions:
            principal.require(self.permission)


def _load(root: str, place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module if module[:9] == "membrane." else f"{root}.{module}"), name)


@contextmanager
def reporting(rpc: str, world: World) -> Iterator[None]:
    """Report the end of the block: SUCCESS, or the code of a DomainError, which passes through."""
    try:
        yield
    except DomainError as error:
        world.report(rpc, kind_of(error).code)
        raise
    world.report(rpc, SUCCESS)


def perform(
    row: Row,
    asked: Any,
    principal: Principal,
    world: World,
    default_key: str | None = None,
) -> Any:
    """The verb's result for the request `asked`, sent by `principal`; raises DomainError.

    `default_key` applies to a request without a key. A `user` narrows the principal before
    validation. The fingerprint leaves the user out: the narrowed principal's identity has the user.
    """
    row.require_permission(principal)
    if not isinstance(asked, dict):
        raise InvalidArgument("the request must be a JSON object")
    principal, asked = for_user(principal, asked, has_users_within=row.has_users_within)
    sent = {name: asked[name] for name in asked if name != KEY}
    if row.takes_key:
        asked = _with_key(asked, default_key)
    request = validate(row.request_type, asked)
    key = asked.get(KEY) or key_of_uploads(request)
    fingerprint = b"" if key is None else fingerprint_of(sent)
    return row.run(request, Call(principal, row.rpc, key, fingerprint), world)


def _with_key(asked: JsonObject, default_key: str | None) -> JsonObject:
    """The request with the key of the operation, else the own key, else the default key."""
    named = asked.get(OPERATION_ID)
    if isinstance(named, str) and named:
        return {**asked, KEY: named}
    if asked.get(KEY) is None and default_key is not None:
        return {**asked, KEY: default_key}
    return asked
