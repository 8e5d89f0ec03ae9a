"""Bring all that is derived from records up to date with those that have changed.

The counters and the search index: what fails in one of them keeps back nothing in the other.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.metrics.count_records import Counted, count_records
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import Changed, Indexed, merged
from membrane.usecases.search.indexing.index_records import index_records

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Followed:
    """What came of a batch."""

    counted: Counted = field(default_factory=Counted)
    indexed: Indexed = field(default_factory=Indexed)

    @property
    def failed(self) -> Sequence[Changed]:
        """The records that could not be counted, or indexed, once each."""
        return merged(failed.changed for failed in (*self.counted.failed, *self.indexed.failed))


def follow_records(
    changed: Iterable[Changed], services: ReadingServices, is_out_of_time: IsOutOfTime = never
) -> Followed:
    """Count these records and, where what is searched of them is another, index them.

    Raises what ended one of the two, once the other is done; then the batch is to be repeated.
    """
    every, ended = merged(changed), list[Exception]()
    counted = tried(lambda: count_records(every, services, is_out_of_time), Counted(), ended)
    searched = [each for each in every if each.is_searched]
    indexed = tried(lambda: index_records(searched, services, is_out_of_time), Indexed(), ended)
    if ended:
        raise ended[0]
    return Followed(counted, indexed)


def tried(do: Callable[[], Result], nothing: Result, ended: list[Exception]) -> Result:
    """What it gives; `nothing`, and why is added to what has ended, where it raises something."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001 - raised again once the others are done
        ended.append(error)
        return nothing
