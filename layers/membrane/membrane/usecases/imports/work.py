"""One pass over the lines of an import, window by window, with counts of the results."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Protocol

from membrane.domain.imports.ndjson import Line, lines_of
from membrane.domain.imports.ordering import HasNames, in_waves
from membrane.domain.language.digests import digest
from membrane.domain.language.errors import Aborted, TooLarge
from membrane.domain.records.idempotency import MAX_OPERATIONS
from membrane.domain.records.sizes import MAX_PAYLOAD_BYTES
from membrane.usecases.imports.progress import MAX_REASON_CHARACTERS, Progress, Refusal
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.bucket import ImportObject
from membrane.usecases.ports.world import World

MAX_LINE_BYTES = MAX_PAYLOAD_BYTES
PIECE_BYTES = 4 * 1024 * 1024
"""The bytes of the object that one request reads."""
MAX_TRIES = 10
"""Tries for one line while the store is busy; after the last, the run fails and is retried."""
WINDOW_LINES = 500
"""A window has the lines between two checkpoints; after a kill, the next run repeats a window."""
WINDOW_BYTES = 8 * 1024 * 1024
WINDOW_CHANGES = MAX_OPERATIONS // 2
"""Changes of one record in a window. A record remembers MAX_OPERATIONS operations, and a repeated
line must be among them; half of the operations are left to concurrent writers."""

_WORTH_A_RETRY = (*TRANSIENT, Aborted)


class Step(HasNames, Protocol):
    """The request of one line."""

    @property
    def rpc(self) -> str: ...

    @property
    def changes(self) -> str | None:
        """The id of the record that the line changes; None for a line that creates a record."""

    def run(self) -> bool:
        """Run the request; True if the line was ingested before. Raises DomainError."""


class NoStep(Enum):
    """Why a line has no request."""

    BLANK = "blank"
    ELSEWHERE = "elsewhere"
    """A different pass over the object ingests the line."""


class Reader(Protocol):
    def step(self, content: bytes, key: str) -> Step | NoStep:
        """Parse a line; `key` is the idempotency key of a line without one. Raises DomainError."""

    def refusal_reason(self, error: Exception, step: Step | None) -> tuple[str, str]:
        """The code and the reason of a refused line; `step` is None for an unreadable line.

        An error that is no DomainError is also logged.
        """


@dataclass(frozen=True, slots=True)
class _NumberedStep:
    number: int
    step: Step

    @property
    def names(self) -> frozenset[str]:
        return self.step.names


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as read."""

    number: int
    end: int
    """The bytes of the object before the next line."""
    holds: _NumberedStep | Refusal | NoStep = NoStep.BLANK
    changes: str | None = None
    """The id of the record that the line changes."""


def windows(entries: Iterable[Entry], begin: int) -> Iterator[list[Entry]]:
    """Split the entries into windows; the first entry begins at the byte `begin`."""
    window: list[Entry] = []
    changes: Counter[str | None] = Counter()
    for entry in entries:
        window.append(entry)
        changes[entry.changes] += entry.changes is not None
        if (
            len(window) == WINDOW_LINES
            or entry.end - begin >= WINDOW_BYTES
            or changes[entry.changes] == WINDOW_CHANGES
        ):
            yield window
            window, begin = [], entry.end
            changes.clear()
    if window:
        yield window


@dataclass(frozen=True, slots=True)
class ObjectLines:
    """Reads the lines of an object, as long as there is time."""

    found: ImportObject
    world: World
    is_out_of_time: IsOutOfTime
    max_line_bytes: int = MAX_LINE_BYTES

    def after(self, done: Progress) -> Iterator[Line]:
        """The lines behind the place that the present pass has reached; raises OutOfTime."""
        start = done.bytes_done
        pieces = self._pieces(start)
        return lines_of(pieces, self.max_line_bytes, number=done.lines, start=start)

    def require_time(self) -> None:
        """Raises OutOfTime."""
        if self.is_out_of_time():
            raise OutOfTime

    def _pieces(self, begin: int) -> Iterator[bytes]:
        for start in range(begin, self.found.size, PIECE_BYTES):
            self.require_time()
            yield self.world.imports.read_range(self.found, start, PIECE_BYTES)


Advance = Callable[[Progress], Progress]
"""Goes on with a pass, and gives the progress afterwards."""


class Pass(Protocol):
    """One reading of the whole object, from the first line to the last."""

    def advances(self, lines: ObjectLines, done: Progress, pool: Executor) -> Iterator[Advance]:
        """What is left of the pass behind the place reached; raises OutOfTime."""


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The pass that runs the requests in the lines."""

    open_reader: Callable[[], Reader]

    def advances(self, lines: ObjectLines, done: Progress, pool: Executor) -> Iterator[Advance]:
        """One for each window."""
        work = _Work(self.open_reader(), lines, pool)
        for window in windows(work.entries(done), done.bytes_done):
            yield partial(work.after, window=window)


@dataclass(frozen=True, slots=True)
class _Work:
    """Runs the requests in lines, WORKERS at a time."""

    reader: Reader
    lines: ObjectLines
    pool: Executor

    def entries(self, done: Progress) -> Iterator[Entry]:
        found = self.lines.found
        own = digest(found.bucket, found.key, done.version).hex()
        for line in self.lines.after(done):
            holds = NoStep.BLANK if line.is_blank else self._read(line, f"{own}:{line.number}")
            changes = holds.step.changes if isinstance(holds, _NumberedStep) else None
            yield Entry(line.number, line.end, holds, changes)

    def after(self, done: Progress, window: Sequence[Entry]) -> Progress:
        """Run the requests of a window; lines that name the same record keep their order."""
        self.lines.require_time()
        steps = [entry.holds for entry in window if isinstance(entry.holds, _NumberedStep)]
        results = [each for wave in in_waves(steps) for each in self.pool.map(self._run, wave)]
        read_or_run = (*(entry.holds for entry in window), *results)
        refusals = [each for each in read_or_run if isinstance(each, Refusal)]
        refusals.sort(key=lambda refusal: refusal.line)
        return replace(
            done,
            bytes_done=window[-1].end,
            lines=window[-1].number,
            created=done.created + results.count(False),
            replayed=done.replayed + results.count(True),
            blank=done.blank + sum(entry.holds is NoStep.BLANK for entry in window),
            refused=done.refused + len(refusals),
            refusals=(*done.refusals, *refusals),
        )

    def _read(self, line: Line, key: str) -> _NumberedStep | Refusal | NoStep:
        if line.content is None:
            too_long = TooLarge(f"the line is longer than {self.lines.max_line_bytes} bytes")
            return self._refusal(line.number, too_long)
        try:
            step = self.reader.step(line.content, key)
        except Exception as error:  # noqa: BLE001 - raised, the error would end every run at this line
            return self._refusal(line.number, error)
        return step if isinstance(step, NoStep) else _NumberedStep(line.number, step)

    def _run(self, numbered: _NumberedStep) -> bool | Refusal:
        """Whether the line was ingested before, or the refusal of the line."""
        try:
            return self._run_with_retries(numbered.step)
        except OutOfTime:
            raise
        except _WORTH_A_RETRY as error:
            error.add_note(f"line {numbered.number}")
            raise
        except Exception as error:  # noqa: BLE001 - raised, the error would end every run at this line
            return self._refusal(numbered.number, error, numbered.step)

    def _run_with_retries(self, step: Step) -> bool:
        for tries in range(MAX_TRIES - 1):
            self.lines.require_time()
            try:
                return step.run()
            except _WORTH_A_RETRY:
                self.lines.world.back_off(tries)
        self.lines.require_time()
        return step.run()

    def _refusal(self, number: int, error: Exception, step: Step | None = None) -> Refusal:
        code, reason = self.reader.refusal_reason(error, step)
        return Refusal(number, code, reason[:MAX_REASON_CHARACTERS])
