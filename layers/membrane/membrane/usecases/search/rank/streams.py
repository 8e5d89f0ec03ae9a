"""One partition of the rank index, read from its highest rank down.

What is exact and what is not (design 7): in a partition of exponential decay without age limit, and
in one of pinned records, no unread row is more salient than its rank allows, so reading stops where
nothing behind can come next. Of other partitions a window of rows is read, and what is in it comes
before all that is behind it. A partition of the first kind is read in such windows, too, where more
rows than a window holds weigh alike: pinned ones of one salience, or all that has faded to its end.
"""

import math
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field, replace

from membrane.domain.language.digests import digest
from membrane.domain.language.fields import VANISHING
from membrane.domain.language.vocabulary import DecayCurve
from membrane.domain.salience.function import (
    Curves,
    lifecycle_of_class,
    salience_at,
    salience_of_rank,
)
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.usecases.ports.indexes import Position, RankEntry, RankPartition
from membrane.usecases.search.rank.resuming import NOTHING, Place, RowKey

WIDENING = 1e-6
"""By which every bound on a rank is widened (design 7)."""

CLOCK_SKEW_S = 5.0
"""By how much an anchor may lie ahead of the reader's clock: another machine set it."""


@dataclass(frozen=True, slots=True)
class Scale:
    now_s: float
    curves: Curves
    min_salience: float


@dataclass(slots=True, eq=False)
class Stream:
    """The rows of a partition, in the order of the index."""

    name: str
    """What a cursor calls it."""
    partition: RankPartition
    scale: Scale
    place: Place
    lowest: InitVar[RowKey | None]
    """The lowest row that an earlier call passed."""
    share: int
    """Rows that each call can read of it: a window and what lies just behind."""
    step: int
    """How many rows the next read takes, where there is no window to be filled."""
    is_exact: bool = field(init=False)
    after: Position | None = field(init=False)
    """Where the next read begins; None = at the highest rank."""
    is_closed: bool = field(default=False, init=False)
    """Whether what was read is a window: all of it comes before the rest."""
    is_ended: bool = field(default=False, init=False)
    _lifecycle: Lifecycle = field(init=False)
    _given: RowKey | None = field(init=False)
    """What comes up to it was passed by an earlier call; to the end of the place, if it has one."""
    _waiting: dict[RowKey, tuple[int, Position]] = field(default_factory=dict, init=False)
    """Rows that were read and not passed, by rank: the number of each, and the place before it."""
    _count: int = field(default=0, init=False)

    def __post_init__(self, lowest: RowKey | None) -> None:
        self._lifecycle = lifecycle_of_class(self.partition.decay_class)
        self.is_exact = _is_exact(self._lifecycle)
        self._given = lowest if self.place.passed is None else self.place.passed
        if self._given == NOTHING:
            self._given = None
        self.after = self._beginning()

    @property
    def bound(self) -> float:
        """No unread row is more salient; infinite where nothing is known of them."""
        if self.after is None or not self._count or self.place.end or not self.is_exact:
            return math.inf
        rank = self.after.rank + WIDENING
        promised = salience_of_rank(rank, self.scale.now_s, self._lifecycle)
        return max(promised, self._lifecycle.decay.min_salience)

    @property
    def asks(self) -> int:
        if self.place.end:
            return self.share
        if self.is_exact and not self._waiting:
            return self.step
        return max(1, self._window - self._span + 1)

    @property
    def is_drained(self) -> bool:
        return not self._waiting

    @property
    def is_full(self) -> bool:
        """Whether a window was read, and still an unread row might come before what waits."""
        enough = self._window if self.is_exact else max(1, self._window // 2)
        return not self.place.end and self._span >= enough

    def take_in(self, found: Sequence[RankEntry], asked: int) -> Sequence[tuple[RowKey, RankEntry]]:
        """What waits now of what a read of so many rows found."""
        place = self.after
        self.step = min(2 * self.step, self.share)
        self.is_ended = len(found) < asked
        waiting = []
        for row in self._within_place(found if self.is_ended else self._whole_ranks(found)):
            self._count += 1
            key = self._key(row)
            if place is None or place.rank != row.rank:
                place = Position(row.rank)
            if self._is_awaited(key):
                self._waiting[key] = (self._count, place)
                waiting.append((key, row))
            place = Position(row.rank, row.record_id)
        if self.is_closed:
            self._given = self.place.behind
        self.is_ended = self.is_ended or self.bound < self.scale.min_salience
        return waiting

    def passed(self, key: RowKey) -> None:
        del self._waiting[key]

    def close(self) -> None:
        """Let what waits be a window."""
        _, start = next(iter(self._waiting.values()))
        if self.place.end:
            self._given = self.place.behind  # the window was longer before the store changed
        self.is_closed = True
        self.place = replace(self.place, start=start, end=self.after, behind=self._given)

    def reopen(self) -> None:
        """Go on behind what was read, none of which waits.

        What an earlier call passed there, because it came before other rows, stays passed.
        """
        passed = self._given or NOTHING
        if self.is_closed:
            self.is_closed = False
            self.place = Place(self.after, passed)
        else:
            self.place = replace(self.place, start=self.after, passed=passed)

    @property
    def _window(self) -> int:
        """So many that a later call can read it again, one more, and one behind it."""
        return max(1, self.share - 2)

    @property
    def _span(self) -> int:
        """Rows read from the first that waits."""
        for number, _ in self._waiting.values():
            return self._count - number + 1
        return 0

    def _is_awaited(self, key: RowKey) -> bool:
        was_passed = self._given is not None and key <= self._given
        is_wanted = -key[0] >= self.scale.min_salience and key not in self._waiting
        return is_wanted and not was_passed

    def _key(self, row: RankEntry) -> RowKey:
        scale = self.scale
        salience = salience_at(scale.now_s, row.anchor, self._lifecycle, scale.curves)
        return (-salience, -row.anchor.born_s, row.record_id)

    def _whole_ranks(self, found: Sequence[RankEntry]) -> Sequence[RankEntry]:
        """Those of which no row of the same rank is unread, so that a place is a rank alone.

        All, where all are of one rank, and where a window is read again: its end is known.
        """
        last = found[-1]
        whole = [row for row in found if row.rank != last.rank and not self.place.end]
        self.after = Position(last.rank, "" if whole else last.record_id)
        return whole or found

    def _within_place(self, rows: Sequence[RankEntry]) -> Sequence[RankEntry]:
        """What belongs to the window that an earlier call closed; all where none did."""
        end = self.place.end
        if end is None:
            return rows
        within = 0
        for row in rows:
            if row.rank < end.rank or (row.rank == end.rank and not end.record_id):
                break
            within += 1
            if row.rank == end.rank and row.record_id == end.record_id:
                break
        else:
            return rows
        self.is_ended = False
        self.is_closed = True
        self.after = end
        return rows[:within]

    def _beginning(self) -> Position | None:
        """Where rows may be that were not passed."""
        start = self.place.start
        if not self.is_exact or self._given is None or self.place.end:
            return start
        implied = Position(self._highest_rank(-self._given[0]))
        return start if start is not None and start.rank <= implied.rank else implied

    def _highest_rank(self, salience: float) -> float:
        """That a row of no higher salience can have."""
        rank = math.log2(max(salience, VANISHING)) + WIDENING
        if self._lifecycle.pinned:
            return rank
        latest_s = self.scale.now_s + CLOCK_SKEW_S
        return rank + latest_s / self._lifecycle.decay.half_life_seconds


def name_of(partition: RankPartition) -> str:
    told = (partition.scope, partition.type, partition.decay_class, str(partition.shard))
    return urlsafe_b64encode(digest(*told)[:6]).decode()


def _is_exact(lifecycle: Lifecycle) -> bool:
    profile = lifecycle.decay
    fades_by_rank = profile.curve is DecayCurve.EXPONENTIAL and not profile.max_age_seconds
    return lifecycle.pinned or fades_by_rank
