"""The provenance of a revision that a study wrote: document, job, section and characters.

The provenance of a value without a model is `study/text:<document>/<job>#<section>:<start>-<end>`.
The provenance of a value that a model wrote of a passage is
`study/model:<document>/<job>.<passage>#<section>:<start>-<end>`.

A key may write the same words by itself; a removal of the document then takes that value for the
document's.
"""

import re
from typing import NamedTuple

from membrane.domain.study.hierarchy import Span
from membrane.domain.topics.titles import PARAGRAPH

SHOWN_OF_JOB = 12
"""The last characters of the job's id, which a provenance has."""

_FORM = re.compile(
    r"study/(?P<by>text|model):(?P<document>[0-9A-Za-z._-]{1,128})/(?P<job>[0-9A-Za-z-]{1,12})(\.(?P<passage>[0-9a-f]{12}))?"
    r"#(?P<section>\d{1,9}):(?P<start>\d{1,9})-(?P<end>\d{1,9})"
)


class Origin(NamedTuple):
    """The place in a document from which a value was taken."""

    document: str
    """The id of the document's topic."""
    job: str
    """The end of the id of the job, `SHOWN_OF_JOB` characters."""
    section: int
    """The number of the section, from 1; 0 for the whole document."""
    span: Span
    """In characters of the document, in the edition that the job studied."""
    by_model: bool = False
    passage: str = ""
    """The beginning of the passage's SHA-256, by which a later edition knows the passage."""

    def __str__(self) -> str:
        by = "model" if self.by_model else "text"
        place = f"{self.section}:{self.span.start}-{self.span.end}"
        passage = f".{self.passage}" if self.passage else ""
        return f"study/{by}:{self.document}/{self.job}{passage}#{place}"


def origin_in(provenance: str) -> Origin | None:
    """The origin that a provenance spells; None for every other provenance."""
    found = _FORM.fullmatch(provenance)
    if found is None:
        return None
    span = Span(int(found["start"]), int(found["end"]))
    return Origin(
        found["document"],
        found["job"],
        int(found["section"]),
        span,
        found["by"] == "model",
        found["passage"] or "",
    )


Number = tuple[int, ...]

MIDDLE = 5_000
"""The number of a paragraph that an edition inserts in front of all others."""


def name_of(number: Number) -> str:
    """The name of the field with the number."""
    first, *further = number
    return "-".join([f"p{first:04}", *map(str, further)])


def number_of(name: str) -> Number | None:
    """The number of a paragraph's field, by which the fields of a section are ordered."""
    if not PARAGRAPH.fullmatch(name):
        return None
    return tuple(map(int, name[1:].split("-")))


def number_between(before: Number | None, after: Number | None) -> Number:
    """A number behind `before` and in front of `after`; None stands for no neighbour.

    In front of a first paragraph there is room for MIDDLE insertions before names grow.
    """
    low = before or (0,)
    following = (*low[:-1], low[-1] + 1)
    if after is None or following < after:
        return following
    inside = (*low, MIDDLE if before is None else 1)
    while not inside < after:
        depth = len(inside)
        if after[: depth - 1] == inside[:-1] and after[depth - 1] > 1:
            return (*inside[:-1], after[depth - 1] - 1)
        inside = (*inside[:-1], 0, MIDDLE)
    return inside
