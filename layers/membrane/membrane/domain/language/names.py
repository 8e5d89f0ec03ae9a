"""The normal form of names, by which entities are found."""

from membrane.domain.language.normal_form import compatibility_form

MAX_NAME_CHARACTERS = 256
"""A longer name is no name: names are keys of the table."""


def term_of(name: str) -> str:
    """The name in NFKC, case folded, trimmed, with single spaces; equal names have equal terms.

    The `@` before a handle is no part of the name.
    """
    folded = compatibility_form(compatibility_form(name).casefold())
    return " ".join(folded.split()).lstrip("@ ")


def first_word_of(term: str) -> str:
    """The term up to the first space; names are stored by first word."""
    return term.partition(" ")[0]
