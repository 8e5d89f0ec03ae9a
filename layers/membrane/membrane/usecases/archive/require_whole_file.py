"""Refuse an object that is not a whole export: of another version, cut, or changed."""

from collections.abc import Iterator

from membrane.domain.archive.lines import is_first_line, require_version, require_whole
from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.imports.import_lines import RefusedObject
from membrane.usecases.imports.work import Work
from membrane.usecases.ports.bucket import ImportObject

NO_EXPORT = "the first line is not the first line of an export"


def require_whole_file(work: Work, found: ImportObject) -> None:
    """Read every line once and compare with the last line; raises RefusedObject."""
    try:
        require_whole(_lines_of(work, found))
    except InvalidArgument as error:
        raise RefusedObject(str(error)) from error


def _lines_of(work: Work, found: ImportObject) -> Iterator[bytes]:
    """The lines of the object, the first of which must begin an export of this version."""
    for line in work.lines(found):
        if line.content is None:
            raise RefusedObject(f"line {line.number} is longer than {work.max_line_bytes} bytes")
        if line.number == 1:
            _require_first(line.content)
        yield line.content


def _require_first(content: bytes) -> None:
    if not is_first_line(content):
        raise RefusedObject(NO_EXPORT)
    require_version(content)
