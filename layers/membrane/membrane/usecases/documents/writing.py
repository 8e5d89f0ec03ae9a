"""Write the next version of a document: read, decide, write conditionally, once per key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from membrane.domain.documents.changes import Making, Next
from membrane.domain.documents.document import Document
from membrane.domain.documents.places import Place
from membrane.domain.documents.requests import AppendItems, DeleteDocument, PutDocument
from membrane.domain.language.values import LargeValue
from membrane.usecases.documents.keyed_writes import (
    earlier_write,
    kept_s,
    making_of,
    note_receipt,
    once_of,
)
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.world import World

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
