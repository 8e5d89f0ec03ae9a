"""Remove what lies outside the table: dead letters, and imported files with a line of the target.

A file whose import is under way is left alone: the erasure comes back to it.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from membrane.domain.erasure.jobs import Action, Finding, Job, Kind
from membrane.domain.erasure.requests_in_transit import Recognition
from membrane.domain.erasure.targets import Ground, Target, TargetKind
from membrane.domain.imports.ndjson import lines_of
from membrane.usecases.imports.progress import Status, progress_of, result_name
from membrane.usecases.imports.work import MAX_LINE_BYTES, PIECE_BYTES
from membrane.usecases.ports.bucket import ImportObject, ObjectReplaced
from membrane.usecases.ports.services_erasure import ErasureServices

LONGEST_IMPORT = timedelta(days=1)
"""After a day without progress, an import that says that it goes on does not."""

_GROUNDS = {
    TargetKind.SCOPE: Ground.IS_OF,
    TargetKind.SUBJECT: Ground.IS_ABOUT,
    TargetKind.IDS: Ground.NAMED,
}


def remove_elsewhere(job: Job, services: ErasureServices) -> tuple[list[Finding], bool]:
    """What was removed, and whether a file with the target waits for the end of its import."""
    if job.target is None:
        return [], False
    sources = services.sources
    senders = (sources.bus, sources.queue, sources.imports, sources.direct)
    recognition = Recognition(job.target, tuple(filter(None, senders)))
    removed = services.dead_letters.remove_where(recognition.is_named_in)
    found = [_finding(Kind.DEAD_LETTER, each, job.target) for each in removed]
    is_waiting = False
    for key in _files_with(recognition, services):
        if _is_under_way(key, services):
            is_waiting = True
            continue
        services.imports.remove(key)
        found.append(_finding(Kind.IMPORT_FILE, key, job.target))
    return found, is_waiting


def _finding(kind: Kind, found_id: str, target: Target) -> Finding:
    return Finding(kind, found_id, _GROUNDS[target.kind], Action.REMOVE)


def _files_with(recognition: Recognition, services: ErasureServices) -> Iterator[str]:
    for key in services.imports.list_keys():
        found = services.imports.find(key)
        if found is not None and _has_line(found, recognition, services):
            yield key


def _has_line(found: ImportObject, recognition: Recognition, services: ErasureServices) -> bool:
    """Whether a line names the target, or is too long to tell; False for a replaced object."""
    try:
        for line in lines_of(_pieces(found, services), MAX_LINE_BYTES):
            if line.content is None:
                return True
            if not line.is_blank and recognition.is_named_in(line.content.decode(errors="replace")):
                return True
    except ObjectReplaced:
        pass
    return False


def _pieces(found: ImportObject, services: ErasureServices) -> Iterator[bytes]:
    for start in range(0, found.size, PIECE_BYTES):
        yield services.imports.read_range(found, start, PIECE_BYTES)


def _is_under_way(key: str, services: ErasureServices) -> bool:
    progress = progress_of(services.imports.result(result_name(key)))
    if progress is None or progress.status is not Status.RUNNING:
        return False
    return services.now() - datetime.fromisoformat(progress.updated_at) < LONGEST_IMPORT
