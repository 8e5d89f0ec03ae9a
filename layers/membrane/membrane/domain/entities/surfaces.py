"""Surfaces: names as written in a content."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

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


class Span(NamedTuple):
    """The place of a name in a text."""

    start: int
    end: int
    kind: str = ""
    """Kind of the named thing, as in a mention. Empty: unknown."""
    entity_id: str = ""
    """Id of a known entity that bears the name. Empty: no entity is known."""
    aliases: tuple[str, ...] = ()
    """Further names of the thing."""
    name: str = ""
    """The name, where the words at the place are only a part of the name. Empty: the words."""

    @property
    def length(self) -> int:
        return self.end - self.start


def disjoint_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans that do not overlap, in the order of the text.

    The longest spans are kept, and of equally long spans the first in the argument.
    """
    longest_first = sorted(spans, key=lambda span: -span.length)
    taken = bytearray(max((span.end for span in longest_first), default=0))
    kept = []
    for span in longest_first:
        if taken.find(1, span.start, span.end) < 0:
            taken[span.start : span.end] = b"\1" * span.length
            kept.append(span)
    return tuple(sorted(kept, key=lambda span: span.start))
