"""A call, with principal, RPC and idempotency key, and the results of calls."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.json_text import Body
from membrane.domain.language.values import LargeValue
from membrane.domain.records.idempotency import Operation, keyed_id, operation
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.tokens import token_of
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
