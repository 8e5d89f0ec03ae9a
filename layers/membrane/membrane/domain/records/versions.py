"""The versions of a record's content, and the record as it was at an instant.

Both are rebuilt from the record as it is, backwards. The audit trail tells when and by whom each
version came about, and what the salience was.

An instant belongs to the last entry that was written by then. Where clocks of several writers
disagree, an entry counts from the latest instant that the trail has told so far: time in a trail
never runs back.

Both count the entries, so a trail that lacks one tells nothing: either raises GapInTrail.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import is_before, seconds_of
from membrane.domain.language.vocabulary import AuditAction, Sensitivity
from membrane.domain.records.history import ABSENT, TOLD_BY_AUDIT, Delta, Was, before, content_of
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import Anchor

if TYPE_CHECKING:
    from membrane.domain.records.replies import FieldChange


class GapInTrail(ValueError):
    """Entries of a record's audit trail are missing, so what it was cannot be told.

    Not a DomainError: a damaged store must reach the error metric, never pass for another past.
    """

    def __init__(self, record_id: str) -> None:
        super().__init__(f"record {record_id}: its audit trail has a gap")


@dataclass(frozen=True, slots=True)
class Change:
    """What a version has otherwise than the one before it; ABSENT where a field was, or is, not."""

    field: str
    """From the record down to the field: `payload.revision.status`."""
    before: Any = ABSENT
    after: Any = ABSENT
    added: Sequence[Any] = ()
    """What a list has more, at its end, where that is all; then nothing else is told of it."""

    def as_json(self) -> "FieldChange":
        if self.added:
            return {"field": self.field, "added": list(self.added)}
        told: FieldChange = {"field": self.field}
        if self.before is not ABSENT:
            told["before"] = self.before
        if self.after is not ABSENT:
            told["after"] = self.after
        return told


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a record's content: since when, until when, made by whom and why."""

    number: int
    """From 1, its creation."""
    valid_from: str
    valid_to: str | None
    """None of the newest."""
    entry: AuditEntry
    scope: str
    sensitivity: Sensitivity
    changes: tuple[Change, ...]


def versions_of(stored: StoredRecord) -> Sequence[Version]:
    instants = _instants(stored)
    begun = [0, *(delta.entry for delta in stored.history)]
    ends = [*(instants[entry] for entry in begun[1:]), None]
    states = reversed(list(_backwards(stored)))
    return [
        Version(number, instants[entry], end, stored.trail[entry], *state)
        for number, (entry, end, state) in enumerate(zip(begun, ends, states, strict=True), 1)
    ]


def as_of(stored: StoredRecord, instant: str) -> StoredRecord | None:
    """The record as it stood then, for reading; None before it was made, and while deleted."""
    count = bisect_right(_instants(stored), _sortable(instant), key=_sortable)
    if count == 0 or _tells_of_deletion(stored.trail[count - 1]):
        return None
    if count == len(stored.trail):
        return stored
    history = tuple(delta for delta in stored.history if delta.entry < count)
    anchor = _anchor(stored, count)
    return replace(
        stored,
        record=_record(stored, stored.history[len(history) :], stored.trail[:count], anchor),
        anchor=anchor,
        tombstone=None,
        audit_count=count,
        initial_salience=stored.first_salience,
        history=history,
        origin=None,
    )


def require_past(instant: str, now: str) -> None:
    if is_before(now, instant):
        raise InvalidArgument("as_of lies in the future")


def _backwards(stored: StoredRecord) -> Iterator[tuple[str, Sensitivity, tuple[Change, ...]]]:
    """The scope, the sensitivity and the changes of each version, the newest first."""
    content = content_of(stored.record)
    for delta in reversed(stored.history):
        changes = tuple(_change(each, content) for each in delta.was)
        yield *_place(content), changes
        content = before(content, delta)
    yield *_place(content), ()


def _place(content: JsonObject) -> tuple[str, Sensitivity]:
    return content.get("scope", ""), Sensitivity(content["sensitivity"])


def _change(was: Was, later: JsonObject) -> Change:
    field = ".".join(was.path)
    after = _at(was.path, later)
    if was.kept is not None:
        return Change(field, added=after[was.kept :])
    if was.value is ABSENT and isinstance(after, list):
        return Change(field, added=after)
    return Change(field, was.value, after)


def _at(path: Sequence[str], content: JsonObject) -> Any:
    found: Any = content
    for step in path:
        found = found.get(step, ABSENT)
        if found is ABSENT:
            break
    return found


def _instants(stored: StoredRecord) -> list[str]:
    if len(stored.trail) != stored.written_entries:
        raise GapInTrail(stored.id)
    return list(accumulate((entry.timestamp for entry in stored.trail), _later))


def _later(one: str, other: str) -> str:
    return other if is_before(one, other) else one


def _sortable(timestamp: str) -> str:
    return timestamp.removesuffix("Z")


def _tells_of_deletion(entry: AuditEntry) -> bool:
    """That a record was retracted has the same word, and what became of its salience."""
    return entry.action is AuditAction.DELETE and entry.salience_after is None


def _anchor(stored: StoredRecord, count: int) -> Anchor:
    """Where the salience stood after so many entries; an anchor never moves back."""
    born_s = stored.born_s
    anchor = Anchor(stored.first_salience, born_s, born_s)
    for entry in stored.trail[:count]:
        if entry.salience_after is not None:
            told_s = seconds_of(entry.timestamp)
            anchor = Anchor(entry.salience_after, max(anchor.at_s, told_s), born_s)
    return anchor


def _record(
    stored: StoredRecord,
    undone: Sequence[Delta],
    trail: tuple[AuditEntry, ...],
    anchor: Anchor,
) -> MemoryRecord:
    content = content_of(stored.record)
    for delta in reversed(undone):
        content = before(content, delta)
    reinforced = [each.timestamp for each in trail if each.action is AuditAction.REINFORCE]
    last_reinforced_at = reinforced[-1] if reinforced else stored.record.created_at
    return MemoryRecord.model_validate(
        {
            **content,
            "id": stored.id,
            "type": stored.type,
            "salience": anchor.salience,
            "created_at": stored.record.created_at,
            "updated_at": trail[-1].timestamp,
            "lifecycle": {**content["lifecycle"], TOLD_BY_AUDIT: last_reinforced_at},
            "relations": tuple(content.get("relations", ())),
            "audit_log": trail,
        },
        context=stored.id,
    )
