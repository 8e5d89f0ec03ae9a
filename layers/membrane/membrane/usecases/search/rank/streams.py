"""The partitions of the rank index, each read from the highest rank down, and resumed.

A partition of exponential decay without age limit, and a partition of pinned records, is exact: the
rank of a row bounds the salience of every row after it, so reading stops once no later row can come
next. Every further partition is read in windows: the rows of a window are sorted, and come before
all later rows. An exact partition is read in windows too if more rows than a window holds are
equally salient: pinned records of one salience, or records that have faded to the floor.
"""

import math
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from membrane.domain.language.cursors import foreign_cursor
from membrane.domain.language.fields import MAX_SALIENCE, RECORD_ID, SMALLEST_NUMBER, VANISHING
from membrane.domain.language.json_text import JsonObject, compact_json, digest
from membrane.domain.language.vocabulary import DecayCurve
from membrane.domain.lifecycle.pruning import RANK_OF_RETRACTED
from membrane.domain.salience import function
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.usecases.ports.indexes import Position, RankEntry, RankPartition

MAX_PLACES = 1_000

RowKey = tuple[float, float, str]
"""The sort key of a row: (-salience, -creation in seconds, id)."""

NOTHING: RowKey = (-10 * MAX_SALIENCE, 0.0, "")
"""A key before the key of every row."""


def _sendable(position: Position) -> Position:
    """A position that DynamoDB accepts; raises ValueError for a forged one."""
    rank, record_id = abs(position.rank), position.record_id
    if rank > -RANK_OF_RETRACTED or 0 < rank < SMALLEST_NUMBER:
        raise ValueError("no record has such a rank")
    if record_id and RECORD_ID.fullmatch(record_id) is None:
        raise ValueError("no record has such an id")
    return position


Finite = Annotated[float, Field(allow_inf_nan=False)]
_Spot = Annotated[Position, AfterValidator(_sendable)]
Id = Annotated[str, Field(max_length=128)]
Key = tuple[Finite, Finite, Id]


class Resumable:
    """A resume point that a cursor can carry."""

    __slots__ = ()

    def as_json(self) -> JsonObject:
        state: JsonObject = self._model().dump_python(self, mode="json", exclude_defaults=True)
        return state

    @classmethod
    def of_json(cls, state: object) -> Self:
        """Parse the result of `as_json`; raises InvalidArgument for any further value."""
        try:
            resumed: Self = cls._model().validate_json(compact_json(state), strict=True)
        except (ValidationError, ValueError) as error:
            raise foreign_cursor() from error
        return resumed

    @classmethod
    @cache
    def _model(cls) -> TypeAdapter[Any]:
        return TypeAdapter(cls)


@dataclass(frozen=True, slots=True)
class Place:
    """The passed rows of a partition, where the lowest row of the walk does not imply them."""

    start: _Spot | None = None
    """Every row before this position was passed."""
    passed: Key | None = None
    """From `start`, the rows up to this key were passed; None = up to the lowest row."""
    end: _Spot | None = None
    """The end of a window that begins at `start`."""
    behind: Key | None = None
    """After `end`, the rows up to this key were passed; None = none."""


@dataclass(frozen=True, slots=True)
class Resume(Resumable):
    now_s: Annotated[float, Field(ge=0, le=1e11)]
    """The instant at which salience is computed, for all pages."""
    lowest: Key | None = None
    places: Annotated[Mapping[str, Place], Field(max_length=MAX_PLACES)] = field(
        default_factory=dict
    )
    """Places by the name of the partition."""


WIDENING = 1e-6
"""The margin added to every bound of a rank, against rounding."""

CLOCK_SKEW_S = 5.0
"""The most seconds by which an anchor may be ahead of the reader's clock."""


@dataclass(frozen=True, slots=True)
class Scale:
    now_s: float
    curves: function.Curves
    min_salience: float


@dataclass(slots=True, eq=False)
class Stream:
    """The rows of a partition, in the order of the index."""

    name: str
    """The name of the partition in a cursor."""
    partition: RankPartition
    scale: Scale
    place: Place
    lowest: InitVar[RowKey | None]
    """The lowest row that earlier calls passed."""
    share: int
    """The rows that a call can read of the partition: a window and the next rows."""
    step: int
    """The rows of the next read outside a window."""
    is_exact: bool = field(init=False)
    after: Position | None = field(init=False)
    """The position before the next read; None = the highest rank."""
    is_closed: bool = field(default=False, init=False)
    """Whether the read rows are a window, given before all unread rows."""
    is_ended: bool = field(default=False, init=False)
    _lifecycle: Lifecycle = field(init=False)
    _given: RowKey | None = field(init=False)
    """Earlier calls passed the rows up to this key; within a place, up to the place's end."""
    _waiting: dict[RowKey, tuple[int, Position]] = field(default_factory=dict, init=False)
    """Rows read and not passed, in index order: the number of a row and the position before it."""
    _count: int = field(default=0, init=False)

    def __post_init__(self, lowest: RowKey | None) -> None:
        self._lifecycle = function.lifecycle_of_class(self.partition.decay_class)
        self.is_exact = _is_exact(self._lifecycle)
        self._given = lowest if self.place.passed is None else self.place.passed
        if self._given == NOTHING:
            self._given = None
        self.after = self._beginning()

    @property
    def bound(self) -> float:
        """An upper bound of the salience of unread rows; infinite without knowledge of them."""
        if self.after is None or not self._count or self.place.end or not self.is_exact:
            return math.inf
        rank = self.after.rank + WIDENING
        promised = function.salience_of_rank(rank, self.scale.now_s, self._lifecycle)
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
        """Whether a window of rows was read without giving a row."""
        enough = self._window if self.is_exact else max(1, self._window // 2)
        return not self.place.end and self._span >= enough

    def take_in(self, found: Sequence[RankEntry], asked: int) -> Sequence[tuple[RowKey, RankEntry]]:
        """Take in the rows of a read of `asked` rows; the rows to give, with their keys."""
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

    def pass_row(self, key: RowKey) -> None:
        del self._waiting[key]

    def close(self) -> None:
        """Make the waiting rows a window."""
        _, start = next(iter(self._waiting.values()))
        if self.place.end:
            self._given = self.place.behind  # the window was longer before the store changed
        self.is_closed = True
        self.place = replace(self.place, start=start, end=self.after, behind=self._given)

    def reopen(self) -> None:
        """Continue after the read rows, once none waits; rows passed before stay passed."""
        passed = self._given or NOTHING
        if self.is_closed:
            self.is_closed = False
            self.place = Place(self.after, passed)
        else:
            self.place = replace(self.place, start=self.after, passed=passed)

    @property
    def _window(self) -> int:
        """The rows of a window; a later call can read a window again, and two rows more."""
        return max(1, self.share - 2)

    @property
    def _span(self) -> int:
        """The number of rows read from the first waiting row on."""
        for number, _ in self._waiting.values():
            return self._count - number + 1
        return 0

    def _is_awaited(self, key: RowKey) -> bool:
        was_passed = self._given is not None and key <= self._given
        is_wanted = -key[0] >= self.scale.min_salience and key not in self._waiting
        return is_wanted and not was_passed

    def _key(self, row: RankEntry) -> RowKey:
        scale = self.scale
        salience = function.salience_at(scale.now_s, row.anchor, self._lifecycle, scale.curves)
        return (-salience, -row.anchor.born_s, row.record_id)

    def _whole_ranks(self, found: Sequence[RankEntry]) -> Sequence[RankEntry]:
        """The rows whose rank has no unread rows, so that a rank alone describes a position.

        All rows if all have one rank, and if a window with a known end is read again.
        """
        last = found[-1]
        whole = [row for row in found if row.rank != last.rank and not self.place.end]
        self.after = Position(last.rank, "" if whole else last.record_id)
        return whole or found

    def _within_place(self, rows: Sequence[RankEntry]) -> Sequence[RankEntry]:
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
        """A position before every row that was not passed."""
        start = self.place.start
        if not self.is_exact or self._given is None or self.place.end:
            return start
        implied = Position(self._highest_rank(-self._given[0]))
        return start if start is not None and start.rank <= implied.rank else implied

    def _highest_rank(self, salience: float) -> float:
        """The highest rank that a row of at most this salience can have."""
        rank = math.log2(max(salience, VANISHING)) + WIDENING
        if self._lifecycle.pinned:
            return rank
        latest_s = self.scale.now_s + CLOCK_SKEW_S
        return rank + latest_s / self._lifecycle.decay.half_life_seconds


def name_of(partition: RankPartition) -> str:
    words = (partition.scope, partition.type, partition.decay_class, str(partition.shard))
    return urlsafe_b64encode(digest(*words)[:6]).decode()


def _is_exact(lifecycle: Lifecycle) -> bool:
    profile = lifecycle.decay
    fades_by_rank = profile.curve is DecayCurve.EXPONENTIAL and not profile.max_age_seconds
    return lifecycle.pinned or fades_by_rank
