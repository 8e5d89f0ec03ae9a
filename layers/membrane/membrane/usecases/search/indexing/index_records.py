"""Put the vectors of changed records.

A change is only a hint: the record is loaded again, so changes may arrive in any order, late and
more than once. Every put is conditional on the version of the loaded record. The write that ends a
record deletes the vector; a vector left behind ends by TTL. The vector of a superseded record ends
here, behind the put of the newest successor's vector.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.pruning import vector_due_of
from membrane.domain.records.standing import (
    index_version,
    is_found,
    may_have_outlived_vector,
)
from membrane.domain.records.stored import AnyRecord
from membrane.domain.search.searchable import searchable
from membrane.usecases.machinery.side_by_side import IsOutOfTime, never
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors
from membrane.usecases.search.indexing.batch import Batch, Collection, IndexTally, Source
from membrane.usecases.search.indexing.changes import ChangedSource

INDEX = "Index"


def index_records(
    changed: Iterable[ChangedSource], world: World, is_out_of_time: IsOutOfTime = never
) -> IndexTally:
    """Put the vectors of changed records; see `index_all`."""
    return index_all(changed, records_of(world), world, is_out_of_time)


def index_all(
    changed: Iterable[ChangedSource],
    collection: Collection,
    world: World,
    is_out_of_time: IsOutOfTime,
) -> IndexTally:
    """Put the vectors of changed records or topics; report every change that fails alone.

    Raises ResourceExhausted and Unavailable; the caller repeats the batch.
    """
    indexed = Batch(collection, epoch_seconds(world.now()), is_out_of_time).index(changed)
    for failed in indexed.failed:
        world.report(INDEX, FAULT, failed.error)
    return indexed


def records_of(world: World) -> Collection:
    records = world.records

    def load(record_id: str) -> Source | None:
        held = records.load(record_id)
        return None if held is None else _sources({record_id: held}, world)[record_id]

    def load_all(record_ids: Sequence[str]) -> Mapping[str, Source]:
        return _sources(records.load_own(record_ids), world)

    return Collection(load, load_all, world.vectors, world.embedders)


def _sources(several: Mapping[str, AnyRecord], world: World) -> dict[str, Source]:
    """The sources of the records, and of the newest successors of outlived records."""
    now_s = epoch_seconds(world.now())
    sources = {each: _source(held, world) for each, held in several.items()}
    outlived = [each for each, held in several.items() if may_have_outlived_vector(held, now_s)]
    known = with_successors(outlived, world.records.load_own, several)
    for each in outlived:
        newest = newest_known(several[each], known)
        successor = None if newest is None else _source(newest, world)
        if successor is None or successor.is_over(now_s):
            sources[each] = replace(sources[each], is_outlived=True)
        else:
            sources |= {
                each: replace(sources[each], is_outlived=True, successor_id=successor.id),
                successor.id: successor,
            }
    return sources


def _source(held: AnyRecord, world: World) -> Source:
    policy = world.policy
    render, due_s = None, None
    if is_found(held):
        render = partial(searchable, held.record)
        due_s = vector_due_of(held, policy.custom_curves, policy.prune_threshold)
    return Source(
        id=held.id,
        scope=held.scope,
        type=held.type,
        sensitivity=held.sensitivity,
        version=index_version(held.born_s, held.version),
        render=render,
        due_s=due_s,
    )
