"""Records and topics that have changed, and those that could not be indexed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChangedSource:
    """A changed record or topic."""

    record_id: str
    scopes: tuple[str, ...]
    """The known scopes, present and former."""


@dataclass(frozen=True, slots=True)
class StreamChanges:
    """The changes in a batch of the table's stream, or in messages of the retry queue."""

    records: Sequence[ChangedSource] = ()
    """Records that need a new vector."""
    topics: Sequence[ChangedSource] = ()
    facts: Sequence[ChangedSource] = ()
    """Created, changed and removed facts, in the order of the changes."""
    created: Sequence[ChangedSource] = ()
    """New records; a record from an archive is not new."""
    ended: Sequence[ChangedSource] = ()
    """Changed steps of threads; the thread has ended if the step has an outcome."""


@dataclass(frozen=True, slots=True)
class FailedSource:
    """A change that cannot be indexed, and the reason."""

    changed: ChangedSource
    error: Exception


def merge_changes(changed: Iterable[ChangedSource]) -> list[ChangedSource]:
    """One change a record, with the scopes of all changes of the record."""
    scopes: dict[str, dict[str, None]] = {}
    for each in changed:
        scopes.setdefault(each.record_id, {}).update(dict.fromkeys(each.scopes))
    return [ChangedSource(record_id, tuple(found)) for record_id, found in scopes.items()]
