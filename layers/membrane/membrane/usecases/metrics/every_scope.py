"""Read the records of all scopes together: every record, or a sample of a large table.

The segments of a DynamoDB parallel scan divide records by a hash of the id. A segment is therefore
a random sample, however the records are distributed over scopes.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.estimates import CONFIDENCE
from membrane.domain.lifecycle.ranking import Ranked
from membrane.domain.metrics.snapshot import Bounds
from membrane.domain.metrics.sums import Portion
from membrane.usecases.lifecycle.surveying import Survey
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.indexes import Segment

MAX_SEGMENTS = 1_000_000
"""The limit of DynamoDB's `Scan` on `TotalSegments`."""

_L = math.log(2 / (1 - CONFIDENCE))

Row = tuple[MemoryType, str, Ranked]


@dataclass(frozen=True, slots=True)
class Segments:
    """The number and the size of the segments that a request for the metrics reads."""

    read: int = 16
    items: int = 4_000
    """The most items of a segment; for larger segments, the number of segments is multiplied."""
    finer: int = 16
    """The factor of the multiplication."""


SEGMENTS = Segments()


@dataclass(frozen=True, slots=True)
class Sample:
    """A random sample in which every record has a chance of 1 in `weight`."""

    rows: Sequence[Row]
    weight: int

    def portions(self) -> Iterator[Portion]:
        alike: dict[tuple[MemoryType, str], list[Ranked]] = defaultdict(list)
        for memory_type, decay_class, ranked in self.rows:
            alike[memory_type, decay_class].append(ranked)
        for (memory_type, decay_class), read in alike.items():
            yield Portion(memory_type, decay_class, self.weight * len(read), read, self.weight)

    @property
    def bounds(self) -> Bounds:
        """Error bounds: of counts by Bernstein's inequality, of means by Hoeffding (1963, 2)."""
        if self.weight == 1:
            return Bounds()
        read = len(self.rows)
        off = math.sqrt(2 * _L * (read + _L / 3)) + 7 * _L / 3
        mean = math.sqrt(_L / (2 * read)) if read else 1.0
        return Bounds(math.ceil(self.weight * off), mean, of_totals=True)


def in_every_scope(survey: Survey, segments: Segments) -> Sample:
    """Sample the records of all scopes; raises InvalidArgument when time runs out."""
    of = segments.read
    while (rows := _read(survey, segments, of)) is None:
        of = min(of * segments.finer, MAX_SEGMENTS // segments.read * segments.read)
    return Sample(rows, of // segments.read)


def _read(survey: Survey, segments: Segments, of: int) -> Sequence[Row] | None:
    """The records of `segments.read` segments out of `of`; None if a segment is too large."""
    first = survey.world.draw(of // segments.read)
    step = of // segments.read
    chosen = [Segment(first + number * step, of) for number in range(segments.read)]
    found = side_by_side(lambda each: _rows(survey, each, segments.items), chosen)
    if None in found:
        return None
    return [row for rows in found for row in rows or ()]


def _rows(survey: Survey, segment: Segment, most: int) -> Sequence[Row] | None:
    rows: list[Row] = []
    left, after = most, None
    while left > 0:
        survey.require_time()
        page = survey.world.ranks.segment(segment, survey.ceiling, left, after)
        left, after = left - page.items, page.after
        rows += page.records
        if after is None:
            return rows
    return None
