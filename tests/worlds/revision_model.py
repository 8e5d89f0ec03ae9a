"""What must be known of records that are revised: told again, simply, beside the code itself.

Nothing here calls the rules that it is to judge. Instants are seconds since 1970.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from membrane.domain.access.principals import Principal
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import MemoryRecord, as_json
from tests.worlds.revision import POLICIES, REPLACE

DAY_S = 86_400.0
HALF_LIFE_S = {
    "episodic": 3_600.0,
    "semantic": 30 * DAY_S,
    "working": DAY_S,
    "competence": 30 * DAY_S,
}
GAIN = 0.2
FADED = 0.001
RESTORABLE_S = 30 * DAY_S
TOMBSTONE_S = 400 * DAY_S
EPISODIC_TOMBSTONE_S = 45 * DAY_S
RETRACTED_S = 365 * DAY_S

Status = Literal["", "active", "contested", "retracted"]
End = Literal["deleted", "forgotten", "erased"]


@dataclass(frozen=True, slots=True)
class Grave:
    """How a record ended, and when."""

    end: End
    at_s: float

    @property
    def forgettable_s(self) -> int:
        """From then on it cannot be restored, and the sweep takes its document."""
        return math.ceil(self.at_s + RESTORABLE_S)


@dataclass(frozen=True, slots=True)
class Known:
    """One record as it must be."""

    id: str
    scope: str
    level: Sensitivity
    payload: Mapping[str, Any]
    """Without the state of its revision."""
    tags: tuple[str, ...] = ()
    relations: frozenset[tuple[str, str]] = frozenset()
    """Predicate and target."""
    salience: float = 1.0
    at_s: float = 0.0
    pinned: bool = False
    status: Status = ""
    since_s: float = 0.0
    supersedes: str = ""
    superseded_by: str = ""
    grave: Grave | None = None

    @property
    def type(self) -> str:
        """The record's type."""
        return str(self.payload["kind"])

    @property
    def lives(self) -> bool:
        """Whether it was not deleted."""
        return self.grave is None

    def is_over(self, now_s: float) -> bool:
        """Whether the time of its tombstone is over: nothing is left of it."""
        if self.grave is None:
            return False
        stays_s = EPISODIC_TOMBSTONE_S if self.type == "episodic" else TOMBSTONE_S
        return math.ceil(self.grave.at_s + stays_s) <= now_s

    @property
    def stands(self) -> bool:
        """Whether it lives and was not retracted."""
        return self.lives and self.status != "retracted"

    @property
    def is_revisable(self) -> bool:
        """Whether it stands and is no episode."""
        return self.stands and self.type != "episodic"

    def salience_at(self, now_s: float) -> float:
        """It halves with every half-life; what is pinned does not fade."""
        if self.pinned:
            return self.salience
        faded = float(self.salience * 2 ** (-(now_s - self.at_s) / HALF_LIFE_S[self.type]))
        return faded if faded >= 1e-100 else 0.0

    def is_due(self, now_s: float) -> bool:
        """Whether a sweep takes it."""
        if not self.lives:
            return False
        if self.status == "retracted":
            return self.since_s + RETRACTED_S <= now_s
        return not self.pinned and self.salience_at(now_s) <= FADED

    def related(self, predicate: str, target_id: str) -> "Known":
        """With one more relation."""
        return replace(self, relations=self.relations | {(predicate, target_id)})

    def anchored(self, salience: float, now_s: float) -> "Known":
        """With that salience from now on."""
        return replace(self, salience=salience, at_s=now_s)

    def reinforced(self, now_s: float) -> "Known":
        """It gains, up to 1."""
        return self.anchored(min(1.0, self.salience_at(now_s) + GAIN), now_s)

    def penalized(self, amount: float, now_s: float) -> "Known":
        """It loses, down to 0."""
        left = max(0.0, self.salience_at(now_s) - amount)
        return self.anchored(left if left >= 1e-100 else 0.0, now_s)

    def held_fast(self, now_s: float, *, pinned: bool) -> "Known":
        """It stays as salient as it is now, or fades again from now on."""
        out = self if pinned is self.pinned else self.anchored(self.salience_at(now_s), now_s)
        return replace(out, pinned=pinned)

    def in_state(self, status: Status, now_s: float) -> "Known":
        """It comes to stand there."""
        return replace(self, status=status, since_s=now_s)

    def retracted(self, now_s: float, by: str = "") -> "Known":
        """It is taken back, or replaced."""
        out = self.in_state("retracted", now_s).anchored(0.0, now_s)
        return replace(out, superseded_by=by)

    def contested(self, by: str | None, now_s: float) -> "Known":
        """Something speaks against it, maybe another record."""
        out = self.in_state("contested", now_s)
        return out if by is None else out.related("contested_by", by)

    def replacing(self, old_id: str, now_s: float) -> "Known":
        """It comes to stand in the place of another, though it was there before."""
        out = self.related("supersedes", old_id)
        out = out if self.status else out.in_state("active", now_s)
        return replace(out, supersedes=self.supersedes or old_id)

    def is_restorable(self, now_s: float) -> bool:
        """Whether it was deleted, and not too long ago."""
        grave = self.grave
        return grave is not None and grave.end == "deleted" and now_s < grave.forgettable_s

    def restored(self, now_s: float) -> "Known":
        """It lives again: as salient as a new one, or retracted as it was."""
        back = replace(self, grave=None)
        if self.status == "retracted":
            return back.retracted(now_s, self.superseded_by)
        return back.anchored(1.0, now_s)


@dataclass(slots=True)
class Memory:
    """All records, by id, and which facts may contradict each other all the same."""

    known: dict[str, Known] = field(default_factory=dict)
    excused: set[frozenset[str]] = field(default_factory=set)
    """Pairs of which the one was hidden from whoever made the other active."""

    def __getitem__(self, record_id: str) -> Known:
        return self.known[record_id]

    def __iter__(self) -> Iterator[Known]:
        return iter(self.known.values())

    def keep(self, *records: Known) -> None:
        """These are what must be from now on."""
        self.known |= {each.id: each for each in records}

    def rivals(self, fact: Known, leaving: Collection[str] = ()) -> list[Known]:
        """The other facts that are active and speak of the same thing at the same time."""
        return [
            each
            for each in self
            if each.stands
            and each.id not in {fact.id, *leaving}
            and thing(each) is not None
            and thing(each) == thing(fact)
            and overlap(each, fact)
        ]

    def in_the_way(self, fact: Known, who: Principal, leaving: Collection[str] = ()) -> list[Known]:
        """The rivals that keep the fact from being active.

        Not those that its maker cannot see, and not those that stood beside one that leaves.
        """
        former = [self[each] for each in leaving if thing(self[each]) == thing(fact)]
        return [
            each
            for each in self.rivals(fact, leaving)
            if is_visible(each, who) and not any(overlap(each, left) for left in former)
        ]

    def excuse(self, fact: Known, who: Principal, leaving: Collection[str] = ()) -> None:
        """Those that do not stand in the way of the fact may stand beside it, and no others."""
        hindering = self.in_the_way(fact, who, leaving)
        beside = [each for each in self.rivals(fact, leaving) if each not in hindering]
        others = {pair for pair in self.excused if fact.id not in pair}
        self.excused = others | {frozenset((fact.id, each.id)) for each in beside}

    def is_alone(self, fact: Known) -> bool:
        """Whether nothing is active that must not be while the fact is."""
        if not fact.stands or not is_single(fact):
            return True
        pairs = {frozenset((fact.id, each.id)) for each in self.rivals(fact)}
        return pairs <= self.excused

    def stand_beside(self, fact: Known) -> None:
        """Its maker wants it beside all others, whatever they say."""
        self.excused |= {frozenset((fact.id, each.id)) for each in self.rivals(fact)}


def known_of(record: MemoryRecord, now_s: float) -> Known:
    """A record as it was answered when it was made."""
    payload = dict(as_json(record)["payload"])
    state = payload.pop("revision", {})
    return Known(
        record.id,
        record.scope,
        record.sensitivity,
        payload,
        record.tags,
        frozenset((each.predicate, each.target_id) for each in record.relations),
        at_s=now_s,
        status=state.get("status", ""),
        since_s=now_s,
        supersedes=state.get("supersedes", ""),
        superseded_by=state.get("superseded_by", ""),
    )


def is_visible(known: Known, who: Principal) -> bool:
    """Whether its content is there for that principal."""
    in_reach = "*" in who.scopes or not known.scope or known.scope in who.scopes
    return in_reach and known.level.level <= who.ceiling.level


def is_writable(known: Known, who: Principal) -> bool:
    """Whether that principal may change it."""
    return is_visible(known, who) and ("*" in who.scopes or known.scope in who.scopes)


def is_single(fact: Known) -> bool:
    """Whether it is a fact of which there is to be one at a time."""
    return fact.type == "semantic" and POLICIES.get(fact.payload["predicate"]) == REPLACE


def thing(fact: Known) -> tuple[str, ...] | None:
    """What a fact is about; nothing of other records."""
    if fact.type != "semantic":
        return None
    payload = fact.payload
    conditions = payload["validity"].get("conditions") or {}
    return fact.scope, payload["subject"], payload["predicate"], str(sorted(conditions.items()))


def overlap(one: Known, other: Known) -> bool:
    """Whether both hold at some instant; timestamps are all of one form here."""
    first, second = one.payload["validity"], other.payload["validity"]
    return _starts_before_end(first, second) and _starts_before_end(second, first)


def covers(one: Known, other: Known) -> bool:
    """Whether the one holds whenever the other does."""
    outer, inner = one.payload["validity"], other.payload["validity"]
    begins = "start" not in outer or ("start" in inner and outer["start"] <= inner["start"])
    ends = "end" not in outer or ("end" in inner and inner["end"] <= outer["end"])
    return begins and ends


def _starts_before_end(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    start, end = one.get("start"), other.get("end")
    return start is None or end is None or start < end
