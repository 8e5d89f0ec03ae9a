"""Capture memory: the evidence, new entities and the stated fact, all or nothing."""

from membrane.domain.capture.primary import report_of, require_capturable, with_captured
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.ingest.builder import build_record
from membrane.domain.language.values import references_in
from membrane.usecases.capture.draft_capture import Capture
from membrane.usecases.capture.reply_to_capture import earlier_reply
from membrane.usecases.capture.write_capture import write_capture
from membrane.usecases.ingest.ingest_report import accept
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.records import NOTHING_CLAIMED
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import id_for
from membrane.usecases.records.resolve_references import resolve_references
from membrane.usecases.revision.heads import inline_value


def capture_memory(request: CaptureMemory, call: Call, world: World) -> ReplyBody:
    """Store the capture, or find what an earlier call under the same key stored.

    Raises InvalidArgument; PermissionDenied; AlreadyExists for a key reused with a different
    request; TooLarge; Aborted; the errors of `resolve_references`.
    """
    request = request.by(call.principal.actor_id)
    references, claimed = references_in(request), NOTHING_CLAIMED
    if references:  # an upload makes the id as a key would
        record_id = id_for(call, world)
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
