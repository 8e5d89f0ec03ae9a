"""What is told of records and topics that have changed."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.usecases.search.indexing.changes import Changed


@dataclass(frozen=True, slots=True)
class Told:
    """By a batch of the table's stream, or by messages about what was set aside of it."""

    records: Sequence[Changed] = ()
    """Whose vectors are to be made anew."""
    topics: Sequence[Changed] = ()
    """The same."""
    facts: Sequence[Changed] = ()
    """Facts that were made or changed, or are gone, in the order in which that happened."""
