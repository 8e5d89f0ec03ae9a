"""Ingest a report of an event, a tool output or a working state as a new record.

A report is classified, checked, permitted, and built into the record to write.
"""

from typing import NamedTuple

from membrane.domain.access.principals import require_revise_for
from membrane.domain.ingest import policy
from membrane.domain.ingest.builder import Making, build_record
from membrane.domain.ingest.policy import MemoryCandidate, PolicyResult, candidate_from
from membrane.domain.ingest.reports import IngestEvent, IngestToolOutput, IngestWorkingState, Report
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.values import references_in
from membrane.domain.records.records import MemoryRecord
from membrane.usecases.machinery.calls import Call, Result, until_won
from membrane.usecases.ports.records import NOTHING_CLAIMED, Claimed
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import create, earlier


class Accepted(NamedTuple):
    """A checked report with the scope and the values for the record."""

    candidate: MemoryCandidate
    given: PolicyResult
    scope: str
    making: Making


class Built(NamedTuple):
    """The record of a report, and the uploads that its write claims."""

    record: MemoryRecord
    making: Making
    uploads: Claimed = NOTHING_CLAIMED


def ingest_report(
    report: IngestEvent | IngestToolOutput | IngestWorkingState, call: Call, world: World
) -> Result:
    """Write the record of a report; raises the errors of `accept` and `build`, and Aborted."""
    report = report.by(call.principal.actor_id)
    built = build(report, accept(report, call, world), call, world)
    return create_built(built, call, world) if isinstance(built, Built) else built


def accept(report: Report, call: Call, world: World) -> Accepted:
    """Classify and check a report; raises InvalidArgument and PermissionDenied."""
    now = world.now()
    candidate = candidate_from(report, rfc3339(now))
    policy.check(candidate)
    making = call.making(call.new_id(world), now, world)
    asked, lifecycle = report.sensitivity, report.lifecycle
    given = policy.apply(candidate, asked, world.policy, making.timestamp, lifecycle)
    scope = call.principal.scope_for_writing(report.scope)
    call.principal.require_write(scope, given.sensitivity)
    require_revise_for(call.principal, policy.privileged_in(lifecycle))
    return Accepted(candidate, given, scope, making)


def build(report: Report, accepted: Accepted, call: Call, world: World) -> Built | Result:
    """The record to write, or the result of an earlier call that spent the same upload.

    Raises InvalidArgument; AlreadyExists; the errors of `resolve_references`.
    """
    candidate, given, scope, making = accepted
    references = references_in(report)
    if not references:
        return Built(build_record(candidate, report, given, scope, making), making)
    from membrane.usecases.records.resolve_references import (  # noqa: PLC0415 - few need
        resolve_references,
    )

    done = earlier(making.record_id, call, world)
    if done is not None:
        return done
    whole, uploads = resolve_references(report, references, making.record_id, call, world)
    candidate = candidate._replace(report=whole)
    return Built(build_record(candidate, whole, given, scope, making), making, uploads)


def create_built(built: Built, call: Call, world: World) -> Result:
    return until_won(
        lambda: create(built.record, built.making.now, call, world, claimed=built.uploads), world
    )
