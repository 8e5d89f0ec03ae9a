"""A table of facts under revision, with the model beside it: asking, and looking at both."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import DomainError
from membrane.domain.language.fields import Part
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import as_json
from membrane.domain.records.requests import RetrieveById
from membrane.domain.records.standing import state_of
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.usecases.machinery.calls import Result, Written
from membrane.usecases.records.read_record import retrieve_by_id
from tests.builders.requests import (
    OWNER,
    call,
)
from tests.worlds.revision import (
    CONTEST,
    CONTESTED,
    FORK,
    FORKED,
    KEEP,
    KEPT,
    POLICIES,
    REPLACE,
    REPLACED,
    conflicting,
    counted_writes,
    done,
    held_in,
    id_of,
    relations_of,
    require_audited,
    require_standing_whole,
    require_whole,
    revising,
    told,
)
from tests.worlds.revision_model import (
    Known,
    Memory,
    is_single,
    known_of,
)
from tests.worlds.stores import table_store

EDITOR = principal_of(
    "editor", [Permission.INGEST, Permission.READ, Permission.REVISE], ["project:alpha"], "medium"
)
"""No administrator: of one scope, and shut out from what is too sensitive."""

WHO = st.booleans().map({False: OWNER, True: EDITOR}.__getitem__)
PICK = st.integers(0, 63)
WORDS = st.sampled_from(["", "", "", KEEP, REPLACE, FORK, CONTEST])
SCOPES = st.sampled_from(["project:alpha"] * 4 + ["shared"])
LEVELS = (*[Sensitivity.LOW] * 3, *[Sensitivity.MEDIUM] * 2, Sensitivity.HIGH)
WINDOWS: Sequence[Mapping[str, str]] = (
    {},
    {"start": "2026-01-01T00:00:00Z", "end": "2026-04-01T00:00:00Z"},
    {"start": "2026-04-01T00:00:00Z"},
    {"end": "2026-02-01T00:00:00Z"},
)
OBJECTS = ("one", "two", "three")
CONDITIONS: Sequence[Mapping[str, str]] = ({}, {"os": "linux"})


@dataclass(frozen=True, slots=True)
class Fact:
    """What somebody says of the user."""

    predicate: str
    object: str
    window: int = 0
    conditions: int = 0
    level: Sensitivity = Sensitivity.LOW

    @property
    def policy(self) -> str:
        """What the settings say becomes of those that conflict with it."""
        return POLICIES.get(self.predicate, POLICIES["*"])

    @classmethod
    def about(cls, payload: Mapping[str, Any], said: str) -> "Fact":
        """Something else of what that fact is about."""
        validity = payload["validity"]
        window = {name: validity[name] for name in ("start", "end") if name in validity}
        conditions = validity.get("conditions", {})
        return cls(payload["predicate"], said, WINDOWS.index(window), CONDITIONS.index(conditions))

    def as_record(self, scope: str | None) -> dict[str, Any]:
        """As a full record."""
        validity = {"mode": "conditional", "conditions": CONDITIONS[self.conditions]}
        payload = {
            "kind": "semantic",
            "subject": "user",
            "predicate": self.predicate,
            "object": self.object,
            "validity": {**validity, **WINDOWS[self.window]},
        }
        sources = [{"kind": "event", "ref": "talk:1"}]
        return {
            "type": "semantic",
            "sensitivity": self.level,
            "scope": scope,
            "payload": payload,
            "provenance": {"sources": sources},
        }

    def as_known(self, scope: str, level: Sensitivity | None = None) -> Known:
        """Nothing but what it is about: to find its rivals before it is there."""
        return Known("", scope, level or self.level, self.as_record(scope)["payload"])


FACTS = st.sampled_from(
    [
        Fact(predicate, said, window, conditions, level)
        for predicate in (*[REPLACED] * 4, FORKED, CONTESTED, KEPT, KEPT)
        for said in OBJECTS
        for window in (0, 0, 0, 0, 1, 2, 3)
        for conditions in (0, 0, 0, 0, 1)
        for level in LEVELS
    ]
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that was answered, and the record that the answer was about."""

    request: Part
    who: Principal
    key: str
    record_id: str
    has_written: bool
    """False where nothing was left to do, as for the erasure of an erased record."""


class Machine(RuleBasedStateMachine):
    """One table, and the model beside it."""

    def __init__(self, tally: list[int]) -> None:
        """The tally gets one number an example: the steps that it took."""
        super().__init__()
        self.table = table_store()
        self.services = revising(self.table)
        self.writes = counted_writes(self.table)
        self.memory = Memory()
        self.asked: list[Asked] = []
        self.seen: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.refusals = 0
        self.steps = 0
        self.tally = tally

    # --- Asking -------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """Seconds since 1970."""
        return epoch_seconds(self.table.clock.now)

    def begin(self, *, hours: int = 0) -> float:
        """One step more, a second later, or more than that."""
        self.steps += 1
        self.table.clock.advance(seconds=1, hours=hours)
        return self.now_s

    def ask(self, request: Part, who: Principal, *, may: bool) -> Result | None:
        """What may be done is done, and what may not be done changes nothing."""
        key = f"key-{len(self.asked)}"
        before, writes = self.raw(may=may), self.writes.done
        result = self.answer(request, who, key)
        is_refused = isinstance(result, DomainError)
        assert is_refused is not may, f"{request!r} by {who.actor_id}: {result!r}"
        if isinstance(result, DomainError):
            assert self.writes.done == writes
            assert before is None or self.table.everything() == before
            return None
        has_written = self.writes.done != writes
        self.asked.append(Asked(request, who, key, id_of(result), has_written))
        return result

    def answer(self, request: Part, who: Principal, key: str) -> Result | DomainError:
        """What the request is answered, or why it is refused."""
        try:
            return done(request, self.services, who, key=key)
        except DomainError as refusal:
            return refusal

    def raw(self, *, may: bool) -> Sequence[Any] | None:
        """Every item, where it costs little or has its turn."""
        if may:
            return None
        self.refusals += 1
        return self.table.everything() if self.refusals % 8 == 1 or self.steps < 20 else None

    def choose(self, pick: int, fits: Callable[[Known], bool]) -> Known | None:
        """One of the newest that fit; now and then any other, too."""
        every = [each for each in self.memory if not self.is_over(each)]
        fitting = [each for each in every if fits(each)]
        among = every if pick % 8 == 7 or not fitting else fitting
        return among[-1 - (pick // 8) % len(among)] if among else None

    def is_over(self, known: Known) -> bool:
        """Whether the time of its tombstone is over, too."""
        return known.is_over(self.now_s)

    # --- Looking ------------------------------------------------------------------------------

    def settle(self, *records: Known) -> None:
        """These are what the records must be now, and are."""
        self.memory.keep(*records)
        for known in records:
            self.look_at(known, self.table.records.load(known.id, whole=True))
            assert self.memory.is_alone(known)
        if records and self.steps % 4 == 0:
            self.look_back(records[0].id, self.steps)

    def look_at(self, known: Known, held: AnyRecord | None) -> None:
        """It is stored as the model has it."""
        if self.is_over(known):
            assert held is None
            return
        assert held is not None, f"{known.id} is lost"
        require_audited(held)
        assert (held.scope, held.sensitivity, held.type) == (known.scope, known.level, known.type)
        if isinstance(held, RemovedRecord):
            assert known.grave is not None
            assert known.grave.end == ("erased" if held.tombstone.is_erased else "forgotten")
            return
        assert known.grave is None or known.grave.end == "deleted"
        assert (held.tombstone is None) is known.lives
        require_standing_whole(held)
        assert known_state(held) == (
            known.status,
            known.supersedes,
            known.superseded_by,
            known.pinned,
            known.tags,
        )
        assert relations_of(held) == known.relations
        seen = told(held, self.now_s)
        assert content_of(seen) == known.payload
        assert seen["salience"] == pytest.approx(known.salience_at(self.now_s), rel=1e-9)
        if known.lives:
            self.seen.setdefault(known.id, []).append((rfc3339(self.table.clock.now), seen))

    def look_back(self, record_id: str, pick: int) -> None:
        """It is still told as it was seen then."""
        seen = self.seen.get(record_id, [])
        known = self.memory[record_id]
        if not seen or not known.lives:
            return
        instant, then = seen[pick % len(seen)]
        request = RetrieveById(id=record_id, as_of=instant)
        told_now = retrieve_by_id(request, call(request, OWNER), self.services)
        found = dict(as_json(told_now))
        assert found.pop("salience") == pytest.approx(then["salience"], rel=1e-9)
        assert found == {name: value for name, value in then.items() if name != "salience"}

    # --- What there is now --------------------------------------------------------------------

    def has_place(self, fact: Known, who: Principal, leaving: Iterable[str] = ()) -> bool:
        """Whether nothing that the caller can see stands in the way of one more active fact."""
        return not is_single(fact) or not self.memory.in_the_way(fact, who, list(leaving))

    def placed(self, fact: Fact, sources: Sequence[Known], who: Principal) -> Known:
        """Where a fact comes to stand that comes from others: no less sensitive, in their scope."""
        highest = max((fact.level, *(each.level for each in sources)), key=lambda each: each.level)
        return fact.as_known(sources[0].scope, fact.level if who is OWNER else highest)

    def known_from(self, result: Result, now_s: float) -> Known:
        """A record that was made now, as it was answered."""
        assert isinstance(result, Written)
        assert result.record.id not in self.memory.known
        return known_of(result.record, now_s)

    def made(self, result: Result | None, now_s: float) -> None:
        """A record that has nothing to do with others."""
        if result is not None:
            self.settle(self.known_from(result, now_s))

    def taken_in(self, result: Result | None, who: Principal, now_s: float) -> None:
        """A fact that touches no other."""
        if result is not None:
            new = self.known_from(result, now_s)
            self.memory.excuse(new, who)
            self.settle(new)

    def teardown(self) -> None:
        """Look at all of it, unless something was wrong before."""
        if sys.exception() is None:
            self.look_at_everything()
        self.table.inspector.delete_table(TableName=self.table.table)
        self.tally.append(self.steps)

    def look_at_everything(self) -> None:
        """All that holds of any state holds of the last one, and nothing is lost."""
        items = self.table.everything()
        found = held_in(self.table, items)
        for known in self.memory:
            self.look_at(known, found.get(known.id))
        assert found.keys() <= self.memory.known.keys()
        require_whole(found, items)
        facts = [held for held in found.values() if isinstance(held, StoredRecord)]
        replaced = [fact for fact in facts if predicate_of(fact) == REPLACED]
        assert conflicting(replaced) <= self.memory.excused
        for known in self.memory:
            for pick in range(0, len(self.seen.get(known.id, ())), 3):
                self.look_back(known.id, pick)


def is_same(known: Known, fact: Fact) -> bool:
    """Whether it says the same of whatever it is about."""
    return bool(known.payload["object"] == fact.object)


def known_state(stored: StoredRecord) -> tuple[object, ...]:
    """Where the record stands, as the model has it."""
    state = state_of(stored.record.payload)
    return (
        state.status or "",
        state.supersedes,
        state.superseded_by,
        stored.record.lifecycle.pinned,
        stored.record.tags,
    )


def content_of(seen: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payload without the state of its revision."""
    return {name: value for name, value in seen["payload"].items() if name != "revision"}


def predicate_of(stored: StoredRecord) -> str:
    """Of a fact; of no other record."""
    payload = stored.record.payload
    return payload.predicate if isinstance(payload, SemanticPayload) else ""


def run_from_seed(
    machine: type[Machine], number: int, most: int, length: int, *phases: Phase
) -> list[int]:
    """Run so many sequences of calls of a length; the steps that each sequence took.

    The number is the seed of all draws.
    """
    steps: list[int] = []

    @seed(number)
    class Seeded(machine):  # type: ignore[misc, valid-type]
        """On this server."""

        def __init__(self) -> None:
            super().__init__(steps)

    run_state_machine_as_test(
        Seeded,
        settings=settings(
            max_examples=most,
            stateful_step_count=length,
            database=None,
            deadline=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return steps
