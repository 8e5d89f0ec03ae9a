"""The tool `remember`: a text becomes a capture, and a fact an observation."""

from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language.json_text import Body, compact_json
from membrane.domain.language.violations import validate
from membrane.domain.tokens.consistency import token_of
from membrane.domain.tools.arguments import Remember
from membrane.domain.tools.replies import Remembered
from membrane.domain.tools.texts import count_words
from membrane.usecases.capture.capture_memory import capture_memory
from membrane.usecases.ingest.ingest_observation import ingest_observation
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.tools.tool import ToolAnswer

NOTE = "note"
"""The kind of the captured event."""


def remember(asked: Remember, call: Call, services: ToolServices) -> ToolAnswer:
    """Write the memory; raises the errors of `capture_memory` and of `ingest_observation`."""
    if asked.text:
        return _remember_text(asked, call, services)
    return _remember_fact(asked, call, services)


def _remember_text(asked: Remember, call: Call, services: ToolServices) -> ToolAnswer:
    sent = {
        "source": call.principal.actor_id,
        "source_kind": NOTE,
        "content": asked.text,
        "scope": asked.scope,
        "tags": asked.tags,
    }
    body = capture_memory(validate(CaptureMemory, sent), call, services).body
    record = body["primary_record"]
    if "deleted_at" in record:
        return _deleted_since(record)
    reply = _reply(record)
    created = [each["id"] for each in body["created_records"]]
    if created:
        reply["created_ids"] = created
    made = f", with {count_words(len(created), 'memory', 'memories')} made of it" if created else ""
    return ToolAnswer(reply, _text(reply, made), tuple(body["consistency_tokens"]))


def _remember_fact(asked: Remember, call: Call, services: ToolServices) -> ToolAnswer:
    sent = {
        "source": call.principal.actor_id,
        "subject": asked.subject,
        "predicate": asked.predicate,
        "object": asked.object,
        "on_conflict": asked.on_conflict,
        "scope": asked.scope,
        "tags": asked.tags,
    }
    result = ingest_observation(validate(IngestObservation, sent), call, services)
    if isinstance(result, Gone):
        return _deleted_since(result.as_json())
    record = result.record
    reply: Remembered = {"id": record.id, "type": record.type, "scope": record.scope}
    known = ""
    if result.reinforced:
        reply["known"] = True
        known = "; the fact was known and is now more salient"
    return ToolAnswer(reply, _text(reply, known), (token_of(record.id, result.version),))


def _reply(record: Body) -> Remembered:
    return {"id": record["id"], "type": record["type"], "scope": record.get("scope", "")}


def _text(reply: Remembered, further: str) -> str:
    place = f"scope {compact_json(reply['scope'])}" if reply["scope"] else "no scope"
    return (
        f"Remembered as {reply['id']} in {place}{further}. The next call can recall and read it. "
        "If it turns out wrong: correct or forget with the id."
    )


def _deleted_since(record: Body) -> ToolAnswer:
    """The answer to a repeat under an idempotency key whose memory was deleted in between."""
    text = f"The memory {record['id']} was remembered before, and deleted {record['deleted_at']}."
    return ToolAnswer({"id": record["id"], "deleted_at": record["deleted_at"]}, text, is_error=True)
