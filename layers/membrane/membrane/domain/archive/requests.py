"""The requests about exports."""

from membrane.domain.language import requests
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import RecordId


class CreateExport(requests.Request):
    """Write the memory of one scope, or of every scope of the key, into a file.

    The file holds every record up to the highest sensitivity of the key. The reply comes at once;
    the file is complete when the state of the export is `done`.
    """

    scope: requests.OptionalScope = None
    """Scope to export. Absent or empty: every scope of the key; unscoped records are included with
    a key for all scopes alone."""


class ReadExport(requests.RequestPart):
    """Read the state of an export of the key, with links to the parts of a finished file."""

    id: requests.FromPath[RecordId]
    """Id of the export."""
    cursor: requests.FromQuery[Cursor] = ""
    """`next_cursor` of the page before. Absent: the first page of parts. A query parameter."""


class ListExports(requests.RequestPart):
    """List the exports of the key, the newest first."""
