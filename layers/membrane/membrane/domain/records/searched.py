"""Whether search finds a record, and what a change of the record means for its vector."""

from typing import Any, TypeGuard

from membrane.domain.language.vocabulary import DeletionPolicy
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import Held, StoredRecord
from membrane.domain.salience.lifecycle import DecayProfile

_NOT_SEARCHED = frozenset({"revision", "performance", "metrics"})
"""Fields of payloads that say nothing in words."""


def is_found(held: Held) -> TypeGuard[StoredRecord]:
    """Whether search finds the record: it is neither deleted nor retracted."""
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return False
    return not is_retracted(held.record.payload)


def needs_vector(before: Held, after: Held) -> bool:
    """Whether the record that is found after a change needs another vector than before it.

    TTL ends the vector of a record that may be pruned, so a record that was kept for good, or whose
    salience had a floor, and may now be pruned needs one that TTL ends.
    """
    if not is_found(after):
        return False
    if not is_found(before) or _searched(before) != _searched(after):
        return True
    is_kept = not _may_be_pruned(before) or _decay(before) != _decay(after)
    return is_kept and _may_be_pruned(after)


def loses_vector(before: Held, after: Held) -> bool:
    """Whether a change ends the vector: the record is no longer found, or is erased.

    An erased record may have been pruned, and so may have a vector that waits for TTL.
    """
    if is_found(after):
        return False
    return is_found(before) or (_is_erased(after) and not _is_erased(before))


def _searched(stored: StoredRecord) -> tuple[Any, ...]:
    """All that a vector, and what is kept beside it, is made from."""
    record = stored.record
    said = {name: value for name, value in record.payload if name not in _NOT_SEARCHED}
    return record.type, record.scope, record.sensitivity, record.tags, record.provenance, said


def _may_be_pruned(stored: StoredRecord) -> bool:
    lifecycle = stored.record.lifecycle
    return not lifecycle.pinned and lifecycle.deletion_policy is DeletionPolicy.AUTO_PRUNE


def _decay(stored: StoredRecord) -> DecayProfile:
    return stored.record.lifecycle.decay


def _is_erased(held: Held) -> bool:
    return held.tombstone is not None and held.tombstone.is_erased
