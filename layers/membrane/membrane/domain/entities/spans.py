"""Places of names in a text; where two places overlap, the longer counts."""

from collections.abc import Iterable
from typing import NamedTuple


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
