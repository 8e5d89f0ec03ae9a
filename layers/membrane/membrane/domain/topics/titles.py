"""Titles, which distinguish the topics of one scope and kind; and the limits of names."""

from membrane.domain.language.json_text import digest
from membrane.domain.language.names import normalise_text

MAX_TITLE_CHARACTERS = 1_000
MAX_NAME_CHARACTERS = 256
"""The limit for the whole name of a field."""

CONTROL = "Cc"
"""Unicode's category of control characters, which no name of a field contains."""

UNTITLED = "untitled"
"""The title of a topic created without a title; says nothing of the subject."""


def is_untitled(title: str) -> bool:
    """Whether the title names nothing: untitled topics are never duplicates of each other."""
    return normalise_text(title) in ("", UNTITLED)


def title_key(scope: str, kind: str, title: str) -> bytes:
    """SHA-256 of scope, kind and normalised title, with unambiguous boundaries between them."""
    return digest("topic", scope, normalise_text(kind), normalise_text(title))
