"""Import one object of the bucket line by line, exactly once (design 5).

A window of lines is worked on side by side, then the result object is written: it is where a run
that comes later begins. What was done after it is done again and recognised by the lines' keys.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from membrane.domain.digests import digest
from membrane.domain.errors import (
    Aborted,
    DomainError,
    ResourceExhausted,
    TooLarge,
    Unavailable,
)
from membrane.domain.limits import MAX_PAYLOAD_BYTES
from membrane.domain.ndjson import Line, lines_of
from membrane.domain.ordering import Named, in_waves
from membrane.usecases.import_progress import (
    MAX_REASON_CHARACTERS,
    Ledger,
    Progress,
    Refusal,
    Status,
    Tally,
    begun,
    is_later,
    progress_of,
    result_name,
    resumed,
)
from membrane.usecases.import_windows import windows
from membrane.usecases.ports import ImportObject, LostRace, Replaced, Services

MAX_LINE_BYTES = MAX_PAYLOAD_BYTES
PIECE_BYTES = 4 * 1024 * 1024
"""What one request reads of the object."""
WORKERS = 8
"""Lines worked on at once: within the connections that a client keeps."""
MAX_TRIES = 10
"""Of one line, while the store is busy; then the run fails and the invocation is retried."""

NOT_THERE = "the object is not there"
REPLACED = "the object was replaced or removed while it was imported"

_PASSING = (ResourceExhausted, Unavailable, Aborted)


@dataclass(frozen=True, slots=True)
class ObjectPut:
    """That an object was put, as S3 tells it."""

    key: str
    etag: str
    sequencer: str


class Step(Named, Protocol):
    """What one line asks for."""

    @property
    def rpc(self) -> str:
        """Its operation, as operators know it."""

    @property
    def changes(self) -> str | None:
        """The record that it changes, by its id; None where it makes one."""

    def run(self) -> bool:
        """Do it; whether it was done before. Raises DomainError."""


class Reader(Protocol):
    """What the lines mean."""

    def step(self, content: bytes, key: str) -> Step:
        """The step of a line that has this key unless it brings its own; raises DomainError."""

    def why_not(self, error: Exception, step: Step | None) -> tuple[str, str]:
        """The code and the reason under which a line that ended so is listed.

        What is no DomainError is also reported. None stands for a line that is no step.
        """


class _OutOfTimeError(Exception):
    """The rest is for another invocation."""


def import_lines(
    put: ObjectPut,
    open_reader: Callable[[], Reader],
    services: Services,
    *,
    is_out_of_time: Callable[[], bool],
    may_hand_over: bool = True,
) -> Progress | None:
    """Import what was put, from where the run before stopped.

    Returns None where it is for another run: the object was put again, or a later run took over.
    The progress is RUNNING where time ran out, for another run to go on with. What makes the import
    fail for now is noted in the result and raised; an object that is gone is FAILED without.
    """
    kept = services.imports.result(result_name(put.key))
    before = progress_of(kept)
    if before is not None and before.put == put.sequencer and before.status is Status.DONE:
        return before
    found = services.imports.find(put.key)
    is_past = before is not None and is_later(before.put, put.sequencer)
    if is_past or (found is not None and found.etag != put.etag):
        return None
    start = begun(put.key, found, put.sequencer, services.now())
    ledger = Ledger(services, replace(resumed(before, start), run=services.new_id()), kept)
    try:
        if found is None:
            ledger.save(Status.FAILED, NOT_THERE)
            return ledger.progress
        ledger.save()
        with _failures_noted(ledger), ThreadPoolExecutor(WORKERS) as pool:
            work = _Work(open_reader(), services, is_out_of_time, pool)
            _go_on(found, ledger, work, may_hand_over=may_hand_over)
    except LostRace:
        return None
    return ledger.progress


@dataclass(frozen=True, slots=True)
class _Numbered:
    """The step of a line."""

    number: int
    step: Step

    @property
    def names(self) -> frozenset[str]:
        return self.step.names


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line that was read."""

    number: int
    end: int
    holds: _Numbered | Refusal | None
    """None for a blank line."""

    @property
    def changes(self) -> str | None:
        return self.holds.step.changes if isinstance(self.holds, _Numbered) else None


@dataclass(frozen=True, slots=True)
class _Work:
    """What is done with lines."""

    reader: Reader
    services: Services
    is_out_of_time: Callable[[], bool]
    pool: Executor

    def entries(self, found: ImportObject, done: Progress) -> Iterator[_Entry]:
        """The lines that are left, read."""
        own = digest(found.bucket, found.key, found.version).hex()
        pieces = self._pieces(found, done.bytes_done)
        lines = lines_of(pieces, MAX_LINE_BYTES, number=done.lines, start=done.bytes_done)
        for line in lines:
            holds = None if line.is_blank else self._read(line, f"{own}:{line.number}")
            yield _Entry(line.number, line.end, holds)

    def tally(self, window: Sequence[_Entry]) -> Tally:
        """Do what the lines ask for, those that name the same thing in their order."""
        self._require_time()
        steps = [entry.holds for entry in window if isinstance(entry.holds, _Numbered)]
        ends = [end for wave in in_waves(steps) for end in self.pool.map(self._end, wave)]
        ended = (*(entry.holds for entry in window), *ends)
        refusals = [each for each in ended if isinstance(each, Refusal)]
        return Tally(
            created=ends.count(False),
            replayed=ends.count(True),
            blank=sum(entry.holds is None for entry in window),
            refusals=tuple(sorted(refusals, key=lambda refusal: refusal.line)),
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
        except _OutOfTimeError:
            raise
        except _PASSING as error:
            error.add_note(f"line {numbered.number}")
            raise
        except Exception as error:  # noqa: BLE001 - raised, it would end every run at this line
            return self._refusal(numbered.number, error, numbered.step)

    def _patiently(self, step: Step) -> bool:
        for tries in range(MAX_TRIES - 1):
            self._require_time()
            try:
                return step.run()
            except _PASSING:
                self.services.back_off(tries)
        self._require_time()
        return step.run()

    def _refusal(self, number: int, error: Exception, step: Step | None = None) -> Refusal:
        code, reason = self.reader.why_not(error, step)
        return Refusal(number, code, reason[:MAX_REASON_CHARACTERS])

    def _require_time(self) -> None:
        if self.is_out_of_time():
            raise _OutOfTimeError


@contextmanager
def _failures_noted(ledger: Ledger) -> Iterator[None]:
    """Say in the result why the import ends before its time."""
    try:
        yield
    except LostRace:
        raise
    except Replaced:
        ledger.save(Status.FAILED, REPLACED)
    except Exception as error:
        ledger.save(Status.FAILED, _described(error))
        raise


def _go_on(found: ImportObject, ledger: Ledger, work: _Work, *, may_hand_over: bool) -> None:
    """Do all that is left, for as long as there is time."""
    begin = ledger.progress.bytes_done
    try:
        for window in windows(work.entries(found, ledger.progress), begin):
            tally = work.tally(window)
            ledger.progress = ledger.progress.after(tally, window[-1].number, window[-1].end)
            ledger.save()
    except _OutOfTimeError:
        if ledger.progress.bytes_done == begin or not may_hand_over:
            raise Unavailable("the import takes too long") from None
    else:
        ledger.save(Status.DONE)


def _described(error: Exception) -> str:
    """Never the words of an error that is not for callers: they may hold content."""
    words = str(error) if isinstance(error, DomainError) else type(error).__name__
    return ": ".join([*getattr(error, "__notes__", ()), words])
