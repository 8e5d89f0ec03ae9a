"""Bring the search index up to date with records that have changed.

What changed is only a hint where to look: each record is loaded anew, so it does not matter in
which order, how late or how often changes are told. Every write is conditional on the version that
it was made from.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import Held, StoredRecord
from membrane.domain.search.searchable import searchable
from membrane.usecases.machinery.long_jobs import IsOutOfTime, never
from membrane.usecases.ports.operators import FAULT, Report
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import (
    MAX_ROUNDS,
    Batch,
    Changed,
    Indexed,
    index_version,
)
from membrane.usecases.search.indexing.sources import Collection, Source

INDEX = "Index"
"""How faults are reported."""


def index_records(
    changed: Iterable[Changed], services: ReadingServices, is_out_of_time: IsOutOfTime = never
) -> Indexed:
    """Make the entries of these records what they must be; see `index_all`."""
    return index_all(changed, records_of(services), services.report, is_out_of_time)


def index_or_set_aside(changed: Iterable[Changed], services: ReadingServices) -> Indexed:
    """The same; a record that fails by itself is set aside, for a later try."""
    indexed = index_records(changed, services)
    for failed in indexed.failed:
        services.set_aside(failed.changed.record_id, failed.changed.scopes)
    return indexed


def index_all(
    changed: Iterable[Changed],
    collection: Collection,
    report: Report,
    is_out_of_time: IsOutOfTime = never,
) -> Indexed:
    """Make the entries of these what they must be, and tell the readers of their scopes.

    What fails by a fault of its own, or has no turn in time, is reported, and is in the result.
    Raises ResourceExhausted and Unavailable; then the batch is to be repeated.
    """
    batch = Batch(collection, is_out_of_time)
    failures = [*_look_through(batch, changed), *_tell_readers(batch)]
    if failures:
        raise failures[0]
    for failed in batch.indexed.failed:
        report(INDEX, FAULT, failed.error)
    return batch.indexed


def records_of(services: ReadingServices) -> Collection:
    """All records, and their entries."""
    records = services.records

    def load(record_id: str) -> Source | None:
        held = records.load(record_id)
        return None if held is None else _source(held)

    def load_all(record_ids: Sequence[str]) -> Mapping[str, Source]:
        return {each: _source(held) for each, held in records.load_all(record_ids).items()}

    return Collection(load, load_all, services.entries, services.embedder)


def _source(held: Held) -> Source:
    record = _living(held)
    return Source(
        id=held.id,
        scope=held.scope,
        type=held.type,
        sensitivity=held.sensitivity,
        version=index_version(held.born_s, held.version),
        render=None if record is None else partial(searchable, record),
    )


def _living(held: Held) -> MemoryRecord | None:
    """What is to be found; None where nothing is."""
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return None
    return None if is_retracted(held.record.payload) else held.record


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
            batch.collection.entries.moved(scope, added)
        except Exception as error:  # noqa: BLE001 - raised again once the others know
            yield error
