"""Plan what an observed fact changes: read the head and the rivals, decide, make the versions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from membrane.domain.ingest.builder import Making
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.payloads import ProvenanceRef
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import StoredRecord
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
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import (
    NOTHING_CLAIMED,
    Change,
    Claimed,
    Head,
    Receipt,
)
from membrane.usecases.ports.world import World
from membrane.usecases.revision.heads import (
    HeadView,
    inline_value,
    key_of,
    load_changeable,
    view_head,
    with_rivals,
)


@dataclass(frozen=True, slots=True)
class Observation:
    """A fact on its way into the store, and the policy for the facts that it contradicts."""

    record: MemoryRecord
    source: str
    on_conflict: ConflictPolicy
    making: Making
    claimed: Claimed = NOTHING_CLAIMED
    reinforces_same: bool = False
    """Whether an equal active fact is reinforced also under KEEP."""
    evidence: ProvenanceRef | None = None
    """What a known fact gains as evidence by being reinforced; `record` names the evidence too.

    With evidence, an equal fact of a lower sensitivity is no rival, and stays as it is.
    """
    targets: Sequence[StoredRecord] = ()
    """The targets of the relations of `record`, in a write by `observe`."""
    linked_to: Callable[[str], Change] | None = None
    """Makes the change of a further record in a write by `observe`, from the id of the fact; called
    for every attempt, with the record as stored now."""
    most_changed: int = MAX_SOURCES
    """The most rivals that the write replaces or contests. Of more, the oldest are thinned out
    first; a contest leaves out those that are contested already, the oldest first."""

    as_written: MemoryRecord | None = None
    """The fact of `record` under the words for which `record` has canonical names.

    An observation states a fact in words as written, so known facts are sought under both.
    """

    @property
    def wordings(self) -> Sequence[MemoryRecord]:
        return (self.record,) if self.as_written is None else (self.record, self.as_written)

    def is_evidence_for(self, known: StoredRecord) -> bool:
        """Whether the observation may reinforce an equal known fact.

        A reader of the known fact would otherwise learn of evidence above the reader's ceiling.
        """
        return self.evidence is None or known.sensitivity is self.record.sensitivity


@dataclass(frozen=True, slots=True)
class FactPlan:
    """What to write for an observed fact, all in one transaction."""

    created: MemoryRecord | None = None
    """The new fact, complete; None if a known fact is reinforced."""
    reinforced: StoredRecord | None = None
    """The next version of the known fact; None if a fact is created."""
    changed: Sequence[Change] = ()
    """Every stored record that changes; the reinforced fact comes first."""
    heads: Sequence[Head] = ()
    receipts: Mapping[str, Receipt] = field(default_factory=dict)
    """The receipt of the idempotency key if a known fact is reinforced: the id of the fact is not
    made from the key. A capture needs none: the id of the capture is made from the key."""


def plan_observation(seen: Observation, call: Call, world: World) -> FactPlan:
    """The plan for the fact as the store is now; nothing of the plan is written.

    A head with too many rivals is thinned out in writes of their own, before the plan is made.
    Raises LostRace if a record changed meanwhile, or when the plan is written if the head or a
    record has changed since: plan again. Raises FailedPrecondition for too many active facts.
    """
    planning = Planning(seen, call, world)
    while isinstance(plan := planning.next_step(), ThinOut):
        planning.thin_out(plan)
    return plan


@dataclass(frozen=True, slots=True)
class Planning:
    """The steps to the plan for an observed fact."""

    seen: Observation
    call: Call
    world: World
    heads: Mapping[bytes, Head] = field(default_factory=dict)
    """Heads that were read before, by key; other heads are read from the store."""

    def next_step(self) -> FactPlan | ThinOut:
        """The plan, or the rivals to thin out before the next step."""
        views = self._view_heads()
        match self._decide(views):
            case ThinOut() as crowd:
                return crowd
            case Reinforce() as decision:
                return self._reinforcing_plan(views, decision)
            case decision:
                return self._creating_plan(views, self._creation(decision))

    def thin_out(self, crowd: ThinOut) -> None:
        """Let the newest record of each group replace the rest, in as many writes as necessary.

        Each write takes the oldest records and leaves a single survivor, so no record replaces
        more records than a write may hold. The heads drop replaced facts later.
        """
        for group in crowd.groups:
            left = group
            while len(left) > 1:
                *older, newest = load_changeable(left[: MAX_SOURCES + 1], self.world)
                changed = thinned_crowd(older, newest, self._reporting())
                _require_returnable(changed)
                self.world.records.replace_all(changed)
                survivor = replace(changed[0][1], origin=None)
                left = [survivor, *left[MAX_SOURCES + 1 :]]

    def _view_heads(self) -> Sequence[HeadView]:
        """The head of the fact, then the head under the words as written if that is another."""
        values = self.seen.claimed.values
        by_key = {key_of(each, self.world, values): each for each in self.seen.wordings[::-1]}
        return [self._view_head(key, fact) for key, fact in reversed(by_key.items())]

    def _view_head(self, key: bytes, fact: MemoryRecord) -> HeadView:
        """The head of the facts; with rivals, unless the policy keeps all facts."""
        seen, world = self.seen, self.world
        view = view_head(fact, world, seen.claimed.values, before=self.heads.get(key))
        if seen.on_conflict is ConflictPolicy.KEEP and not seen.reinforces_same:
            return view
        changes_one = seen.on_conflict in (ConflictPolicy.KEEP, ConflictPolicy.FORK)
        few = 1 if changes_one else MAX_SOURCES
        return with_rivals(view, fact, self.call.principal, world, most_loaded=few)

    def _decide(self, views: Sequence[HeadView]) -> Decision:
        seen, fact, rivals = self.seen, fact_of(self.seen.record), list[Rival]()
        found = [each for view in views for each in view.rivals]
        if found:
            observed = [
                inline_value(fact_of(each).object, self.world, seen.claimed.values)
                for each in seen.wordings
            ]
            if len(views) > 1:
                found.sort(key=lambda each: (each.born_s, each.id))
            for each in found:
                known = inline_value(fact_of(each.record).object, self.world)
                says_same = any(is_same(value, known) for value in observed)
                if not says_same or seen.is_evidence_for(each):
                    rivals.append(Rival(each, says_same))
        return decide(
            seen.on_conflict,
            fact,
            rivals,
            reinforces_same=seen.reinforces_same,
            most_replaced=seen.most_changed if all(each.is_whole for each in views) else 1,
            most_contested=seen.most_changed,
        )

    def _creation(
        self, decision: CreateBeside | CreateInPlaceOf | CreateForkOf | CreateAgainst
    ) -> Creation:
        record, reporting, world = self.seen.record, self._reporting(), self.world
        match decision:
            case CreateBeside():
                return Creation(record)
            case CreateInPlaceOf(replaced):
                return created_in_place_of(load_changeable(replaced, world), record, reporting)
            case CreateForkOf(source):
                return created_as_fork_of(load_changeable([source], world)[0], record, reporting)
            case CreateAgainst(contested):
                return created_against(load_changeable(contested, world), record, reporting)

    def _creating_plan(self, views: Sequence[HeadView], creation: Creation) -> FactPlan:
        record, changed = creation.record, creation.changed
        _require_returnable(changed)
        replaced = [after.id for _, after in changed if is_retracted(after.record.payload)]
        own, *others = views
        heads = (own.claimed_by(record, replaced), *(each.head for each in others))
        return FactPlan(created=record, changed=changed, heads=heads)

    def _reinforcing_plan(self, views: Sequence[HeadView], decision: Reinforce) -> FactPlan:
        known, *replaced = load_changeable([decision.known, *decision.replaced], self.world)
        seen = self.seen
        changed = reinforced_in_place_of(
            replaced, known, seen.record, seen.evidence, self._reporting()
        )
        _require_returnable(changed)
        heads = tuple(head for each in views for head in each.correction)
        return FactPlan(
            reinforced=changed[0][1],
            changed=changed,
            heads=heads,
            receipts=self._receipts(known.id),
        )

    def _receipts(self, known_id: str) -> Mapping[str, Receipt]:
        if self.call.key is None:
            return {}
        return {known_id: Receipt(self.seen.record.id, self.call.fingerprint)}

    def _reporting(self) -> ReportContext:
        seen = self.seen
        return ReportContext(seen.source, seen.making, self._making_of)

    def _making_of(self, stored: StoredRecord) -> Making:
        return self.call.making(stored.id, instant_of(self.seen, stored), self.world)


def instant_of(seen: Observation, stored: StoredRecord) -> datetime:
    """The instant of the observation, or of the last change of the record if later."""
    return max(seen.making.now, datetime.fromisoformat(stored.record.updated_at))


def _require_returnable(changed: Sequence[Change]) -> None:
    for before, after in changed:
        require_still_returnable(before.record, after.record)
