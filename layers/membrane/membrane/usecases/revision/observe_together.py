"""Observe several facts in a transaction, where each changes at most one known fact."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from membrane.domain.language.errors import (
    FailedPrecondition,
    ScopeFenced,
    TooLarge,
    TooManyProfiles,
)
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import Change, Head, IdTaken, LostRace
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import first_version
from membrane.usecases.revision.heads import key_of
from membrane.usecases.revision.plan_observation import FactPlan, Observation, Planning


class Observed(NamedTuple):
    """A fact to observe, without relations and uploads, and the call that reports the fact."""

    seen: Observation
    call: Call


def observe_together(
    facts: Sequence[Observed], linked_to: Callable[[Sequence[str]], Change], services: Services
) -> Sequence[str | None]:
    """Create the facts or reinforce known facts, and write the change of `linked_to`, or nothing.

    Returns an id for each fact; None for a fact that was not written and must be observed alone: a
    fact with the head or a known fact of an earlier one, a fact that changes several known facts or
    has large values, and a fact that the store refuses. One transaction writes the others. The
    heads take one request, each fact a further one, and a known fact another.
    Raises LostRace if a record or a head changed meanwhile, or if an earlier try wrote one of the
    facts: then the facts may have been written. Raises ScopeFenced.
    """
    keys = [key_of(each.seen.record, services) for each in facts]
    batch = _Batch(services, services.records.heads_of(dict.fromkeys(keys)) if keys else {})
    ids = [batch.add(key, each) for key, each in zip(keys, facts, strict=True)]
    planned = [each for each in ids if each is not None]
    if not planned:
        return ids
    return ids if batch.write(linked_to(planned)) else [None] * len(ids)


@dataclass(slots=True)
class _Batch:
    """The plans for the facts of a transaction."""

    services: Services
    heads: Mapping[bytes, Head]
    taken: set[bytes | str] = field(default_factory=set)
    """The keys of the heads and the ids of the known facts that the transaction writes."""
    created: list[StoredRecord] = field(default_factory=list)
    changed: list[Change] = field(default_factory=list)
    changed_heads: list[Head] = field(default_factory=list)

    def add(self, key: bytes, fact: Observed) -> str | None:
        """The id of the fact; None for a fact that has no part in the transaction."""
        if key in self.taken:
            return None
        try:
            plan = Planning(*fact, self.services, self.heads).next_step()
            return self._add_plan(key, plan, fact) if isinstance(plan, FactPlan) else None
        except ScopeFenced:
            raise
        except (FailedPrecondition, TooLarge):
            return None  # observed alone, the fact is refused with the reason

    def _add_plan(self, key: bytes, plan: FactPlan, fact: Observed) -> str | None:
        changed_ids = {after.id for _, after in plan.changed}
        if len(changed_ids) > 1 or not self.taken.isdisjoint(changed_ids):
            return None
        made = plan.reinforced
        if plan.created is not None:
            made, values = first_version(plan.created, fact.seen.making.now, fact.call)
            if values:
                return None
            self.created.append(made)
        self.taken |= {key, *changed_ids}
        self.changed.extend(plan.changed)
        self.changed_heads.extend(plan.heads)
        return None if made is None else made.id

    def write(self, linked: Change) -> bool:
        """False if the facts do not fit together."""
        changed = [*self.changed, linked]
        records, heads = self.services.records, self.changed_heads
        try:
            if self.created:
                first, *also = self.created
                records.create(first, also=also, changed=changed, heads=heads)
            else:
                records.replace_all(changed, heads=heads)
        except IdTaken:
            raise LostRace from None
        except (TooLarge, TooManyProfiles):
            return False
        return True
