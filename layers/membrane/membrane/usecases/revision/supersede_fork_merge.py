"""Make a record from source records: supersede, fork or merge.

Each verb raises NotFound for a source or relation target that is absent or hidden from the caller;
PermissionDenied; FailedPrecondition for a source that cannot be revised, or where an active fact
conflicts with the new record; InvalidArgument; TooLarge; AlreadyExists; Aborted; the errors of
`resolve_references`.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

from membrane.domain.entities.merging import require_no_new_absorption, with_replaced_entities
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.ingest.full_records import MAX_RELATIONS, RecordInput
from membrane.domain.language.errors import Aborted, AlreadyExists, DomainError, InvalidArgument
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import (
    forked_version,
    merged_version,
    require_evidence,
    require_type,
    scope_among,
    sensitivity_among,
    successor,
    superseded_version,
    union,
    variant,
)
from membrane.domain.revision.requests import Fork, Merge, Supersede
from membrane.usecases.machinery.calls import Attempts, Call, Result, until_won
from membrane.usecases.machinery.visibility import load_alive, missing_of
from membrane.usecases.ports.world import World
from membrane.usecases.records.resolve_references import (
    id_of,
    prepare_record,
    receipt_of,
    targets_of,
)
from membrane.usecases.records.write import create, earlier, result_of
from membrane.usecases.revision.claimed_names import claim_names
from membrane.usecases.revision.heads import claim_head


class Derivation(NamedTuple):
    """How a revision makes a new record from source records."""

    operation: str
    """The first word of error texts."""
    source: str
    """The name of a source in error texts."""
    makes: Callable[[MemoryRecord, Sequence[StoredRecord], Why, Making], MemoryRecord]
    becomes: Callable[[StoredRecord, str, Why, Making], StoredRecord]
    """Returns the next version of a source, given the id of the new record."""
    keeps_type: bool = False
    replaces: bool = False
    """Whether the new record replaces the sources."""


SUPERSEDING = Derivation(
    "supersede",
    "old record",
    lambda record, sources, why, making: with_replaced_entities(
        successor(record, sources[0], why, making), sources
    ),
    superseded_version,
    keeps_type=True,
    replaces=True,
)
FORKING = Derivation(
    "fork",
    "source record",
    lambda record, sources, why, making: variant(record, sources[0], why, making),
    forked_version,
)
MERGING = Derivation(
    "merge",
    "source record",
    lambda record, sources, why, making: with_replaced_entities(
        union(record, sources, why, making), sources
    ),
    merged_version,
    replaces=True,
)


def supersede_record(request: Supersede, call: Call, world: World) -> Result:
    """Write the new record; the old record is retracted and refers to the new record."""
    given, why = request.new_record, call.why(request)
    return _derive((request.id,), given, call, world, why=why, derivation=SUPERSEDING)


def fork_record(request: Fork, call: Call, world: World) -> Result:
    """Write a variant of a record of any type except episodic."""
    given, why = request.forked_record, call.why(request)
    return _derive((request.id,), given, call, world, why=why, derivation=FORKING)


def merge_records(request: Merge, call: Call, world: World) -> Result:
    """Write the merged record; each source is retracted and refers to the merged record."""
    given, why = request.merged_record, call.why(request)
    return _derive(request.ids, given, call, world, why=why, derivation=MERGING)


def _derive(
    source_ids: Sequence[str],
    given: RecordInput,
    call: Call,
    world: World,
    *,
    why: Why,
    derivation: Derivation,
) -> Result:
    """Write the new record and the next versions of the sources, all or nothing.

    The record stays in the scope of the sources and is at least as sensitive as each source.
    """
    making = call.making(id_of(given, call, world), world.now(), world)
    prepare = cache(lambda: prepare_record(given, given.scope or "", making, call, world))
    replaced_ids = source_ids if derivation.replaces else ()
    tried = Attempts()

    def written_by_this_call() -> Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = tried.find_written(world)
        return None if held is None else result_of(held, world.now(), world)

    def write_of_all() -> Callable[[], Result]:
        """The write of the record and the sources, as stored now; raises DomainError."""
        sources = _sources(source_ids, given, derivation, call, world)
        bare, uploads = prepare()
        require_evidence(bare, derivation.operation)
        placed = _with_access(bare, given, sources, call)
        targets = targets_of(placed.relations, call, world)
        record = derivation.makes(placed, sources, why, making)
        _require_storable(record, sources, replaced=len(replaced_ids))
        changed = [(each, next_version(each, record.id)) for each in sources]
        values, principal = uploads.values, call.principal
        heads = claim_head(record, principal, world, retracted_ids=replaced_ids, values=values)
        names = claim_names(record, world, retracted_ids=replaced_ids)
        receipt = receipt_of(given, call, world)
        tried.note_first(record)
        return partial(
            create,
            *(record, making.now, call, world),
            changed=changed,
            targets=targets,
            heads=heads,
            names=names,
            receipt=receipt,
            claimed=uploads,
        )

    def next_version(source: StoredRecord, new_id: str) -> StoredRecord:
        of_source = call.making(source.id, world.now(), world)
        after = derivation.becomes(source, new_id, why, of_source)
        require_still_returnable(source.record, after.record)
        return after

    def attempt() -> Result:
        if (done := written_by_this_call()) is not None:
            return done
        try:
            write = write_of_all()
        except DomainError:
            # An earlier call under the same key may have changed the sources already.
            if (done := earlier(making.record_id, call, world)) is None:
                raise
            return done
        return write()

    try:
        return until_won(attempt, world)
    except Aborted:
        if (done := written_by_this_call()) is None:
            raise
        return done


def _sources(
    source_ids: Sequence[str],
    given: RecordInput,
    derivation: Derivation,
    call: Call,
    world: World,
) -> Sequence[StoredRecord]:
    """The sources as stored now, each fit for this revision."""
    operation, principal = derivation.operation, call.principal
    sources = []
    for each in source_ids:
        missing = missing_of(operation, derivation.source, each)
        sources.append(load_alive(each, principal, world, missing=missing))
    for source in sources:
        principal.require_write(source.scope, source.sensitivity)
    for source in sources:
        require_revisable(source, operation)
        require_type(given.type, source.type if derivation.keeps_type else None, operation)
    if Permission.ADMIN not in principal.permissions:
        require_no_new_absorption(given.payload, [each.record.payload for each in sources])
    return sources


def _with_access(
    record: MemoryRecord, given: RecordInput, sources: Sequence[StoredRecord], call: Call
) -> MemoryRecord:
    """The record with scope and sensitivity; raises the errors of `scope_among`.

    Only an administrator may leave the scope of the sources, or lower the sensitivity.
    """
    is_admin = Permission.ADMIN in call.principal.permissions
    scope = scope_among(sources, given.scope, is_admin=is_admin)
    sensitivity = sensitivity_among(sources, record.sensitivity, is_admin=is_admin)
    call.principal.require_write(scope, sensitivity)
    return record.model_copy(update={"scope": scope, "sensitivity": sensitivity})


def _require_storable(
    record: MemoryRecord, sources: Sequence[StoredRecord], *, replaced: int
) -> None:
    """Raise AlreadyExists if a source has the id, InvalidArgument for too many relations.

    One transaction holds all relations and changed sources, with three actions each; a replaced
    source takes a fourth action, which removes the vector.
    """
    most = (3 * MAX_RELATIONS + 1 - replaced) // 3
    if any(source.id == record.id for source in sources):
        raise AlreadyExists("record already exists")
    if len(record.relations) > most:
        raise InvalidArgument(
            f"too many relations with those to the sources: {len(record.relations)} (max {most})"
        )
