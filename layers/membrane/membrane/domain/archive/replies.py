"""The replies about exports."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from membrane.domain.archive.exports import ExportState
from membrane.domain.language.fields import Count, Timestamp


class ExportPart(TypedDict):
    """A part of the file of an export."""

    url: str
    """A signed address of the part, valid for five minutes."""
    bytes: Count
    """The size of the part."""


class ExportView(TypedDict):
    """The state of an export."""

    id: str
    """Id of the export."""
    state: ExportState
    """`running`, `done` or `failed`; the service tries a failed export again for a while."""
    reason: NotRequired[str]
    """Why the last attempt failed; absent without a failure."""
    max_sensitivity: str
    """The highest sensitivity of exported records."""
    scopes: NotRequired[list[str]]
    """The exported scopes; absent for all scopes."""
    created_at: Timestamp
    """When the export was requested."""
    updated_at: Timestamp
    """When the export last made progress."""
    expires_at: Timestamp
    """When the export and the file are removed."""
    lines: Count
    """The number of lines written so far."""
    bytes: Count
    """The size of the lines written so far."""
    counts: dict[str, Count]
    """The number of lines by kind."""


class ExportReply(TypedDict):
    """One export."""

    export: ExportView
    """The state of the export."""
    parts: NotRequired[list[ExportPart]]
    """A page of the parts of the file, which joined in order make the file; absent before the file
    is complete."""
    next_cursor: NotRequired[str]
    """Of the next page of parts; absent on the last page."""


class ExportList(TypedDict):
    """The exports of a key."""

    exports: Annotated[list[ExportView], "newest first"]
    """The exports, the newest first."""
