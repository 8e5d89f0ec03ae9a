"""The normal forms of texts and names, by which topics and entities are found."""

from membrane.domain.language.normal_form import compatibility_form

MAX_NAME_CHARACTERS = 256
"""A longer name is no name: names are keys of the table."""


def normalise_text(text: str) -> str:
    """The text without differences of spelling: case, width, form of accents, white space."""
    return " ".join(compatibility_form(text).casefold().split())


def term_of(name: str) -> str:
    """The name in NFKC, case folded, trimmed, with single spaces; equal names have equal terms.

    The `@` before a handle is no part of the name.
    """
    folded = compatibility_form(compatibility_form(name).casefold())
    return " ".join(folded.split()).lstrip("@ ")


def first_word_of(term: str) -> str:
    """The term up to the first space; names are stored by first word."""
    return term.partition(" ")[0]
