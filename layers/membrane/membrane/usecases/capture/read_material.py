"""Read the material of a capture for a model: content and context as text."""

from typing import Any, NamedTuple

from membrane.domain.capture.interpreter_prompt import MAX_CONTENT_CHARACTERS, readable_text
from membrane.domain.records.captured import CONTENT, CONTEXT, REASON
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.rendering import readable
from membrane.usecases.ports.services import Services
from membrane.usecases.revision.heads import inline_value


class Material(NamedTuple):
    """The texts of a capture that a model reads."""

    content_text: str
    context_text: str


def read_material(held: StoredRecord, services: Services) -> Material:
    """Content and context of the capture, large values from the bucket included.

    An episode keeps the content in the environment, arguments and results in the tool calls. Of
    any other capture the content is the record in words.
    """
    payload = held.record.payload
    if not isinstance(payload, EpisodicPayload) or payload.environment is None:
        return Material(readable(held.record, MAX_CONTENT_CHARACTERS), "")
    kept = inline_value(payload.environment.context, services)
    in_calls = (each for node in payload.tool_graph for each in (node.args, node.result))
    contents = (kept.get(CONTENT), *(inline_value(each, services) for each in in_calls))
    return Material(_lines(*contents), _lines(kept.get(REASON), kept.get(CONTEXT)))


def _lines(*values: Any) -> str:
    """The values as text, without empty texts."""
    return "\n".join(filter(None, map(readable_text, values)))
