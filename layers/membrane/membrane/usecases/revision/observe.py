"""Observe a fact that may be known already, or be known otherwise (`on_conflict`)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from membrane.domain.ingest.builder import CREATED_BY, Making, Why
from membrane.domain.language.errors import Aborted, AlreadyExists, FailedPrecondition
from membrane.domain.language.vocabulary import ConflictPolicy, Sensitivity
from membrane.domain.lifecycle.changes import reinforced
from membrane.domain.records.limits import require_still_returnable
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.predicates import SUPERSEDES
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import Held, StoredRecord
from membrane.domain.revision.conflicts import covers, is_same
from membrane.domain.revision.effects import (
    contested,
    forked,
    related,
    replacing,
    superseded,
)
from membrane.domain.revision.successors import (
    MAX_SOURCES,
    sensitivity_among,
    successor,
    variant,
)
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, Result, Written
from membrane.usecases.ports.records import Change, IdTaken, KeyUsed, Receipt
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import SPENT, create, earlier, outcome
from membrane.usecases.records.uploads_claimed import NOTHING_CLAIMED, Claimed
from membrane.usecases.revision.heads import (
    Place,
    changeable,
    fact_of,
    in_place,
    key_of,
    place_of,
    with_rivals,
)
from membrane.usecases.revision.turns import won_in_turn

AGAIN = "observed again"
OTHERWISE = "observed otherwise"
CROWDED = "many stood where one may"


@dataclass(frozen=True, slots=True)
class Observation:
    """A fact on its way into the store, and what shall become of those that it conflicts with."""

    record: MemoryRecord
    source: str
    on_conflict: ConflictPolicy
    making: Making
    claimed: Claimed = NOTHING_CLAIMED

    @property
    def fact(self) -> SemanticPayload:
        """What was observed."""
        return fact_of(self.record)


def observe(seen: Observation, call: Call, services: Services) -> Result:
    """Write the fact with what becomes of its rivals, or reinforce the one that says the same.

    All of it in one write, which goes with the head of such facts. Where one is to replace more
    than a write may change, these replace each other first. An upload that says what is known
    already stays unclaimed. Raises FailedPrecondition where too many facts are active there,
    AlreadyExists, TooLarge, Aborted; for an upload what `require_claimable` does.
    """
    return _Observing(seen, call, services).result()


@dataclass(frozen=True, slots=True)
class _View:
    """What stands where the observation wants to go, as far as it has to do with it."""

    place: Place
    known: StoredRecord | None = None
    """The fact that says all of it already."""
    affected: Sequence[StoredRecord] = ()
    """Those to be replaced, to be forked or to be contested, the oldest first."""


@dataclass(frozen=True, slots=True)
class _Observing:
    seen: Observation
    call: Call
    services: Services
    tried: dict[str, Attempts] = field(default_factory=dict)
    """By record what this call tried to write."""

    def result(self) -> Result:
        try:
            key = key_of(self.seen.record, self.services, self.seen.claimed.values)
            return won_in_turn(self._attempt, key, self.services)
        except (Aborted, FailedPrecondition):
            done = self._ours() or self._earlier()
            if done is None:
                raise
            return done

    def _attempt(self) -> Result:
        done = self._ours()
        if done is not None:
            return done
        view = self._view()
        while self._is_crowded(view):
            done = self._earlier()
            if done is not None:
                return done
            if not self._thin(view.affected):
                break
            view = self._view()
        if view.known is not None:
            return self._reinforce(view.place, view.known, view.affected)
        return self._create(view.place, *self._beside(changeable(view.affected, self.services)))

    def _view(self) -> _View:
        seen, services = self.seen, self.services
        place = place_of(seen.record, services, seen.claimed.values)
        if seen.on_conflict is ConflictPolicy.KEEP:
            return _View(place)
        few = 1 if seen.on_conflict is ConflictPolicy.FORK else MAX_SOURCES
        place = with_rivals(place, seen.record, self.call.principal, services, one_by_one=few)
        same, others = self._by_object(place.rivals)
        known = _widest([each for each in same if _covers(each, seen.record)])
        match seen.on_conflict:
            case ConflictPolicy.REPLACE:
                beside = () if known is None else {each.id for each in _beside_it(known, same)}
                replaced = [each for each in place.rivals if each.id not in beside]
                return _View(place, known, replaced)
            case ConflictPolicy.FORK:
                return _View(place, known, () if known is not None else place.rivals[:1])
            case ConflictPolicy.CONTEST:
                newest = sorted(others, key=_age)[-MAX_SOURCES:]
                return _View(place, known, () if known is not None else newest)

    def _is_crowded(self, view: _View) -> bool:
        """Whether more are to be replaced than one write changes, or than the head may name."""
        if self.seen.on_conflict is not ConflictPolicy.REPLACE:
            return False
        return len(view.affected) > (MAX_SOURCES if view.place.is_whole else 1)

    def _thin(self, crowd: Sequence[StoredRecord]) -> bool:
        """Let the newest of each sensitivity replace the others; whether there were any.

        In as many writes as it takes, the oldest first: each leaves one of those that it touched,
        so that no record replaces more than a write holds. Nothing is less sensitive than what it
        replaces, and nothing more: so the observation becomes as sensitive as the most sensitive.
        """
        groups: dict[Sensitivity, list[StoredRecord]] = {}
        for each in sorted(crowd, key=_age):
            groups.setdefault(each.sensitivity, []).append(each)
        for group in groups.values():
            left = group
            while len(left) > 1:
                *older, newest = changeable(left[: MAX_SOURCES + 1], self.services)
                after = self._in_their_place(newest, older)
                left = [after, *left[MAX_SOURCES + 1 :]]
        return any(len(group) > 1 for group in groups.values())

    def _in_their_place(self, newest: StoredRecord, older: Sequence[StoredRecord]) -> StoredRecord:
        """The newest once it has replaced the older ones; the heads leave those out in time."""
        why = Why(self.seen.source, CROWDED)
        after = self._replacing(newest, older, why)
        require_still_returnable(newest.record, after.record)
        self.services.records.replace_all(
            [(newest, after), *self._superseded(older, newest.record, why)]
        )
        return replace(after, origin=None)

    def _by_object(
        self, rivals: Sequence[StoredRecord]
    ) -> tuple[Sequence[StoredRecord], Sequence[StoredRecord]]:
        """Those that have the same object, and those that have another."""
        said = in_place(self.seen.fact.object, self.services, self.seen.claimed.values)
        same: list[StoredRecord] = []
        others: list[StoredRecord] = []
        for rival in rivals:
            known = in_place(fact_of(rival.record).object, self.services)
            (same if is_same(said, known) else others).append(rival)
        return same, others

    def _beside(self, affected: Sequence[StoredRecord]) -> tuple[MemoryRecord, Sequence[Change]]:
        """The record that is to be made, and what becomes of those that it affects."""
        record, making = self.seen.record, self.seen.making
        told = Why(CREATED_BY, record.audit_log[0].rationale)
        why = Why(self.seen.source, OTHERWISE)
        if not affected:
            return record, []
        match self.seen.on_conflict:
            case ConflictPolicy.REPLACE:
                record = successor(_as_sensitive(record, affected), affected[0], told, making)
                for rival in affected[1:]:
                    record = related(record, SUPERSEDES, rival.id, making)
                return record, self._superseded(affected, record, why)
            case ConflictPolicy.FORK:
                source = affected[0]
                record = variant(_as_sensitive(record, [source]), source, told, making)
                return record, [(source, self._forked(source, record, why))]
            case ConflictPolicy.CONTEST:
                return record, [(each, self._contested(each, record, why)) for each in affected]
            case ConflictPolicy.KEEP:
                return record, []

    def _create(self, place: Place, record: MemoryRecord, changed: Sequence[Change]) -> Result:
        for before, after in changed:
            require_still_returnable(before.record, after.record)
        replaced = [after.id for _, after in changed if is_retracted(after.record.payload)]
        self.tried.setdefault(record.id, Attempts()).note_first(record)
        return create(
            record,
            self.seen.making.now,
            self.call,
            self.services,
            changed=changed,
            heads=(place.taken_by(record, replaced),),
            claimed=self.seen.claimed,
        )

    def _reinforce(
        self, place: Place, known: StoredRecord, replaced: Sequence[StoredRecord]
    ) -> Result:
        """The record that is known already, in the place of those that are to be replaced."""
        known, *others = changeable([known, *replaced], self.services)
        why, making = Why(self.seen.source, AGAIN), self._making(known)
        after = reinforced(known, why, making, self.services.policy)
        after = self._replacing(after, others, why)
        require_still_returnable(known.record, after.record)
        self.tried.setdefault(after.id, Attempts()).note(after)
        try:
            self.services.records.replace_all(
                [(known, after), *self._superseded(others, known.record, why)],
                heads=place.corrected,
                receipt=self._receipt(),
            )
        except (IdTaken, KeyUsed) as error:
            done = self._ours() or self._earlier()
            if done is None:
                raise AlreadyExists(SPENT) from error
            return done
        return self._met(after, making.now)

    def _superseded(
        self, several: Sequence[StoredRecord], by: MemoryRecord, why: Why
    ) -> Sequence[Change]:
        policy = self.services.policy
        return [
            (
                each,
                superseded(
                    each,
                    by.id,
                    why,
                    self._making(each),
                    policy,
                    is_named=_may_name(each.record, by),
                ),
            )
            for each in several
        ]

    def _replacing(
        self, newer: StoredRecord, several: Sequence[StoredRecord], why: Why
    ) -> StoredRecord:
        making = self._making(newer)
        for each in several:
            is_named = _may_name(newer.record, each.record)
            newer = replacing(newer, each.id, why, making, is_named=is_named)
        return newer

    def _forked(self, source: StoredRecord, to: MemoryRecord, why: Why) -> StoredRecord:
        is_named = _may_name(source.record, to)
        return forked(source, to.id, why, self._making(source), is_named=is_named)

    def _contested(self, rival: StoredRecord, by: MemoryRecord, why: Why) -> StoredRecord:
        deed = f"contested by {by.id}" if _may_name(rival.record, by) else "contested"
        against = Why(why.actor, why.after(deed))
        return contested(rival, by.id, against, self._making(rival))

    def _making(self, stored: StoredRecord) -> Making:
        """Of a change of that record: at the observation's instant, unless it changed since."""
        updated_at = datetime.fromisoformat(stored.record.updated_at)
        now = max(self.seen.making.now, updated_at)
        return self.call.making(stored.id, now, self.services)

    def _receipt(self) -> Receipt | None:
        """No record has the id that the key makes, so the key needs a mark of its own."""
        if self.call.key is None:
            return None
        return Receipt(self.seen.record.id, self.call.fingerprint)

    def _ours(self) -> Result | None:
        """What an attempt wrote after all, and only its reply was lost."""
        for record_id, attempts in self.tried.items():
            held = self.services.records.load(record_id)
            if held is not None and attempts.were_written(held, self.services):
                return self._met(held, self.services.now())
        return None

    def _earlier(self) -> Result | None:
        return earlier(self.seen.record.id, self.call, self.services)

    def _met(self, held: Held, now: datetime) -> Result:
        result = outcome(held, now, self.services)
        if isinstance(result, Written) and held.id != self.seen.record.id:
            return replace(result, reinforced=True)
        return result


def _covers(known: StoredRecord, record: MemoryRecord) -> bool:
    return covers(fact_of(known.record), fact_of(record))


def _widest(several: Sequence[StoredRecord]) -> StoredRecord | None:
    """One whose window no other's exceeds; of equals the first."""
    widest = next(iter(several), None)
    for each in several[1:]:
        if widest is not None and _covers(each, widest.record) and not _covers(widest, each.record):
            widest = each
    return widest


def _beside_it(known: StoredRecord, same: Sequence[StoredRecord]) -> Sequence[StoredRecord]:
    """Itself, and whatever says the same at times when it does not."""
    return [each for each in same if each.id == known.id or not _covers(known, each.record)]


def _age(stored: StoredRecord) -> tuple[float, str]:
    return stored.born_s, stored.id


def _may_name(record: MemoryRecord, other: MemoryRecord) -> bool:
    """Whether whoever reads the one record's audit is cleared for the other one, too."""
    return other.sensitivity.level <= record.sensitivity.level


def _as_sensitive(record: MemoryRecord, sources: Sequence[StoredRecord]) -> MemoryRecord:
    """What comes from others says something of them (design 4.5)."""
    sensitivity = sensitivity_among(sources, record.sensitivity, is_admin=False)
    return record.model_copy(update={"sensitivity": sensitivity})
