"""Where a record stands in its decay class: retracted ones below all that only have faded."""

from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import RANK_OF_ZERO, rank_of

RANK_OF_RETRACTED = 10 * RANK_OF_ZERO
"""So that an index tells what is kept for its time from what the next sweep prunes."""


def rank_in_class(stored: StoredRecord) -> float:
    """The record's rank among those that fade alike."""
    if is_retracted(stored.record.payload):
        return RANK_OF_RETRACTED
    return rank_of(stored.anchor, stored.record.lifecycle)
