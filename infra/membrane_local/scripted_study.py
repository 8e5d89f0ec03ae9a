"""The script of a chat model that studies: a topic for a passage, a field for a paragraph."""

import json
from collections.abc import Sequence

from membrane.domain.chat.turns import ToolCall, ToolResult

FIRST_PHASE, SECOND_PHASE = "Study phase A.", "Study phase B."
"""How the messages of the two phases begin; see `first_note` and `second_note`."""

_BEFORE_DOCUMENT = "\n\n---\n\n"
_CALLS = 30
"""The calls of one answer."""


def is_study(text: str) -> bool:
    return text.startswith((FIRST_PHASE, SECOND_PHASE))


def study(text: str, results: Sequence[ToolResult]) -> tuple[str, Sequence[ToolCall]]:
    """The next text and calls: the topic of a passage, then its paragraphs; phase B looks on."""
    if text.startswith(SECOND_PHASE):
        look = [] if results else [ToolCall("look", "memory_list_topics", {})]
        return ("I left the topics as they are." if results else ""), look
    heading, *paragraphs = text.partition(_BEFORE_DOCUMENT)[2].strip().split("\n\n")
    heading = heading.lstrip("# ")
    if not results:
        return "", [ToolCall("make", "memory_create_topic", {"title": heading})]
    topic_id = json.loads(results[0].text).get("topic_id", "")
    left = list(enumerate(paragraphs, 1))[len(results) - 1 :][:_CALLS]
    if not topic_id or not left:
        return f"I made the topic {heading}.", ()
    return "", [
        ToolCall(
            f"write-{number}",
            "memory_append_field",
            {"topic_id": topic_id, "field_name": f"p{number:04}", "value": paragraph},
        )
        for number, paragraph in left
    ]
