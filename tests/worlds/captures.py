"""Captures in a store, on a stage and in pieces: what is stored, what holds of any state."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event
from typing import Any

from membrane.adapters.aws_lambda.invocation import Context, Reply, StreamedReply, streams
from membrane.domain.capture.made_records import CREATED_ENTITY
from membrane.domain.entities.names import terms_of_entity
from membrane.domain.language.vocabulary import AuditAction, MemoryType, Sensitivity
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.wiring.start import world
from membrane.wiring.world import World
from tests.worlds.faults import SteppingBlobs, without_retries
from tests.worlds.revision import State, held_in, revising, state_in
from tests.worlds.stores import Item, Store, table_store

Held = Mapping[str, AnyRecord]


def services_over(store: Store) -> World:
    """World over any implementation of the store, with counted ids and no waiting."""
    return store.services


def alive(found: Held) -> list[StoredRecord]:
    """The records that are not deleted."""
    return [
        each for each in found.values() if isinstance(each, StoredRecord) and each.tombstone is None
    ]


def of_type(found: Held, memory_type: MemoryType) -> list[StoredRecord]:
    """The records of the type that are neither deleted nor retracted."""
    return [
        each
        for each in alive(found)
        if each.type is memory_type and not is_retracted(each.record.payload)
    ]


def require_sound_captures(found: Held) -> None:
    """Names lead to one entity, mentions to records, and links to nothing more sensitive."""
    require_one_entity_a_name(found)
    for each in alive(found):
        if each.record.interpretation is not None:
            _require_sound_mentions(each, found)


def require_one_entity_a_name(found: Held) -> None:
    """No two active entities made by captures have one canonical term, scope and level.

    Except an entity that a split released: while the absorbing entity was deleted, or more
    sensitive than a capture, the capture may have made another entity of the name.
    """
    counted: Counter[tuple[str, Sensitivity, str]] = Counter()
    for each in of_type(found, MemoryType.ENTITY):
        payload = each.record.payload
        assert isinstance(payload, EntityPayload)
        term = terms_of_entity(payload)[0]
        was_merged = any(entry.action is AuditAction.MERGE for entry in each.trail)
        if each.trail[0].rationale == CREATED_ENTITY and not was_merged:
            counted[each.scope, each.sensitivity, term] += 1
    assert [each for each, number in counted.items() if number > 1] == []


def _require_sound_mentions(primary: StoredRecord, found: Held) -> None:
    interpretation = primary.record.interpretation
    assert interpretation is not None
    named = {each.canonical_entity_id for each in interpretation.mentions} - {""}
    linked = {each.target_id for each in primary.record.relations}
    assert named <= linked, f"{primary.id} names an entity without a link"
    for target_id in linked:
        assert target_id in found, f"{primary.id} leads to {target_id}, which never was"
        target = found[target_id]
        if isinstance(target, StoredRecord) and not _was_moved(target):
            assert target.scope in (primary.scope, ""), f"{primary.id} leads to another scope"
            is_clear = target.sensitivity.level <= primary.sensitivity.level
            assert is_clear, f"{primary.id} leads to a record that is more sensitive"


def _was_moved(stored: StoredRecord) -> bool:
    """Whether the record may have had another scope or sensitivity when a capture was linked."""
    return any(each.action is AuditAction.REVISE for each in stored.trail)


Act = Callable[[], object]
"""A capture or a change; what the act returns is the reply."""

Prepare = Callable[[World, Store], Sequence[Act]]
"""Puts what is there at first, and returns what is done then."""


@dataclass(frozen=True, slots=True)
class CaptureStage:
    """A table, what is in the table at first, and the acts."""

    table: Store
    acts: Sequence[Act]
    items: Sequence[Item]
    blobs: Mapping[str, bytes]

    @classmethod
    def of(cls, prepare: Prepare) -> "CaptureStage":
        blobs = SteppingBlobs()
        table = table_store(blobs)
        without_retries(table.client)
        acts = prepare(revising(table), table)
        return cls(table, acts, table.everything(), dict(blobs.blobs))

    def begin(self) -> None:
        """All is as at first."""
        found = self.table.everything()
        for item in found:
            if item not in self.items:
                self.table.remove(item)
        self.table.put_all([item for item in self.items if item not in found])
        assert isinstance(self.table.blobs, SteppingBlobs)
        self.table.blobs.blobs = dict(self.blobs)

    def state(self) -> State:
        """All that there is now, with what must hold of any state."""
        require_sound_captures(held_in(self.table))
        return state_in(self.table)


HEADERS = {"Content-Type": "text/event-stream"}
WHOLE = "whole"
"""The body of a reply to a caller that takes no stream."""


@dataclass(slots=True)
class Script:
    """The pieces of one reply, as the test makes them."""

    may_begin: Event = field(default_factory=Event)
    """The function waits for the event before the reply; set unless a test clears the event."""
    closed: Event = field(default_factory=Event)
    """Set once the function has left its generator."""
    served: list[bool] = field(default_factory=list)
    """Whether the function had its services, at each piece."""
    _pieces: "SimpleQueue[bytes | Exception | None]" = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        self.may_begin.set()

    def make(self, piece: bytes | Exception | None) -> None:
        """Let the function send a piece, raise an error, or end with None."""
        self._pieces.put(piece)

    def pieces(self) -> Iterator[bytes]:
        try:
            while (piece := self._pieces.get()) is not None:
                if isinstance(piece, Exception):
                    raise piece
                self.served.append(world().allows_loopback)
                yield piece
        finally:
            self.closed.set()


SCRIPTS: dict[str, Script] = {}
"""The scripts by the ids that requests name in a header; a handler has no other way to a test."""


def handler(event: Mapping[str, Any], context: Context) -> Reply | StreamedReply:
    """The handler of the function."""
    if not streams(context):
        return {"statusCode": 200, "headers": {}, "body": WHOLE}
    script = SCRIPTS[event["headers"]["script"]]
    script.may_begin.wait()
    return StreamedReply(200, HEADERS, script.pieces())
