"""Observe a fact that may contradict known facts: read the rivals, decide, write."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import Aborted, AlreadyExists, FailedPrecondition
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.conflict_changes import (
    Creation,
    ReportContext,
    created_against,
    created_as_fork_of,
    created_in_place_of,
    reinforced_in_place_of,
    thinned_crowd,
)
from membrane.domain.revision.conflict_decisions import (
    CreateAgainst,
    CreateBeside,
    CreateForkOf,
    CreateInPlaceOf,
    Decision,
    Reinforce,
    Rival,
    ThinOut,
    decide,
)
from membrane.domain.revision.conflicts import fact_of, is_same
from membrane.domain.revision.successors import MAX_SOURCES
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, Result, Written
from membrane.usecases.ports.records import (
    NOTHING_CLAIMED,
    Change,
    Claimed,
    IdTaken,
    KeyUsed,
    Receipt,
)
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import SPENT, create, earlier, result_of
from membrane.usecases.revision.heads import (
    HeadView,
    inline_value,
    key_of,
    load_changeable,
    view_head,
    with_rivals,
)
from membrane.usecases.revision.write_queue import win_in_queue


@dataclass(frozen=True, slots=True)
class Observation:
    """A fact on its way into the store, and the policy for the facts that it contradicts."""

    record: MemoryRecord
    source: str
    on_conflict: ConflictPolicy
    making: Making
    claimed: Claimed = NOTHING_CLAIMED


def observe(seen: Observation, call: Call, services: Services) -> Result:
    """Create the fact or reinforce a known fact, and change the rivals, as `decide` returns.

    One transaction writes everything, with the head of the facts. If more rivals must be replaced
    than a transaction may change, rivals first replace each other. The upload of a known fact
    stays unclaimed. Raises FailedPrecondition for too many active facts; AlreadyExists; TooLarge;
    Aborted; the errors of `require_claimable`.
    """
    return _Observing(seen, call, services).result()


@dataclass(frozen=True, slots=True)
class _Observing:
    seen: Observation
    call: Call
    services: Services
    tried: Attempts = field(default_factory=Attempts)

    def result(self) -> Result:
        try:
            key = key_of(self.seen.record, self.services, self.seen.claimed.values)
            return win_in_queue(self._attempt, key, self.services)
        except (Aborted, FailedPrecondition):
            done = self._written_before()
            if done is None:
                raise
            return done

    def _attempt(self) -> Result:
        if (done := self._written_by_this_call()) is not None:
            return done
        view = self._view_head()
        while isinstance(decision := self._decide(view), ThinOut):
            if (done := earlier(self.seen.record.id, self.call, self.services)) is not None:
                return done
            self._thin_out(decision.groups)
            view = self._view_head()
        if isinstance(decision, Reinforce):
            return self._reinforce(view, decision)
        return self._create(view, self._creation(decision))

    def _view_head(self) -> HeadView:
        """The head of the facts; with rivals, unless the policy keeps all facts."""
        seen, services = self.seen, self.services
        view = view_head(seen.record, services, seen.claimed.values)
        if seen.on_conflict is ConflictPolicy.KEEP:
            return view
        few = 1 if seen.on_conflict is ConflictPolicy.FORK else MAX_SOURCES
        return with_rivals(view, seen.record, self.call.principal, services, most_loaded=few)

    def _decide(self, view: HeadView) -> Decision:
        seen, fact, rivals = self.seen, fact_of(self.seen.record), list[Rival]()
        if view.rivals:
            observed = inline_value(fact.object, self.services, seen.claimed.values)
            for each in view.rivals:
                known = inline_value(fact_of(each.record).object, self.services)
                rivals.append(Rival(each, is_same(observed, known)))
        most_replaced = MAX_SOURCES if view.is_whole else 1
        return decide(seen.on_conflict, fact, rivals, most_replaced=most_replaced)

    def _thin_out(self, groups: Sequence[Sequence[StoredRecord]]) -> None:
        """Let the newest record of each group replace the rest, in as many writes as necessary.

        Each write takes the oldest records and leaves a single survivor, so no record replaces
        more records than a write may hold. The heads drop replaced facts later.
        """
        for group in groups:
            left = group
            while len(left) > 1:
                *older, newest = load_changeable(left[: MAX_SOURCES + 1], self.services)
                changed = thinned_crowd(older, newest, self._reporting())
                _require_returnable(changed)
                self.services.records.replace_all(changed)
                survivor = replace(changed[0][1], origin=None)
                left = [survivor, *left[MAX_SOURCES + 1 :]]

    def _creation(
        self, decision: CreateBeside | CreateInPlaceOf | CreateForkOf | CreateAgainst
    ) -> Creation:
        record, reporting, services = self.seen.record, self._reporting(), self.services
        match decision:
            case CreateBeside():
                return Creation(record)
            case CreateInPlaceOf(replaced):
                return created_in_place_of(load_changeable(replaced, services), record, reporting)
            case CreateForkOf(source):
                return created_as_fork_of(load_changeable([source], services)[0], record, reporting)
            case CreateAgainst(contested):
                return created_against(load_changeable(contested, services), record, reporting)

    def _create(self, view: HeadView, creation: Creation) -> Result:
        record, changed = creation.record, creation.changed
        _require_returnable(changed)
        replaced = [after.id for _, after in changed if is_retracted(after.record.payload)]
        self.tried.note_first(record)
        return create(
            record,
            self.seen.making.now,
            self.call,
            self.services,
            changed=changed,
            heads=(view.claimed_by(record, replaced),),
            claimed=self.seen.claimed,
        )

    def _reinforce(self, view: HeadView, decision: Reinforce) -> Result:
        known, *replaced = load_changeable([decision.known, *decision.replaced], self.services)
        changed = reinforced_in_place_of(replaced, known, self._reporting())
        _require_returnable(changed)
        _, after = changed[0]
        self.tried.note(after)
        # No record id is made from the idempotency key here, so the receipt records the use.
        key, record_id = self.call.key, self.seen.record.id
        receipt = None if key is None else Receipt(record_id, self.call.fingerprint)
        try:
            self.services.records.replace_all(changed, heads=view.correction, receipt=receipt)
        except (IdTaken, KeyUsed) as error:
            done = self._written_before()
            if done is None:
                raise AlreadyExists(SPENT) from error
            return done
        return self._result_of(after, self._instant_of(known))

    def _reporting(self) -> ReportContext:
        seen = self.seen
        return ReportContext(seen.source, seen.making, self._making_of, self.services.policy)

    def _making_of(self, stored: StoredRecord) -> Making:
        return self.call.making(stored.id, self._instant_of(stored), self.services)

    def _instant_of(self, stored: StoredRecord) -> datetime:
        """The instant of the observation, or of the last change of the record if later."""
        return max(self.seen.making.now, datetime.fromisoformat(stored.record.updated_at))

    def _written_before(self) -> Result | None:
        done = self._written_by_this_call()
        return done or earlier(self.seen.record.id, self.call, self.services)

    def _written_by_this_call(self) -> Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = self.tried.find_written(self.services)
        return None if held is None else self._result_of(held, self.services.now())

    def _result_of(self, held: AnyRecord, now: datetime) -> Result:
        result = result_of(held, now, self.services)
        if isinstance(result, Written) and held.id != self.seen.record.id:
            return result._replace(reinforced=True)
        return result


def _require_returnable(changed: Sequence[Change]) -> None:
    for before, after in changed:
        require_still_returnable(before.record, after.record)
