"""Import one object of the bucket line by line, each line exactly once.

An import reads the object in one or more passes. A run goes on with a pass, then writes the
result object, the checkpoint from which a later run continues. Lines ingested after the last
checkpoint are ingested again; their idempotency keys make the repeat harmless.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from membrane.domain.language.errors import DomainError, Unavailable
from membrane.table.items import LostRace
from membrane.usecases.imports.progress import (
    Ledger,
    Progress,
    Status,
    first_progress,
    is_later,
    progress_of,
    result_name,
    resume_progress,
)
from membrane.usecases.imports.work import MAX_LINE_BYTES, ObjectLines, Pass
from membrane.usecases.machinery.calls import IsOutOfTime, OutOfTime, threads, until_won
from membrane.usecases.ports.bucket import ImportObject, ObjectReplaced
from membrane.usecases.ports.world import World

WORKERS = 8
"""Lines ingested concurrently; fewer than the connections that an AWS client keeps."""
MAX_TRIES_TO_BEGIN = 10
"""Tries to take an import over while the run before keeps writing the result object."""

NOT_THERE = "the object is not there"
REPLACED = "the object was replaced or removed while it was imported"
REFUSED = "the object was refused as a whole"


class RefusedObject(Exception):
    """The object is refused as a whole; the message says why."""


@dataclass(frozen=True, slots=True)
class ObjectPut:
    """S3's event of a put object."""

    key: str
    etag: str
    sequencer: str
    at: datetime


def import_lines(
    put: ObjectPut,
    passes: Sequence[Pass],
    world: World,
    *,
    is_out_of_time: IsOutOfTime,
    hand_over: Callable[[], None] | None,
    max_line_bytes: int = MAX_LINE_BYTES,
) -> Progress | None:
    """Import the put object pass by pass, from the checkpoint of the run before.

    If a pass raises RefusedObject, the import has the status FAILED and ends.

    Returns None if a different run has the import: the object was put again, or a later run took
    over. When time runs out, `hand_over` starts the next run, and the returned progress is
    RUNNING; without `hand_over`, raises Unavailable. A fault is written into the result object and
    raised. A missing object gives the status FAILED and raises nothing.
    """
    taken = until_won(lambda: _take_over(put, world), world, MAX_TRIES_TO_BEGIN)
    if taken is None:
        return None
    found, ledger = taken
    if found is None or ledger.progress.status is not Status.RUNNING:
        return ledger.progress
    try:
        with _failures_in_result(ledger), threads(WORKERS) as pool:
            lines = ObjectLines(found, world, is_out_of_time, max_line_bytes)
            ledger.progress = replace(ledger.progress, passes=len(passes))
            _make_passes(ledger, lines, passes, pool, hand_over)
    except RefusedObject as error:
        ledger.save(Status.FAILED, f"{REFUSED}: {error}")
    except LostRace:
        return None
    return ledger.progress


def _take_over(put: ObjectPut, world: World) -> tuple[ImportObject | None, Ledger] | None:
    """Make this run the owner of the import: the object and the ledger; None for an outdated put.

    Raises LostRace if a different run wrote the result object meanwhile.
    """
    found = world.imports.find(put.key)
    kept = world.imports.result(result_name(put.key))
    before = progress_of(kept)
    if before is not None and before.put == put.sequencer and before.status is Status.DONE:
        return found, Ledger(world, before, kept)
    is_past = before is not None and is_later(before.put, put.sequencer)
    if is_past or (found is not None and found.etag != put.etag):
        return None
    start = first_progress(put.key, found, put.sequencer, world.now())
    progress = resume_progress(before, start, put.at)
    ledger = Ledger(world, replace(progress, run=world.new_id()), kept)
    if found is None:
        ledger.save(Status.FAILED, NOT_THERE)
    else:
        ledger.save(progress.status)
    return found, ledger


@contextmanager
def _failures_in_result(ledger: Ledger) -> Iterator[None]:
    try:
        yield
    except (LostRace, RefusedObject):
        raise
    except ObjectReplaced:
        ledger.save(Status.FAILED, REPLACED)
    except Exception as error:
        ledger.save(Status.FAILED, _description(error))
        raise


def _make_passes(
    ledger: Ledger,
    lines: ObjectLines,
    passes: Sequence[Pass],
    pool: Executor,
    hand_over: Callable[[], None] | None,
) -> None:
    begin = ledger.progress.position
    try:
        for each in passes[ledger.progress.passes_done :]:
            for advance in each(lines, ledger.progress, pool):
                ledger.progress = advance(ledger.progress)
                ledger.save()
            ledger.progress = ledger.progress.after_pass()
            if not ledger.progress.is_complete:
                ledger.save()
    except OutOfTime:
        if ledger.progress.position == begin or hand_over is None:
            raise Unavailable("the import takes too long") from None
        hand_over()
    else:
        ledger.save(Status.DONE)


def _description(error: Exception) -> str:
    """The text of a DomainError; of an internal error, whose text may hold content, the class."""
    words = str(error) if isinstance(error, DomainError) else type(error).__name__
    return ": ".join([*getattr(error, "__notes__", ()), words])
