"""An RPC at the edge: the route, the permission, the request, and the reply."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.domain.access.principals import Principal
from membrane.domain.access.users import for_user
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import MAX_DEPTH, JsonObject
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.idempotency import fingerprint_of, key_of_uploads
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services

KEY = "idempotency_key"
OPERATION_ID = "operation_id"
"""The key of a write whose receipt can be read later; takes precedence over KEY."""
SUCCESS = "OK"
CREATED = 201
ACCEPTED = 202


class Operation(NamedTuple):
    """One row of the route table."""

    request: type[Part]
    route: str
    """Method and path in the form of API Gateway's route keys."""
    permission: Permission | None
    """None = the use case checks the permission that the request needs."""
    assemble: Callable[[Any], JsonObject]
    """Makes the request's JSON from an HTTP request."""
    run: Callable[[Any, Call, Any], Any]
    """The use case: takes a `request`, the call, and the services of the route's function.

    The result is the body of the reply, or has a `body`."""
    status: int = 200
    also_for: Permission | None = None
    """A permission that opens the route, too; the use case checks which permission is needed."""
    levels: int = MAX_DEPTH
    """Permitted nesting of the request."""
    name: str = ""
    """The RPC, if different from the name of the request's class."""
    has_users_within: bool = False
    """Whether parts of the request may name a user: the items of a batch, the arguments of a tool.

    The use case narrows the principal to the user of a part; a list of tools reads no memory."""

    @property
    def rpc(self) -> str:
        return self.name or self.request.__name__

    @property
    def takes_key(self) -> bool:
        """Whether the request can be repeated under an idempotency key."""
        return KEY in self.request.model_fields

    def require_permission(self, principal: Principal) -> None:
        """Raises PermissionDenied."""
        if self.permission is not None and self.also_for not in principal.permissions:
            principal.require(self.permission)


@contextmanager
def reporting(rpc: str, services: Services) -> Iterator[None]:
    """Report the end of the block: SUCCESS, or the code of a DomainError, which passes through.

    Lambda counts any other exception.
    """
    try:
        yield
    except DomainError as error:
        services.report(rpc, kind_of(error).code)
        raise
    services.report(rpc, SUCCESS)


def perform(
    operation: Operation,
    asked: Any,
    principal: Principal,
    services: Services,
    default_key: str | None = None,
) -> Any:
    """The use case's result for the request `asked`, sent by `principal`; raises DomainError.

    `default_key` applies to a request without a key. A `user` narrows the principal before
    validation. The fingerprint leaves the user out: the narrowed principal's identity has the user.
    """
    operation.require_permission(principal)
    if not isinstance(asked, dict):
        raise InvalidArgument("the request must be a JSON object")
    principal, asked = for_user(principal, asked, has_users_within=operation.has_users_within)
    sent = {name: asked[name] for name in asked if name != KEY}
    if operation.takes_key:
        asked = _with_key(asked, default_key)
    request = validate(operation.request, asked)
    key = asked.get(KEY) or key_of_uploads(request)
    fingerprint = b"" if key is None else fingerprint_of(sent)
    call = Call(principal, operation.rpc, key, fingerprint)
    return operation.run(request, call, services)


def _with_key(asked: JsonObject, default_key: str | None) -> JsonObject:
    """The request with the key of the operation, else the own key, else the default key."""
    named = asked.get(OPERATION_ID)
    if isinstance(named, str) and named:
        return {**asked, KEY: named}
    if asked.get(KEY) is None and default_key is not None:
        return {**asked, KEY: default_key}
    return asked
