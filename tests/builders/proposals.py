"""Captures, and the proposals of a model for captures, as JSON and as models."""

from collections.abc import Mapping, Sequence
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.capture.proposals import Proposal, proposal_in
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.ingest.messages import IngestMessages
from membrane.domain.language.json_text import Body
from membrane.domain.language.requests import validate
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.capture.capture_memory import capture_memory
from membrane.usecases.ingest.ingest_messages import ingest_messages
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.machinery.calls import ReplyBody
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call, full_record, written

LISTS = ("mentions", "relations", "references", "labels", "facts")


def answer(**lists: list[dict[str, Any]]) -> dict[str, Any]:
    """A model's answer: the given lists, and empty lists for the rest."""
    return {name: lists.get(name, []) for name in LISTS}


def proposal(**lists: list[dict[str, Any]]) -> Proposal:
    """The same, parsed."""
    return proposal_in(answer(**lists))


def mention(surface: str = "Ana", **fields: Any) -> dict[str, Any]:
    """A mention that rests on its own name."""
    usual = {
        "surface": surface,
        "entity_kind": "person",
        "entity_id": "",
        "aliases": [],
        "confidence": 0.9,
        "words": surface,
    }
    return usual | fields


def relation(target_id: str = "e-1", **fields: Any) -> dict[str, Any]:
    """A relation to an offered record."""
    usual = {
        "predicate": "depends_on",
        "target_id": target_id,
        "confidence": 0.8,
        "words": "depends on",
    }
    return usual | fields


def reference(target_id: str = "r-1", **fields: Any) -> dict[str, Any]:
    """A reference to an offered record."""
    usual = {"ref": "OPS-7", "target_id": target_id, "confidence": 0.7, "words": "OPS-7"}
    return usual | fields


def label(text: str = "outage", **fields: Any) -> dict[str, Any]:
    """A label."""
    return {"label": text, "confidence": 0.6, "words": "went down"} | fields


def fact(**fields: Any) -> dict[str, Any]:
    """A fact."""
    usual = {
        "subject": "billing",
        "predicate": "owned_by",
        "object": "Ana",
        "confidence": 0.9,
        "words": "Ana owns billing",
    }
    return usual | fields


def capture_request(content: Any, **fields: Any) -> CaptureMemory:
    """The request that captures the content in the scope project:alpha."""
    usual = {"source": "agent", "source_kind": "event", "scope": "project:alpha"}
    return CaptureMemory.model_validate({**usual, "content": content, **fields})


def capture(
    content: Any,
    services: World,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
    **fields: Any,
) -> ReplyBody:
    """The capture of the content."""
    request = capture_request(content, **fields)
    return capture_memory(request, call(request, principal, key=key), services)


def captured(content: Any, services: World, **fields: Any) -> Body:
    """The body of the reply."""
    return capture(content, services, **fields).body


def entity_payload(name: str, **fields: Any) -> dict[str, Any]:
    """The payload of an entity of that name."""
    return {"kind": "entity", "canonical_name": name, "primary_type": "Person", **fields}


def add_entity(
    name: str, services: World, principal: Principal = OWNER, **fields: Any
) -> MemoryRecord:
    """The entity of that name, ingested; `payload` is its difference from usual."""
    payload = entity_payload(name, **fields.pop("payload", {}))
    usual = {"type": "entity", "sensitivity": "low", "scope": "project:alpha", "payload": payload}
    request = full_record(**{**usual, **fields})
    return written(ingest_record(request, call(request, principal), services))


PLACE = {"thread_id": "talk", "scope": "project:alpha"}


def said(*contents: str, **fields: Any) -> IngestMessages:
    """A request of messages that user and assistant say by turns."""
    roles = ("user", "assistant")
    return messages(
        *({"role": roles[place % 2], "content": each} for place, each in enumerate(contents)),
        **fields,
    )


def messages(*each: Mapping[str, Any], **fields: Any) -> IngestMessages:
    return validate(IngestMessages, {**PLACE, "messages": list(each), **fields})


def lines(number: int) -> Sequence[str]:
    """The contents of so many messages."""
    return [f"message {place}" for place in range(number)]


def tell(
    request: IngestMessages,
    services: World,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
) -> ReplyBody:
    """What ingesting the messages gives."""
    return ingest_messages(request, call(request, principal, key=key), services)


def refs(told: ReplyBody) -> Sequence[str]:
    """Where in their threads the messages of a reply stand."""
    return [each["payload"]["timeline"][0]["ref"] for each in told.body["records"]]
