"""Refuse an object that is not a whole export: of another version, cut, or changed."""

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from functools import partial

from membrane.domain.archive.lines import Frame, FrameCheck, is_first_line, require_version
from membrane.domain.imports.ndjson import Line
from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.imports.import_lines import RefusedObject
from membrane.usecases.imports.progress import Progress
from membrane.usecases.imports.work import Advance, ObjectLines

NO_EXPORT = "the first line is not the first line of an export"
PART_BYTES = 64 * 1024 * 1024
"""The bytes between two checkpoints."""


@dataclass(frozen=True, slots=True)
class WholeFile:
    """The pass that compares every line with the last line."""

    def advances(self, lines: ObjectLines, done: Progress, _pool: Executor) -> Iterator[Advance]:
        """Raises RefusedObject and OutOfTime.

        A place without a frame is of a former version of the service; the check begins anew.
        """
        try:
            begin = done if done.frame else replace(done, bytes_done=0, lines=0)
            yield from _checked_parts(lines, begin)
        except InvalidArgument as error:
            raise RefusedObject(str(error)) from error


def _checked_parts(lines: ObjectLines, done: Progress) -> Iterator[Advance]:
    """Each part ends before a line: the next run reads the line again, which may be the last."""
    check, kept, before = FrameCheck(Frame(**done.frame)), done.bytes_done, done.bytes_done
    for line in lines.after(done):
        check.add(_content_of(line, lines.max_line_bytes))
        if before - kept >= PART_BYTES:
            kept = before
            number = line.number - 1
            yield partial(_after, bytes_done=before, lines=number, frame=check.frame)
        before = line.end
    check.require_end()


def _after(done: Progress, *, bytes_done: int, lines: int, frame: Frame) -> Progress:
    return replace(done, bytes_done=bytes_done, lines=lines, frame=asdict(frame))


def _content_of(line: Line, longest: int) -> bytes:
    """The line, which must begin an export of this version if it is the first."""
    if line.content is None:
        raise RefusedObject(f"line {line.number} is longer than {longest} bytes")
    if line.number == 1:
        if not is_first_line(line.content):
            raise RefusedObject(NO_EXPORT)
        require_version(line.content)
    return line.content
