"""The requests about exports."""

from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import RecordId
from membrane.domain.language.requests import (
    FromPath,
    FromQuery,
    OptionalScope,
    Request,
    RequestPart,
)


class CreateExport(Request):
    """Write the memory of one scope, or of every scope of the key, into a file.

    The file holds every record up to the highest sensitivity of the key. The reply comes at once;
    the file is complete when the state of the export is `done`.
    """

    scope: OptionalScope = None
    """Scope to export. Absent or empty: every scope of the key; unscoped records are included with
    a key for all scopes alone."""


class ReadExport(RequestPart):
    """Read the state of an export of the key, with links to the parts of a finished file."""

    id: FromPath[RecordId]
    """Id of the export."""
    cursor: FromQuery[Cursor] = ""
    """`next_cursor` of the page before. Absent: the first page of parts. A query parameter."""


class ListExports(RequestPart):
    """List the exports of the key, the newest first."""
