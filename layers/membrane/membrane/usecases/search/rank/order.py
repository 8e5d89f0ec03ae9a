"""Records in the order of present salience, from the rank index.

The walk merges the partitions of all scopes, types and decay classes. A heap holds read rows; a row
is given once no unread row of any partition can have a higher salience. Rows that the reader may
not see are passed like visible rows, so the order is equal for all readers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import chain, count
from typing import TypeVar

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.ports.indexes import RankEntry, RankPartition
from membrane.usecases.ports.world import World
from membrane.usecases.search.rank.streams import Place, Resume, RowKey, Scale, Stream, name_of

_A_FEW = 5
"""Additional rows of a first read, because some rows may be invisible to the reader."""

On = TypeVar("On")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class RankQuery:
    scopes: Sequence[str]
    types: Sequence[MemoryType]
    ceiling: Sensitivity
    """The ceiling of the request's trust; records one level above are given too, redacted."""
    own: Sensitivity
    """The ceiling of the key, at least `ceiling`."""
    min_salience: float
    now_s: float


@dataclass(frozen=True, slots=True)
class Row:
    """An index row; a caller reads the record and checks every condition again."""

    record_id: str
    salience: float
    born_s: float
    sensitivity: Sensitivity


@dataclass(frozen=True, slots=True)
class Allowance:
    """The most index rows that a call reads."""

    a_type: int = 1_000
    """Rows of a memory type, shared by the partitions of the type."""
    a_partition: int = 20
    """The least share of a partition, however many partitions exist."""


ALLOWANCE = Allowance()


class RankOrder:
    """A walk down the rank index: highest salience first, then newest, then by id."""

    def __init__(
        self,
        wanted: RankQuery,
        world: World,
        resume: Resume | None = None,
        allowance: Allowance = ALLOWANCE,
    ) -> None:
        self._wanted = wanted
        self._world = world
        self._allowance = allowance
        self._course = Course(resume or Resume(wanted.now_s))
        self._rows: list[tuple[RowKey, int, Stream, RankEntry]] = []
        """The heap of read rows that were not given yet."""
        self._unread: list[tuple[float, int, Stream]] = []
        """The heap of streams with unread rows, by the negated bound of their salience."""
        self._ticket = count()
        self._is_open = False
        self._left: dict[Stream, int] = {}
        """The allowance left for a stream, in rows."""
        self._spare: dict[MemoryType, int] = {}
        """The allowance left for any stream of a type, in rows."""
        self._has_moved = False
        self._visible = 0
        """The number of visible rows in the heap."""
        self.exhausted = False
        """Whether `take` has reached the end of every stream."""
        self.withheld: set[str] = set()
        """Ids of met records above the ceiling of the request and within the key's."""
        self.hidden: set[str] = set()
        """Ids of met records above the ceiling of the key."""

    def take(self, rows: int) -> Sequence[Row]:
        """The next rows; fewer at the end, and when the allowance of the call is used up."""
        if not self._is_open:
            self._open(rows)
        taken: list[Row] = []
        while len(taken) < rows and self._is_row_next():
            row = self._pass()
            if row is not None:
                taken.append(row)
        self._look_ahead()
        self.exhausted = not self._rows and not self._unread
        return taken

    def resume_after(self, row: Row | None) -> Resume:
        """The point from which a later call continues after `row`; None = no row was used."""
        return self._course.after(None if row is None else row.record_id)

    def _look_ahead(self) -> None:
        """Pass invisible rows until a visible row waits: the rest of the walk may be invisible."""
        while not self._visible and self._is_row_next():
            if not self._visible:
                self._pass()

    # --- Merging --------------------------------------------------------------------------------

    def _is_row_next(self) -> bool:
        """Whether a next row is certain; reads every stream that may come before the row."""
        while self._is_held_up():
            if not self._read_further():
                return False
        return bool(self._rows)

    def _is_held_up(self) -> bool:
        """Whether an unread row may be as salient as the first row of the heap."""
        return bool(self._unread) and (not self._rows or self._unread[0][0] <= self._rows[0][0][0])

    def _pass(self) -> Row | None:
        """Pass the next row: the row, or None for an invisible row and a row given before."""
        key, _, stream, placed = heappop(self._rows)
        row = Row(placed.record_id, -key[0], placed.anchor.born_s, placed.sensitivity)
        is_given = self._may_be_seen(placed) and not self._course.has_given(row.record_id)
        if is_given:
            self._course.give(row.record_id)
        self._course.pass_row(stream, key)
        self._has_moved = True
        self._count(placed)
        stream.pass_row(key)
        if stream.is_closed and stream.is_drained:
            self._reopen(stream)
        return row if is_given else None

    def _count(self, placed: RankEntry) -> None:
        if self._may_be_seen(placed):
            self._visible -= 1
        elif placed.sensitivity.level <= self._wanted.own.level:
            self.withheld.add(placed.record_id)
        else:
            self.hidden.add(placed.record_id)

    def _may_be_seen(self, placed: RankEntry) -> bool:
        """Whether the row may be shown in full or redacted."""
        return placed.sensitivity.level <= self._wanted.ceiling.level + 1

    # --- Reading --------------------------------------------------------------------------------

    def _open(self, rows: int) -> None:
        self._is_open = True
        partitions = self._partitions()
        for memory_type in dict.fromkeys(each.type for each in partitions):
            of_type = [each for each in partitions if each.type is memory_type]
            share = max(self._allowance.a_partition, self._allowance.a_type // len(of_type))
            self._spare[memory_type] = 0
            for partition in of_type:
                stream = self._stream(partition, share, min(rows + _A_FEW, share))
                self._left[stream] = share
                self._await(stream)

    def _partitions(self) -> Sequence[RankPartition]:
        scopes = list(dict.fromkeys(self._wanted.scopes))
        found = chain.from_iterable(side_by_side(self._world.ranks.partitions, scopes))
        return [each for each in found if each.type in self._wanted.types]

    def _stream(self, partition: RankPartition, share: int, step: int) -> Stream:
        begin = self._course.now
        scale = Scale(begin.now_s, self._world.policy.custom_curves, self._wanted.min_salience)
        name = name_of(partition)
        place = begin.places.get(name, Place())
        stream = Stream(name, partition, scale, place, begin.lowest, share=share, step=step)
        self._course.join(stream)
        return stream

    def _await(self, stream: Stream) -> None:
        """Queue the stream for reading, by the bound of its unread rows."""
        heappush(self._unread, (-stream.bound, next(self._ticket), stream))

    def _read_further(self) -> bool:
        """Read the streams that hold up the next row; False if the allowance is used up."""
        held_up_by = []
        while self._is_held_up():
            held_up_by.append(heappop(self._unread)[2])
        full = [stream for stream in held_up_by if stream.is_full]
        asked = {stream: self._allot(stream) for stream in held_up_by if stream not in full}
        spent = [stream for stream, rows in asked.items() if not rows]
        if len(spent) == len(held_up_by) and not self._has_moved:
            full, spent = spent, []  # progress goes before exact order
        for stream in full:
            self._close(stream)
        for stream in spent:
            self._await(stream)
        reads = [(stream, rows) for stream, rows in asked.items() if rows]
        for (stream, rows), found in zip(reads, side_by_side(self._top_rows, reads), strict=True):
            self._take_in(stream, found, rows)
        return bool(full or reads)

    def _allot(self, stream: Stream) -> int:
        memory_type = stream.partition.type
        rows = min(stream.asks, self._left[stream] + self._spare[memory_type])
        own = min(rows, self._left[stream])
        self._left[stream] -= own
        self._spare[memory_type] -= rows - own
        return rows

    def _top_rows(self, read: tuple[Stream, int]) -> Sequence[RankEntry]:
        stream, rows = read
        return self._world.ranks.top(stream.partition, rows, stream.after)

    def _take_in(self, stream: Stream, found: Sequence[RankEntry], asked: int) -> None:
        for key, placed in stream.take_in(found, asked):
            heappush(self._rows, (key, next(self._ticket), stream, placed))
            self._visible += self._may_be_seen(placed)
        if stream.is_ended:
            self._spare[stream.partition.type] += self._left.pop(stream) + asked - len(found)
        elif not stream.is_closed:
            self._await(stream)
        elif stream.is_drained:
            self._reopen(stream)

    def _close(self, stream: Stream) -> None:
        """Make the read rows a window, given before the unread rows of the stream."""
        if stream.is_drained:
            self._reopen(stream)
        else:
            stream.close()
            self._course.update_place(stream)

    def _reopen(self, stream: Stream) -> None:
        stream.reopen()
        self._has_moved = True
        self._course.update_place(stream)
        self._await(stream)


class Course:
    """Records the passed rows, so that a later call can continue after any given row."""

    def __init__(self, begin: Resume) -> None:
        self._points = [begin]
        """The resume points: before the first given row, after the first, and so on."""
        self._number_of: dict[str, int] = {}
        self._loose: dict[str, Stream] = {}
        """Streams with a place of their own, which become plain at the next common lowest row."""

    @property
    def now(self) -> Resume:
        return self._points[-1]

    def after(self, record_id: str | None) -> Resume:
        """The resume point after a row; None = before the first given row."""
        return self._points[0 if record_id is None else self._number_of[record_id]]

    def has_given(self, record_id: str) -> bool:
        return record_id in self._number_of

    def give(self, record_id: str) -> None:
        """Mark the record as given; the caller passes the row next."""
        self._number_of[record_id] = len(self._points)
        self._points.append(self.now)

    def join(self, stream: Stream) -> None:
        """Add a stream that an earlier call has begun."""
        place = stream.place
        if place.passed is not None or (place.start is not None and stream.is_exact):
            self._loose[stream.name] = stream

    def pass_row(self, stream: Stream, key: RowKey) -> None:
        lowest = self.now.lowest
        if lowest is None or key > lowest:
            self._points[-1] = replace(self.now, lowest=key)
            if self._loose:
                self._settle()
        else:
            stream.place = replace(stream.place, passed=key)
            self.update_place(stream)

    def update_place(self, stream: Stream) -> None:
        self._loose[stream.name] = stream
        self._save_places({stream.name: stream.place})

    def _settle(self) -> None:
        """Drop the places that the lowest row implies, once a new lowest row is passed.

        Every stream has then passed exactly the rows up to the lowest row. An exact stream needs no
        place, except in the middle of a window.
        """
        for stream in self._loose.values():
            keeps = stream.is_closed or not stream.is_exact
            stream.place = replace(stream.place, passed=None) if keeps else Place()
        self._save_places({name: stream.place for name, stream in self._loose.items()})
        self._loose = {name: stream for name, stream in self._loose.items() if stream.is_closed}

    def _save_places(self, places: dict[str, Place]) -> None:
        merged = {**self.now.places, **places}
        kept = {name: place for name, place in merged.items() if place != Place()}
        self._points[-1] = replace(self.now, places=kept)
