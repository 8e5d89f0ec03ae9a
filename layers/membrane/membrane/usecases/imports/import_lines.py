"""Import one object of the bucket line by line, exactly once (design 5).

A window of lines is worked on side by side, then the result object is written: it is where a run
that comes later begins. What was done after it is done again and recognised by the lines' keys.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from membrane.domain.language.errors import DomainError, Unavailable
from membrane.usecases.imports.progress import (
    Ledger,
    Progress,
    Status,
    begun,
    is_later,
    progress_of,
    result_name,
    resumed,
)
from membrane.usecases.imports.work import Reader, Work, windows
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.bucket import ImportObject, ObjectReplaced
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

WORKERS = 8
"""Lines worked on at once: within the connections that a client keeps."""
MAX_TRIES_TO_BEGIN = 10
"""While the run before keeps writing its result in between."""

NOT_THERE = "the object is not there"
REPLACED = "the object was replaced or removed while it was imported"


@dataclass(frozen=True, slots=True)
class ObjectPut:
    """That an object was put, as S3 tells it."""

    key: str
    etag: str
    sequencer: str
    at: datetime


def import_lines(
    put: ObjectPut,
    open_reader: Callable[[], Reader],
    services: Services,
    *,
    is_out_of_time: IsOutOfTime,
    hand_over: Callable[[], None] | None,
) -> Progress | None:
    """Import what was put, from where the run before stopped.

    Returns None where it is for another run: the object was put again, or a later run took over.
    Where time runs out, `hand_over` starts the run that goes on, and the progress is RUNNING;
    without it, Unavailable is raised. What makes the import fail for now is noted in the result and
    raised; an object that is gone is FAILED without.
    """
    taken = until_won(lambda: _begun(put, services), services, MAX_TRIES_TO_BEGIN)
    if taken is None:
        return None
    found, ledger = taken
    if found is None or ledger.progress.status is not Status.RUNNING:
        return ledger.progress
    try:
        with _failures_noted(ledger), ThreadPoolExecutor(WORKERS) as pool:
            work = Work(open_reader(), services, is_out_of_time, pool)
            _go_on(found, ledger, work, hand_over)
    except LostRace:
        return None
    return ledger.progress


def _begun(put: ObjectPut, services: Services) -> tuple[ImportObject | None, Ledger] | None:
    """The object, and the ledger of a run that has taken the import over; None for a later put's.

    Raises LostRace where another run wrote its result meanwhile.
    """
    found = services.imports.find(put.key)
    kept = services.imports.result(result_name(put.key))
    before = progress_of(kept)
    if before is not None and before.put == put.sequencer and before.status is Status.DONE:
        return found, Ledger(services, before, kept)
    is_past = before is not None and is_later(before.put, put.sequencer)
    if is_past or (found is not None and found.etag != put.etag):
        return None
    progress = resumed(before, begun(put.key, found, put.sequencer, services.now()), put.at)
    ledger = Ledger(services, replace(progress, run=services.new_id()), kept)
    if found is None:
        ledger.save(Status.FAILED, NOT_THERE)
    else:
        ledger.save(progress.status)
    return found, ledger


@contextmanager
def _failures_noted(ledger: Ledger) -> Iterator[None]:
    try:
        yield
    except LostRace:
        raise
    except ObjectReplaced:
        ledger.save(Status.FAILED, REPLACED)
    except Exception as error:
        ledger.save(Status.FAILED, _described(error))
        raise


def _go_on(
    found: ImportObject, ledger: Ledger, work: Work, hand_over: Callable[[], None] | None
) -> None:
    begin = ledger.progress.bytes_done
    try:
        for window in windows(work.entries(found, ledger.progress), begin):
            ledger.progress = work.after(ledger.progress, window)
            ledger.save()
    except OutOfTime:
        if ledger.progress.bytes_done == begin or hand_over is None:
            raise Unavailable("the import takes too long") from None
        hand_over()
    else:
        ledger.save(Status.DONE)


def _described(error: Exception) -> str:
    """Never the words of an error that is not for callers: they may hold content."""
    words = str(error) if isinstance(error, DomainError) else type(error).__name__
    return ": ".join([*getattr(error, "__notes__", ()), words])
