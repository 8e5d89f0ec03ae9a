"""Do the operations of a batch of documents in order, each as if it came alone."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http.batch import (
    operation_and_request,
    perform_items,
    refusal_entry,
)
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.access.principals import Principal
from membrane.domain.access.users import for_user
from membrane.domain.documents.requests import BatchDocuments
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, TooLarge, Violation
from membrane.domain.language.json_text import Body
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import LOWEST, Permission
from membrane.domain.records.sizes import MAX_BODY_BYTES, reply_bytes
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services
from membrane.usecases.records.inline_large_values import inline_large_values

if TYPE_CHECKING:
    from membrane.domain.documents.replies import BatchedDocuments

OP = "op"
"""Names an item's operation."""

_TOO_LARGE = "the reply to the batch has no room for this document; get the document alone"


def perform_documents(
    request: BatchDocuments, call: Call, services: Services, *, operations: Mapping[str, Operation]
) -> Body:
    """`{"results": [...]}`, with an entry for each operation, in order.

    With `check_first`, raises InvalidArgument or PermissionDenied before any effect, naming the
    operation. Where the reply has no room for every document, the later ones get an error.
    """
    if request.check_first:
        for position, item in enumerate(request.operations):
            _check(item, position, call, operations)
    entries, known = perform_items(request.operations, call, services, operations, OP)
    body: BatchedDocuments = {"results": _fitting(entries)}
    return inline_large_values(body, services, known)


def _check(item: object, position: int, call: Call, operations: Mapping[str, Operation]) -> None:
    place = f"operations.{position}"
    try:
        operation, asked = operation_and_request(item, operations, OP)
        principal, asked = for_user(call.principal, asked)
        operation.require_permission(principal)
        _require_scope(validate(operation.request, asked), operation, principal)
    except InvalidArgument as error:
        violations = [Violation(f"{place}.{each.field}", each.message) for each in error.violations]
        raise type(error)(f"{place}: {error}", violations) from error
    except PermissionDenied as error:
        raise PermissionDenied(f"{place}: {error}") from error


def _require_scope(request: Any, operation: Operation, principal: Principal) -> None:
    """Raises PermissionDenied for a write outside of the scopes of the key."""
    if operation.permission is Permission.INGEST:
        principal.require_write(principal.scope_for_writing(request.scope), LOWEST)


def _fitting(entries: list[Body]) -> list[Body]:
    room, fitting = MAX_BODY_BYTES, []
    for entry in entries:
        size = reply_bytes(entry)
        shown = entry if size <= room else refusal_entry(TooLarge(_TOO_LARGE))
        room -= min(size, reply_bytes(shown))
        fitting.append(shown)
    return fitting
