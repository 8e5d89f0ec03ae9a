"""Exports of a memory. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from membrane_client.value import Value


class Export(Value):
    id: str  # Id of the export
    state: str  # `running`, `done` or `failed`; the service tries a failed export again for a while
    reason: str | None  # Why the last attempt failed; absent without a failure
    max_sensitivity: str  # The highest sensitivity of exported records
    scopes: Sequence[str]  # The exported scopes; absent for all scopes
    created_at: datetime  # When the export was requested
    updated_at: datetime  # When the export last made progress
    expires_at: datetime  # When the export and the file are removed
    lines: int  # The number of lines written so far
    bytes: int  # The size of the lines written so far
    counts: Mapping[str, int]  # The number of lines by kind


class ExportPart(Value):
    url: str  # A signed address of the part, valid for five minutes
    bytes: int  # The size of the part


class ExportReply(Value):
    export: Export  # The state of the export
    parts: Sequence[ExportPart]
    next_cursor: str | None  # Of the next page of parts; absent on the last page


class ExportList(Value):
    exports: Sequence[Export]  # The exports, the newest first
