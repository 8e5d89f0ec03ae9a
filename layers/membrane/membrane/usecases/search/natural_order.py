"""The order by salience among the few records of natural keys (a fact's, a thread's).

The records are read in windows, the newest records first; a window is sorted as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import salience_at
from membrane.usecases.records.newest import Place, newest_first
from membrane.usecases.search.judging import Judge
from membrane.usecases.search.rank.order import Row
from membrane.usecases.search.rank.resuming import Finite, Id, Key, Resumable

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.indexes.natural import DynamoNatural


WINDOW = 200
"""The records of a window; a call reads a whole window, however small the page."""


@dataclass(frozen=True, slots=True)
class NaturalResume(Resumable):
    window: tuple[Finite, Id] | None = None
    """The place just before the window; None for the window of the newest records."""
    last: Key | None = None
    """The key of the last row of the window that a page used."""

    @classmethod
    def as_of(cls, instant_s: float) -> "NaturalResume":
        """The beginning of a walk that leaves out records created after the instant."""
        return cls(window=(-instant_s, ""))


@dataclass(slots=True)
class NaturalOrder:
    """A walk through the records of natural keys, with the interface of RankOrder."""

    judge: Judge
    natural: "DynamoNatural"
    resume: NaturalResume = field(default_factory=NaturalResume)
    exhausted: bool = False
    withheld: set[str] = field(default_factory=set)
    """Always empty: the index has no sensitivity, so the judge counts withheld records."""
    hidden: set[str] = field(default_factory=set)
    _rows: list[Row] | None = None
    _taken: int = 0
    _next_window: Place | None = None

    def take(self, rows: int) -> Sequence[Row]:
        """The next rows; fewer at the end of the window."""
        if self._rows is None:
            self._rows = self._read_window()
        taken = self._rows[self._taken : self._taken + rows]
        self._taken += len(taken)
        self.exhausted = self._taken == len(self._rows) and self._next_window is None
        return taken

    def resume_after(self, row: Row | None) -> NaturalResume:
        """The point from which a later call continues after `row`; None = no row was used."""
        is_through = not self._rows or row == self._rows[-1]
        if is_through and self._next_window is not None:
            return NaturalResume(self._next_window)
        if row is None:
            return self.resume
        return NaturalResume(self.resume.window, _key(row))

    def _read_window(self) -> list[Row]:
        after = self.resume.window
        places = list(
            islice(newest_first(self.judge.inquiry.natural_keys, self.natural, after), WINDOW + 1)
        )
        if len(places) > WINDOW:
            self._next_window = places[WINDOW - 1]
        living = self.judge.hydration.living(record_id for _, record_id in places[:WINDOW])
        rows = sorted((self._row(each) for each in living.values()), key=_key)
        last = self.resume.last
        return [row for row in rows if last is None or _key(row) > last]

    def _row(self, stored: StoredRecord) -> Row:
        judge, lifecycle = self.judge, stored.record.lifecycle
        salience = salience_at(judge.at_s, stored.anchor, lifecycle, judge.curves)
        return Row(stored.id, salience, stored.born_s, stored.sensitivity)


def _key(row: Row) -> Key:
    return (-row.salience, -row.born_s, row.record_id)
