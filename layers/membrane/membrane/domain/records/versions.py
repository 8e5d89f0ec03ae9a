"""The versions of a record's content, and the record as of a past instant.

Both are rebuilt backwards from the current record. The audit trail has the time, the author and
the salience of each change.

The entry of an instant is the last entry written up to the instant. If the clocks of several
writers disagree, an entry counts from the latest timestamp in the trail so far: time in a trail
never runs backwards.

Both need the complete trail: a missing entry raises GapInTrail.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import is_before, later, seconds_of
from membrane.domain.language.vocabulary import AuditAction, Sensitivity
from membrane.domain.records.history import (
    ABSENT,
    KEPT_IN_AUDIT,
    Delta,
    EarlierValue,
    content_before,
    content_of,
)
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import Anchor

if TYPE_CHECKING:
    from membrane.domain.records.replies import FieldChange


class GapInTrail(ValueError):
    """Audit entries are missing, so past versions cannot be rebuilt.

    Not a DomainError: a damaged store must reach the error metric and never show a wrong past.
    """

    def __init__(self, record_id: str) -> None:
        super().__init__(f"record {record_id}: its audit trail has a gap")


@dataclass(frozen=True, slots=True)
class Change:
    """A field that differs from the previous version; `before` or `after` may be ABSENT."""

    field: str
    """The path from the record down to the field, as in `payload.revision.status`."""
    before: Any = ABSENT
    after: Any = ABSENT
    added: Sequence[Any] = ()
    """Elements added at the end of a list, if nothing else changed; `before`, `after` are unset."""

    def as_json(self) -> "FieldChange":
        if self.added:
            return {"field": self.field, "added": list(self.added)}
        shown: FieldChange = {"field": self.field}
        if self.before is not ABSENT:
            shown["before"] = self.before
        if self.after is not ABSENT:
            shown["after"] = self.after
        return shown


@dataclass(frozen=True, slots=True)
class Version:
    """The content of a record between two changes; `entry` says who made the version and why."""

    number: int
    """Counted from 1, the creation."""
    valid_from: str
    valid_to: str | None
    """None for the newest version."""
    entry: AuditEntry
    scope: str
    sensitivity: Sensitivity
    changes: tuple[Change, ...]


def versions_of(stored: StoredRecord) -> Sequence[Version]:
    instants = _instants(stored)
    starts = [0, *(delta.entry for delta in stored.history)]
    ends = [*(instants[entry] for entry in starts[1:]), None]
    states = reversed(list(_backwards(stored)))
    return [
        Version(number, instants[entry], end, stored.trail[entry], *state)
        for number, (entry, end, state) in enumerate(zip(starts, ends, states, strict=True), 1)
    ]


def as_of(stored: StoredRecord, instant: str) -> StoredRecord | None:
    """The record at an instant; None before creation, while deleted, and once erased."""
    count = bisect_right(_instants(stored), _sortable(instant), key=_sortable)
    if count == 0 or _is_deletion(stored.trail[count - 1]) or is_erased_after(stored, count):
        return None
    return stored if count == len(stored.trail) else version_after(stored, count)


def is_erased_after(stored: StoredRecord, count: int) -> bool:
    """Whether the content after the first `count` audit entries was erased."""
    return any(delta.is_erasure and delta.entry >= count for delta in stored.history)


def version_after(stored: StoredRecord, count: int) -> StoredRecord:
    """The record after the first `count` audit entries, for reading; `count` is 1 or more.

    Without the credit, of which only the newest state is known.
    """
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
        credit=None,
        origin=None,
    )


def record_after(stored: StoredRecord, entries: int) -> MemoryRecord:
    """The record after the first `entries` audit entries, with the present salience."""
    undone = [delta for delta in stored.history if delta.entry >= entries]
    return _record(stored, undone, stored.trail[:entries], stored.anchor)


def require_past(instant: str, now: str) -> None:
    if is_before(now, instant):
        raise InvalidArgument("as_of lies in the future")


def _backwards(stored: StoredRecord) -> Iterator[tuple[str, Sensitivity, tuple[Change, ...]]]:
    """The scope, the sensitivity and the changes of each version, newest first."""
    content = content_of(stored.record)
    for delta in reversed(stored.history):
        changes = tuple(_change(each, content) for each in delta.was)
        yield *_classification(content), changes
        content = content_before(content, delta)
    yield *_classification(content), ()


def _classification(content: JsonObject) -> tuple[str, Sensitivity]:
    return content.get("scope", ""), Sensitivity(content["sensitivity"])


def _change(earlier: EarlierValue, later: JsonObject) -> Change:
    field = ".".join(earlier.path)
    after = _at(earlier.path, later)
    if earlier.kept is not None:
        return Change(field, added=after[earlier.kept :])
    if earlier.value is ABSENT and isinstance(after, list):
        return Change(field, added=after)
    return Change(field, earlier.value, after)


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
    return list(accumulate((entry.timestamp for entry in stored.trail), later))


def _sortable(timestamp: str) -> str:
    return timestamp.removesuffix("Z")


def _is_deletion(entry: AuditEntry) -> bool:
    """Whether the entry deleted the record: a retraction has saliences as well."""
    return entry.action is AuditAction.DELETE and entry.salience_after is None


def _anchor(stored: StoredRecord, count: int) -> Anchor:
    """The anchor after the first `count` entries; an anchor never moves back in time."""
    born_s = stored.born_s
    anchor = Anchor(stored.first_salience, born_s, born_s)
    for entry in stored.trail[:count]:
        if entry.salience_after is not None:
            written_s = seconds_of(entry.timestamp)
            anchor = Anchor(entry.salience_after, max(anchor.at_s, written_s), born_s)
    return anchor


def _record(
    stored: StoredRecord, undone: Sequence[Delta], trail: tuple[AuditEntry, ...], anchor: Anchor
) -> MemoryRecord:
    content = content_of(stored.record)
    for delta in reversed(undone):
        content = content_before(content, delta)
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
            "lifecycle": {**content["lifecycle"], KEPT_IN_AUDIT: last_reinforced_at},
            "relations": tuple(content.get("relations", ())),
            "audit_log": trail,
        },
        context=stored.id,
    )
