"""Ingest a full record of any type, written by a caller or returned earlier by this service."""

from membrane.domain.access.principals import require_revise_for
from membrane.domain.entities.merging import require_no_new_absorption
from membrane.domain.ingest.full_records import IngestRecord, privileged_fields
from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.values import references_in
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.machinery.calls import Call, Result, until_won
from membrane.usecases.ports.world import World
from membrane.usecases.records import resolve_references
from membrane.usecases.records.write import create, earlier
from membrane.usecases.revision.claimed_names import claim_names
from membrane.usecases.revision.heads import claim_head


def ingest_record(request: IngestRecord, call: Call, world: World) -> Result:
    """Check and write a full record with relations.

    Raises InvalidArgument; AlreadyExists; Aborted; PermissionDenied, also for a field that needs
    `revise`; NotFound for an absent or hidden relation target; FailedPrecondition for a conflict
    with an active fact; the errors of `resolve_references`.
    """
    given = request.record
    record_id = resolve_references.id_of(given, call, world)
    scope = call.principal.scope_for_writing(given.scope)
    call.principal.require_write(scope, given.sensitivity)
    require_revise_for(call.principal, privileged_fields(given))
    if Permission.ADMIN not in call.principal.permissions:
        require_no_new_absorption(given.payload)
    making = call.making(record_id, world.now(), world)
    done = earlier(record_id, call, world) if references_in(given.payload) else None
    if done is not None:
        return done
    record, uploads = resolve_references.prepare_record(given, scope, making, call, world)
    receipt = resolve_references.receipt_of(given, call, world)

    def attempt() -> Result:
        try:
            targets = resolve_references.targets_of(given.relations, call, world)
            heads = claim_head(record, call.principal, world, values=uploads.values)
        except (NotFound, FailedPrecondition):
            done = earlier(record.id, call, world)
            if done is None:
                raise
            return done
        return create(
            record,
            making.now,
            call,
            world,
            targets=targets,
            heads=heads,
            names=claim_names(record, world),
            receipt=receipt,
            claimed=uploads,
        )

    return until_won(attempt, world)
