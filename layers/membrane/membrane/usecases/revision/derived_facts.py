"""Facts derived from a record as evidence: observed, or left out and counted.

The transaction of a fact links the evidence to the fact: whoever deletes the evidence finds the
fact, and no fact rests on evidence that is gone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import FailedPrecondition, ScopeFenced, TooLarge
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.evidence import DERIVED_SEMANTIC
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import MAX_SOURCES, with_relation
from membrane.domain.revision.conflicts import Observation
from membrane.table.items import IdTaken, KeyUsed, LostRace
from membrane.usecases.machinery.calls import Call, Gone
from membrane.usecases.ports.records import Change, Head, Receipt
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import first_version
from membrane.usecases.revision.facts import NO_HEADS, Plan, observe, plan_observation, receipts_of
from membrane.usecases.revision.heads import HeadIsFull, key_of

MAX_FACTS = 12
"""Facts derived from a record: those of a trace fit a transaction."""

MAX_CONTESTED_FACTS = MAX_SOURCES - 1
"""Known facts that a fact contests: the transaction changes the evidence, too."""

LEFT_OUT = "LeftOutFacts"
"""The metric of facts left out, by reason."""


class LeftOut(StrEnum):
    """Why a fact was not written."""

    HEAD_IS_FULL = "head_is_full"
    REFUSED = "refused"
    """The state of a known fact does not allow the fact."""
    TOO_LARGE = "too_large"
    """The fact, or a record that the fact changes, has no room."""
    TOO_MANY = "too_many"
    """The evidence states more than MAX_FACTS."""


def observe_derived(
    seen: Observation,
    call: Call,
    world: World,
    *,
    linked_to: Callable[[str], Change],
    targets: Sequence[StoredRecord] = (),
) -> str | None:
    """The id of the fact; None for a fact left out, or deleted since an earlier try.

    Raises the other errors of `observe`, and those of `linked_to`.
    """
    try:
        result = observe(seen, call, world, targets=targets, linked_to=linked_to)
    except ScopeFenced:
        raise
    except (FailedPrecondition, TooLarge) as error:
        leave_out(_reason_of(error), world)
        return None
    return None if isinstance(result, Gone) else result.record.id


def observe_together(
    facts: Sequence[tuple[Observation, Call]],
    linked_to: Callable[[Sequence[str]], Change],
    world: World,
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
    keys = [key_of(seen.record, world) for seen, _ in facts]
    before = world.records.heads_of(dict.fromkeys(keys)) if keys else NO_HEADS
    created, changed = list[StoredRecord](), list[Change]()
    heads, receipts = list[Head](), dict[str, Receipt]()
    ids, taken = list[str | None](), set[bytes]()
    for key, (seen, call) in zip(keys, facts, strict=True):
        found = None if key in taken else _planned_with_others(seen, call, world, before)
        ids.append(None if found is None else found[0].id)
        if found is None:
            continue
        fact, (decided, moved) = found
        taken.add(key)
        created += [fact] if decided.created else []
        changed += decided.changed
        heads += moved
        receipts |= receipts_of(decided, seen, call)
    if not taken:
        return ids
    try:
        changed.append(linked_to([*filter(None, ids)]))
        if created:
            first, *also = created
            world.records.create(first, also=also, changed=changed, heads=heads, receipts=receipts)
        else:
            world.records.replace_all(changed, heads=heads, receipts=receipts)
    except TooLarge:
        return [None] * len(ids)
    except (IdTaken, KeyUsed):
        raise LostRace from None
    return ids


def _planned_with_others(
    seen: Observation, call: Call, world: World, heads: Mapping[bytes, Head]
) -> tuple[StoredRecord, Plan] | None:
    """The fact as written, and the plan; None for a fact to leave out."""
    try:
        plan = plan_observation(seen, call, world, heads=heads)
        decided, _ = plan
        if decided.crowds or len(decided.changed) > 1:
            return None
        if decided.created is None:
            return decided.changed[0][1], plan
        new, values = first_version(decided.created, seen.making.now, call)
    except (FailedPrecondition, TooLarge):
        return None  # `observe` refuses the fact, with the reason
    return None if values else (new, plan)


def leave_out(reason: LeftOut, world: World, facts: int = 1) -> None:
    world.measure(LEFT_OUT, facts, "Count", reason=reason)


def linked_version(
    evidence: StoredRecord, fact_ids: Iterable[str], why: Why, making: Making
) -> StoredRecord:
    """The evidence with a relation to every fact."""
    linked = evidence.record
    for each in fact_ids:
        linked = with_relation(linked, DERIVED_SEMANTIC, each, making)
    return evidence.next_version(with_entry(linked, AuditAction.REVISE, why, making))


def _reason_of(error: FailedPrecondition | TooLarge) -> LeftOut:
    match error:
        case TooLarge():
            return LeftOut.TOO_LARGE
        case HeadIsFull():
            return LeftOut.HEAD_IS_FULL
        case _:
            return LeftOut.REFUSED
