"""Write the next version of a document: read, decide, write conditionally, once per key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.documents.changes import Making, Next
from membrane.domain.documents.document import Document
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import (
    AppendItems,
    DeleteDocument,
    PutDocument,
    ReadOperation,
)
from membrane.domain.language.errors import AlreadyExists, NotFound
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue
from membrane.domain.records.idempotency import FINGERPRINT_BYTES, Operation, operation
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.documents import Once, Receipt
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import REUSED

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


Decide = Callable[[Document | None, Making], Next | None]
"""Returns the next version from what is stored at the place; None if nothing has to change."""

Request = PutDocument | DeleteDocument


class Written(NamedTuple):
    document: Document | None
    """The document as it is stored now."""
    version: int
    """The version that the write made; 0 = nothing had to change."""
    existed: bool
    """Whether there was a document before."""
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class _Tries:
    """The versions that a call tried to write: a stored one among them is the call's own.

    A reply of the store may be lost after the write, and the next try then loses against it.
    """

    existed: dict[str, bool] = field(default_factory=dict)
    """By the hash of the entry: whether there was a document before."""

    def own(self, document: Document | None) -> "Written | None":
        if document is None:
            return None
        for version in (document.current, *document.former):
            if version.entry.hash in self.existed:
                existed = self.existed[version.entry.hash]
                return Written(document, version.entry.version, existed)
        return None


def place_of(request: Request | AppendItems, call: Call) -> Place:
    return request.place(call.principal.scope_for_writing(request.scope))


def write(  # noqa: PLR0917 - where, what, by whom, and over which ports
    place: Place,
    decide: Decide,
    request: Request,
    call: Call,
    world: World,
    large: Mapping[LargeValue, bytes] = NO_VALUES,
) -> Written:
    """Write what `decide` makes of the stored document; a repeat under the key changes nothing.

    Raises AlreadyExists for a key reused with a different request, Aborted, and the errors of
    `decide`. `large` has the texts of new large values.
    """
    tries = _Tries()

    def attempt() -> Written:
        before = world.documents.load(place)
        own = tries.own(before)
        if own is not None:
            return own
        earlier = earlier_write(place, call, world)
        if earlier is not None:
            if earlier.number > (0 if before is None else before.version):
                before = world.documents.load(place)  # the write came after the first load
            return Written(before, earlier.number, earlier.existed, replayed=True)
        making = making_of(call, request.rationale, world)
        planned = decide(before, making)
        if planned is None:
            once = once_of(place, call, making.now_s, world)
            if once is not None:
                world.documents.remember(once)
            return Written(before, 0, existed=False)
        existed = before is not None and before.is_alive(making.now_s)
        tries.existed[planned.after.current.entry.hash] = existed
        until_s = making.now_s + kept_s(world)
        if request.operation_id is not None:
            note_receipt(request.operation_id, place, call, until_s, world)
        version = planned.after.version
        world.documents.replace(
            before,
            planned.after,
            planned.leaving,
            history_until_s=until_s,
            large=large,
            once=once_of(place, call, making.now_s, world, number=version, existed=existed),
        )
        return Written(planned.after, version, existed)

    return until_won(attempt, world)
