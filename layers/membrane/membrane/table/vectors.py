"""Signals from the write of a record or topic to the search index: a flag, or a marker.

The flag `stale` on an item says that the write changed indexed content. Every other update removes
the flag in the same request, and the stream's filter passes only flagged writes to the index
function. A marker replaces a vector in the write that ends the vector, and refuses a late put. The
vector of a pruned record is deleted right behind the prune, at half the price of a transaction: the
vector expires, so a late put and a vector that a killed sweep leaves end by TTL. The vector of a
superseded record is marked alone, and stays until the index function has put the vector of the
successor.
"""

from collections.abc import Mapping
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MARKER_PERIOD
from membrane.table.dynamo import OverTable
from membrane.table.entity import STALE, touch
from membrane.table.items import Value, number, text
from membrane.table.keys import RECORDS, SearchSpace, vector_key
from membrane.table.writes import Write, lost_race

REMOVED = "removed"
"""The attribute of a marker; of the vector of a superseded record, with the successor's id."""

NO_LATER = "attribute_not_exists(pk) OR source_version <= :version"
"""The condition that no vector or marker of a later `index_version` exists."""

WRITTEN: Value = text("written")
"""The flag's value; a re-index writes the start of the re-index instead."""

RESTORED: Value = text("restored")
"""The flag's value on a record from an archive, which is not new."""


def make_stale(store: OverTable, own_key: Mapping[str, Value], since: str) -> bool:
    """Flag a record or topic for a new vector; False without a change if the item is not alive."""
    is_alive = "attribute_exists(pk) AND attribute_not_exists(deleted_at)"
    return touch(store, own_key, is_alive, sets={STALE: text(since)})


def marker(source_id: str, version: int, now: datetime, space: SearchSpace = RECORDS) -> Write:
    """Put a marker of the `index_version` in the place of a vector, unconditionally."""
    marks = _marks("removed", version, now)
    return Write("Put", lost_race, item={**vector_key(source_id, space), **marks})


def removal(record_id: str, version: int) -> Write:
    """Delete the vector, unless a restore has brought a vector of a later `index_version`."""
    return Write(
        "Delete",
        lost_race,
        NO_LATER,
        key=vector_key(record_id),
        values={":version": number(version)},
    )


def succession(record_id: str, successor_id: str, version: int, now: datetime) -> Write:
    """Mark the vector of a superseded record, or the place of the vector, unconditionally."""
    marks = _marks(successor_id, version, now)
    return Write(
        "Update",
        lost_race,
        key=vector_key(record_id),
        update="SET " + ", ".join(f"{name} = :{name}" for name in marks),
        values={f":{name}": value for name, value in marks.items()},
    )


def _marks(removed: str, version: int, now: datetime) -> dict[str, Value]:
    return {
        REMOVED: text(removed),
        "source_version": number(version),
        "expires_at": number(int(epoch_seconds(now + MARKER_PERIOD))),
    }
