"""The lines of an import, and what is done with them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Protocol

from membrane.domain.imports.ndjson import Line, lines_of
from membrane.domain.imports.ordering import HasNames, in_waves
from membrane.domain.language.digests import digest
from membrane.domain.language.errors import Aborted, TooLarge
from membrane.domain.records.idempotency import MAX_OPERATIONS
from membrane.domain.records.limits import MAX_PAYLOAD_BYTES
from membrane.usecases.imports.progress import MAX_REASON_CHARACTERS, Progress, Refusal
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.bucket import ImportObject
from membrane.usecases.ports.services import Services

MAX_LINE_BYTES = MAX_PAYLOAD_BYTES
PIECE_BYTES = 4 * 1024 * 1024
"""What one request reads of the object."""
MAX_TRIES = 10
"""Of one line, while the store is busy; then the run fails and the invocation is retried."""
WINDOW_LINES = 500
"""A window is what is done between two checkpoints, and again after a kill."""
WINDOW_BYTES = 8 * 1024 * 1024
WINDOW_CHANGES = MAX_OPERATIONS // 2
"""Of one record: a line that is done again must be among the operations that it remembers. The
other half is for other writers."""

_WORTH_A_RETRY = (*TRANSIENT, Aborted)


class Step(HasNames, Protocol):
    """What one line asks for."""

    @property
    def rpc(self) -> str: ...

    @property
    def changes(self) -> str | None:
        """The record that it changes, by its id; None where it makes one."""

    def run(self) -> bool:
        """Do it; whether it was done before. Raises DomainError."""


class Reader(Protocol):
    def step(self, content: bytes, key: str) -> Step:
        """The step of a line that has this key unless it brings its own; raises DomainError."""

    def why_not(self, error: Exception, step: Step | None) -> tuple[str, str]:
        """The code and the reason under which a line that ended so is listed.

        What is no DomainError is also reported. None stands for a line that is no step.
        """


@dataclass(frozen=True, slots=True)
class _Numbered:
    number: int
    step: Step

    @property
    def names(self) -> frozenset[str]:
        return self.step.names


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that was read."""

    number: int
    end: int
    """Bytes of the object up to the beginning of the next line."""
    holds: _Numbered | Refusal | None = None
    """None for a blank line."""
    changes: str | None = None
    """The record that the line changes, by its id."""


def windows(entries: Iterable[Entry], begin: int) -> Iterator[list[Entry]]:
    """The entries in their order; the first begins at that byte."""
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
class Work:
    """What is done with lines."""

    reader: Reader
    services: Services
    is_out_of_time: IsOutOfTime
    pool: Executor

    def entries(self, found: ImportObject, done: Progress) -> Iterator[Entry]:
        own = digest(found.bucket, found.key, done.version).hex()
        pieces = self._pieces(found, done.bytes_done)
        lines = lines_of(pieces, MAX_LINE_BYTES, number=done.lines, start=done.bytes_done)
        for line in lines:
            holds = None if line.is_blank else self._read(line, f"{own}:{line.number}")
            changes = holds.step.changes if isinstance(holds, _Numbered) else None
            yield Entry(line.number, line.end, holds, changes)

    def after(self, done: Progress, window: Sequence[Entry]) -> Progress:
        """Do what the lines ask for; lines that name the same thing keep their order."""
        self._require_time()
        steps = [entry.holds for entry in window if isinstance(entry.holds, _Numbered)]
        ends = [end for wave in in_waves(steps) for end in self.pool.map(self._end, wave)]
        ended = (*(entry.holds for entry in window), *ends)
        refusals = [each for each in ended if isinstance(each, Refusal)]
        refusals.sort(key=lambda refusal: refusal.line)
        return replace(
            done,
            bytes_done=window[-1].end,
            lines=window[-1].number,
            created=done.created + ends.count(False),
            replayed=done.replayed + ends.count(True),
            blank=done.blank + sum(entry.holds is None for entry in window),
            refused=done.refused + len(refusals),
            refusals=(*done.refusals, *refusals),
        )

    def _pieces(self, found: ImportObject, begin: int) -> Iterator[bytes]:
        for start in range(begin, found.size, PIECE_BYTES):
            self._require_time()
            yield self.services.imports.read(found, start, PIECE_BYTES)

    def _read(self, line: Line, key: str) -> _Numbered | Refusal:
        if line.content is None:
            too_long = TooLarge(f"the line is longer than {MAX_LINE_BYTES} bytes")
            return self._refusal(line.number, too_long)
        try:
            return _Numbered(line.number, self.reader.step(line.content, key))
        except Exception as error:  # noqa: BLE001 - raised, it would end every run at this line
            return self._refusal(line.number, error)

    def _end(self, numbered: _Numbered) -> bool | Refusal:
        """Whether the line was done before, or why it is refused."""
        try:
            return self._patiently(numbered.step)
        except OutOfTime:
            raise
        except _WORTH_A_RETRY as error:
            error.add_note(f"line {numbered.number}")
            raise
        except Exception as error:  # noqa: BLE001 - raised, it would end every run at this line
            return self._refusal(numbered.number, error, numbered.step)

    def _patiently(self, step: Step) -> bool:
        for tries in range(MAX_TRIES - 1):
            self._require_time()
            try:
                return step.run()
            except _WORTH_A_RETRY:
                self.services.back_off(tries)
        self._require_time()
        return step.run()

    def _refusal(self, number: int, error: Exception, step: Step | None = None) -> Refusal:
        code, reason = self.reader.why_not(error, step)
        return Refusal(number, code, reason[:MAX_REASON_CHARACTERS])

    def _require_time(self) -> None:
        if self.is_out_of_time():
            raise OutOfTime
