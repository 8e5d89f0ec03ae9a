"""The places of facts in heads: who else is active under the same conditions (design 6).

Whatever makes a fact active takes a place in its head, in the same write. A head is the only thing
that is read for this which does not lag: two writers that have both seen the same one cannot both
win. Retracting and deleting leave it alone, so a named holder counts only if its own item says so.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from membrane.domain.access.trust import Principal
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.json_text import MAX_RECORD_DEPTH, parse_json
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import ConflictPolicy
from membrane.domain.records.natural_key import fact_key
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.records.validity import Window, window_of
from membrane.domain.revision.conflicts import fact_of, head_key_of
from membrane.usecases.ports.records import NO_VALUES, Head, Holder, LostRace
from membrane.usecases.ports.services import Services
from membrane.usecases.records.newest import newest_first

MAX_HOLDERS = 1_000
"""Facts active under one head: 300 bytes each of an item of 400 KB, and all may have to be read."""

LAG_S = 15.0
"""For so long the natural index may hide a fact that was written without its head."""

BATCH = 100

CROWDED = (
    f"more than {MAX_HOLDERS} facts of this subject, predicate and conditions are active: "
    "retract some of them first"
)


@dataclass(frozen=True, slots=True)
class Place:
    """What stands where a fact wants to go."""

    before: Head
    head: Head
    """The same without those that are known to count no more, and with those that it missed."""
    is_whole: bool = True
    """Whether it has missed none any more; not where there are more than it may name."""
    rivals: tuple[StoredRecord, ...] = ()
    """The other active facts that hold at some time when this one does, the oldest first.

    Without those that the caller may not see: they neither hinder it nor are they told of.
    """

    def taken_by(self, record: MemoryRecord, leaving: Collection[str] = ()) -> Head:
        """The head with the fact among its holders; raises FailedPrecondition where it is full."""
        gone = {record.id, *leaving}
        staying = [each for each in self.head.holders if each.record_id not in gone]
        if not self.is_whole or len(staying) >= MAX_HOLDERS:
            raise FailedPrecondition(CROWDED)
        return self.head._replace(holders=(*staying, _holder(record)))

    @property
    def corrected(self) -> tuple[Head, ...]:
        """The head to lay down where nobody takes a place: none, where it has been right."""
        return () if self.head.holders == self.before.holders else (self.head,)

    def in_the_way(self, leaving: Collection[str]) -> Sequence[StoredRecord]:
        """The rivals that do not leave, and did not stand beside one that leaves either."""
        former = [
            Window(each.start, each.end) for each in self.head.holders if each.record_id in leaving
        ]
        return [
            rival
            for rival in self.rivals
            if rival.id not in leaving
            and not any(_window(rival.record).overlaps(window) for window in former)
        ]


def seat(
    record: MemoryRecord,
    principal: Principal,
    services: Services,
    *,
    leaving: Collection[str] = (),
    values: Mapping[LargeValue, bytes] = NO_VALUES,
) -> tuple[Head, ...]:
    """The head to lay down with the write that makes the record active; none for what has no head.

    `leaving` are the ids of records that the write retracts; `values` the record's large values
    that are not stored yet. Raises FailedPrecondition where the setting for its predicate is to
    replace and another fact, which the principal may see, stands in the way.
    """
    fact = record.payload
    if not isinstance(fact, SemanticPayload) or is_retracted(fact):
        return ()
    policy = services.policy.conflict_policy(fact.predicate)
    if policy is ConflictPolicy.KEEP:
        return _among_others(record, services, leaving, values)
    place = place_of(record, services, values)
    if policy is ConflictPolicy.REPLACE:
        place = with_rivals(place, record, principal, services)
        for rival in place.in_the_way(leaving):
            raise FailedPrecondition(
                f"record {rival.id} is the active fact of this subject and predicate: "
                "supersede that one"
            )
    return (place.taken_by(record, leaving),)


def place_of(
    record: MemoryRecord, services: Services, values: Mapping[LargeValue, bytes] = NO_VALUES
) -> Place:
    """The place of a fact, consistently read, with no look at its rivals yet."""
    before = services.records.head(key_of(record, services, values))
    head, is_whole = _caught_up(before, record, services)
    if _is_worth_thinning(head):
        thinned = _thinned(before, services)
        if thinned.holders != before.holders:
            head, is_whole = _caught_up(thinned, record, services)
    return Place(before, head, is_whole)


def with_rivals(
    place: Place,
    record: MemoryRecord,
    principal: Principal,
    services: Services,
    *,
    most_loaded: int = 1,
) -> Place:
    """The same with the rivals of the fact, read so that the store can change them.

    Of more than `most_loaded` rivals, the own items alone are read, by which rivals can be judged;
    `changeable` then loads the rivals that are to change.
    """
    window = _window(record)
    named = [
        each.record_id
        for each in place.head.holders
        if each.record_id != record.id and window.overlaps(Window(each.start, each.end))
    ]
    read = services.records.load_own if len(named) > most_loaded else services.records.load_each
    found = read(named)
    active = list(_active(named, found, place.head.key, services))
    gone = set(named).difference(each.id for each in active)
    staying = tuple(each for each in place.head.holders if each.record_id not in gone)
    visible = [each for each in active if principal.trust.allows(each.scope, each.sensitivity)]
    return replace(place, head=place.head._replace(holders=staying), rivals=tuple(visible))


def changeable(judged: Sequence[StoredRecord], services: Services) -> list[StoredRecord]:
    """The same as the store wants them for a change; raises LostRace where one is another now."""
    read_alone = [each.id for each in judged if each.origin is None]
    again = services.records.load_each(read_alone) if read_alone else {}
    found = []
    for each in judged:
        held = each if each.origin is not None else again.get(each.id)
        if not isinstance(held, StoredRecord) or held.version != each.version:
            raise LostRace
        found.append(held)
    return found


def in_place(value: Any, services: Services, values: Mapping[LargeValue, bytes] = NO_VALUES) -> Any:
    if not isinstance(value, LargeValue):
        return value
    text = values.get(value)
    return parse_json(services.records.value(value) if text is None else text, MAX_RECORD_DEPTH)


def _among_others(
    record: MemoryRecord,
    services: Services,
    leaving: Collection[str],
    values: Mapping[LargeValue, bytes],
) -> tuple[Head, ...]:
    """Where nobody looks for conflicts now, but somebody did, and may again.

    Who does finds a new record in the natural index, and by its age would miss one that is back.
    """
    is_new = len(record.audit_log) == 1
    before = Head(b"") if is_new else services.records.head(key_of(record, services, values))
    if not before.version:
        return ()
    head = _thinned(before, services) if _is_worth_thinning(before) else before
    return (Place(before, head).taken_by(record, leaving),)


def _caught_up(head: Head, record: MemoryRecord, services: Services) -> tuple[Head, bool]:
    """The head with the active facts that were written without it, and whether with all of them.

    So those that are there, where there is no head yet, as when a predicate's policy was changed.
    """
    read_s = epoch_seconds(services.now())
    known = {record.id, *(each.record_id for each in head.holders)}
    room = max(0, MAX_HOLDERS - len(head.holders))
    missed: list[Holder] = []
    unknown = (each for each in _lately(head, record, services) if each not in known)
    while several := list(islice(unknown, BATCH)):
        found = services.records.load_own(several)
        missed += [_holder(each.record) for each in _active(several, found, head.key, services)]
        if len(missed) > room:
            return head._replace(holders=(*head.holders, *reversed(missed[:room]))), False
    known_to_s = max(head.known_to_s, read_s)
    return head._replace(holders=(*head.holders, *reversed(missed)), known_to_s=known_to_s), True


def _lately(head: Head, record: MemoryRecord, services: Services) -> Iterator[str]:
    """The facts of that subject and predicate that the head may have missed, the newest first."""
    fact = fact_of(record)
    key = fact_key(record.scope, fact.subject, fact.predicate)
    for age, record_id in newest_first([key], services.natural):
        if -age < head.known_to_s - LAG_S:
            return
        yield record_id


def _is_worth_thinning(head: Head) -> bool:
    """Where it is full, and now and then: every write lays all of it down."""
    return len(head.holders) >= MAX_HOLDERS or len(head.holders) % BATCH == 0


def _thinned(head: Head, services: Services) -> Head:
    named = [each.record_id for each in head.holders]
    found = services.records.load_own(named)
    active = {each.id for each in _active(named, found, head.key, services)}
    return head._replace(holders=tuple(each for each in head.holders if each.record_id in active))


def _active(
    record_ids: Sequence[str], found: Mapping[str, AnyRecord], key: bytes, services: Services
) -> Iterator[StoredRecord]:
    """The facts that count under that head: they were not taken back, and have not moved."""
    for each in record_ids:
        held = found.get(each)
        if (
            isinstance(held, StoredRecord)
            and held.tombstone is None
            and isinstance(held.record.payload, SemanticPayload)
            and not is_retracted(held.record.payload)
            and key_of(held.record, services) == key
        ):
            yield held


def key_of(
    record: MemoryRecord, services: Services, values: Mapping[LargeValue, bytes] = NO_VALUES
) -> bytes:
    fact = fact_of(record)
    return head_key_of(record.scope, fact, in_place(fact.validity.conditions, services, values))


def _holder(record: MemoryRecord) -> Holder:
    return Holder(record.id, record.sensitivity, *_window(record))


def _window(record: MemoryRecord) -> Window:
    return window_of(fact_of(record).validity)
