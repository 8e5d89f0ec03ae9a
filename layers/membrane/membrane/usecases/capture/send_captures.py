"""Send new captures to the interpreting model, if a model interprets captures."""

from collections.abc import Iterable

from membrane.domain.language.errors import Unavailable
from membrane.usecases.capture.interpreting_call import INTERPRET, is_alive, is_interpreted
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.machinery.long_jobs import IsOutOfTime, OutOfTime, never
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.search.indexing.changes import ChangedSource, FailedSource, merge_changes


def send_captures(
    created: Iterable[ChangedSource], world: World, is_out_of_time: IsOutOfTime = never
) -> list[FailedSource]:
    """Send id and version of the captures among new records; report and return what failed alone.

    Without a model, nothing is read. A repeat sends again: the interpretation itself happens once.
    Raises ResourceExhausted and Unavailable if the records cannot be read; the caller repeats.
    """
    send, every = world.send_to_interpreter, merge_changes(created)
    if send is None or not every:
        return []
    records = world.records
    ids = [each.record_id for each in every]
    found, damaged = load_undamaged(ids, records.load_own, records.load)
    failed = list[FailedSource]()
    for each in every:
        held = found.get(each.record_id)
        if each.record_id in damaged:
            failed.append(FailedSource(each, damaged[each.record_id]))
        elif is_alive(held) and held.record.interpretation is not None and not is_interpreted(held):
            if is_out_of_time():
                failed.append(FailedSource(each, OutOfTime()))
                continue
            try:
                send(held.id, held.version, 0)
            except Unavailable as error:
                failed.append(FailedSource(each, error))
    for left in failed:
        world.report(INTERPRET, FAULT, left.error)
    return failed
