"""Write a record that comes from others, together with the next versions of its sources."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from membrane.domain.ingest.builder import Why
from membrane.domain.ingest.full_records import RecordInput
from membrane.domain.language.errors import Aborted, DomainError
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.records import Receipt
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import create, earlier, outcome
from membrane.usecases.records.preparing import id_of, prepared, receipt_of
from membrane.usecases.revision.drafting import Descent, Draft, Revision


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

    The record stays in the sources' scope and is at least as sensitive as each source. Raises
    NotFound for a source or a relation's target that is absent or hidden from the caller,
    PermissionDenied, FailedPrecondition for a source that cannot be revised and where another
    fact stands in the new one's way, InvalidArgument, TooLarge, AlreadyExists, Aborted; for an
    upload what `claimed` does.
    """
    making = call.making(id_of(given, call, services), services.now(), services)
    receipt = receipt_of(given, call, services)
    prepare = cache(lambda: prepared(given, given.scope or "", making, call, services))
    revision = Revision(source_ids, given, why, descent, making, prepare, call, services)
    return _Descending(revision, receipt, call, services).result()


@dataclass(frozen=True, slots=True)
class _Descending:
    """The attempts of one call to write its revision."""

    revision: Revision
    receipt: Receipt | None
    call: Call
    services: Services
    tried: Attempts = field(default_factory=Attempts)

    def result(self) -> Result:
        try:
            return until_won(self._attempt, self.services)
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
            draft = self.revision.draft()
        except DomainError:
            # An earlier call under the same key may have changed the sources already.
            done = earlier(self._record_id, self.call, self.services)
            if done is None:
                raise
            return done
        return self._write(draft)

    def _write(self, draft: Draft) -> Result:
        self.tried.note_first(draft.record)
        return create(
            draft.record,
            self.revision.making.now,
            self.call,
            self.services,
            changed=draft.changed,
            targets=draft.targets,
            heads=draft.heads,
            receipt=self.receipt,
            claimed=draft.uploads,
        )

    def _written_by_this_call(self) -> Result | None:
        """The record of an attempt whose reply was lost."""
        held = self.services.records.load(self._record_id) if self.tried.positions else None
        if held is None or not self.tried.were_written(held, self.services):
            return None
        return outcome(held, self.services.now(), self.services)

    @property
    def _record_id(self) -> str:
        return self.revision.making.record_id
