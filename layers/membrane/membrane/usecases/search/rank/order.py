"""Records in the order of their salience now, straight from the rank index (design 7).

The rows of all partitions are merged: a row is given when no unread row of any partition can come
before it. What may not be seen is passed like any other row, so that the order is the same for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, count
from typing import TypeVar

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.indexes import RankEntry, RankPartition
from membrane.usecases.ports.services import Services
from membrane.usecases.search.rank.course import Course
from membrane.usecases.search.rank.resuming import Place, Resume, RowKey
from membrane.usecases.search.rank.streams import Scale, Stream, name_of

_A_FEW = 5
"""Rows read at first beyond those asked for, since some may not be seen."""

On = TypeVar("On")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Wanted:
    scopes: Sequence[str]
    types: Sequence[MemoryType]
    ceiling: Sensitivity
    """What the request's trust shows in full; one level more is given too, to be redacted."""
    own: Sensitivity
    """The key's own ceiling, so not below the other."""
    min_salience: float
    now_s: float


@dataclass(frozen=True, slots=True)
class Row:
    """A record as the index has it: who then reads the record looks at everything again."""

    record_id: str
    salience: float
    born_s: float
    sensitivity: Sensitivity


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many index rows one call reads at most."""

    a_type: int = 1_000
    """Of a type (design 7), where it has few partitions."""
    a_partition: int = 20
    """That each partition may need, however many there are."""


ALLOWANCE = Allowance()


class RankOrder:
    """A walk down the rank index: the highest salience first, then created later, then by id."""

    def __init__(
        self,
        wanted: Wanted,
        services: Services,
        resume: Resume | None = None,
        allowance: Allowance = ALLOWANCE,
    ) -> None:
        self._wanted = wanted
        self._services = services
        self._allowance = allowance
        self._course = Course(resume or Resume(wanted.now_s))
        self._rows: list[tuple[RowKey, int, Stream, RankEntry]] = []
        """A heap of those that wait."""
        self._unread: list[tuple[float, int, Stream]] = []
        """A heap of streams that have more, by the highest salience that it can have, negated."""
        self._ticket = count()
        self._is_open = False
        self._left: dict[Stream, int] = {}
        """Index rows that may yet be read of a stream; and of any of a type:"""
        self._spare: dict[MemoryType, int] = {}
        self._has_moved = False
        self._visible = 0
        """How many of those that wait may be seen."""
        self.exhausted = False
        """Whether nothing is left at all, as far as `take` has seen."""
        self.withheld: set[str] = set()
        """Records met that the key would show in full, but not this request's trust."""
        self.hidden: set[str] = set()
        """Records met that are above the key's own ceiling."""

    def take(self, rows: int) -> Sequence[Row]:
        """The next so many; fewer at the end, and where this call has read all that it may."""
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
        """Where a later call goes on if that row was the last one used; None = none was."""
        return self._course.after(None if row is None else row.record_id)

    def _look_ahead(self) -> None:
        """Pass what may not be seen where nothing else waits: it may be all that is left."""
        while not self._visible and self._is_row_next():
            if not self._visible:
                self._pass()

    # --- Merging --------------------------------------------------------------------------------

    def _is_row_next(self) -> bool:
        """Whether a row comes next, once all that may come before it is read."""
        while self._is_held_up():
            if not self._read():
                return False
        return bool(self._rows)

    def _is_held_up(self) -> bool:
        """Whether the first of the unread rows may come before, or beside, all that wait."""
        return bool(self._unread) and (not self._rows or self._unread[0][0] <= self._rows[0][0][0])

    def _pass(self) -> Row | None:
        """The next row; None where it may not be seen, or its record was given already."""
        key, _, stream, placed = heappop(self._rows)
        row = Row(placed.record_id, -key[0], placed.anchor.born_s, placed.sensitivity)
        is_given = self._may_be_seen(placed) and not self._course.has_given(row.record_id)
        if is_given:
            self._course.give(row.record_id)
        self._course.passed(stream, key)
        self._has_moved = True
        self._count(placed)
        stream.passed(key)
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
        """In full or redacted."""
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
        found = chain.from_iterable(side_by_side(self._services.ranks.partitions, scopes))
        return [each for each in found if each.type in self._wanted.types]

    def _stream(self, partition: RankPartition, share: int, step: int) -> Stream:
        begin = self._course.now
        scale = Scale(begin.now_s, self._services.policy.custom_curves, self._wanted.min_salience)
        name = name_of(partition)
        place = begin.places.get(name, Place())
        stream = Stream(name, partition, scale, place, begin.lowest, share=share, step=step)
        self._course.join(stream)
        return stream

    def _await(self, stream: Stream) -> None:
        """Read on there before any row that may come after one of its unread ones."""
        heappush(self._unread, (-stream.bound, next(self._ticket), stream))

    def _read(self) -> bool:
        """Read on in the streams that hold up the next row; False where no more may be read."""
        held_up_by = []
        while self._is_held_up():
            held_up_by.append(heappop(self._unread)[2])
        full = [stream for stream in held_up_by if stream.is_full]
        asked = {stream: self._allot(stream) for stream in held_up_by if stream not in full}
        spent = [stream for stream, rows in asked.items() if not rows]
        if len(spent) == len(held_up_by) and not self._has_moved:
            full, spent = spent, []  # the walk goes on, if not in exact order
        for stream in full:
            self._close(stream)
        for stream in spent:
            self._await(stream)
        reads = [(stream, rows) for stream, rows in asked.items() if rows]
        for (stream, rows), found in zip(reads, side_by_side(self._found, reads), strict=True):
            self._take_in(stream, found, rows)
        return bool(full or reads)

    def _allot(self, stream: Stream) -> int:
        memory_type = stream.partition.type
        rows = min(stream.asks, self._left[stream] + self._spare[memory_type])
        own = min(rows, self._left[stream])
        self._left[stream] -= own
        self._spare[memory_type] -= rows - own
        return rows

    def _found(self, read: tuple[Stream, int]) -> Sequence[RankEntry]:
        stream, rows = read
        return self._services.ranks.top(stream.partition, rows, stream.after)

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
        """Let what was read come before the rest."""
        if stream.is_drained:
            self._reopen(stream)
        else:
            stream.close()
            self._course.moved(stream)

    def _reopen(self, stream: Stream) -> None:
        stream.reopen()
        self._has_moved = True
        self._course.moved(stream)
        self._await(stream)
