"""Keyed writes of documents: what a write did is stored with the effect, and a repeat finds it."""

from typing import TYPE_CHECKING, Any

from membrane.domain.documents.changes import Making
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import ReadOperation
from membrane.domain.language.errors import AlreadyExists, NotFound
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.records.idempotency import FINGERPRINT_BYTES, Operation, operation
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.documents import Once, Receipt
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import REUSED

if TYPE_CHECKING:
    from membrane.domain.documents.replies import OperationReceipt

RPC = "documents"
"""One name for the writes of documents: at a place, a key stands for one write."""

NOT_FOUND = "operation not found"


def making_of(call: Call, rationale: str, world: World) -> Making:
    now = world.now()
    return Making(
        now_s=epoch_seconds(now),
        at=rfc3339(now),
        principal=call.principal.actor_id,
        salt=world.new_salt(),
        rationale=rationale,
    )


def kept_s(world: World) -> float:
    """Seconds for which former versions, deleted documents, keys and receipts are kept."""
    return world.retention.tombstone.total_seconds()


def earlier_write(place: Place, call: Call, world: World) -> Once | None:
    """What an earlier write under the key did; None without a key.

    Raises AlreadyExists if the earlier request was a different one.
    """
    keyed = _operation_of(call)
    if keyed is None:
        return None
    found = world.documents.find_once(place, keyed.identity)
    if found is not None and found.fingerprint != keyed.fingerprint:
        raise AlreadyExists(REUSED)
    return found


def once_of(place: Place, call: Call, now_s: float, world: World, **did: Any) -> Once | None:
    """What the call does, to be stored with the effect; `did` fills further fields of Once.

    None without a key.
    """
    keyed = _operation_of(call)
    if keyed is None:
        return None
    return Once(place, *keyed, now_s + kept_s(world), **did)


def noted_write(noted: Receipt, identity: str, operation_id: str, world: World) -> Once | None:
    """What the noted write did; None if nothing was written."""
    own = operation(identity, RPC, operation_id, noted.fingerprint)
    found = world.documents.find_once(noted.place, own.identity)
    if found is None or found.fingerprint != own.fingerprint or not found.number:
        return None
    return found


def note_receipt(operation_id: str, place: Place, call: Call, until_s: float, world: World) -> None:
    """Keep where a write with an operation id goes; comes before the write.

    Raises AlreadyExists if a different write with the id took place.
    """
    identity = call.principal.identity
    receipt = Receipt(place, call.fingerprint[:FINGERPRINT_BYTES])
    earlier = world.documents.find_receipt(identity, operation_id)
    if earlier == receipt:
        return
    if earlier is not None and noted_write(earlier, identity, operation_id, world) is not None:
        raise AlreadyExists(REUSED)
    world.documents.note(identity, operation_id, receipt, until_s)


def _operation_of(call: Call) -> Operation | None:
    """The digests of caller and key, and of the request; None without a key."""
    if call.key is None:
        return None
    return operation(call.principal.identity, RPC, call.key, call.fingerprint)


def read_operation(request: ReadOperation, call: Call, world: World) -> ReplyBody:
    """The receipt of the caller's write; raises NotFound for a write that did not take place.

    The note says where the write went, and comes before the write.
    """
    identity, operation_id = call.principal.identity, request.operation_id
    noted = world.documents.find_receipt(identity, operation_id)
    if noted is None:
        raise NotFound(NOT_FOUND)
    write = noted_write(noted, identity, operation_id, world)
    if write is None:
        raise NotFound(NOT_FOUND)
    receipt: OperationReceipt = {
        "namespace": [*noted.place.namespace],
        "key": noted.place.key,
        "scope": noted.place.scope,
        "version": write.number,
        "existed": write.existed,
    }
    return ReplyBody(receipt)
