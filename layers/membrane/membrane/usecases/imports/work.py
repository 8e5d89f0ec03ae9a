"""One pass over the lines of an import, window by window, with counts of the results."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from membrane.domain.imports import Line, in_waves, lines_of
from membrane.domain.language.errors import Aborted, TooLarge
from membrane.domain.language.json_text import digest
from membrane.domain.language.values import MAX_PAYLOAD_BYTES
from membrane.domain.records.stored import MAX_OPERATIONS
from membrane.usecases.imports.progress import MAX_REASON_CHARACTERS, Progress, Refusal
from membrane.usecases.machinery.calls import TRANSIENT, IsOutOfTime, OutOfTime
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


class Step(NamedTuple):
    """The request of one line."""

    rpc: str
    names: frozenset[str]
    """The records, threads, events and facts that the step makes, changes or names."""
    run: Callable[[], bool]
    """Runs the request; True if the line was ingested before. Raises DomainError."""
    changes: str | None = None
    """The id of the record that the line changes; None for a line that creates a record."""


class Reader(NamedTuple):
    step: Callable[[bytes, str], Step | None]
    """Parses a line, given the idempotency key of a line without one; None for a blank line.

    Raises DomainError.
    """
    refusal_reason: Callable[[Exception, Step | None], tuple[str, str]]
    """The code and the reason of a refused line; the step is None for an unreadable line.

    An error that is no DomainError is also logged.
    """


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as read."""

    number: int
    end: int
    """The bytes of the object before the next line."""
    holds: Step | Refusal | None = None

    @property
    def changes(self) -> str | None:
        """The id of the record that the line changes."""
        return self.holds.changes if isinstance(self.holds, Step) else None


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


Pass = Callable[[ObjectLines, Progress, Executor], Iterator[Advance]]
"""One reading of the whole object: what is left behind the place reached; raises OutOfTime."""


def ingest(
    open_reader: Callable[[], Reader], lines: ObjectLines, done: Progress, pool: Executor
) -> Iterator[Advance]:
    """The pass that runs the requests in the lines, window by window."""
    reader = open_reader()
    for window in windows(_entries(reader, lines, done), done.bytes_done):
        yield partial(_after, window=window, reader=reader, lines=lines, pool=pool)


def _entries(reader: Reader, lines: ObjectLines, done: Progress) -> Iterator[Entry]:
    found = lines.found
    own = digest(found.bucket, found.key, done.version).hex()
    for line in lines.after(done):
        if line.is_blank:
            yield Entry(line.number, line.end)
        else:
            holds = _read(line, f"{own}:{line.number}", reader, lines.max_line_bytes)
            yield Entry(line.number, line.end, holds)


def _after(
    done: Progress, window: Sequence[Entry], reader: Reader, lines: ObjectLines, pool: Executor
) -> Progress:
    """Run the requests of a window; lines that name the same record keep their order."""
    lines.require_time()
    steps = [(each.number, each.holds) for each in window if isinstance(each.holds, Step)]
    waves = in_waves([step.names for _, step in steps])
    run = partial(_run, reader=reader, lines=lines)
    results = [each for wave in waves for each in pool.map(run, (steps[at] for at in wave))]
    read_or_run = (*(entry.holds for entry in window), *results)
    refusals = [each for each in read_or_run if isinstance(each, Refusal)]
    refusals.sort(key=lambda refusal: refusal.line)
    return replace(
        done,
        bytes_done=window[-1].end,
        lines=window[-1].number,
        created=done.created + results.count(False),
        replayed=done.replayed + results.count(True),
        blank=done.blank + sum(entry.holds is None for entry in window),
        refused=done.refused + len(refusals),
        refusals=(*done.refusals, *refusals),
    )


def _read(line: Line, key: str, reader: Reader, longest: int) -> Step | Refusal | None:
    if line.content is None:
        too_long = TooLarge(f"the line is longer than {longest} bytes")
        return _refusal(line.number, too_long, reader)
    try:
        return reader.step(line.content, key)
    except Exception as error:  # noqa: BLE001 - raised, the error would end every run at this line
        return _refusal(line.number, error, reader)


def _run(numbered: tuple[int, Step], reader: Reader, lines: ObjectLines) -> bool | Refusal:
    """Whether the line was ingested before, or the refusal of the line; raises OutOfTime."""
    number, step = numbered
    tries = 0
    while True:
        lines.require_time()
        try:
            return step.run()
        except OutOfTime:
            raise
        except _WORTH_A_RETRY as error:
            tries += 1
            if tries == MAX_TRIES:
                error.add_note(f"line {number}")
                raise
            lines.world.back_off(tries - 1)
        except Exception as error:  # noqa: BLE001 - raised, it would end every run at this line
            return _refusal(number, error, reader, step)


def _refusal(number: int, error: Exception, reader: Reader, step: Step | None = None) -> Refusal:
    code, reason = reader.refusal_reason(error, step)
    return Refusal(number, code, reason[:MAX_REASON_CHARACTERS])
