"""Many requests in one: each is performed as if it came alone, in order."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from membrane.adapters.aws_lambda.http.operations import Operation, perform, reported
from membrane.adapters.aws_lambda.http.problems import FAULT_PROBLEM, problem
from membrane.domain.ingest.full_records import IngestBatch
from membrane.domain.language.digests import digest
from membrane.domain.language.errors import (
    DomainError,
    InvalidArgument,
    TooLarge,
    Unavailable,
)
from membrane.domain.language.json_text import Body, JsonObject, require_depth
from membrane.domain.language.values import LargeValue
from membrane.domain.records.idempotency import fingerprint_of
from membrane.domain.records.limits import MAX_REPLY_BYTES
from membrane.usecases.machinery.calls import Call, at_hand, was_reinforced
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services import Services
from membrane.usecases.records.large_values_shown import shown

if TYPE_CHECKING:
    from membrane.adapters.aws_lambda.http.replies import BatchReply, RefusedItem

RPC = "rpc"
"""Names an item's operation."""

BEGINS_WITHIN = timedelta(seconds=10)
"""API Gateway waits for 29; where the store fails, a single item may take longer than the rest.

A repeat under the same key then finds what was written.
"""

NOT_BEGUN = "the batch ran out of time before this item; send the whole batch again with its key"


def perform_batch(
    request: IngestBatch, call: Call, services: Services, *, operations: Mapping[str, Operation]
) -> Body:
    """`{"results": [{"status", "record", what messages answer, or "error"}]}`, one entry an item.

    An item without a key of its own gets one from the batch's key (`_keys`). Where the records are
    more than a reply carries, the entries have their ids alone.
    """
    end = services.now() + BEGINS_WITHIN
    known: dict[LargeValue, bytes] = {}
    entries: list[Body] = []
    for item, key in zip(request.items, _keys(call.key, request.items), strict=True):
        if services.now() > end:
            entries.append(_refused(Unavailable(NOT_BEGUN)))
        else:
            entries.append(_entry(item, operations, call._replace(key=key), services, known))
    try:
        body: BatchReply = {"results": entries}
        return shown(body, services, known)
    except TooLarge:
        return {"results": [_short(entry) for entry in entries]}


def _entry(
    item: Any,
    operations: Mapping[str, Operation],
    call: Call,
    services: Services,
    known: dict[LargeValue, bytes],
) -> Body:
    rpc = call.rpc
    try:
        operation, asked = requested(item, operations)
        rpc = operation.rpc
        with reported(rpc, services):
            result = perform(operation, asked, call.principal, services, call.key)
    except DomainError as error:
        return _refused(error)
    except Exception as fault:  # noqa: BLE001 - raised, it would hide what became of the others
        services.report(rpc, FAULT, fault)
        failed: RefusedItem = {"status": FAULT_PROBLEM["status"], "error": FAULT_PROBLEM}
        return failed
    for large, text in at_hand(result).items():
        if sum(map(len, known.values())) + len(text) <= MAX_REPLY_BYTES:
            known[large] = text
    status = 200 if result.replayed or was_reinforced(result) else operation.status
    return {"status": status, **operation.present(result)}


def requested(item: Any, operations: Mapping[str, Operation]) -> tuple[Operation, JsonObject]:
    """The operation that an item names and its request; raises InvalidArgument."""
    if not isinstance(item, dict):
        raise InvalidArgument("an item must be a JSON object")
    rpc = item.get(RPC)
    if not isinstance(rpc, str) or rpc not in operations:
        message = f"rpc must be one of: {', '.join(operations)}"
        raise InvalidArgument(message).at(RPC)
    asked = {name: value for name, value in item.items() if name != RPC}
    require_depth(asked, operations[rpc].levels)
    return operations[rpc], asked


def _keys(batch_key: str | None, items: Sequence[Any]) -> Iterator[str | None]:
    """A key for each item, made of the batch's key, the item's fingerprint and its occurrence.

    The third of three equal items is occurrence 2: equal items stay apart, and a repeated batch
    gives each item the key that it had, also where the items come in another order.
    """
    seen: Counter[str] = Counter()
    for item in items:
        if batch_key is None:
            yield None
            continue
        fingerprint = fingerprint_of(item).hex()
        yield digest(batch_key, fingerprint, str(seen[fingerprint])).hex()
        seen[fingerprint] += 1


def _refused(error: DomainError) -> "RefusedItem":
    body = problem(error)
    return {"status": body["status"], "error": body}


def _short(entry: Body) -> Body:
    if "records" in entry:
        return {**entry, "records": [_named(record) for record in entry["records"]]}
    return {**entry, "record": _named(entry["record"])} if "record" in entry else entry


def _named(record: JsonObject) -> JsonObject:
    return {name: record[name] for name in _SHORT if name in record}


_SHORT = ("id", "deleted_at")
