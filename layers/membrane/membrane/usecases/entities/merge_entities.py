"""Merge entities that are the same thing, and undo a merge."""

from membrane.domain.entities import merging
from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.ingest.builder import Making
from membrane.domain.records.sizes import require_returnable
from membrane.domain.records.standing import require_not_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import load_alive, missing_of
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import Step, change
from membrane.usecases.revision.claimed_names import claim_names


def merge_entities(request: MergeEntities, call: Call, world: World) -> Result:
    """Let the entity absorb the others, all or nothing.

    Raises the errors of `change`; NotFound for an absent or hidden entity; FailedPrecondition for a
    record that is no entity or is retracted, entities of several scopes, an absorbed entity more
    sensitive than the other, and too many absorbed entities; InvalidArgument for an
    entity merged into itself.
    """

    def merge(stored: StoredRecord, making: Making) -> Step:
        merging.entity_of(stored.record)
        require_not_retracted(stored, "merge: ")
        why, after, also = call.why(request), stored, list[Change]()
        for entity_id in dict.fromkeys(request.entity_ids):
            missing = missing_of("merge", "entity", entity_id)
            other = load_alive(entity_id, call.principal, world, missing=missing)
            call.principal.require_write(other.scope, other.sensitivity)
            merging.require_mergeable(stored, other)
            after = merging.absorbing_version(after, other, why, making)
            theirs = call.making(other.id, making.now, world)
            also.append((other, merging.absorbed_version(other, stored.id, why, theirs)))
        require_returnable(after.record)
        return Step(after, also=also)

    return change(request.id, merge, call, world, missing=missing_of("merge", "entity", request.id))


def split_entity(request: SplitEntity, call: Call, world: World) -> Result:
    """Release an absorbed entity, as if the merge had never been; names that went come back.

    Raises the errors of `change`; NotFound for an absent or hidden entity; FailedPrecondition for
    an entity that was not merged into the other, and for a retracted absorbing entity.
    """

    def split(stored: StoredRecord, making: Making) -> Step:
        merging.entity_of(stored.record)
        # An entity that absorbed the absorbing entity would keep the names and the id for good.
        require_not_retracted(stored, "split: ")
        missing = missing_of("split", "entity", request.entity_id)
        other = load_alive(request.entity_id, call.principal, world, missing=missing, whole=True)
        call.principal.require_write(other.scope, other.sensitivity)
        merging.require_merged(stored, other)
        why, theirs = call.why(request), call.making(other.id, making.now, world)
        released = merging.split_version(other, stored.id, why, theirs)
        after = merging.released_version(stored, other, why, making)
        names = claim_names(released.record, world, changed=[after])
        return Step(after, also=[(other, released)], names=names)

    return change(request.id, split, call, world, missing=missing_of("split", "entity", request.id))
