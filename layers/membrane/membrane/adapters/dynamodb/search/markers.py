"""What a write of a record, or topic, says to the search index: a flag, or a marker.

The flag `stale` on an item says that this write changed what is indexed of it; every other update
removes the flag in the same request, so the table's stream tells the index function of such writes
alone. A marker takes the place of a vector in the write that ends it, and refuses a late put.
"""

from datetime import datetime, timedelta

from membrane.adapters.dynamodb.table.attributes import Value, number, text
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace, vector_key
from membrane.adapters.dynamodb.table.writes import Write, lost
from membrane.domain.language.timestamps import epoch_seconds

STALE = "stale"

WRITTEN: Value = text("written")
"""The flag's value, but for a re-index, which names itself by when it was begun."""

MARKER_PERIOD = timedelta(days=2)
"""Twice as long as a stream keeps what a late writer could have read."""


def marker(source_id: str, version: int, now: datetime, space: SearchSpace = RECORDS) -> Write:
    """Put a marker of that `index_version` in the place of a vector, whatever stands there."""
    item = {
        **vector_key(source_id, space),
        "removed": text("removed"),
        "source_version": number(version),
        "expires_at": number(int(epoch_seconds(now + MARKER_PERIOD))),
    }
    return Write("Put", lost, item=item)
