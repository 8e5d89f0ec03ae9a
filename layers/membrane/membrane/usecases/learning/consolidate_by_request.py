"""Consolidate a scope for a caller, or show the result of a consolidation."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from membrane.domain.language.vocabulary import HIGHEST
from membrane.domain.learning.requests import Consolidate
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, PlanGraphPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.learning.consolidate import consolidate_scope, measure_made
from membrane.usecases.learning.dry_run import writing_nothing
from membrane.usecases.learning.permitted_evidence import permitted_to
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.learning.replies import (
        ConsolidationReply,
        MadePlan,
        MadeSkill,
        MadeTrace,
    )

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
    """The records in the order of the ids, each once."""
    for each in dict.fromkeys(ids):
        record = held.get(each)
        if isinstance(record, StoredRecord) and record.tombstone is None:
            yield record


def _evidence(made: StoredRecord) -> list[str]:
    return [source.ref for source in made.record.provenance.sources]


def _why(made: StoredRecord) -> str:
    return made.trail[-1].rationale
