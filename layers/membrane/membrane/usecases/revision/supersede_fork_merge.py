"""Make a record from source records: supersede, fork or merge.

Each verb raises NotFound for a source or relation target that is absent or hidden from the caller;
PermissionDenied; FailedPrecondition for a source that cannot be revised, or where an active fact
conflicts with the new record; InvalidArgument; TooLarge; AlreadyExists; Aborted; the errors of
`resolve_references`.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial

from membrane.domain.entities.merging import require_no_new_absorption, with_replaced_entities
from membrane.domain.ingest.builder import Making
from membrane.domain.ingest.full_records import MAX_RELATIONS, RecordInput
from membrane.domain.language import errors
from membrane.domain.language.vocabulary import MemoryType, Permission
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import DERIVED_FROM, MemoryRecord
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision import changes
from membrane.domain.revision.requests import Fork, Merge, Supersede
from membrane.usecases.machinery.calls import Attempts, Call, Result, until_won
from membrane.usecases.machinery.visibility import load_alive, missing_of
from membrane.usecases.ports.world import World
from membrane.usecases.records import resolve_references
from membrane.usecases.records.write import create, earlier, result_of
from membrane.usecases.revision.claimed_names import claim_names
from membrane.usecases.revision.heads import claim_head

Revision = Supersede | Fork | Merge


def supersede_record(request: Supersede, call: Call, world: World) -> Result:
    """Write the new record; the old record is retracted and refers to the new record."""
    return _derive(request, (request.id,), request.new_record, call, world)


def fork_record(request: Fork, call: Call, world: World) -> Result:
    """Write a variant of a record of any type except episodic."""
    return _derive(request, (request.id,), request.forked_record, call, world)


def merge_records(request: Merge, call: Call, world: World) -> Result:
    """Write the merged record; each source is retracted and refers to the merged record."""
    return _derive(request, request.ids, request.merged_record, call, world)


def _derive(
    request: Revision, source_ids: Sequence[str], given: RecordInput, call: Call, world: World
) -> Result:
    """Write the new record and the next versions of the sources, all or nothing."""
    making = call.making(resolve_references.id_of(given, call, world), world.now(), world)
    prepare = cache(
        lambda: resolve_references.prepare_record(given, given.scope or "", making, call, world)
    )
    replaced_ids = () if isinstance(request, Fork) else source_ids
    tried = Attempts()

    def written_by_this_call() -> Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = tried.find_written(world)
        return None if held is None else result_of(held, world.now(), world)

    def write_of_all() -> Callable[[], Result]:
        """The write of the record and the sources, as stored now; raises DomainError."""
        sources = _sources(request, source_ids, given, call, world)
        bare, uploads = prepare()
        placed = _placed_among(sources, bare, request, given, call)
        targets = resolve_references.targets_of(placed.relations, call, world)
        record = _made_from(sources, placed, request, making, call)
        _require_storable(record, sources, replaced=len(replaced_ids))
        changed = [(each, _next_version(each, record.id, request, call, world)) for each in sources]
        values, principal = uploads.values, call.principal
        heads = claim_head(record, principal, world, retracted_ids=replaced_ids, values=values)
        names = claim_names(record, world, retracted_ids=replaced_ids)
        tried.note_first(record)
        return partial(
            create,
            *(record, making.now, call, world),
            changed=changed,
            targets=targets,
            heads=heads,
            names=names,
            receipt=resolve_references.receipt_of(given, call, world),
            claimed=uploads,
        )

    def attempt() -> Result:
        if (done := written_by_this_call()) is not None:
            return done
        try:
            write = write_of_all()
        except errors.DomainError:
            # An earlier call under the same key may have changed the sources already.
            if (done := earlier(making.record_id, call, world)) is None:
                raise
            return done
        return write()

    try:
        return until_won(attempt, world)
    except errors.Aborted:
        if (done := written_by_this_call()) is None:
            raise
        return done


def _sources(
    request: Revision, source_ids: Sequence[str], given: RecordInput, call: Call, world: World
) -> Sequence[StoredRecord]:
    operation, principal = _operation_of(request), call.principal
    called = "old record" if isinstance(request, Supersede) else "source record"
    sources = [
        load_alive(each, principal, world, missing=missing_of(operation, called, each))
        for each in source_ids
    ]
    for source in sources:
        principal.require_write(source.scope, source.sensitivity)
    for source in sources:
        require_revisable(source, operation)
        if given.type is MemoryType.EPISODIC:
            raise errors.InvalidArgument(f"{operation}: an episodic record is not made by revision")
        if isinstance(request, Supersede) and given.type is not source.type:
            raise errors.InvalidArgument(
                f"{operation}: the new record must be of the type {source.type}"
            )
    if Permission.ADMIN not in principal.permissions:
        require_no_new_absorption(given.payload, [each.record.payload for each in sources])
    return sources


def _placed_among(
    sources: Sequence[StoredRecord],
    record: MemoryRecord,
    request: Revision,
    given: RecordInput,
    call: Call,
) -> MemoryRecord:
    """The record with scope and sensitivity; raises InvalidArgument for a fact without evidence.

    The scope is that of the sources, and the sensitivity at least theirs. An administrator may
    choose both, and must choose a scope if the sources are of several scopes, else InvalidArgument
    is raised. For anybody else, another scope and sources of several raise PermissionDenied.
    """
    payload = record.payload
    named = record.provenance.sources
    if isinstance(payload, SemanticPayload) and not payload.evidence and not named:
        raise errors.InvalidArgument(
            f"{_operation_of(request)}: semantic revision requires evidence: record {record.id} "
            "has no evidence references or provenance sources"
        )
    is_admin = Permission.ADMIN in call.principal.permissions
    scopes = {each.scope for each in sources}
    if is_admin and given.scope is not None:
        scope = given.scope
    elif is_admin and len(scopes) > 1:
        raise errors.InvalidArgument(
            "the sources are of several scopes: name the new record's scope"
        )
    elif len(scopes) > 1 or (given.scope or "") not in ("", *scopes):
        raise errors.PermissionDenied("a revision stays in the scope of its sources")
    else:
        scope = scopes.pop()
    level = (
        record.sensitivity if is_admin else changes.sensitivity_among(sources, record.sensitivity)
    )
    call.principal.require_write(scope, level)
    return record.model_copy(update={"scope": scope, "sensitivity": level})


def _made_from(
    sources: Sequence[StoredRecord],
    record: MemoryRecord,
    request: Revision,
    making: Making,
    call: Call,
) -> MemoryRecord:
    why, ids = call.why(request), [each.id for each in sources]
    if isinstance(request, Fork):
        why = why.after(f"forked from {ids[0]}")
        return changes.linked_record(record, DERIVED_FROM, ids, why, making)
    if isinstance(request, Supersede):
        made = changes.successor(record, sources[0], why, making)
    else:
        why = why.after(f"merged from [{' '.join(ids)}]")
        made = changes.linked_record(record, DERIVED_FROM, ids, why, making)
    return with_replaced_entities(made, sources)


def _next_version(
    source: StoredRecord, new_id: str, request: Revision, call: Call, world: World
) -> StoredRecord:
    why, making = call.why(request), call.making(source.id, world.now(), world)
    if isinstance(request, Fork):
        after = changes.forked_version(source, new_id, why, making)
    elif isinstance(request, Supersede):
        after = changes.superseded_version(source, new_id, why, making)
    else:
        after = changes.merged_version(source, new_id, why, making)
    require_still_returnable(source.record, after.record)
    return after


def _operation_of(request: Revision) -> str:
    return type(request).__name__.lower()


def _require_storable(
    record: MemoryRecord, sources: Sequence[StoredRecord], *, replaced: int
) -> None:
    """Raise AlreadyExists if a source has the id, InvalidArgument for too many relations.

    One transaction holds all relations and changed sources, with three actions each; a replaced
    source takes a fourth action, which removes the vector.
    """
    most = (3 * MAX_RELATIONS + 1 - replaced) // 3
    if any(source.id == record.id for source in sources):
        raise errors.AlreadyExists("record already exists")
    if len(record.relations) > most:
        raise errors.InvalidArgument(
            f"too many relations with those to the sources: {len(record.relations)} (max {most})"
        )
