"""A capture that goes or moves while a model reads the capture leaves nothing in the old place."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.domain.capture.interpreter_prompt import InterpreterPrompt
from membrane.domain.language.errors import Aborted
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.payloads import EntityPayload, SemanticPayload
from membrane.domain.records.predicates import DERIVED_SEMANTIC
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import RemovedRecord, StoredRecord
from membrane.domain.revision.requests import Reclassify, Retract
from membrane.usecases.capture.interpret_capture import Outcome, interpret_capture
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.usecases.capture.linkable_records import linkable_to
from membrane.usecases.ports.interpreters import Proposed
from membrane.usecases.ports.services_capture import InterpretingServices
from tests.builders.captured_records import newest, stored_capture
from tests.builders.derived_facts import evidence_in
from tests.builders.ingesting import ingest
from tests.builders.proposals import fact, mention, proposal
from tests.builders.requests import call, change, observation, written
from tests.fakes.clock import FakeClock
from tests.worlds.dying_records import DyingRecords, KilledError
from tests.worlds.memory import make_interpreting_services

CONTENT = "Ana owns billing. Billing depends on Ledger and went down."
ANSWER = proposal(mentions=[mention("Ana")], facts=[fact(), fact(subject="Ledger")])
MOVES = [{"sensitivity": "high"}, {"sensitivity": "public"}, {"scope": "project:beta"}]
WRITES = 4
"""Writes of an interpretation: the entity, two facts, and the last version of the capture."""


def nothing() -> None:
    """Nothing happens."""


@dataclass(slots=True)
class InterruptedRecords(DyingRecords):
    """Something happens just before a write, the number of writes away."""

    writes_until: int = -1
    happens: Callable[[], None] = nothing

    def step(self) -> None:
        """See DyingRecords."""
        self.writes_until -= 1
        if self.writes_until == -1:
            self.happens()
        DyingRecords.step(self)


@dataclass(slots=True)
class World:
    """A memory with a capture; `thinking` happens before the model answers."""

    name: str = "scripted"
    thinking: Callable[[], None] = nothing
    records: InterruptedRecords = field(default_factory=lambda: InterruptedRecords(FakeClock()))
    services: InterpretingServices = field(init=False)
    capture_id: str = ""

    def __post_init__(self) -> None:
        self.services = make_interpreting_services(
            records=self.records, now=self.records.now, interpreter=self
        )

    def interpret(self, _prompt: InterpreterPrompt) -> Proposed:
        """See Interpreter."""
        self.thinking()
        return Proposed(ANSWER, 1_000)

    def capture(self, content: Any = CONTENT, **fields: Any) -> None:
        self.capture_id = stored_capture(content, self.services, **fields).id

    def run(self) -> Outcome:
        steps = interpreting_steps(self.services)
        return interpret_capture(self.capture_id, 1, steps, self.services)

    def erase(self) -> None:
        change(DeleteRecord(id=self.capture_id, erase=True), self.services)

    def delete(self) -> None:
        change(DeleteRecord(id=self.capture_id), self.services)

    def reclassify(self, **fields: Any) -> None:
        change(Reclassify(id=self.capture_id, **fields), self.services)

    def retract(self) -> None:
        change(Retract(id=self.capture_id, rationale="wrong"), self.services)

    def standing(self) -> list[MemoryRecord]:
        """The entities, and the facts that are neither deleted nor retracted."""
        return [
            each.record
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and each.tombstone is None
            and isinstance(each.record.payload, (EntityPayload, SemanticPayload))
            and not is_retracted(each.record.payload)
        ]

    def facts(self) -> list[MemoryRecord]:
        return [each for each in self.standing() if isinstance(each.payload, SemanticPayload)]

    def linked_facts(self) -> list[SemanticPayload]:
        """The facts of the capture that whoever sees the capture sees."""
        held = newest(self.capture_id, self.services)
        targets = self.records.load_each([each.target_id for each in held.record.relations])
        payloads = [each.record.payload for each in linkable_to(held, targets.values()).values()]
        return [each for each in payloads if isinstance(each, SemanticPayload)]


@pytest.fixture
def world() -> World:
    """A memory with a capture that no rule reads a name in."""
    world = World()
    world.capture()
    return world


@pytest.mark.parametrize("ending", [World.erase, World.delete])
def test_a_capture_that_goes_while_the_model_thinks_leaves_nothing(
    world: World, ending: Callable[[World], None]
) -> None:
    before = world.standing()
    world.thinking = lambda: ending(world)

    assert world.run() is Outcome.GONE

    assert world.standing() == before


def test_a_working_state_retracted_while_the_model_thinks_leaves_nothing() -> None:
    world = World()
    content = {"thread_id": "t", "state": "planning", "context_summary": CONTENT}
    world.capture(content, source_kind="working_state")
    before = world.standing()
    world.thinking = world.retract

    assert world.run() is Outcome.GONE

    assert world.standing() == before


@pytest.mark.parametrize("writes", range(WRITES))
def test_a_capture_erased_just_before_a_write_leaves_no_fact(world: World, writes: int) -> None:
    world.records.happens = world.erase
    world.records.writes_until = writes

    assert world.run() is Outcome.GONE

    assert world.facts() == []
    assert len(world.standing()) == min(writes, 1)


@pytest.mark.parametrize("move", MOVES)
def test_a_capture_reclassified_while_the_model_thinks_leaves_nothing_in_the_old_place(
    world: World, move: dict[str, Any]
) -> None:
    before = world.standing()
    world.thinking = lambda: world.reclassify(**move)

    with pytest.raises(Aborted):
        world.run()

    assert world.standing() == before


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("writes", range(WRITES))
def test_a_capture_reclassified_just_before_a_write_is_interpreted_by_a_repeat(
    world: World, writes: int, move: dict[str, Any]
) -> None:
    world.records.happens = lambda: world.reclassify(**move)
    world.records.writes_until = writes

    with pytest.raises(Aborted):
        world.run()

    assert len(world.standing()) == min(writes, WRITES - 1)
    assert world.run() is Outcome.INTERPRETED
    assert {each.subject for each in world.linked_facts()} == {"billing", "Ledger"}


@pytest.mark.parametrize("writes", range(1, 4))
def test_what_a_killed_interpretation_left_goes_with_the_capture(world: World, writes: int) -> None:
    world.records.writes_left = writes
    with pytest.raises(KilledError):
        world.run()
    world.records.writes_left = 1_000
    assert len(world.facts()) == writes - 1

    world.erase()

    assert world.facts() == []
    assert isinstance(world.records.load(world.capture_id), RemovedRecord)


def test_a_known_fact_reinforced_by_a_killed_interpretation_loses_the_evidence(
    world: World,
) -> None:
    asked = observation(
        subject="billing", predicate="owned_by", object="Ana", scope="project:alpha"
    )
    said = written(ingest(asked, call(asked), world.services))
    world.records.writes_left = 2
    with pytest.raises(KilledError):
        world.run()
    world.records.writes_left = 1_000
    assert world.capture_id in evidence_in(newest(said.id, world.services).record)

    world.erase()

    assert evidence_in(newest(said.id, world.services).record) == ["agent"]


def test_a_capture_is_linked_once_to_each_fact(world: World) -> None:
    assert world.run() is Outcome.INTERPRETED

    relations = newest(world.capture_id, world.services).record.relations
    linked = [each.target_id for each in relations if each.predicate == DERIVED_SEMANTIC]
    assert sorted(linked) == sorted(each.id for each in world.facts())
    assert len(linked) == 2
