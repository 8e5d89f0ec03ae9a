"""Capture memory: the evidence, new entities and the stated fact, all or nothing."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from membrane.domain.capture.made_records import edges_of, made_ids
from membrane.domain.capture.primary import report_of, require_capturable, with_captured
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.ingest.builder import build_record
from membrane.domain.language.errors import AlreadyExists, TooManyProfiles
from membrane.domain.language.fields import token_of
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import references_in
from membrane.domain.records.records import as_json
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.table.items import IdTaken, LostRace
from membrane.usecases.capture.draft_capture import Capture, draft_capture
from membrane.usecases.ingest.ingest_report import accept
from membrane.usecases.machinery.calls import Attempts, Call, Gone, ReplyBody, until_won
from membrane.usecases.machinery.visibility import require_visible
from membrane.usecases.ports.records import NO_VALUES, NOTHING_CLAIMED
from membrane.usecases.ports.world import World
from membrane.usecases.records.resolve_references import resolve_references
from membrane.usecases.records.write import REUSED, first_version, result_of
from membrane.usecases.revision.heads import inline_value

if TYPE_CHECKING:
    from membrane.domain.capture.replies import CaptureReply
    from membrane.domain.language.values import LargeValue


def reply_of(
    primary: StoredRecord,
    created: Sequence[StoredRecord],
    world: World,
    values: "Mapping[LargeValue, bytes]" = NO_VALUES,
    *,
    replayed: bool = False,
) -> ReplyBody:
    """The reply for records as they are now."""
    now_s, curves = epoch_seconds(world.now()), world.policy.custom_curves
    shown = [each.as_of(now_s, curves) for each in (primary, *created)]
    body: CaptureReply = {
        "primary_record": as_json(shown[0]),
        "created_records": [as_json(each) for each in shown[1:]],
        "edges": edges_of(shown),
        "consistency_tokens": [token_of(each.id, each.version) for each in (primary, *created)],
    }
    return ReplyBody(body, replayed, values)


def earlier_reply(held: AnyRecord, call: Call, world: World, *, is_own: bool = False) -> ReplyBody:
    """The reply for a capture that is stored already; one request for the records that it made.

    `is_own`: the record is known to be from this call, whose first reply was lost. Raises
    AlreadyExists if a different request made the record; NotFound.
    """
    if not is_own and held.fingerprint != call.fingerprint:
        raise AlreadyExists(REUSED)
    result = result_of(require_visible(held, call.principal), world.now(), world)
    if isinstance(result, Gone):
        gone: CaptureReply = {
            "primary_record": result.as_json(),
            "created_records": [],
            "edges": [],
            "consistency_tokens": [],
        }
        return ReplyBody(gone, replayed=not is_own)
    if not isinstance(held, StoredRecord):
        raise TypeError("a record without a document is gone")
    created = world.records.load_each(made_ids(held.record))
    alive = [
        each
        for each in created.values()
        if is_alive(each) and call.principal.trust.allows(each.scope, each.sensitivity)
    ]
    return reply_of(held, alive, world, replayed=not is_own)


def write_capture(capture: Capture, call: Call, world: World) -> ReplyBody:
    """Write the evidence, the new records and the changes of the draft, all or nothing.

    Raises AlreadyExists; TooLarge; Aborted; the errors of `require_claimable`.
    """
    tried = Attempts()
    taken = set[str]()
    """Ids of records that an earlier capture under the same key made, and that outlived it."""

    def attempt() -> ReplyBody:
        draft = draft_capture(capture, call, world, taken)
        born, unkeyed = capture.making.now, call._replace(fingerprint=b"")
        primary, values = first_version(draft.primary, born, call)
        created = list[StoredRecord]()
        for each in draft.created:
            stored, large = first_version(each, born, unkeyed)
            created.append(stored)
            values |= large
        tried.note_first(draft.primary)
        try:
            world.records.create(
                primary,
                also=created,
                changed=draft.changed,
                targets=draft.targets,
                heads=draft.heads,
                names=draft.names,
                uploads=capture.uploads,
                values=values,
            )
        except TooManyProfiles as error:
            raise error.at("lifecycle.decay") from None
        except IdTaken as error:
            held = world.records.load(capture.primary.id)
            if held is not None:
                is_own = tried.were_written(held, world)  # this call, after a lost reply
                return earlier_reply(held, call, world, is_own=is_own)
            # Under the id of the evidence, a tombstone may have expired since the write.
            if error.record_id != capture.primary.id:
                taken.update(world.records.load_each([each.id for each in created]))
            raise LostRace from error
        return reply_of(primary, created, world, values)

    return until_won(attempt, world)


def capture_memory(request: CaptureMemory, call: Call, world: World) -> ReplyBody:
    """Store the capture, or find what an earlier call under the same key stored.

    Raises InvalidArgument; PermissionDenied; AlreadyExists for a key reused with a different
    request; TooLarge; Aborted; the errors of `resolve_references`.
    """
    request = request.by(call.principal.actor_id)
    references, claimed = references_in(request), NOTHING_CLAIMED
    if references:  # an upload makes the id as a key would
        record_id = call.new_id(world)
        held = world.records.load(record_id)
        if held is not None:
            return earlier_reply(held, call, world)
        request, claimed = resolve_references(request, references, record_id, call, world)
    content = inline_value(request.content, world, claimed.values)
    context = inline_value(request.context, world, claimed.values)
    require_capturable(content)
    report = report_of(request, content, world.new_id())
    candidate, given, scope, making = accept(report, call, world)
    record = build_record(candidate, report, given, scope, making)
    payload = with_captured(record.payload, request, content, context)
    record = record.model_copy(update={"payload": payload})
    capture = Capture(request, content, context, record, making, claimed.uploads)
    return write_capture(capture, call, world)
