"""Ingest an observed fact: keep all known facts, or resolve conflicts (`on_conflict`)."""

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language.vocabulary import ConflictPolicy, Permission
from membrane.domain.revision.conflicts import Observation
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ingest.ingest_report import Built, accept, build, create_built
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.world import World
from membrane.usecases.revision.facts import observe


def ingest_observation(report: IngestObservation, call: Call, world: World) -> Result:
    """Write the fact, and change contradicted facts under the conflict policy.

    Raises InvalidArgument; PermissionDenied; AlreadyExists; the errors of `resolve_references` and
    `observe`.
    """
    report = report.by(call.principal.actor_id)
    accepted = accept(report, call, world)
    on_conflict = _conflict_policy(report, call.principal, world.policy)
    built = build(report, accepted, call, world)
    if not isinstance(built, Built):
        return built
    if on_conflict is None:
        return create_built(built, call, world)
    seen = Observation(built.record, report.source, on_conflict, built.making)
    return observe(seen, call, world, claimed=built.uploads)


def _conflict_policy(
    report: IngestObservation, principal: Principal, defaults: PolicyDefaults
) -> ConflictPolicy | None:
    """The policy for contradicted facts; None where facts of the predicate are always kept.

    Raises PermissionDenied where the report overrides the setting without the right to revise.
    """
    usual = defaults.conflict_policy(report.predicate)
    asked = report.on_conflict or usual
    if asked is not usual:
        principal.require(Permission.REVISE)
    return None if asked is usual is ConflictPolicy.KEEP else asked
