"""Remove what lies outside the table: dead letters, and files of imports and restores.

A file whose import is under way is left alone: the erasure comes back to it.
"""

from collections.abc import Iterator
from datetime import timedelta

from membrane.domain.access.principals import Principal
from membrane.domain.archive.lines import MAX_FRAME_BYTES
from membrane.domain.archive.lines import selection_of as selection_of_line
from membrane.domain.archive.selection import Selection
from membrane.domain.erasure.jobs import Action, Finding, Job, Kind
from membrane.domain.erasure.requests_in_transit import Recognition
from membrane.domain.erasure.targets import Target, TargetKind
from membrane.domain.imports.ndjson import lines_of
from membrane.usecases.erasure.exports import GROUNDS, may_be_exported
from membrane.usecases.imports.progress import RESTORES, Status, progress_of, result_name
from membrane.usecases.imports.work import MAX_LINE_BYTES, PIECE_BYTES
from membrane.usecases.ports.bucket import Blob, ImportObject, ObjectReplaced
from membrane.usecases.ports.world import World

LONGEST_IMPORT = timedelta(days=1)
"""An import may take a day; afterwards nobody reads the file again."""


def remove_elsewhere(job: Job, world: World) -> tuple[list[Finding], bool]:
    """What was removed, and whether the erasure has to look again later.

    Nothing for a subject or ids, unless the caller administers every scope: a file and a queue hold
    requests of all scopes.
    """
    if job.target is None or job.principal is None:
        return [], False
    if job.target.kind is not TargetKind.SCOPE and not job.principal.is_admin_of_all:
        return [], False
    recognition = Recognition(job.target, world.senders)
    is_waiting = not world.dead_letters.are_all_visible()
    removed = world.dead_letters.remove_where(recognition.is_named_in)
    found = [_finding(Kind.DEAD_LETTER, each, job.target) for each in removed]
    for blob in _files_with(recognition, job.target, job.principal, world):
        if _is_under_way(blob, world):
            is_waiting = True
        else:
            world.imports.remove(blob.name)
            kind = Kind.RESTORE_FILE if blob.name.startswith(RESTORES) else Kind.IMPORT_FILE
            found.append(_finding(kind, blob.name, job.target))
    return found, is_waiting


def _finding(kind: Kind, found_id: str, target: Target) -> Finding:
    return Finding(kind, found_id, GROUNDS[target.kind], Action.REMOVE)


def _files_with(
    recognition: Recognition, target: Target, principal: Principal, world: World
) -> Iterator[Blob]:
    """Imported files with a line of the target, and exports under restore that may hold it."""
    for blob in world.imports.list_files():
        found = world.imports.find(blob.name)
        if found is None:
            continue
        if blob.name.startswith(RESTORES):
            if may_be_exported(target, principal, _selection_in(found, world)):
                yield blob
        elif _has_line(found, recognition, world):
            yield blob


def _selection_in(found: ImportObject, world: World) -> Selection | None:
    """The scopes of an export by the first line; None for a file of another form."""
    try:
        beginning = world.imports.read_range(found, 0, MAX_FRAME_BYTES)
    except ObjectReplaced:
        return None
    return selection_of_line(beginning.partition(b"\n")[0])


def _has_line(found: ImportObject, recognition: Recognition, world: World) -> bool:
    """Whether a line names the target; False for a replaced object, and for overlong lines."""
    try:
        return any(
            recognition.is_named_in(line.content.decode(errors="replace"))
            for line in lines_of(_pieces(found, world), MAX_LINE_BYTES)
            if line.content
        )
    except ObjectReplaced:
        return False


def _pieces(found: ImportObject, world: World) -> Iterator[bytes]:
    for start in range(0, found.size, PIECE_BYTES):
        yield world.imports.read_range(found, start, PIECE_BYTES)


def _is_under_way(blob: Blob, world: World) -> bool:
    """Whether the import may still read the file: within a day of the put, unless it is done."""
    progress = progress_of(world.imports.result(result_name(blob.name)))
    if progress is not None and progress.status is Status.DONE:
        return False
    return world.now() - blob.written_at <= LONGEST_IMPORT
