"""What a capture keeps of the request, in the environment of the episode."""

from typing import Any, NamedTuple

from membrane.domain.records.payloads import EnvironmentSnapshot, EpisodicPayload

CONTENT = "capture_content"
CONTEXT = "capture_context"
REASON = "reason_to_remember"

TEXT_FIELDS = ("text", "message", "summary", "content", "title", "body", "description")
"""The fields of an object that hold text in the words of a person or an agent."""


class Captured(NamedTuple):
    """The content, the context and the reason of a capture, as sent."""

    content: Any
    context: Any
    reason: str

    def as_environment(self) -> EnvironmentSnapshot:
        return EnvironmentSnapshot(
            context={CONTENT: self.content, CONTEXT: self.context, REASON: self.reason}
        )


def captured_in(payload: EpisodicPayload) -> Captured | None:
    """What the episode keeps of a capture; None for an episode of another origin.

    None also where the capture is so large that the bucket holds it.
    """
    context = None if payload.environment is None else payload.environment.context
    match context:
        case {"capture_content": content, "capture_context": around, "reason_to_remember": reason}:
            return Captured(content, around, str(reason))
        case _:
            return None


def texts_in(value: Any) -> list[str]:
    """The text itself, or the non-blank texts among the TEXT_FIELDS of an object, in order."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    found = (value.get(name) for name in TEXT_FIELDS) if isinstance(value, dict) else ()
    return [each for each in found if isinstance(each, str) and each.strip()]
