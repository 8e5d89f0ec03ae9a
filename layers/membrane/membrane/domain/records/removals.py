"""Removed records in lists: deleted by a caller, or pruned by the sweep."""

from enum import StrEnum

from membrane.domain.records.stored import DELETED, Tombstone


class Removal(StrEnum):
    DELETED = "deleted"
    """By a caller, who did not erase the record."""
    PRUNED = "pruned"
    """By the sweep, as faded, too old, or retracted for long."""


def removal_by(tombstone: Tombstone) -> Removal | None:
    """How the record was removed; None for an erased record, which no list shows."""
    if tombstone.is_erased:
        return None
    return Removal.DELETED if tombstone.reason == DELETED else Removal.PRUNED
