"""The text in which a query sums up what it found (spec 3.6)."""

from collections.abc import Iterable
from itertools import islice

MAX_LINES = 5
"""Topics that the text names."""


def summary_text(question: str, found: Iterable[tuple[str, str, float | None]]) -> str:
    """A line for each of the first topics: id, title and similarity, as Python spells them."""
    lines = [f"Top topics for {question!r}:"]
    lines += [
        f"- {topic_id} {title!r} sim={similarity}"
        for topic_id, title, similarity in islice(found, MAX_LINES)
    ]
    return "\n".join(lines)
