"""What a capture keeps of the request, in the environment of the record."""

from typing import Any, NamedTuple

from membrane.domain.records.payloads import EnvironmentSnapshot, EpisodicPayload

CONTENT = "capture_content"
CONTEXT = "capture_context"
REASON = "reason_to_remember"

TEXT_FIELDS = (
    *("text", "message", "summary", "content", "title", "body", "description"),
    *("context_summary", "next_actions", "open_questions"),
)
"""The fields of an object that hold text, or texts, in the words of a person or an agent."""


class Captured(NamedTuple):
    """The content, the context and the reason of a capture, as sent."""

    content: Any
    context: Any
    reason: str

    def as_environment(self) -> EnvironmentSnapshot:
        return EnvironmentSnapshot(
            context={CONTENT: self.content, CONTEXT: self.context, REASON: self.reason}
        )


def texts_in(value: Any) -> list[str]:
    """The text itself, or the texts in the TEXT_FIELDS of an object, without blank ones."""
    found = [value]
    if isinstance(value, dict):
        fields = (value.get(name) for name in TEXT_FIELDS)
        found = [text for each in fields for text in (each if isinstance(each, list) else [each])]
    return [each for each in found if isinstance(each, str) and each.strip()]


def with_text_once(payload: EpisodicPayload) -> EpisodicPayload:
    """The episode of a captured text with the text as the event's summary, for a reader.

    The event has the beginning of the text, and the environment has the whole. Any other episode
    is unchanged.
    """
    environment = payload.environment
    kept = {} if environment is None else environment.context
    content = kept.get(CONTENT)
    if environment is None or not isinstance(content, str) or len(payload.timeline) != 1:
        return payload
    event = payload.timeline[0]
    if not event.summary or not content.startswith(event.summary):
        return payload
    rest = {name: value for name, value in kept.items() if name != CONTENT and value}
    without = environment.model_copy(update={"context": rest})
    return payload.model_copy(
        update={
            "timeline": (event.model_copy(update={"summary": content}),),
            "environment": without if rest else None,
        }
    )
