"""Do the operations of a batch of documents in order, each as if it came alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http.batch import (
    operation_and_request,
    perform_items,
    refusal_entry,
)
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.domain.access.principals import Principal
from membrane.domain.access.users import USER, for_user
from membrane.domain.documents.requests import BatchDocuments
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, TooLarge, Violation
from membrane.domain.language.json_text import Body, canonical_json
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import LOWEST, Permission
from membrane.domain.records.sizes import MAX_BODY_BYTES, reply_bytes
from membrane.usecases.documents.keyed_writes import NEWEST_COMPARED
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services
from membrane.usecases.records.inline_large_values import inline_large_values

if TYPE_CHECKING:
    from membrane.domain.documents.replies import BatchedDocuments

OP = "op"
"""Names an item's operation."""

_WRITES = frozenset({"put", "delete", "append"})
_READS = frozenset({"get", "search", "namespaces"})

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
    _require_few_writes(request, call)
    entries, known = perform_items(request.operations, call, services, operations, OP)
    body: BatchedDocuments = {"results": _fitting(request.operations, entries)}
    return inline_large_values(body, services, known)


def _check(item: object, position: int, call: Call, operations: Mapping[str, Operation]) -> None:
    place = f"operations.{position}"
    try:
        operation, asked = operation_and_request(item, operations, OP)
        principal, asked = for_user(call.principal, asked)
        operation.require_permission(principal)
        _require_rights(validate(operation.request, asked), operation, principal)
    except InvalidArgument as error:
        violations = [Violation(f"{place}.{each.field}", each.message) for each in error.violations]
        raise type(error)(f"{place}: {error}", violations) from error
    except PermissionDenied as error:
        raise PermissionDenied(f"{place}: {error}") from error


def _require_rights(request: Any, operation: Operation, principal: Principal) -> None:
    """Raises PermissionDenied for a write beyond the key, as far as no document need be read."""
    if operation.permission is not Permission.INGEST:
        return
    sensitivity = getattr(request, "sensitivity", None) or LOWEST
    principal.require_write(principal.scope_for_writing(request.scope), sensitivity)
    if getattr(request, "erase", False):
        principal.require(Permission.ADMIN)


def _require_few_writes(request: BatchDocuments, call: Call) -> None:
    """Raises InvalidArgument for a keyed batch of which a repeat could not be recognised.

    A document remembers its newest writes, and a list its newest appends: of more writes to one
    place a repeat would do the first ones again.
    """
    if call.key is None:
        return
    places = Counter(
        canonical_json([item.get(name) for name in (OP, "namespace", "key", "scope", USER)])
        for item in request.operations
        if isinstance(item, dict) and item.get(OP) in _WRITES
    )
    if places and max(places.values()) > NEWEST_COMPARED:
        raise InvalidArgument(
            f"operations may write {NEWEST_COMPARED} times to one document under a key: "
            "append several items at once, and put the last value alone"
        ).at("operations")


def _fitting(operations: Sequence[Any], entries: list[Body]) -> list[Body]:
    """The entries; the last reads give way to an error where the reply has no room for all."""
    fitting, excess = [*entries], reply_bytes(entries) - MAX_BODY_BYTES
    refusal = refusal_entry(TooLarge(_TOO_LARGE))
    for position in reversed(range(len(entries))):
        if excess > 0 and operations[position].get(OP) in _READS:
            excess -= reply_bytes(entries[position]) - reply_bytes(refusal)
            fitting[position] = refusal
    return fitting
