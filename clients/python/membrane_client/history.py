"""The history of a record: versions with their reasons, through successors and predecessors."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Unpack

from membrane_client.core.protocol import Steps
from membrane_client.errors import Conflict, NotFound
from membrane_client.operations import Routes
from membrane_client.operations.parameters import Caller
from membrane_client.values.payloads import SemanticPayload
from membrane_client.values.records import MemoryRecord, RecordVersion


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A version of a record."""

    record_id: str
    version: RecordVersion
    record: MemoryRecord | None
    """The record of the time; None where hidden from the key."""

    @property
    def who(self) -> str | None:
        """The actor of the key, else the actor that was claimed."""
        return self.version.principal or self.version.actor

    @property
    def when(self) -> datetime:
        return self.version.valid_from

    @property
    def why(self) -> str | None:
        return self.version.rationale

    @property
    def content(self) -> Any:
        """A fact's object; of a record without a fact the payload, as JSON."""
        payload = None if self.record is None else self.record.payload
        if isinstance(payload, SemanticPayload):
            return payload.object
        return None if payload is None else payload.raw


def history(api: Routes, record_id: str, **more: Unpack[Caller]) -> Steps[Sequence[HistoryEntry]]:
    """All versions of the record, of successors and of predecessors, the newest first."""
    current: str | None = record_id
    with suppress(NotFound, Conflict):  # deleted, or replaced by what the key may not see
        current = (yield from api.retrieve_by_id(record_id, resolve="latest", **more)).id
    entries: list[HistoryEntry] = []
    seen: set[str] = set()
    while current and current not in seen:
        seen.add(current)
        try:
            own = yield from _history_of(api, current, more)
        except NotFound:
            if current == record_id:
                raise
            break  # a predecessor that is gone, or that the key may not see
        entries += reversed(own)
        payload = next((each.record.payload for each in reversed(own) if each.record), None)
        revision_state = getattr(payload, "revision", None)
        current = revision_state.supersedes if revision_state else None
    return entries


def _history_of(api: Routes, record_id: str, more: Caller) -> Steps[list[HistoryEntry]]:
    """The oldest version first; the record is read again where a version changed the payload."""
    entries: list[HistoryEntry] = []
    record: MemoryRecord | None = None
    page = yield from api.read_versions(record_id, **more)
    while True:
        for version in page.versions:
            if version.withheld:
                record = None
            elif (
                record is None
                or version.size is not None
                or any(each.field.startswith("payload") for each in version.changes)
            ):
                as_of = version.raw["valid_from"]
                record = yield from api.retrieve_by_id(record_id, as_of=as_of, **more)
            entries.append(HistoryEntry(record_id, version, record))
        if not page.next_cursor:
            return entries
        page = yield from api.read_versions(record_id, cursor=page.next_cursor, **more)
