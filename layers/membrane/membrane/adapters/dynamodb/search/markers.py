"""Signals from the write of a record or topic to the search index: a flag, or a marker.

The flag `stale` on an item says that the write changed indexed content. Every other update removes
the flag in the same request, and the stream's filter passes only flagged writes to the index
function. A marker replaces a vector in the write that ends the vector, and refuses a late put.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from membrane.adapters.dynamodb.table.attributes import Value, number, text
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace, vector_key
from membrane.adapters.dynamodb.table.writes import Write, lost_race
from membrane.domain.language.timestamps import epoch_seconds

STALE = "stale"

REMOVED = "removed"
"""The attribute that tells a marker from a vector."""

WRITTEN: Value = text("written")
"""The flag's value; a re-index writes the start of the re-index instead."""

RESTORED: Value = text("restored")
"""The flag's value on a record from an archive, which is not new."""

MARKER_PERIOD = timedelta(days=2)
"""Twice as long as the stream keeps a change that a late writer could have read."""


def stale_flag(own_key: Mapping[str, Value], since: str) -> Write:
    """Flag a live record or topic for a new vector; the write loses if the item is deleted."""
    return Write(
        "Update",
        lost_race,
        "attribute_exists(pk) AND attribute_not_exists(deleted_at)",
        key=own_key,
        update=f"SET {STALE} = :since",
        values={":since": text(since)},
    )


def marker(source_id: str, version: int, now: datetime, space: SearchSpace = RECORDS) -> Write:
    """Put a marker of the `index_version` in the place of a vector, unconditionally."""
    item = {
        **vector_key(source_id, space),
        REMOVED: text("removed"),
        "source_version": number(version),
        "expires_at": number(int(epoch_seconds(now + MARKER_PERIOD))),
    }
    return Write("Put", lost_race, item=item)
