"""Read the material of a capture for a model: content and context as text."""

from typing import Any, NamedTuple

from membrane.domain.capture.interpreter_prompt import MAX_CONTENT_CHARACTERS, readable_text
from membrane.domain.language.json_text import JsonObject
from membrane.domain.records.captured import CONTENT, CONTEXT, REASON
from membrane.domain.records.payloads import EnvironmentSnapshot, EpisodicPayload, WorkingPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.rendering import readable
from membrane.usecases.ports.world import World
from membrane.usecases.revision.heads import inline_value


class Material(NamedTuple):
    """The texts of a capture that a model reads."""

    content_text: str
    context_text: str


def read_material(held: StoredRecord, world: World) -> Material:
    """Content and context of the capture, large values from the bucket included.

    A capture keeps content, context and reason in the environment. Arguments and results of a tool
    call, and the fields of a working state, belong to the content, too. Of any other record the
    content is the record in words.
    """
    match held.record.payload:
        case EpisodicPayload(environment=EnvironmentSnapshot(context=context)) as payload:
            kept = inline_value(context, world)
            in_calls = (each for node in payload.tool_graph for each in (node.args, node.result))
            return _material(kept, _lines(*(inline_value(each, world) for each in in_calls)))
        case WorkingPayload() as payload:
            snapshot = payload.environment or EnvironmentSnapshot()
            kept = inline_value(snapshot.context, world)
            return _material(kept, _state_in_words(held, payload, kept))
        case _:
            return Material(readable(held.record, MAX_CONTENT_CHARACTERS), "")


def _material(kept: JsonObject, in_fields: str) -> Material:
    """The material from the environment, and from the part of the content in other fields."""
    return Material(
        _lines(kept.get(CONTENT), in_fields), _lines(kept.get(REASON), kept.get(CONTEXT))
    )


def _state_in_words(held: StoredRecord, payload: WorkingPayload, kept: JsonObject) -> str:
    """The fields of the working state, without a summary that is the reason of the capture."""
    reason = str(kept.get(REASON, "")).strip()
    summary = "" if payload.context_summary.strip() == reason else payload.context_summary
    state = payload.model_copy(update={"environment": None, "context_summary": summary})
    return readable(held.record.model_copy(update={"payload": state}), MAX_CONTENT_CHARACTERS)


def _lines(*values: Any) -> str:
    """The values as text, without empty texts."""
    return "\n".join(filter(None, map(readable_text, values)))
