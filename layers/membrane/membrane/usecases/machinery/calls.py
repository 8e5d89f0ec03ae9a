"""Who calls, by which RPC, under which idempotency key; and what comes of it."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.trust import Principal
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.values import LargeValue
from membrane.domain.records.idempotency import Operation, operation
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.domain.lifecycle.requests import Reasoned
    from membrane.domain.records.replies import DeletedRecord


class Call(NamedTuple):
    """One call: the principal, the RPC, and the key under which a repeat is recognised."""

    principal: Principal
    rpc: str
    key: str | None
    fingerprint: bytes
    """SHA-256 of the request as it was sent; empty without a key, which alone asks for it."""

    @property
    def operation(self) -> Operation | None:
        """What a changed record remembers of the call; nothing without a key."""
        if self.key is None:
            return None
        return operation(self.principal.identity, self.rpc, self.key, self.fingerprint)

    def why(self, request: "Reasoned") -> Why:
        return Why(request.actor or self.principal.actor_id, request.rationale)

    def making(self, record_id: str, now: datetime, services: Services) -> Making:
        """The circumstances of a record that this call makes or changes at that instant."""
        return Making(
            record_id=record_id,
            node_id=services.new_id(),
            now=now,
            principal=self.principal.actor_id,
            salt=services.new_salt(),
        )


class Written(NamedTuple):
    """A record that the call wrote, or that an earlier call under the same key wrote."""

    record: MemoryRecord
    version: int
    replayed: bool = False
    values: Mapping[LargeValue, bytes] = NO_VALUES
    """The large values that are at hand already."""
    reinforced: bool = False
    """Whether the call met the record where it would have made one that says the same."""


class Gone(NamedTuple):
    """What a call gets that deleted the record, or that is repeated when it was deleted since."""

    record_id: str
    deleted_at: str
    replayed: bool = True

    def as_json(self) -> "DeletedRecord":
        """What a reply shows in the place of the record."""
        return {"id": self.record_id, "deleted_at": self.deleted_at}


Result = Written | Gone


def at_hand(result: object) -> Mapping[LargeValue, bytes]:
    """The large values that a result brings along, so that a reply need not read them again."""
    return result.values if isinstance(result, (Written, ReplyBody)) else NO_VALUES


def was_reinforced(result: object) -> bool:
    """Whether the call made nothing, for what it said was known."""
    return isinstance(result, Written) and result.reinforced
