"""Observe a fact that may contradict known facts: plan, and write the plan."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from membrane.domain.language.errors import Aborted, AlreadyExists, FailedPrecondition
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.conflict_changes import lacking_relations
from membrane.domain.revision.conflict_decisions import ThinOut
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, Result, Written
from membrane.usecases.ports.records import Change, IdTaken, KeyUsed
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import SPENT, create, earlier, result_of
from membrane.usecases.revision.heads import key_of
from membrane.usecases.revision.plan_observation import FactPlan, Observation, Planning, instant_of
from membrane.usecases.revision.write_queue import win_in_queue


def observe(seen: Observation, call: Call, world: World) -> Result:
    """Create the fact or reinforce a known fact, and change the rivals, as `decide` returns.

    One transaction writes everything, with the head of the facts. If more rivals must be replaced
    than a transaction may change, rivals first replace each other. The upload of a known fact
    stays unclaimed. Raises FailedPrecondition for too many active facts; AlreadyExists; TooLarge;
    Aborted; the errors of `require_claimable`.
    """
    return _Observing(seen, call, world).result()


@dataclass(frozen=True, slots=True)
class _Observing:
    seen: Observation
    call: Call
    world: World
    tried: Attempts = field(default_factory=Attempts)

    def result(self) -> Result:
        try:
            key = key_of(self.seen.record, self.world, self.seen.claimed.values)
            return win_in_queue(self._attempt, key, self.world)
        except (Aborted, FailedPrecondition):
            done = self._written_before()
            if done is None:
                raise
            return done

    def _attempt(self) -> Result:
        if (done := self._written_by_this_call()) is not None:
            return done
        planning = Planning(self.seen, self.call, self.world)
        while isinstance(plan := planning.next_step(), ThinOut):
            if (done := earlier(self.seen.record.id, self.call, self.world)) is not None:
                return done
            planning.thin_out(plan)
        if plan.created is not None:
            return self._create(plan.created, plan)
        known, after = plan.changed[0]
        return self._reinforce(known, after, plan)

    def _create(self, record: MemoryRecord, plan: FactPlan) -> Result:
        self.tried.note_first(record)
        return create(
            record,
            self.seen.making.now,
            self.call,
            self.world,
            changed=[*plan.changed, *self._linked_to(record.id)],
            targets=self.seen.targets,
            heads=plan.heads,
            claimed=self.seen.claimed,
        )

    def _reinforce(self, known: StoredRecord, after: StoredRecord, plan: FactPlan) -> Result:
        self.tried.note(after)
        changed = [*plan.changed, *self._linked_to(known.id)]
        gained = {each.target_id for each in lacking_relations(known.record, self.seen.record)}
        targets = [each for each in self.seen.targets if each.id in gained]
        try:
            self.world.records.replace_all(
                changed, targets=targets, heads=plan.heads, receipts=plan.receipts
            )
        except (IdTaken, KeyUsed) as error:
            done = self._written_before()
            if done is None:
                raise AlreadyExists(SPENT) from error
            return done
        return self._result_of(after, instant_of(self.seen, known))

    def _linked_to(self, fact_id: str) -> Sequence[Change]:
        make = self.seen.linked_to
        return () if make is None else (make(fact_id),)

    def _written_before(self) -> Result | None:
        done = self._written_by_this_call()
        return done or earlier(self.seen.record.id, self.call, self.world)

    def _written_by_this_call(self) -> Result | None:
        """The result of an attempt that was written although the reply of the store was lost."""
        held = self.tried.find_written(self.world)
        return None if held is None else self._result_of(held, self.world.now())

    def _result_of(self, held: AnyRecord, now: datetime) -> Result:
        result = result_of(held, now, self.world)
        if isinstance(result, Written) and held.id != self.seen.record.id:
            return result._replace(reinforced=True)
        return result
