"""Making a record that comes from others, which change with it in one write (spec 5.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.ingest.full_records import MAX_RELATIONS, RecordInput
from membrane.domain.language.errors import Aborted, AlreadyExists, DomainError, InvalidArgument
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.limits import require_still_returnable
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.successors import (
    require_evidence,
    require_type,
    scope_among,
    sensitivity_among,
)
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.machinery.visibility import load_visible, missing_of, require_alive
from membrane.usecases.ports.records import Change, Head
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import create, earlier, outcome
from membrane.usecases.records.preparing import id_of, prepared, receipt_of, targets_of
from membrane.usecases.records.uploads_claimed import Claimed
from membrane.usecases.revision.heads import seat

Becomes = Callable[[StoredRecord, str, Why, Making, PolicyDefaults], StoredRecord]
"""The next version of a source, from which the record of that id comes."""

Makes = Callable[[MemoryRecord, Sequence[StoredRecord], Why, Making], MemoryRecord]
"""The new record with what it has from its sources."""


@dataclass(frozen=True, slots=True)
class Descent:
    """How a new record comes from others."""

    operation: str
    """The peer's refusals begin with it."""
    source: str
    """What they call a record that it comes from."""
    makes: Makes
    becomes: Becomes
    keeps_type: bool = False
    replaces: bool = False
    """Whether the new record stands in the place of its sources."""

    def missing(self, record_id: str) -> str:
        """The refusal where there is no such source."""
        return missing_of(self.operation, self.source, record_id)


def descend(
    source_ids: Sequence[str],
    given: RecordInput,
    why: Why,
    call: Call,
    services: Services,
    *,
    descent: Descent,
) -> Result:
    """Write the record that comes from the sources, and their next versions, all or nothing.

    It stays in their scope and is at least as sensitive as each of them (design 4.5). Raises
    NotFound for a source or a relation's target that is absent or may not be seen,
    PermissionDenied, FailedPrecondition for a source that is not to be revised and where another
    fact stands in the new one's way, InvalidArgument, TooLarge, AlreadyExists, Aborted; for an
    upload what `claimed` does.
    """
    record_id = id_of(given, call, services)
    making = call.making(record_id, services.now(), services)
    receipt = receipt_of(given, call, services)
    whole = cache(lambda: prepared(given, given.scope or "", making, call, services))
    revision = _Revision(source_ids, given, why, descent, making, whole, call, services)
    tried = Attempts()

    def ours() -> Result | None:
        """What an attempt wrote after all, and only its reply was lost."""
        held = services.records.load(record_id) if tried.positions else None
        if held is None or not tried.were_written(held, services):
            return None
        return outcome(held, services.now(), services)

    def attempt() -> Result:
        done = ours()
        if done is not None:
            return done
        try:
            draft = revision.draft()
        except DomainError:
            done = earlier(record_id, call, services)  # which may be why it is refused now
            if done is None:
                raise
            return done
        tried.note_first(draft.record)
        return create(
            draft.record,
            making.now,
            call,
            services,
            changed=draft.changed,
            targets=draft.targets,
            heads=draft.heads,
            receipt=receipt,
            claimed=draft.uploads,
        )

    try:
        return until_won(attempt, services)
    except Aborted:
        done = ours()
        if done is None:
            raise
        return done


@dataclass(frozen=True, slots=True)
class _Draft:
    """What is to be written together."""

    record: MemoryRecord
    uploads: Claimed
    changed: Sequence[Change]
    targets: Sequence[StoredRecord]
    heads: Sequence[Head]


@dataclass(frozen=True, slots=True)
class _Revision:
    """One call that makes a record of others."""

    source_ids: Sequence[str]
    given: RecordInput
    why: Why
    descent: Descent
    making: Making
    whole: Callable[[], tuple[MemoryRecord, Claimed]]
    """The record as it was given, in no place yet."""
    call: Call
    services: Services

    def draft(self) -> _Draft:
        """What to write as things stand now; raises a DomainError where nothing is to be."""
        sources = self._sources()
        bare, uploads = self.whole()
        require_evidence(bare, self.descent.operation)
        placed = self._placed(bare, sources)
        targets = targets_of(placed.relations, self.call, self.services)
        record = self.descent.makes(placed, sources, self.why, self.making)
        _require_storable(record, sources)
        return _Draft(
            record=record,
            uploads=uploads,
            changed=[(each, self._next(each, record.id)) for each in sources],
            targets=targets,
            heads=self._heads(record, uploads),
        )

    def _sources(self) -> Sequence[StoredRecord]:
        """Each as it is now, and fit to be revised so."""
        descent, principal = self.descent, self.call.principal
        sources = []
        for source_id in self.source_ids:
            missing = descent.missing(source_id)
            held = load_visible(source_id, principal, self.services, missing=missing)
            sources.append(require_alive(held, missing=missing))
        for source in sources:
            principal.require_write(source.scope, source.sensitivity)
        for source in sources:
            require_revisable(source, descent.operation)
            kept = source.type if descent.keeps_type else None
            require_type(self.given.type, kept, descent.operation)
        return sources

    def _placed(self, record: MemoryRecord, sources: Sequence[StoredRecord]) -> MemoryRecord:
        """Where the record belongs; raises PermissionDenied and InvalidArgument as `scope_among`.

        Nobody but an administrator has it leave its sources' scope, or be less sensitive.
        """
        principal = self.call.principal
        is_admin = Permission.ADMIN in principal.permissions
        scope = scope_among(sources, self.given.scope, is_admin=is_admin)
        sensitivity = sensitivity_among(sources, record.sensitivity, is_admin=is_admin)
        principal.require_write(scope, sensitivity)
        return record.model_copy(update={"scope": scope, "sensitivity": sensitivity})

    def _next(self, source: StoredRecord, new_id: str) -> StoredRecord:
        """Its next version; raises TooLarge where it outgrows a reply."""
        making = self.call.making(source.id, self.services.now(), self.services)
        after = self.descent.becomes(source, new_id, self.why, making, self.services.policy)
        require_still_returnable(source.record, after.record)
        return after

    def _heads(self, record: MemoryRecord, uploads: Claimed) -> Sequence[Head]:
        leaving = self.source_ids if self.descent.replaces else ()
        return seat(
            record, self.call.principal, self.services, leaving=leaving, values=uploads.values
        )


def _require_storable(record: MemoryRecord, sources: Sequence[StoredRecord]) -> None:
    """Raises AlreadyExists for a record that is its own source, InvalidArgument for too many edges.

    They are one transaction with all that changes.
    """
    if any(source.id == record.id for source in sources):
        raise AlreadyExists("record already exists")
    if len(record.relations) > MAX_RELATIONS:
        raise InvalidArgument(
            f"too many relations with those to the sources: {len(record.relations)} "
            f"(max {MAX_RELATIONS})"
        )
