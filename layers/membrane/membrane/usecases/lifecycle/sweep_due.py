"""Prune what has faded, and clear away what can no longer be restored (design 7).

A sweep moves no anchor and may be stopped anywhere: every step is one conditional write that the
next sweep, or another one at the same time, finds done or does again.
"""

import math
from datetime import timedelta
from functools import partial

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.endings import (
    DECAY_SERVICE,
    deleted_version,
    expired_record,
    pruned_version,
)
from membrane.domain.lifecycle.pruning import prunable_from
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.usecases.lifecycle.sweep_tally import Deed, Swept, Tally
from membrane.usecases.lifecycle.tombstones import go_on_clearing, tombstone
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.indexes import Due
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services

PUT_OFF_S = int(timedelta(hours=1).total_seconds())
"""For how long an item that fails is left alone, so that it blocks nothing (design 7)."""

PATIENCE = 5
"""Tries of one item where the store is busy or does not answer."""

FADED = "salience fell to {threshold:g}"
TOO_OLD = "reached its max age"
TAKEN_BACK = "retracted for {days} days"


def sweep_due(services: Services, is_out_of_time: IsOutOfTime) -> Swept:
    """Sweep every shard of the due index, each by a worker of its own; reports the counts.

    What a shard fails of is in the result, for the caller to raise: others go on.
    """
    worker = partial(sweep_shard, services=services, is_out_of_time=is_out_of_time)
    swept = Swept.of(side_by_side(worker, range(services.due.shards)))
    swept.tell(services)
    return swept


def sweep_shard(shard: int, *, services: Services, is_out_of_time: IsOutOfTime) -> Tally:
    """Settle one shard's items, the longest waiting first, until none is due or time is up."""
    tally = Tally()
    by_s = math.ceil(epoch_seconds(services.now()))
    try:
        for due in services.due.due(shard, by_s):
            tally.oldest_left = due
            if is_out_of_time():
                return tally
            tally.count(_tried(due, services, is_out_of_time))
    except Exception as error:  # noqa: BLE001 - raised, it would hide what other shards did
        tally.failure = error
    return tally


def _tried(due: Due, services: Services, is_out_of_time: IsOutOfTime) -> Deed | Exception:
    """What became of the item; an exception where it failed by itself and was put off.

    Raises what putting it off does: then it is the store that fails, and not the item.
    """
    try:
        return _patiently(due, services, is_out_of_time)
    except LostRace:
        return Deed()  # it was changed meanwhile, and is looked at again when it is due again
    except Exception as error:  # raised, it would end every sweep at this item
        if isinstance(error, TRANSIENT) and is_out_of_time():
            raise
        services.due.put_off(due, math.ceil(epoch_seconds(services.now())) + PUT_OFF_S)
        return error


def _patiently(due: Due, services: Services, is_out_of_time: IsOutOfTime) -> Deed:
    for tries in range(PATIENCE - 1):
        try:
            return _settled(due, services)
        except TRANSIENT:
            if is_out_of_time():
                raise
            services.back_off(tries)
    return _settled(due, services)


def _settled(due: Due, services: Services) -> Deed:
    held = services.records.load(due.record_id)
    if held is None:
        services.records.discard(due.record_id)
        return Deed()
    if isinstance(held, StoredRecord) and held.tombstone is None:
        return _prune(held, due, services)
    return _forget(held, services)


def _prune(stored: StoredRecord, due: Due, services: Services) -> Deed:
    """Bury the record where it has faded; the index may be behind, or before a setting's change."""
    policy, now = services.policy, services.now()
    now_s = epoch_seconds(now)
    retracted = services.retention.retracted
    instant = prunable_from(stored, policy.custom_curves, policy.prune_threshold, retracted)
    if instant is None or instant > now_s:
        until_s = None if instant is None else math.ceil(instant)
        if until_s != due.due_s:
            services.due.put_off(due, until_s)
        return Deed()
    grave = tombstone(stored.type, now, _reason(stored, now_s, services), services.retention)
    making = _making(stored, services)
    if is_retracted(stored.record.payload):
        after = deleted_version(
            stored, grave, Why(DECAY_SERVICE, f"auto-pruned: {grave.reason}"), making
        )
    else:
        after = pruned_version(
            stored, grave, (making, making._replace(salt=services.new_salt())), policy
        )
    services.records.replace(stored, after, due_by_s=math.ceil(now_s))
    return Deed("pruned", stored.type)


def _forget(held: AnyRecord, services: Services) -> Deed:
    """Remove the document of what can no longer be restored, or what a kill left of doing so."""
    grave = held.tombstone
    now_s = epoch_seconds(services.now())
    if grave is None or grave.due_s is None or grave.due_s > now_s:
        return Deed()
    if isinstance(held, RemovedRecord):
        go_on_clearing(held, services)
    else:
        services.records.forget(held, expired_record(held, _making(held, services), grave))
    return Deed("forgotten", held.type)


def _reason(stored: StoredRecord, now_s: float, services: Services) -> str:
    if is_retracted(stored.record.payload):
        return TAKEN_BACK.format(days=services.retention.retracted.days)
    max_age_s = stored.record.lifecycle.decay.max_age_seconds
    if max_age_s and now_s - stored.born_s >= max_age_s:
        return TOO_OLD
    return FADED.format(threshold=services.policy.prune_threshold)


def _making(held: AnyRecord, services: Services) -> Making:
    return Making(
        record_id=held.id,
        node_id="",
        now=services.now(),
        principal=DECAY_SERVICE,
        salt=services.new_salt(),
    )
