"""The names of the fields that hold the paragraphs of a section, in the order of the section.

Paragraphs have the names `p0001`, `p0002`, and so on. A paragraph that a later edition inserts gets
a name between the names of its neighbours: `p0001-1`. So no other paragraph changes its name.
"""

from membrane.domain.topics.kinds import PARAGRAPH

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
