"""Titles, by which topics of one scope and kind are told apart; and the limits of names."""

from membrane.domain.language.digests import digest
from membrane.domain.language.normal_form import compatibility_form

MAX_TITLE_CHARACTERS = 1_000
MAX_NAME_CHARACTERS = 256
"""Of a field's whole name."""

CONTROL = "Cc"
"""Unicode's category of control characters, which no field's name has."""

UNTITLED = "untitled"
"""The title of a topic that was given none (spec 1.1); it tells nothing of what it is about."""


def normalise_text(title: str) -> str:
    """The title without what is only spelling: case, width, accents' form, white space."""
    return " ".join(compatibility_form(title).casefold().split())


def is_untitled(title: str) -> bool:
    """Whether the title names nothing: such topics are never taken for each other."""
    return normalise_text(title) in ("", UNTITLED)


def title_key(scope: str, kind: str, title: str) -> bytes:
    """SHA-256 of scope, kind and normalised title, so that no part can pass for another."""
    return digest("topic", scope, normalise_text(kind), normalise_text(title))
