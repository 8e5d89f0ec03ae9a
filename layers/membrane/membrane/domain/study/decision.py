"""Whether a message is studied as a document."""

THRESHOLD_CHARACTERS = 10_000
"""A longer message is a document (MemState, `MEMSTATE_CHAT_CHUNK_THRESHOLD_CHARS`)."""

LEAST_ROUNDS = 72
"""The least limit of the questions of phase A (`MEMSTATE_CHAT_CHUNK_PER_SEGMENT_TOOL_ROUNDS`)."""


def is_document(text: str) -> bool:
    """Whether the text, without white space around, is longer than the threshold."""
    return len(text.strip()) > THRESHOLD_CHARACTERS
