"""The newest part of a record, which is loaded, and the oldest one, which stays behind."""

from dataclasses import replace

from membrane.domain.records.audit import without_text
from membrane.domain.records.stored import (
    SHOWN_ENTRIES,
    AnyRecord,
    RemovedRecord,
    StoredRecord,
    erases_past,
)

NEWEST_CHANGES = 8
"""Changes of content that a record is loaded with, where its trail is long."""


def newest_part(whole: AnyRecord) -> AnyRecord:
    """What a store loads of a record: the newest of its audit entries and changes."""
    trail = whole.trail[-SHOWN_ENTRIES:]
    if len(trail) == len(whole.trail):
        return whole
    if isinstance(whole, RemovedRecord):
        return replace(whole, trail=trail, audit_count=whole.written_entries)
    return replace(
        whole,
        record=whole.record.model_copy(update={"audit_log": trail}),
        audit_count=whole.written_entries,
        initial_salience=whole.first_salience,
        history=whole.history[-NEWEST_CHANGES:],
    )


def with_oldest_part(kept: AnyRecord, before: AnyRecord, after: AnyRecord) -> AnyRecord:
    """The next version with the entries and changes that were not loaded with the one before."""
    trail = (*kept.trail[: len(kept.trail) - len(before.trail)], *after.trail)
    if isinstance(after, RemovedRecord):
        if after.tombstone.is_erased:
            trail = (*map(without_text, trail[:-1]), trail[-1])
        return replace(after, trail=trail)
    assert isinstance(kept, StoredRecord)
    assert isinstance(before, StoredRecord)
    added = after.history[len(before.history) :]
    return replace(
        after,
        record=after.record.model_copy(update={"audit_log": trail}),
        history=after.history if erases_past(before, after) else (*kept.history, *added),
    )
