"""Observe several facts in a transaction, where each fact changes at most one known fact."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from membrane.domain.language.errors import FailedPrecondition, TooLarge
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import Change, Head, IdTaken, KeyUsed, LostRace, Receipt
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import first_version
from membrane.usecases.revision.heads import key_of
from membrane.usecases.revision.plan_observation import FactPlan, Observation, Planning


class Observed(NamedTuple):
    """A fact to observe, without relations and uploads, and the call that reports the fact."""

    seen: Observation
    call: Call


def observe_together(
    facts: Sequence[Observed], linked_to: Callable[[Sequence[str]], Change], world: World
) -> Sequence[str | None]:
    """Create each fact or reinforce a known fact; returns the ids.

    One transaction writes all facts, and the change that `linked_to` makes of the ids. None stands
    for a fact left out, which `observe` can write or refuse: a fact under the head of an earlier
    one, a fact that changes several known facts, a fact with large values, and a fact that is
    refused. All are left out if the transaction has no room for a record.
    Requests: one for the heads, one for each fact, up to three more for a fact with known facts of
    the subject and predicate, and the transaction.
    Raises ScopeFenced. Raises LostRace if a record or a head is no longer as read, and if a fact
    was written before; then call `observe` for each fact.
    """
    if not facts:
        return []
    keys = [key_of(each.seen.record, world) for each in facts]
    batch = _Batch(world, world.records.heads_of(dict.fromkeys(keys)))
    ids = [batch.add(key, each) for key, each in zip(keys, facts, strict=True)]
    added = [each for each in ids if each is not None]
    if not added:
        return ids
    try:
        batch.write(linked_to(added))
    except TooLarge:
        return [None] * len(ids)
    return ids


@dataclass(slots=True)
class _Batch:
    """The plans for the facts of a transaction."""

    world: World
    heads: Mapping[bytes, Head]
    keys: set[bytes] = field(default_factory=set)
    """The keys of the heads of the facts: a known fact has one head, so none is changed twice."""
    created: list[StoredRecord] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    changed_heads: list[Head] = field(default_factory=list)
    receipts: dict[str, Receipt] = field(default_factory=dict)

    def add(self, key: bytes, fact: Observed) -> str | None:
        """Add the plan for the fact; the id of the fact, or None for a fact left out."""
        if key in self.keys:
            return None
        try:
            plan = Planning(*fact, self.world, self.heads).next_step()
            if not isinstance(plan, FactPlan) or len(plan.changed) > 1:
                return None
            fact_id = self._add_fact(plan, fact)
        except (FailedPrecondition, TooLarge):
            return None  # `observe` refuses the fact, with the reason
        if fact_id is not None:
            self.keys.add(key)
            self.changed.extend(plan.changed)
            self.changed_heads.extend(plan.heads)
            self.receipts |= plan.receipts
        return fact_id

    def _add_fact(self, plan: FactPlan, fact: Observed) -> str | None:
        if plan.reinforced is not None:
            return plan.reinforced.id
        if plan.created is None:
            return None
        new, values = first_version(plan.created, fact.seen.making.now, fact.call)
        if values:
            return None
        self.created.append(new)
        return new.id

    def write(self, linked: Change) -> None:
        changed = [*self.changed, linked]
        records, heads, receipts = self.world.records, self.changed_heads, self.receipts
        try:
            if self.created:
                first, *also = self.created
                records.create(first, also=also, changed=changed, heads=heads, receipts=receipts)
            else:
                records.replace_all(changed, heads=heads, receipts=receipts)
        except (IdTaken, KeyUsed):
            raise LostRace from None
