"""The metrics of the visible records, counted at the request."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from membrane.domain.access.trust import MAX_SCOPES, Trust, named_scopes
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import MemoryType, Permission
from membrane.domain.lifecycle.estimates import CONFIDENCE
from membrane.domain.lifecycle.pruning import Ranked
from membrane.domain.metrics.snapshot import Bounds, GetMetrics, Snapshot, snapshot_of
from membrane.domain.metrics.sums import Lots, Portion, Sums, Trails
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling, Survey
from membrane.usecases.machinery.calls import Call, side_by_side
from membrane.usecases.ports.indexes import Segment
from membrane.usecases.ports.world import World

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


KEPT_FOR = timedelta(seconds=60)
"""The time for which a principal gets the same snapshot again."""

_LESS = f"name scopes, as in ?scope=name, {MAX_SCOPES} at most, or fewer of them"


def read_metrics(
    request: GetMetrics,
    call: Call,
    world: World,
    sampling: Sampling = SAMPLING,
    segments: Segments = SEGMENTS,
) -> Snapshot:
    """The snapshot of now, or a snapshot less than KEPT_FOR old.

    For named scopes, the counts are exact up to `sampling.exact` records and estimated beyond. For
    all scopes together, the counts are exact up to the size of `segments`. Raises PermissionDenied,
    and InvalidArgument for scopes that must be named, for too many scopes, and for scopes with more
    records than the time allows.
    """
    trust = call.principal.trust.narrow_to(request.trust)
    if trust.scopes is not None:
        call.principal.require(Permission.READ)
    scopes = _scopes(trust, is_admin=Permission.ADMIN in call.principal.permissions)
    now = world.now()
    asked = (call.principal, trust)
    _forget(world, now)
    if asked in world.snapshots:
        return world.snapshots[asked][1]
    survey = Survey(world, trust.ceiling, sampling, _LESS, retracted=True)
    sums = Sums(epoch_seconds(now), world.policy.custom_curves)
    lots = Lots(world.draw)
    if scopes is None:
        sample = in_every_scope(survey, segments)
        _add(sample.portions(), sums, lots)
        bounds = sample.bounds
    else:
        _add(_in_scopes(scopes, survey), sums, lots)
        off = sums.counts.error_bound
        bounds = Bounds(off, off / max(1, sums.records))
    snapshot = snapshot_of(sums, _trails(lots, trust, world), bounds, rfc3339(now))
    world.snapshots[asked] = (now, snapshot)
    return snapshot


def _forget(world: World, now: datetime) -> None:
    for each, (counted_at, _) in list(world.snapshots.items()):
        if not timedelta(0) <= now - counted_at < KEPT_FOR:
            world.snapshots.pop(each, None)


def _add(portions: Iterable[Portion], sums: Sums, lots: Lots) -> None:
    for portion in portions:
        sums.add(portion)
        for each in portion.read:
            lots.offer(each.record_id, portion.weight)


def _scopes(trust: Trust, *, is_admin: bool) -> Sequence[str] | None:
    """The scopes of the trust, and "" for unscoped records; None for every scope."""
    if trust.scopes is None and is_admin:
        return None
    if trust.scopes is None or trust.prefixes:
        raise InvalidArgument(
            "the key covers more scopes than it names: name those to be measured, as in "
            f"?scope=name, {MAX_SCOPES} at most, or a user; every scope together needs the "
            f"permission {Permission.ADMIN} over all scopes"
        )
    return named_scopes(trust.scopes, "metrics go through", "as in ?scope=name")


def _in_scopes(scopes: Sequence[str], survey: Survey) -> Iterator[Portion]:
    for scope in scopes:
        for partition in survey.world.ranks.partitions(scope):
            for each in survey.stretches(partition):
                yield Portion(
                    partition.type,
                    partition.decay_class,
                    each.visible,
                    each.read,
                    each.weight,
                    each.span,
                )


def _trails(lots: Lots, trust: Trust, world: World) -> Trails:
    found = world.records.audit_summaries(list(dict.fromkeys(lots.chosen)))
    seen = {each.record_id: each for each in found if trust.allows(each.scope, each.sensitivity)}
    return Trails.of(seen, lots.chosen)
