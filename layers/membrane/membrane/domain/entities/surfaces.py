"""Surfaces: names as written in a content."""

from collections.abc import Iterable
from itertools import islice

from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of
from membrane.domain.records.interpretation import Mention

MAX_SCANNED_CHARACTERS = 20_000
"""Characters of a capture that are read for names; the rest is stored, and not read."""


MAX_MENTIONS = 16
"""Mentions of a capture: a mention takes up to three actions of the transaction."""


def is_name(surface: str) -> bool:
    """Whether an entity can bear the name: neither blank nor too long, also in normal form."""
    return len(surface) <= MAX_NAME_CHARACTERS and 0 < len(term_of(surface)) <= MAX_NAME_CHARACTERS


def first_mentions(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The first MAX_MENTIONS mentions, of equal names the first."""
    return tuple(islice(_distinct(mentions), MAX_MENTIONS))


def _distinct(mentions: Iterable[Mention]) -> Iterable[Mention]:
    met = set[str]()
    for mention in mentions:
        term = term_of(mention.surface)
        if term not in met:
            met.add(term)
            yield mention
