"""Do the operations of a batch of documents in order, each as if it came alone."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.batches import items
from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.rows import row_of
from membrane.domain.access.principals import Principal, for_user
from membrane.domain.documents.items import MAX_TAKEN_BYTES
from membrane.domain.documents.requests import BatchDocuments
from membrane.domain.language.errors import InvalidArgument, PermissionDenied, TooLarge, Violation
from membrane.domain.language.json_text import Body
from membrane.domain.language.requests import validate
from membrane.domain.language.values import MAX_BODY_BYTES, reply_bytes
from membrane.domain.language.vocabulary import LOWEST, Permission
from membrane.usecases.documents.reading import ROOM_BYTES
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.records.inline_large_values import inline_large_values

if TYPE_CHECKING:
    from membrane.domain.documents.replies import BatchedDocuments

OP = "op"
"""Names an item's operation."""

BATCHED = {
    "put": row_of("PutDocument"),
    "get": row_of("GetDocument"),
    "delete": row_of("DeleteDocument"),
    "append": row_of("AppendItems"),
    "search": row_of("SearchDocuments"),
    "namespaces": row_of("ListNamespaces"),
}
"""The rows that a batch may ask for, by the word in `op`."""

_READS = frozenset({"get", "search", "namespaces"})

_TOO_LARGE = "the reply to the batch has no room for this document; get the document alone"
_NOT_TAKEN = "the reply to the batch has no room for further items; take these items off alone"


def perform_documents(request: BatchDocuments, call: Call, world: World) -> Body:
    """`{"results": [...]}`, with an entry for each operation, in order.

    With `check_first`, raises InvalidArgument or PermissionDenied before any effect, naming the
    operation. Where the reply has no room for every document, the later ones get an error, and
    items that the reply has no room for are not taken off.
    """
    if request.check_first:
        for position, item in enumerate(request.operations):
            _check(item, position, call)
    refusing = _refusing_removals(request.operations)
    entries, known = items.perform_items(
        request.operations, call, world, BATCHED, OP, refusing=refusing
    )
    body: BatchedDocuments = {"results": _fitting(request.operations, entries)}
    return inline_large_values(body, world, known)


def _check(item: object, position: int, call: Call) -> None:
    place = f"operations.{position}"
    try:
        row, asked = items.row_and_request(item, BATCHED, OP)
        principal, asked = for_user(call.principal, asked)
        row.require_permission(principal)
        _require_rights(validate(row.request_type, asked), row, principal)
    except InvalidArgument as error:
        violations = [Violation(f"{place}.{each.field}", each.message) for each in error.violations]
        raise type(error)(f"{place}: {error}", violations) from error
    except PermissionDenied as error:
        raise PermissionDenied(f"{place}: {error}") from error


def _require_rights(request: Any, row: Row, principal: Principal) -> None:
    """Raises PermissionDenied for a write beyond the key, as far as no document need be read."""
    if row.permission is not Permission.INGEST:
        return
    sensitivity = getattr(request, "sensitivity", None) or LOWEST
    principal.require_write(principal.scope_for_writing(request.scope), sensitivity)
    if getattr(request, "erase", False):
        principal.require(Permission.ADMIN)


def _refusing_removals(operations: Sequence[Any]) -> Callable[[Sequence[Body]], TooLarge | None]:
    """Whether the next removal is beyond the room; the entries of reads give way."""
    kept = 0

    def refusal(entries: Sequence[Body]) -> TooLarge | None:
        nonlocal kept
        if entries and _field(operations[len(entries) - 1], OP) not in _READS:
            kept += reply_bytes(entries[-1])
        asked = operations[len(entries)]
        if _field(asked, OP) != "delete" or _field(asked, "items") is None:
            return None
        return TooLarge(_NOT_TAKEN) if kept + 2 * MAX_TAKEN_BYTES > ROOM_BYTES else None

    return refusal


def _field(item: object, name: str) -> object:
    return item.get(name) if isinstance(item, dict) else None


def _fitting(operations: Sequence[Any], entries: list[Body]) -> list[Body]:
    """The entries; the last reads give way to an error where the reply has no room for all."""
    fitting, excess = [*entries], reply_bytes(entries) - MAX_BODY_BYTES
    refusal = items.refusal_entry(TooLarge(_TOO_LARGE))
    for position in reversed(range(len(entries))):
        if excess > 0 and _field(operations[position], OP) in _READS:
            excess -= reply_bytes(entries[position]) - reply_bytes(refusal)
            fitting[position] = refusal
    return fitting
