"""Prune faded records, and remove the content of deleted records after the restore period.

A sweep moves no anchor and may stop anywhere: every step is a single conditional write. The next
sweep, or a concurrent sweep, finds the step done or repeats the step. The entities that an entity
has absorbed are deleted after the entity, at the latest before the document of the entity goes.
"""

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Literal

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle import changes
from membrane.domain.lifecycle.pruning import due_of, prunable_from
from membrane.domain.records.evidence import evidence_of, is_counted_trace, skills_derived_by
from membrane.domain.records.standing import is_found, is_retracted
from membrane.domain.records.stored import (
    AnyRecord,
    RemovedRecord,
    StoredRecord,
    Tombstone,
    is_alive,
)
from membrane.table.items import LostRace
from membrane.usecases.machinery import calls
from membrane.usecases.ports.indexes import Due
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import absorbed_by
from membrane.usecases.records.write import finish_clearing, new_tombstone

SWEEP = "SweepDue"
"""The name of a sweep in fault reports."""

Kind = Literal["pruned", "forgotten", "passed over"]

Outcome = tuple[Kind, MemoryType | None]
"""What became of a record; the type is None for an item that was passed over.

An item is passed over if nothing was due, or a concurrent writer came first.
"""

PASSED_OVER: Outcome = ("passed over", None)

_METRICS: tuple[tuple[str, Kind], ...] = (("Pruned", "pruned"), ("Forgotten", "forgotten"))


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The outcomes of a shard, or of several shards together."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """By outcome the number of items, and of absorbed entities that were pruned along."""
    faults: tuple[Exception, ...] = ()
    """The exceptions of items that failed and were put off."""
    failures: tuple[Exception, ...] = ()
    """The exceptions that ended shards early."""
    oldest_left: Due | None = None
    """The first unsettled item, left for lack of time or because the store was busy."""
    left: tuple[int, ...] = ()
    """The shards with unsettled items, and the shards that failed."""

    @classmethod
    def of(cls, parts: Sequence["SweepResult"]) -> "SweepResult":
        unsettled = [each.oldest_left for each in parts if each.oldest_left is not None]
        return cls(
            outcomes=sum((each.outcomes for each in parts), Counter()),
            faults=tuple(fault for each in parts for fault in each.faults),
            failures=tuple(failure for each in parts for failure in each.failures),
            oldest_left=min(unsettled, key=lambda due: due.due_s, default=None),
            left=tuple(shard for each in parts for shard in each.left),
        )

    def by_type(self, kind: Kind) -> dict[str, int]:
        """The number of records with an outcome of the kind, by memory type."""
        counts = {type_: number for (had, type_), number in self.outcomes.items() if had == kind}
        return dict(sorted((type_, number) for type_, number in counts.items() if type_))

    @property
    def passed_over(self) -> int:
        return self.outcomes[PASSED_OVER]

    def publish(self, world: World) -> None:
        """Publish `Pruned` and `Forgotten` by type, the age of the oldest due item, and faults."""
        for metric, kind in _METRICS:
            for type_, number in self.by_type(kind).items():
                world.measure(metric, number, "Count", type=type_)
        world.measure("OldestDueAge", self.oldest_age_s(world), "Seconds")
        for fault in self.faults:
            world.report(SWEEP, FAULT, fault)

    def oldest_age_s(self, world: World) -> float:
        """The seconds since the oldest unsettled item became due; 0 if none is left."""
        if self.oldest_left is None:
            return 0.0
        return max(0.0, epoch_seconds(world.now()) - self.oldest_left.due_s)


PUT_OFF_S = int(timedelta(hours=1).total_seconds())
"""The delay of an item after a failure, so that the item never blocks a shard.

Also the least delay of a trace whose skill is due, but not pruned yet.
"""

PATIENCE = 5
"""Tries of an item while the store is busy or does not answer."""

FADED = "salience fell to {threshold:g}"
TOO_OLD = "reached its max age"
RETRACTED = "retracted for {days} days"


def sweep_due(
    world: World, is_out_of_time: calls.IsOutOfTime, shards: Sequence[int] | None = None
) -> SweepResult:
    """Sweep shards of the due index, by default all, side by side, and publish the counts.

    The result holds the failure of each shard for the caller to raise; further shards go on.
    """
    worker = partial(sweep_shard, world=world, is_out_of_time=is_out_of_time)
    swept = SweepResult.of(calls.side_by_side(worker, shards or range(world.due.shards)))
    swept.publish(world)
    return swept


def sweep_shard(shard: int, *, world: World, is_out_of_time: calls.IsOutOfTime) -> SweepResult:
    """Settle the due items of a shard, the earliest due first, until none is left or time is up."""
    outcomes, oldest_left = Counter[Outcome](), None
    faults, failures = list[Exception](), list[Exception]()
    try:
        for due in world.due.due(shard, math.ceil(epoch_seconds(world.now()))):
            oldest_left = due
            if is_out_of_time():
                break
            settled = _settle_or_put_off(due, world, is_out_of_time)
            oldest_left = None
            if isinstance(settled, Exception):
                faults.append(settled)
            else:
                outcomes.update(settled)
    except Exception as error:  # noqa: BLE001 - raised, it would hide what other shards did
        failures.append(error)
    left = () if oldest_left is None and not failures else (shard,)
    return SweepResult(outcomes, tuple(faults), tuple(failures), oldest_left, left)


def _settle_or_put_off(
    due: Due, world: World, is_out_of_time: calls.IsOutOfTime
) -> Sequence[Outcome] | Exception:
    """The outcomes of an item, or the exception of an item that failed and was put off.

    Raises the errors of `put_off`: a failure of the store, not of the item.
    """
    try:
        return _settle_with_retries(due, world, is_out_of_time)
    except LostRace:
        return [PASSED_OVER]  # changed meanwhile: the next sweep reads the new due instant
    except Exception as error:  # raised, it would end every sweep at this item
        if isinstance(error, calls.TRANSIENT) and is_out_of_time():
            raise
        world.due.put_off(due, math.ceil(epoch_seconds(world.now())) + PUT_OFF_S)
        return error


def _settle_with_retries(
    due: Due, world: World, is_out_of_time: calls.IsOutOfTime
) -> Sequence[Outcome]:
    for tries in range(PATIENCE - 1):
        try:
            return _settle(due, world)
        except calls.TRANSIENT:
            if is_out_of_time():
                raise
            world.back_off(tries)
    return _settle(due, world)


def _settle(due: Due, world: World) -> Sequence[Outcome]:
    held = world.records.load(due.record_id)
    if held is None:
        world.records.discard(due.record_id)
        return [PASSED_OVER]
    if is_alive(held):
        return _prune(held, due, world)
    return _forget(held, world)


def _prune(stored: StoredRecord, due: Due, world: World) -> Sequence[Outcome]:
    """Delete the record if prunable; the index may lag, or predate a change of a setting.

    A faded trace of a living skill stays. A maximum age ends the trace: a trace of a skill has one
    only by a caller.
    """
    policy, now = world.policy, world.now()
    now_s = epoch_seconds(now)
    retracted = world.retention.retracted
    instant = prunable_from(stored, policy.custom_curves, policy.prune_threshold, retracted)
    if instant is None or instant > now_s:
        until_s = None if instant is None else math.ceil(instant)
        if until_s != due.due_s:
            world.due.put_off(due, until_s)
        return [PASSED_OVER]
    spared_s = None if _is_too_old(stored, now_s) else spared_until(stored, world)
    if spared_s is not None:
        world.due.put_off(due, max(spared_s, math.ceil(now_s) + PUT_OFF_S))
        return [PASSED_OVER]
    tombstone = new_tombstone(stored.type, now, _reason(stored, now_s, world), world.retention)
    making = _making(stored, world)
    if is_retracted(stored.record.payload):
        after = changes.deleted_version(stored, tombstone, _why(tombstone), making)
    else:
        makings = making, making._replace(salt=world.new_salt())
        after = changes.pruned_version(stored, tombstone, makings)
    world.records.replace(stored, after, due_by_s=math.ceil(now_s))
    return [("pruned", stored.type), *_delete_absorbed(after, tombstone, world)]


def _forget(held: AnyRecord, world: World) -> Sequence[Outcome]:
    """Remove the content after the restore period, or finish an interrupted removal."""
    tombstone = held.tombstone
    now_s = epoch_seconds(world.now())
    if tombstone is None or tombstone.due_s is None or tombstone.due_s > now_s:
        return [PASSED_OVER]
    if isinstance(held, RemovedRecord):
        finish_clearing(held, world)
        return [("forgotten", held.type)]
    pruned = new_tombstone(held.type, world.now(), tombstone.reason, world.retention)
    absorbed = _delete_absorbed(held, pruned, world)
    world.records.forget(held, changes.expired_record(held, _making(held, world), tombstone))
    return [("forgotten", held.type), *absorbed]


def _delete_absorbed(
    absorbing: StoredRecord, tombstone: Tombstone, world: World
) -> Sequence[Outcome]:
    """Delete the living ones of the entities that the entity has absorbed; they are never due.

    An entity that changes meanwhile is left for the removal of the absorbing entity's document.
    """
    deleted = list[Outcome]()
    for each in absorbed_by(absorbing, world):
        if each.tombstone is None:
            after = changes.deleted_version(each, tombstone, _why(tombstone), _making(each, world))
            with suppress(LostRace):
                world.records.replace(each, after)
                deleted.append(("pruned", each.type))
    return deleted


def _why(tombstone: Tombstone) -> Why:
    return Why(changes.DECAY_SERVICE, f"auto-pruned: {tombstone.reason}")


def _reason(stored: StoredRecord, now_s: float, world: World) -> str:
    if is_retracted(stored.record.payload):
        return RETRACTED.format(days=world.retention.retracted.days)
    if _is_too_old(stored, now_s):
        return TOO_OLD
    return FADED.format(threshold=world.policy.prune_threshold)


def _is_too_old(stored: StoredRecord, now_s: float) -> bool:
    max_age_s = stored.record.lifecycle.decay.max_age_seconds
    return bool(max_age_s) and now_s - stored.born_s >= max_age_s


def _making(held: AnyRecord, world: World) -> Making:
    return calls.making_by(changes.DECAY_SERVICE, held.id, world)


def spared_until(faded: StoredRecord, world: World) -> int | None:
    """The second (since 1970) up to which the sweep spares the record; None for a record to prune.

    The sweep visits a trace again when the skill is due, and at the latest after the maximum age of
    a trace: the skill may be pinned, and a caller may have deleted the skill by then. A damaged
    skill spares nothing. One BatchGetItem for a trace of a skill, nothing for any other record.
    """
    if not is_counted_trace(faded.record):
        return None
    policy = world.policy
    last_s = math.ceil(epoch_seconds(world.now())) + policy.trace_max_age_s
    records, skill_ids = world.records, skills_derived_by(faded.record.relations)
    skills, _ = calls.load_undamaged(skill_ids, records.load_own)
    due = [
        due_of(skill, policy.custom_curves, policy.prune_threshold)
        for skill in skills.values()
        if is_found(skill) and faded.id in evidence_of(skill.record)
    ]
    return max((last_s if due_s is None else min(due_s, last_s) for due_s in due), default=None)
