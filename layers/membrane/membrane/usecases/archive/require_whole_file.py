"""Refuse an object that is not a whole export: of another version, cut, or changed."""

from membrane.domain.archive.lines import (
    Frame,
    is_first_line,
    is_last_line,
    kind_of_line,
    require_end,
    require_version,
)
from membrane.domain.imports.ndjson import Line
from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.imports.import_lines import RefusedObject
from membrane.usecases.imports.work import Work
from membrane.usecases.ports.bucket import ImportObject

NO_EXPORT = "the first line is not the first line of an export"
CUT = "the file is cut: the last line of an export is missing"


def require_whole_file(work: Work, found: ImportObject) -> None:
    """Read every line once and compare with the last line; raises RefusedObject."""
    frame, last = Frame(), b""
    try:
        for line in work.lines(found):
            content = _content(line, work.max_line_bytes)
            if line.number == 1:
                _require_first(content)
            else:
                frame = frame.after([last], [kind_of_line(last)] if frame.lines else [])
            last = content
        if not is_last_line(last):
            raise RefusedObject(CUT)
        require_end(last, frame)
    except InvalidArgument as error:
        raise RefusedObject(str(error)) from error


def _require_first(content: bytes) -> None:
    if not is_first_line(content):
        raise RefusedObject(NO_EXPORT)
    require_version(content)


def _content(line: Line, longest: int) -> bytes:
    if line.content is None:
        raise RefusedObject(f"line {line.number} is longer than {longest} bytes")
    return line.content
