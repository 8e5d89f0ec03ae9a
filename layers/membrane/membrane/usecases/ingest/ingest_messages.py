"""Ingest a conversation: a record per message, all or none, at the next turns of a thread."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from membrane.domain.access.principals import require_revise_for
from membrane.domain.ingest import policy
from membrane.domain.ingest.messages import IngestMessages, check
from membrane.domain.ingest.policy import MemoryCandidate
from membrane.domain.ingest.turns import AcceptedMessage, build_turn, turn_of
from membrane.domain.language.errors import AlreadyExists, TooLarge, TooManyProfiles
from membrane.domain.language.fields import token_of
from membrane.domain.language.values import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.language.vocabulary import CandidateKind
from membrane.domain.records.records import as_json
from membrane.domain.records.sizes import most_bytes
from membrane.domain.records.standing import given_timestamp, thread_key
from membrane.domain.records.stored import StoredRecord
from membrane.table.items import IdTaken, LostRace
from membrane.usecases.machinery import calls
from membrane.usecases.machinery.visibility import require_visible
from membrane.usecases.ports.records import Turns
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import REUSED, SPENT, first_version, result_of

if TYPE_CHECKING:
    from membrane.domain.ingest.replies import MessagesReply
    from membrane.domain.language.values import LargeValue

TICK = timedelta(microseconds=1)
"""The time between the creation instants of messages in a request, which must differ."""


def ingest_messages(request: IngestMessages, call: calls.Call, world: World) -> calls.ReplyBody:
    """Write the messages, or find the messages that an earlier call under the same key wrote.

    Raises InvalidArgument; PermissionDenied; AlreadyExists for a key reused with a different
    request, or if the messages are gone; TooLarge, also for messages too large for a reply;
    Aborted.
    """
    check(request)
    scope = call.principal.scope_for_writing(request.scope)
    accepted = _accept_messages(request, call, world)
    call.principal.require_write(scope, accepted[0].policy_result.sensitivity)
    key, attempts = thread_key(scope, request.thread), calls.Attempts()

    def attempt() -> calls.ReplyBody:
        first = world.records.next_turn(key)
        new: list[StoredRecord] = []
        values: dict[LargeValue, bytes] = {}
        for turn, each in enumerate(accepted, first):
            record = build_turn(each, turn, request, scope)
            attempts.note_first(record)
            stored, large = first_version(record, each.making.now, call)
            new.append(stored)
            values |= large
        _require_returnable(new)
        try:
            world.records.create_all(new, Turns(key, first, first + len(new)), values=values)
        except TooManyProfiles as error:
            raise error.at("lifecycle.decay") from None
        except IdTaken:
            ids = [each.making.record_id for each in accepted]
            return _earlier_reply(ids, request, attempts, call, world)
        written = [calls.Written(each.with_newest_entries(), each.version) for each in new]
        return _reply(request, first, written)._replace(values=values)

    return calls.until_won(attempt, world)


def _accept_messages(
    request: IngestMessages, call: calls.Call, world: World
) -> Sequence[AcceptedMessage]:
    """The checked messages with record ids; the default time of a message is the creation time."""
    now, lifecycle = world.now(), request.lifecycle
    require_revise_for(call.principal, policy.privileged_in(lifecycle))
    accepted = []
    for index, message in enumerate(request.kept_messages.values()):
        own = call._replace(rpc=f"{call.rpc} {index}") if index else call
        making = call.making(own.new_id(world), now + index * TICK, world)
        said = given_timestamp(message.at) or making.timestamp
        candidate = MemoryCandidate(CandidateKind.MESSAGE, message, said)
        granted = policy.apply(
            candidate, request.sensitivity, world.policy, making.timestamp, lifecycle
        )
        accepted.append(AcceptedMessage(message, candidate, granted, making))
    return accepted


def _require_returnable(new: Sequence[StoredRecord]) -> None:
    records = [each.record for each in new]
    if sum(map(most_bytes, records)) <= MAX_REPLY_BYTES:
        return
    if reply_bytes([as_json(record) for record in records]) > MAX_REPLY_BYTES:
        raise TooLarge(
            f"the messages would be larger than {MAX_REPLY_BYTES} bytes in a reply; "
            "send fewer at once"
        )


def _earlier_reply(
    ids: Sequence[str],
    request: IngestMessages,
    attempts: calls.Attempts,
    call: calls.Call,
    world: World,
) -> calls.ReplyBody:
    """The reply for written messages: by this call after a lost reply, or by an earlier call.

    The turns are null if only tombstones are left. Raises AlreadyExists for a different request,
    and if a tombstone has expired.
    """
    found = world.records.load_each(ids)
    if not found:
        raise LostRace  # the tombstones under the ids have expired since the write
    if any(held.fingerprint != call.fingerprint for held in found.values()):
        raise AlreadyExists(REUSED)
    first = next(
        (
            turn_of(held.record) - index
            for index, held in enumerate(map(found.get, ids))
            if isinstance(held, StoredRecord)
        ),
        None,
    )
    if len(found) < len(ids):
        raise AlreadyExists(SPENT)
    is_own = attempts.were_written(found[ids[0]], world)
    held = [require_visible(found[each], call.principal) for each in ids]
    results = [result_of(each, world.now(), world) for each in held]
    return _reply(request, first, results)._replace(replayed=not is_own)


def _reply(
    request: IngestMessages, first: int | None, results: Sequence[calls.Result]
) -> calls.ReplyBody:
    body: MessagesReply = {
        "thread_id": request.thread,
        "first_turn": first,
        "next_turn": None if first is None else first + len(results),
        "records": [
            each.as_json() if isinstance(each, calls.Gone) else as_json(each.record)
            for each in results
        ],
        "consistency_tokens": [
            token_of(each.record.id, each.version)
            for each in results
            if isinstance(each, calls.Written)
        ],
    }
    if skipped := len(request.messages) - len(request.kept_messages):
        body["skipped"] = skipped
    return calls.ReplyBody(body)
