"""Bring the search index up to date with records that have changed.

What changed is only a hint where to look: each record is loaded anew, so it does not matter in
which order, how late or how often changes are told. Every write is conditional on the version that
it was made from.
"""

from collections.abc import Iterable, Iterator

from membrane.usecases.indexing import MAX_ROUNDS, Batch, Changed, Indexed
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.reading import ReadingServices

INDEX = "Index"
"""How faults are reported."""


def index_records(changed: Iterable[Changed], services: ReadingServices) -> Indexed:
    """Make the entries of these records what they must be, and tell the readers of their scopes.

    A record that fails by a fault of its own is reported, and is in the result. Raises
    ResourceExhausted and Unavailable; then the batch is to be repeated.
    """
    batch = Batch(services)
    failures = [*_look_through(batch, changed), *_tell_readers(batch)]
    if failures:
        raise failures[0]
    for failed in batch.indexed.failed:
        services.report(INDEX, FAULT, failed.error)
    return batch.indexed


def _look_through(batch: Batch, changed: Iterable[Changed]) -> Iterator[Exception]:
    """What ended it, where something did: readers have to know of what was done by then."""
    try:
        for _ in range(MAX_ROUNDS):
            changed = batch.look_at(changed)
    except Exception as error:  # noqa: BLE001 - raised again once readers know
        yield error


def _tell_readers(batch: Batch) -> Iterator[Exception]:
    """Of each scope that has other entries now; one that cannot be told keeps no other back."""
    for scope, added in batch.indexed.moved.items():
        try:
            batch.services.entries.moved(scope, added)
        except Exception as error:  # noqa: BLE001 - raised again once the others know
            yield error


def index_or_set_aside(changed: Iterable[Changed], services: ReadingServices) -> Indexed:
    """The same; a record that fails by itself is set aside, for a later try."""
    indexed = index_records(changed, services)
    for failed in indexed.failed:
        services.set_aside(failed.changed.record_id, failed.changed.scopes)
    return indexed
