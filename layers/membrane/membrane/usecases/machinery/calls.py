"""Calls, their results, and the retries of writes that lost a race, with random pauses.

Repeats of a request under an idempotency key are the matter of `usecases.records.write`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.domain.language.fields import token_of
from membrane.domain.language.json_text import Body
from membrane.domain.language.values import LargeValue
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.stored import AnyRecord, Operation, keyed_id, operation
from membrane.table.items import LostRace
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.language.replies import PageReply
    from membrane.domain.lifecycle.requests import ChangeRequest
    from membrane.domain.records.replies import DeletedRecord, GoneReply, WrittenReply


class Call(NamedTuple):
    """A call: the principal, the RPC, and the idempotency key for recognising a repeat."""

    principal: Principal
    rpc: str
    key: str | None
    fingerprint: bytes
    """SHA-256 of the request as sent; empty without an idempotency key."""

    @property
    def operation(self) -> Operation | None:
        """The mark of the call in a changed record; None without a key."""
        if self.key is None:
            return None
        return operation(self.principal.identity, self.rpc, self.key, self.fingerprint)

    @property
    def keyed_id(self) -> str | None:
        """The id of the record or job that the call creates; None without a key."""
        return self.key and keyed_id(self.principal.identity, self.rpc, self.key)

    def new_id(self, world: World) -> str:
        """The id of what the call creates: made from the idempotency key, else random."""
        return self.keyed_id or world.new_id()

    def why(self, request: "ChangeRequest") -> Why:
        return Why(request.actor or self.principal.actor_id, request.rationale)

    def making(self, record_id: str, now: datetime, world: World) -> Making:
        """The values for a record that the call makes or changes at `now`: ids, instant, salt."""
        return Making(
            record_id=record_id,
            node_id=world.new_id(),
            now=now,
            principal=self.principal.actor_id,
            salt=world.new_salt(),
            policy=world.policy,
        )


def making_by(actor: str, record_id: str, world: World) -> Making:
    """The context of a write that no call asks for, now."""
    return Making(record_id, "", world.now(), actor, world.new_salt(), world.policy)


class Written(NamedTuple):
    """A record written by the call, or by an earlier call under the same key."""

    record: MemoryRecord
    version: int
    replayed: bool = False
    values: Mapping[LargeValue, bytes] = NO_VALUES
    """The texts of large values already in memory."""
    reinforced: bool = False
    """Whether the call reinforced a known equal fact instead of creating a record."""

    @property
    def body(self) -> "WrittenReply":
        """The record with the consistency token."""
        token = token_of(self.record.id, self.version)
        return {"record": as_json(self.record), "consistency_token": token}


class Gone(NamedTuple):
    """The result of a deletion, or of a repeated call for a record deleted since."""

    record_id: str
    deleted_at: str
    replayed: bool = True

    def as_json(self) -> "DeletedRecord":
        """The deleted record in a reply."""
        return {"id": self.record_id, "deleted_at": self.deleted_at}

    @property
    def body(self) -> "GoneReply":
        return {"record": self.as_json()}


Result = Written | Gone


def known_values(result: object) -> Mapping[LargeValue, bytes]:
    """The texts of large values in a result, so that a reply need not read the bucket."""
    return result.values if isinstance(result, (Written, ReplyBody)) else NO_VALUES


def was_reinforced(result: object) -> bool:
    """Whether the call created no record because the fact was known."""
    return isinstance(result, Written) and result.reinforced


class ReplyBody(NamedTuple):
    """The body of a reply; `LargeValue`s in it are put in place, or linked to, at the edge."""

    body: Body
    replayed: bool = False
    values: Mapping[LargeValue, bytes] = NO_VALUES
    version: int | None = None
    """The version of the document in the body, for the header `ETag`; None = no header."""


def reply_body(result: Any) -> Body:
    """The body of the reply: the result of a use case itself, or the `body` of the result."""
    return result if isinstance(result, dict) else result.body


def cursor_part(cursor: str | None) -> "PageReply":
    """The part of a reply that says where the next page begins."""
    return {} if cursor is None else {"next_cursor": cursor}


MAX_TRIES = 16
"""Tries of a write, with full jitter between tries."""

FIRST_PAUSE_S = 0.02
"""The limit of the first pause."""

LONGEST_PAUSE = 100
"""The limit of the longest pause, as a multiple of FIRST_PAUSE_S, at which doubling ends."""

TRANSIENT = (ResourceExhausted, Unavailable)
"""Errors of a busy or silent store: no fault of an item, hence worth a retry."""

Outcome = TypeVar("Outcome")


def until_won(attempt: Callable[[], Outcome], world: World, max_tries: int = MAX_TRIES) -> Outcome:
    """The result of the first attempt without LostRace; raises Aborted after `max_tries`."""
    for tries in range(max_tries):
        if tries:
            world.back_off(tries - 1)
        with suppress(LostRace):
            return attempt()
    raise Aborted("other writers came first every time; nothing was changed")


def longest_pause(tries: int) -> int:
    """The limit of the pause after a number of tries, as a multiple of FIRST_PAUSE_S.

    `World.back_off(tries)` draws the pause from 0 up to the limit (full jitter).
    """
    return min(1 << tries, LONGEST_PAUSE)


@dataclass(frozen=True, slots=True)
class Attempts:
    """The audit entries that a call tried to write."""

    tried: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """The position in the trail, by record id and hash of the entry."""

    def note(self, after: AnyRecord) -> None:
        self.tried[after.id][after.trail[-1].hash] = after.written_entries - 1

    def note_first(self, record: MemoryRecord) -> None:
        self.tried[record.id][record.audit_log[0].hash] = 0

    def were_written(self, held: AnyRecord, world: World) -> bool:
        """Whether the trail of the record has a tried entry; older entries are read singly."""
        positions = self.tried.get(held.id, {})
        if any(entry.hash in positions for entry in held.trail):
            return True
        loaded_from = held.written_entries - len(held.trail)
        return any(
            entry.hash in positions
            for position in positions.values()
            if position < loaded_from
            for _, entry in world.records.entries(held, position, position + 1)
        )

    def find_written(self, world: World) -> AnyRecord | None:
        """The present state of the record that an attempt wrote; None if no attempt succeeded."""
        for record_id in self.tried:
            held = world.records.load(record_id)
            if held is not None and self.were_written(held, world):
                return held
        return None
