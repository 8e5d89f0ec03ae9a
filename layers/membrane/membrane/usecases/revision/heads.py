"""Heads of facts: which facts of a scope, subject, predicate and conditions are active.

Every write that makes a fact active adds the fact to the head, in the same transaction. Indexes
lag, a head does not: of two writers that read the same version of a head, one loses. Retracting and
deleting a fact leave the head unchanged, so a holder counts only if the record item is active.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import MAX_RECORD_DEPTH, parse_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import Window, fact_key, is_found, is_retracted, window_of
from membrane.domain.records.stored import AnyRecord, StoredRecord, has_shown_entries
from membrane.domain.revision.conflicts import fact_of, head_key_of
from membrane.table.items import LostRace
from membrane.usecases.machinery.calls import newest_first
from membrane.usecases.ports.records import NO_VALUES, Head, Holder
from membrane.usecases.ports.world import World

MAX_HOLDERS = 1_000
"""The most active facts of one head: 300 bytes each in an item of 400 KB; a write may read all."""

LAG_S = 15.0
"""Seconds by which the natural index may lag behind a fact written without a head."""

BATCH = 100

TOO_MANY_FACTS = (
    f"more than {MAX_HOLDERS} facts of this subject, predicate and conditions are active: "
    "retract some of them first"
)


class HeadIsFull(FailedPrecondition):
    """A head has no room for a further active fact."""


class HeadView(NamedTuple):
    """The head of a fact as a writer of the fact sees the head."""

    before: Head
    head: Head
    """`before` without inactive holders, and with the facts written without a head."""
    is_whole: bool = True
    """Whether `head` names every active fact; False for more than MAX_HOLDERS facts."""

    def claimed_by(self, record: MemoryRecord, retracted_ids: Collection[str] = ()) -> Head:
        """The head with the fact as a holder; raises HeadIsFull."""
        gone = {record.id, *retracted_ids}
        staying = [each for each in self.head.holders if each.record_id not in gone]
        if not self.is_whole or len(staying) >= MAX_HOLDERS:
            raise HeadIsFull(TOO_MANY_FACTS)
        return self.head._replace(holders=(*staying, holder_of(record)))


def claim_head(
    record: MemoryRecord,
    principal: Principal,
    world: World,
    *,
    retracted_ids: Collection[str] = (),
    values: Mapping[LargeValue, bytes] = NO_VALUES,
) -> tuple[Head, ...]:
    """The head to write when a record becomes active; nothing for a record without a head.

    The write retracts `retracted_ids`; `values` holds large values that are not stored yet. Raises
    FailedPrecondition if the conflict policy of the predicate is `replace` and the principal sees
    a conflicting active fact.
    """
    fact = record.payload
    if not isinstance(fact, SemanticPayload) or is_retracted(fact):
        return ()
    policy = world.policy.conflict_policy(fact.predicate)
    if policy is ConflictPolicy.KEEP:
        return _claim_unchecked(record, world, retracted_ids, values)
    view = view_head(record, world, values)
    if policy is ConflictPolicy.REPLACE:
        view, rivals = with_rivals(view, record, principal, world)
        _require_no_other(rivals, view.head, retracted_ids)
    return (view.claimed_by(record, retracted_ids),)


def _require_no_other(
    rivals: Sequence[StoredRecord], head: Head, retracted_ids: Collection[str]
) -> None:
    """Raise FailedPrecondition for a rival that stays, and overlapped no retracted fact before."""
    former = [
        Window(each.start, each.end) for each in head.holders if each.record_id in retracted_ids
    ]
    for rival in rivals:
        window = _window(rival.record)
        if rival.id not in retracted_ids and not any(window.overlaps(each) for each in former):
            raise FailedPrecondition(
                f"record {rival.id} is the active fact of this subject and predicate: "
                "supersede that one"
            )


def view_head(
    record: MemoryRecord,
    world: World,
    values: Mapping[LargeValue, bytes] = NO_VALUES,
    *,
    before: Head | None = None,
) -> HeadView:
    """The head of a fact, read consistently unless given as `before`."""
    if before is None:
        before = world.records.head(key_of(record, world, values))
    head, is_whole = _with_missed_holders(before, record, world)
    if _is_worth_compacting(head):
        compact = _without_inactive(before, world)
        if compact.holders != before.holders:
            head, is_whole = _with_missed_holders(compact, record, world)
    return HeadView(before, head, is_whole)


def with_rivals(
    view: HeadView,
    record: MemoryRecord,
    principal: Principal,
    world: World,
    *,
    most_loaded: int = 1,
) -> tuple[HeadView, Sequence[StoredRecord]]:
    """The view without inactive holders, and the rivals of the fact, the oldest first.

    Rivals are the active facts with an overlapping window, without facts hidden from the caller: a
    hidden fact neither blocks a write nor shows in a reply. More than `most_loaded` rivals are
    loaded from their own items alone, with fewer audit entries than a reply shows.
    """
    window = _window(record)
    named = [
        each.record_id
        for each in view.head.holders
        if each.record_id != record.id and window.overlaps(Window(each.start, each.end))
    ]
    read = world.records.load_own if len(named) > most_loaded else world.records.load_each
    active = _active(named, read, view.head.key, world)
    gone = set(named).difference(each.id for each in active)
    staying = tuple(each for each in view.head.holders if each.record_id not in gone)
    visible = [each for each in active if principal.trust.allows(each.scope, each.sensitivity)]
    return view._replace(head=view.head._replace(holders=staying)), visible


def load_shown(held: StoredRecord, world: World) -> StoredRecord:
    """The record with the audit entries that a reply shows; raises LostRace like `load_again`."""
    return held if has_shown_entries(held) else load_again(held, world)


def load_again(held: StoredRecord, world: World) -> StoredRecord:
    """The record from the store; raises LostRace if the store has another version."""
    found = world.records.load(held.id)
    if not isinstance(found, StoredRecord) or found.version != held.version:
        raise LostRace
    return found


def inline_value(value: Any, world: World, values: Mapping[LargeValue, bytes] = NO_VALUES) -> Any:
    if not isinstance(value, LargeValue):
        return value
    text = values.get(value)
    return parse_json(world.records.value(value) if text is None else text, MAX_RECORD_DEPTH)


def _claim_unchecked(
    record: MemoryRecord,
    world: World,
    retracted_ids: Collection[str],
    values: Mapping[LargeValue, bytes],
) -> tuple[Head, ...]:
    """The head to write under the policy `keep`, which checks no conflicts.

    A head exists only if the predicate once had a different policy, and may have one again. A later
    check finds new records in the natural index by creation time. A restored record is old, so the
    head must name the record now.
    """
    is_new = len(record.audit_log) == 1
    before = Head(b"") if is_new else world.records.head(key_of(record, world, values))
    if not before.version:
        return ()
    head = _without_inactive(before, world) if _is_worth_compacting(before) else before
    return (HeadView(before, head).claimed_by(record, retracted_ids),)


def _with_missed_holders(head: Head, record: MemoryRecord, world: World) -> tuple[Head, bool]:
    """The head with the active facts written without a head; False if some did not fit.

    Facts lack a head if the policy of the predicate was `keep` at the time of the write.
    """
    read_s = epoch_seconds(world.now())
    known = {record.id, *(each.record_id for each in head.holders)}
    room = max(0, MAX_HOLDERS - len(head.holders))
    missed: list[Holder] = []
    fact = fact_of(record)
    key = fact_key(record.scope, fact.subject, fact.predicate)
    recent = takewhile(
        lambda place: -place[0] >= head.known_to_s - LAG_S, newest_first([key], world.natural)
    )
    unknown = (each for _, each in recent if each not in known)
    while several := list(islice(unknown, BATCH)):
        active = _active(several, world.records.load_own, head.key, world)
        missed += [holder_of(each.record) for each in active]
        if len(missed) > room:
            return head._replace(holders=(*head.holders, *reversed(missed[:room]))), False
    known_to_s = max(head.known_to_s, read_s)
    return head._replace(holders=(*head.holders, *reversed(missed)), known_to_s=known_to_s), True


def _is_worth_compacting(head: Head) -> bool:
    """True for a full head, and at every BATCH holders, since each write stores the whole head."""
    return len(head.holders) >= MAX_HOLDERS or len(head.holders) % BATCH == 0


def _without_inactive(head: Head, world: World) -> Head:
    named = [each.record_id for each in head.holders]
    active = {each.id for each in _active(named, world.records.load_own, head.key, world)}
    return head._replace(holders=tuple(each for each in head.holders if each.record_id in active))


def _active(
    record_ids: Sequence[str],
    read: Callable[[Sequence[str]], Mapping[str, AnyRecord]],
    key: bytes,
    world: World,
) -> Sequence[StoredRecord]:
    """The records that are active facts of the head: not deleted, not retracted, same head key."""
    found = read(record_ids)
    kept = (held for each in record_ids if is_found(held := found.get(each)))
    facts = (each for each in kept if isinstance(each.record.payload, SemanticPayload))
    return [each for each in facts if key_of(each.record, world) == key]


def key_of(
    record: MemoryRecord, world: World, values: Mapping[LargeValue, bytes] = NO_VALUES
) -> bytes:
    fact = fact_of(record)
    return head_key_of(record.scope, fact, inline_value(fact.validity.conditions, world, values))


def holder_of(record: MemoryRecord) -> Holder:
    return Holder(record.id, record.sensitivity, *_window(record))


def _window(record: MemoryRecord) -> Window:
    return window_of(fact_of(record).validity)
