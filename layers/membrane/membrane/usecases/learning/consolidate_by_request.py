"""Consolidate a scope for a caller, or show the result of a consolidation."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.language.vocabulary import HIGHEST
from membrane.domain.learning.requests import Consolidate
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, PlanGraphPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.usecases.learning.consolidate import consolidate_scope, measure_made
from membrane.usecases.machinery.calls import Call, ReplyBody, load_undamaged
from membrane.usecases.ports.indexes import Waiting
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
    from membrane.adapters.dynamodb.records.store import DynamoRecords
    from membrane.domain.access.principals import Principal
    from membrane.domain.learning.replies import ConsolidationReply, MadePlan, MadeSkill, MadeTrace


def permitted_to(principal: "Principal", world: World) -> World:
    """The world with the evidence of the principal's scopes up to the principal's ceiling.

    A thread with a step beyond the rights is left alone as a whole.
    """
    records = _PermittedRecords(world.records, principal)
    learning = _PermittedIndex(world.learning, records)
    return world.but(
        records=cast("DynamoRecords", records), learning=cast("DynamoLearning", learning)
    )


@dataclass(frozen=True, slots=True)
class _PermittedRecords:
    """Loads permitted records only; passes every other method on."""

    stored: "DynamoRecords"
    principal: "Principal"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stored, name)

    def load(self, record_id: str, *, whole: bool = False) -> "AnyRecord | None":
        held = self.stored.load(record_id, whole=whole)
        return held if held is not None and self.permits(held) else None

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> "Mapping[str, AnyRecord]":
        found = self.stored.load_each(record_ids, whole=whole)
        return {each: held for each, held in found.items() if self.permits(held)}

    def load_own(self, record_ids: Sequence[str]) -> "Mapping[str, AnyRecord]":
        found = self.stored.load_own(record_ids)
        return {each: held for each, held in found.items() if self.permits(held)}

    def permits(self, held: "AnyRecord") -> bool:
        return self.principal.may_write(held.scope, held.sensitivity)


@dataclass(frozen=True, slots=True)
class _PermittedIndex:
    """The waiting steps of permitted threads; passes every other method on.

    The records behind all other entries are checked by `_PermittedRecords`.
    """

    index: "DynamoLearning"
    records: _PermittedRecords

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)

    def steps_of_scope(self, scope: str, shard: int) -> Iterator[Waiting]:
        """One BatchGetItem for 100 steps."""
        waiting = [*self.index.steps_of_scope(scope, shard)]
        if not waiting:
            return
        stored, ids = self.records.stored, [each.record_id for each in waiting]
        found, _ = load_undamaged(ids, stored.load_own)
        hidden = {each for each, held in found.items() if not self.records.permits(held)}
        for _, of_thread in groupby(waiting, key=lambda each: each.group):
            thread = [*of_thread]
            if hidden.isdisjoint(each.record_id for each in thread):
                yield from thread


def writing_nothing(world: World) -> World:
    """The world with a store that keeps every write in memory."""
    return world.but(records=cast("DynamoRecords", _Overlay(world.records)))


_READS = frozenset({"entries", "head", "heads_of", "incoming", "receipt", "value"})
"""The methods of the store that a dry run passes on.

Heads and receipts come from the store: facts of a dry run do not meet.
"""


@dataclass(slots=True)
class _Overlay:
    """The methods of the DynamoRecords for learning; kept writes hide the stored records.

    No id is taken here, so a dry run also lists facts that a run finds written under the id before.
    A forgotten write fails here and never reaches the table.
    """

    stored: "DynamoRecords"
    kept: dict[str, AnyRecord] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if name not in _READS:
            raise AttributeError(f"a dry run has no {name}")
        return getattr(self.stored, name)

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        return self.kept.get(record_id) or self.stored.load(record_id, whole=whole)

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        return self._with_kept(record_ids, partial(self.stored.load_each, whole=whole))

    def load_own(self, record_ids: Sequence[str]) -> Mapping[str, AnyRecord]:
        return self._with_kept(record_ids, self.stored.load_own)

    def create(
        self,
        new: StoredRecord,
        *,
        also: Sequence[StoredRecord] = (),
        changed: Sequence[Change] = (),
        **_beside: Any,
    ) -> None:
        self.kept |= {each.id: each for each in (new, *also, *(after for _, after in changed))}

    def replace_all(self, changed: Sequence[tuple[AnyRecord, AnyRecord]], **_also: Any) -> None:
        self.kept |= {after.id: after for _, after in changed}

    def _with_kept(
        self, record_ids: Sequence[str], load: Callable[[Sequence[str]], Mapping[str, AnyRecord]]
    ) -> Mapping[str, AnyRecord]:
        kept = {each: self.kept[each] for each in record_ids if each in self.kept}
        lacking = [each for each in record_ids if each not in kept]
        return {**(load(lacking) if lacking else {}), **kept}


TIME_LIMIT_S = 20.0
"""Seconds after which a call begins nothing new: the gateway ends a request after 30."""

_S_A_MINUTE = 60


def consolidate(request: Consolidate, call: Call, world: World) -> ReplyBody:
    """The traces, skills and plans of the waiting evidence of a scope: made, or shown only.

    Evidence above the ceiling of the key is left alone. A trace without a match up to the ceiling
    goes on waiting, because the trace may match a skill above the ceiling. A key that may write no
    unscoped record leaves skills across scopes to the schedule.

    Raises PermissionDenied for a scope that the key may not write, InvalidArgument if the scope
    must be named, ScopeFenced, and the errors of the store.
    """
    principal = call.principal
    scope = principal.scope_for_writing(request.scope)
    principal.require_write(scope, principal.ceiling)
    if request.dry_run:
        world = writing_nothing(world)
    else:
        world.fences.require_open((scope,))
    may_cross = principal.may_write("", principal.ceiling)
    sees_everything = principal.ceiling is HIGHEST and (
        may_cross or not world.learning_policy.crosses_scopes
    )
    if not sees_everything:
        world = permitted_to(principal, world)
    end_s = world.elapsed_s() + TIME_LIMIT_S
    done = consolidate_scope(
        scope,
        world,
        lambda: world.elapsed_s() >= end_s,
        quiet_s=None if request.quiet_minutes is None else request.quiet_minutes * _S_A_MINUTE,
        is_complete=sees_everything,
        may_cross=may_cross,
    )
    if not request.dry_run:
        measure_made(done, world)
    ids = [*done.traces, *done.skills, *done.plans, *done.grown, *done.unmatched]
    held = world.records.load_own([*dict.fromkeys(ids)]) if ids else {}
    body: ConsolidationReply = {
        "dry_run": request.dry_run,
        "scope": scope,
        "is_left": done.is_left,
        "traces": _traces(done.traces, held),
        "skills": _skills(done.skills, held),
        "plans": _plans(done.plans, held),
        "grown": _skills(done.grown, held),
        "unmatched": _traces(done.unmatched, held),
        "failed": len(done.failed),
    }
    return ReplyBody(body)


def _traces(ids: Iterable[str], held: Mapping[str, AnyRecord]) -> "list[MadeTrace]":
    return [
        {
            "id": each.id,
            "thread_id": payload.thread_id,
            "steps": len(each.record.provenance.sources),
            "outcome": payload.outcome,
            "why": _why(each),
        }
        for each in _living(ids, held)
        if isinstance(payload := each.record.payload, EpisodicPayload)
    ]


def _skills(ids: Iterable[str], held: Mapping[str, AnyRecord]) -> "list[MadeSkill]":
    return [
        {
            "id": each.id,
            "name": payload.skill_name,
            "traces": _evidence(each),
            "successes": performance.success_count,
            "failures": performance.failure_count,
            "success_rate": performance.success_rate,
            "why": _why(each),
        }
        for each in _living(ids, held)
        if isinstance(payload := each.record.payload, CompetencePayload)
        and (performance := payload.performance) is not None
    ]


def _plans(ids: Iterable[str], held: Mapping[str, AnyRecord]) -> "list[MadePlan]":
    return [
        {
            "id": each.id,
            "name": payload.intent or payload.plan_id,
            "steps": len(payload.nodes),
            "traces": _evidence(each),
            "why": _why(each),
        }
        for each in _living(ids, held)
        if isinstance(payload := each.record.payload, PlanGraphPayload)
    ]


def _living(ids: Iterable[str], held: Mapping[str, AnyRecord]) -> Iterable[StoredRecord]:
    return filter(is_alive, map(held.get, dict.fromkeys(ids)))


def _evidence(made: StoredRecord) -> list[str]:
    return [source.ref for source in made.record.provenance.sources]


def _why(made: StoredRecord) -> str:
    return made.trail[-1].rationale
