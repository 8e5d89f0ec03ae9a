"""The report that a capture makes of its content, by the kind of the source."""

from typing import Any, TypeVar

from pydantic import BaseModel

from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.ingest import reports
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.requests import validate
from membrane.domain.language.values import BLOB, UPLOAD, fields_with_references
from membrane.domain.language.vocabulary import CandidateKind
from membrane.domain.records import payloads
from membrane.domain.records.interpretation import CONTENT, CONTEXT, REASON, texts_in

MAX_SUMMARY_CHARACTERS = 1_000
"""Characters of a summary taken from the content."""

_STATE_FIELDS = ("state", "next_actions", "open_questions", "active_constraints")
"""Fields of a working state that are fields of the payload, too."""

_READ = ("args", "result", "object")
"""Fields of the content that become JSON values of a payload."""

CaptureReport = reports.IngestEvent | reports.IngestToolOutput | reports.IngestWorkingState

Report = TypeVar("Report", bound=reports.PlacedReport)

ContentPart = TypeVar("ContentPart", bound=BaseModel)


def require_capturable(content: Any) -> None:
    """Raises InvalidArgument for absent content, and for a reference in a field to be read."""
    if content is None:
        raise InvalidArgument("content is required for captures").at("content")
    for name in _READ if isinstance(content, dict) else ():
        value = content.get(name)
        if isinstance(value, dict) and value.keys() in ({UPLOAD}, {BLOB}):
            raise _not_in_place(f"content.{name}")


def report_of(request: CaptureMemory, content: Any, new_ref: str) -> CaptureReport:
    """The report behind the capture; `new_ref` is the ref of content without a ref.

    Raises InvalidArgument for a field of the content that the report refuses.
    """
    fields = content if isinstance(content, dict) else {}
    match request.source_kind:
        case CandidateKind.WORKING_STATE:
            return _working_state(request, content, fields)
        case CandidateKind.TOOL_OUTPUT:
            return _tool_output(request, fields)
        case kind:
            event = {
                "event_kind": kind or CandidateKind.EVENT.value,
                "ref": _text(fields, "ref") or _text(fields, "id") or new_ref,
                "summary": summary_of(request, content),
            }
            return _report(reports.IngestEvent, event, request)


def summary_of(request: CaptureMemory, content: Any) -> str:
    """The first non-blank text of summary, reason and the beginning of the content's text."""
    given = (each for each in (request.summary, request.reason_to_remember) if each.strip())
    return next(given, None) or text_of(content)[:MAX_SUMMARY_CHARACTERS]


def text_of(content: Any) -> str:
    """The texts of the content; JSON for content without text."""
    return "\n".join(texts_in(content)) or compact_json(content)


def with_captured(
    payload: payloads.Payload, request: CaptureMemory, content: Any, context: Any
) -> payloads.EpisodicPayload | payloads.WorkingPayload:
    """The payload of the report with the rest of the capture in the environment.

    An episode always has the environment; a working state has it if the other fields lack
    anything, or if only the environment can tell the reason from the content. Raises TypeError for
    a payload that no capture makes.
    """
    match payload:
        case payloads.EpisodicPayload():
            if request.source_kind == CandidateKind.TOOL_OUTPUT and isinstance(content, dict):
                content = _without_call(content)
        case payloads.WorkingPayload():
            rest = _without_state(content, payload)
            reason = request.reason_to_remember
            is_held = not reason.strip() or _is_summary(reason, content, payload)
            if is_held and not rest and context is None:
                return payload
            content = rest
        case _:
            raise TypeError("a capture makes an episode or a working state")
    kept = {CONTENT: content, CONTEXT: context, REASON: request.reason_to_remember}
    return payload.model_copy(update={"environment": payloads.EnvironmentSnapshot(context=kept)})


def _without_call(content: JsonObject) -> JsonObject:
    """The content of a tool output without result, and without arguments that the call can hold."""
    in_call = {"result", "args"} if isinstance(content.get("args"), dict) else {"result"}
    return {name: each for name, each in content.items() if name not in in_call}


def _without_state(content: JsonObject, payload: payloads.WorkingPayload) -> JsonObject:
    """The content without the fields that the payload of the working state holds."""
    texts = {
        "thread_id": payload.thread_id,
        "thread": payload.thread_id,
        "context_summary": payload.context_summary,
        "summary": payload.context_summary,
    }
    return {
        name: each
        for name, each in content.items()
        if name not in _STATE_FIELDS
        and not (isinstance(each, str) and each.strip() == texts.get(name))
    }


def _is_summary(reason: str, content: JsonObject, payload: payloads.WorkingPayload) -> bool:
    """Whether the content itself says the reason, as the summary of the working state."""
    stated = (_text(content, "context_summary"), _text(content, "summary"))
    return reason.strip() == payload.context_summary and payload.context_summary in stated


def _working_state(
    request: CaptureMemory, content: Any, fields: JsonObject
) -> reports.IngestWorkingState:
    if not isinstance(content, dict):
        message = "content must be an object with the working state"
        raise InvalidArgument(message).at("content")
    summaries = (
        request.summary,
        request.reason_to_remember,
        _text(fields, "context_summary"),
        _text(fields, "summary"),
    )
    asked = {
        "thread_id": _text(fields, "thread_id") or _text(fields, "thread"),
        "state": fields.get("state"),
        "next_actions": _distinct(fields.get("next_actions")),
        "open_questions": _distinct(fields.get("open_questions")),
        "active_constraints": fields.get("active_constraints"),
        "context_summary": next((each for each in summaries if each.strip()), ""),
    }
    return _report(reports.IngestWorkingState, asked, request)


def _tool_output(request: CaptureMemory, fields: JsonObject) -> reports.IngestToolOutput:
    asked = {
        "tool_name": _text(fields, "tool_name") or _text(fields, "tool"),
        "args": fields["args"] if isinstance(fields.get("args"), dict) else {},
        "result": fields.get("result"),
        "depends_on": _distinct(fields.get("depends_on")),
    }
    return _report(reports.IngestToolOutput, asked, request)


def part_of_content(kind: type[ContentPart], asked: JsonObject, place: str) -> ContentPart:
    """The fields at `place` in the content as a model, with every value in place.

    Nobody replaces a reference inside the content, and a record with a reference is unreadable.
    Raises InvalidArgument that names the field below `place`.
    """
    try:
        part = validate(kind, asked)
    except InvalidArgument as error:
        inside = [Violation(f"{place}.{each.field}", each.message) for each in error.violations]
        raise InvalidArgument(str(error), inside) from error
    for name in fields_with_references(part):
        raise _not_in_place(f"{place}.{name}")
    return part


def _not_in_place(field: str) -> InvalidArgument:
    return InvalidArgument(f"{field} must be in place, without {UPLOAD} or {BLOB}").at(field)


def _report(kind: type[Report], asked: JsonObject, request: CaptureMemory) -> Report:
    report = part_of_content(kind, asked, "content")
    common = {name: getattr(request, name) for name in reports.PlacedReport.model_fields}
    return report.model_copy(update=common)


def _distinct(texts: Any) -> Any:
    """A list of texts trimmed, without blanks and repeats in other case; other values as given."""
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        return () if texts is None else texts
    trimmed = {text.strip().casefold(): text.strip() for text in reversed(texts) if text.strip()}
    return list(reversed(trimmed.values()))


def _text(fields: JsonObject, name: str) -> str:
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""
