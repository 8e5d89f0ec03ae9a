"""Make a record from source records: supersede, fork or merge.

The functions raise the errors of `derive`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from membrane.domain.entities.merging import require_no_new_absorption, with_replaced_entities
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.ingest.full_records import MAX_RELATIONS, RecordInput
from membrane.domain.language.errors import Aborted, AlreadyExists, DomainError, InvalidArgument
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.next_versions import (
    forked_version,
    merged_version,
    superseded_version,
)
from membrane.domain.revision.requests import Fork, Merge, Supersede
from membrane.domain.revision.successors import (
    require_evidence,
    require_type,
    scope_among,
    sensitivity_among,
    successor,
    union,
    variant,
)
from membrane.usecases.machinery.calls import Attempts, Call, Result, until_won
from membrane.usecases.machinery.visibility import load_alive, missing_of
from membrane.usecases.ports.records import Claimed
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

Becomes = Callable[[StoredRecord, str, Why, Making], StoredRecord]
"""Returns the next version of a source, given the id of the new record."""

Makes = Callable[[MemoryRecord, Sequence[StoredRecord], Why, Making], MemoryRecord]
"""Returns the new record, completed from its sources."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a revision makes a new record from source records."""

    operation: str
    """The first word of error texts."""
    source: str
    """The name of a source in error texts."""
    makes: Makes
    becomes: Becomes
    keeps_type: bool = False
    replaces: bool = False
    """Whether the new record replaces the sources."""


def derive(
    source_ids: Sequence[str],
    given: RecordInput,
    why: Why,
    call: Call,
    world: World,
    *,
    derivation: Derivation,
) -> Result:
    """Write the new record and the next versions of the sources, all or nothing.

    The record stays in the scope of the sources and is at least as sensitive as each source.
    Raises NotFound for a source or relation target that is absent or hidden from the caller;
    PermissionDenied; FailedPrecondition for a source that cannot be revised, or where an active
    fact conflicts with the new record; InvalidArgument; TooLarge; AlreadyExists; Aborted; the
    errors of `resolve_references`.
    """
    making = call.making(id_of(given, call, world), world.now(), world)
    prepare = cache(lambda: prepare_record(given, given.scope or "", making, call, world))
    deriving = _Deriving(source_ids, given, why, derivation, making, prepare, call, world)
    return deriving.result()


@dataclass(frozen=True, slots=True)
class _Deriving:
    """The attempts of one call to make a record from sources."""

    source_ids: Sequence[str]
    given: RecordInput
    why: Why
    derivation: Derivation
    making: Making
    prepare: Callable[[], tuple[MemoryRecord, Claimed]]
    """Returns the given record, before scope and sensitivity of the sources, and the uploads."""
    call: Call
    world: World
    tried: Attempts = field(default_factory=Attempts)

    def result(self) -> Result:
        try:
            return until_won(self._attempt, self.world)
        except Aborted:
            done = self._written_by_this_call()
            if done is None:
                raise
            return done

    def _attempt(self) -> Result:
        done = self._written_by_this_call()
        if done is not None:
            return done
        try:
            record, write = self._draft()
        except DomainError:
            # An earlier call under the same key may have changed the sources already.
            done = earlier(self.making.record_id, self.call, self.world)
            if done is None:
                raise
            return done
        self.tried.note_first(record)
        return write()

    def _written_by_this_call(self) -> Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = self.tried.find_written(self.world)
        return None if held is None else result_of(held, self.world.now(), self.world)

    def _draft(self) -> tuple[MemoryRecord, Callable[[], Result]]:
        """The record from the sources as stored now, and the write of the whole transaction.

        Raises DomainError for a refused revision.
        """
        sources = self._sources()
        if Permission.ADMIN not in self.call.principal.permissions:
            require_no_new_absorption(self.given.payload, [each.record.payload for each in sources])
        bare, uploads = self.prepare()
        require_evidence(bare, self.derivation.operation)
        placed = self._with_access(bare, sources)
        targets = targets_of(placed.relations, self.call, self.world)
        record = self.derivation.makes(placed, sources, self.why, self.making)
        retracted_ids = self.source_ids if self.derivation.replaces else ()
        if self.derivation.replaces:
            record = with_replaced_entities(record, sources)
        _require_storable(record, sources, replaced=len(retracted_ids))
        write = partial(
            create,
            record,
            self.making.now,
            self.call,
            self.world,
            changed=[(each, self._next(each, record.id)) for each in sources],
            targets=targets,
            heads=claim_head(
                record,
                self.call.principal,
                self.world,
                retracted_ids=retracted_ids,
                values=uploads.values,
            ),
            names=claim_names(record, self.world, retracted_ids=retracted_ids),
            receipt=receipt_of(self.given, self.call, self.world),
            claimed=uploads,
        )
        return record, write

    def _sources(self) -> Sequence[StoredRecord]:
        """The sources as stored now, each fit for this revision."""
        derivation, principal = self.derivation, self.call.principal
        sources = []
        for source_id in self.source_ids:
            missing = missing_of(derivation.operation, derivation.source, source_id)
            sources.append(load_alive(source_id, principal, self.world, missing=missing))
        for source in sources:
            principal.require_write(source.scope, source.sensitivity)
        for source in sources:
            require_revisable(source, derivation.operation)
            kept = source.type if derivation.keeps_type else None
            require_type(self.given.type, kept, derivation.operation)
        return sources

    def _with_access(self, record: MemoryRecord, sources: Sequence[StoredRecord]) -> MemoryRecord:
        """The record with scope and sensitivity; raises the errors of `scope_among`.

        Only an administrator may leave the scope of the sources, or lower the sensitivity.
        """
        principal = self.call.principal
        is_admin = Permission.ADMIN in principal.permissions
        scope = scope_among(sources, self.given.scope, is_admin=is_admin)
        sensitivity = sensitivity_among(sources, record.sensitivity, is_admin=is_admin)
        principal.require_write(scope, sensitivity)
        return record.model_copy(update={"scope": scope, "sensitivity": sensitivity})

    def _next(self, source: StoredRecord, new_id: str) -> StoredRecord:
        making = self.call.making(source.id, self.world.now(), self.world)
        after = self.derivation.becomes(source, new_id, self.why, making)
        require_still_returnable(source.record, after.record)
        return after


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


SUPERSEDING = Derivation(
    operation="supersede",
    source="old record",
    makes=lambda record, sources, why, making: successor(record, sources[0], why, making),
    becomes=superseded_version,
    keeps_type=True,
    replaces=True,
)
FORKING = Derivation(
    operation="fork",
    source="source record",
    makes=lambda record, sources, why, making: variant(record, sources[0], why, making),
    becomes=forked_version,
)
MERGING = Derivation(
    operation="merge", source="source record", makes=union, becomes=merged_version, replaces=True
)


def supersede_record(request: Supersede, call: Call, world: World) -> Result:
    """Write the new record; the old record is retracted and refers to the new record."""
    why = call.why(request)
    return derive((request.id,), request.new_record, why, call, world, derivation=SUPERSEDING)


def fork_record(request: Fork, call: Call, world: World) -> Result:
    """Write a variant of a record of any type except episodic."""
    why = call.why(request)
    return derive((request.id,), request.forked_record, why, call, world, derivation=FORKING)


def merge_records(request: Merge, call: Call, world: World) -> Result:
    """Write the merged record; each source is retracted and refers to the merged record."""
    why = call.why(request)
    return derive(request.ids, request.merged_record, why, call, world, derivation=MERGING)
