"""Two workers that interpret one capture at once: one asks, and writes everything."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.domain.language.errors import Aborted, Unavailable
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.predicates import DERIVED_SEMANTIC
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.interpret_capture import (
    CLAIM_S,
    INTERPRETED,
    Outcome,
    interpret_capture,
)
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.usecases.ports.services_capture import InterpretingServices
from tests.builders.captured_records import newest, stored_capture
from tests.builders.proposals import fact, mention, proposal
from tests.fakes.clock import FakeClock
from tests.fakes.interpreters import FakeInterpreter
from tests.fakes.operators import Metrics
from tests.fakes.world import counted_ids
from tests.worlds.dying_records import DyingRecords, KilledError
from tests.worlds.faults import rivalled
from tests.worlds.memory import make_interpreting_services

CONTENT = "Ana owns billing. Billing depends on Ledger and went down."
SHARED = fact()
FIRST = [fact(subject="Ledger"), SHARED, fact(subject="Ana", object="billing")]
SECOND = [fact(object="Ledger"), SHARED, fact(subject="Ledger", object="billing")]
WRITES = 5
"""Writes of an interpretation: entities, three facts, and the last version of the capture."""


def nothing() -> None:
    """Nothing happens."""


@dataclass(slots=True)
class InterleavedRecords(DyingRecords):
    """Something happens just before a write, the number of writes away."""

    writes_until: int = -1
    meanwhile: Callable[[], None] = nothing

    def step(self) -> None:
        """See DyingRecords."""
        self.writes_until -= 1
        if self.writes_until == -1:
            self.meanwhile()
        DyingRecords.step(self)


@dataclass(slots=True)
class World:
    """A memory with a capture, and workers whose models read different facts."""

    clock: FakeClock = field(default_factory=FakeClock)
    records: InterleavedRecords = field(init=False)
    metrics: Metrics = field(default_factory=Metrics)
    outcomes: dict[str, Outcome | None] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """The workers that asked a model."""
    new_id: Callable[[], str] = field(default_factory=counted_ids)
    capture_id: str = ""

    def __post_init__(self) -> None:
        self.records = InterleavedRecords(self.clock)
        self.capture_id = stored_capture(CONTENT, self.services(FakeInterpreter())).id

    def services(self, interpreter: FakeInterpreter) -> InterpretingServices:
        return make_interpreting_services(
            records=self.records,
            now=self.clock,
            new_id=self.new_id,
            interpreter=interpreter,
            measure=self.metrics,
        )

    def run(self, worker: str, answer: list[dict[str, Any]] | Exception) -> None:
        """The worker's try, whose model reads the facts or fails; the outcome None = a failure."""
        mentions = [mention("Ana"), mention("billing")]
        read = (
            answer if isinstance(answer, Exception) else proposal(mentions=mentions, facts=answer)
        )
        model = FakeInterpreter([read])
        services = self.services(model)
        self.outcomes[worker] = None
        with suppress(Aborted, Unavailable):
            steps = interpreting_steps(services)
            self.outcomes[worker] = interpret_capture(self.capture_id, 1, steps, services)
        self.asked += [worker] * len(model.asked)

    def facts(self) -> set[tuple[str, str]]:
        """Subject and object of every fact."""
        return {
            (each.record.payload.subject, str(each.record.payload.object))
            for each in self.records.places.values()
            if isinstance(each, StoredRecord) and isinstance(each.record.payload, SemanticPayload)
        }

    def links(self) -> list[str]:
        """The facts that the capture leads to."""
        relations = newest(self.capture_id, self.services(FakeInterpreter())).record.relations
        return [each.target_id for each in relations if each.predicate == DERIVED_SEMANTIC]


def said(facts: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(each["subject"], each["object"]) for each in facts}


@pytest.mark.parametrize("writes", range(WRITES))
def test_of_two_workers_at_once_one_asks_and_writes_everything(writes: int) -> None:
    world = World()
    world.records.writes_until = writes
    world.records.meanwhile = lambda: world.run("second", SECOND)

    world.run("first", FIRST)
    world.run("again", SECOND)

    assert world.records.writes_until < 0
    assert world.outcomes == {
        "first": Outcome.INTERPRETED,
        "second": None,
        "again": Outcome.REPEATED,
    }
    assert world.facts() == said(FIRST)
    assert len(world.links()) == 3
    assert world.asked == ["first"]
    assert [name for name, *_ in world.metrics.told].count(INTERPRETED) == 1


def test_a_worker_that_loaded_the_capture_before_another_was_done_asks_nothing() -> None:
    world = World()
    rivalled(world.records.client, lambda: world.run("second", SECOND))

    world.run("first", FIRST)

    assert world.outcomes == {"first": None, "second": Outcome.INTERPRETED}
    assert world.facts() == said(SECOND)


def test_after_a_failure_another_worker_need_not_wait() -> None:
    world = World()
    world.run("failing", Unavailable("no answer"))

    world.run("next", SECOND)

    assert world.outcomes == {"failing": None, "next": Outcome.INTERPRETED}


def test_a_killed_worker_s_capture_is_free_after_the_claim_ran_out() -> None:
    world = World()
    world.records.writes_left = 2
    with pytest.raises(KilledError):
        world.run("killed", FIRST)
    world.records.writes_left = 1_000

    world.run("early", FIRST)
    world.clock.advance(seconds=CLAIM_S)
    world.run("later", FIRST)

    assert (world.outcomes["early"], world.outcomes["later"]) == (None, Outcome.INTERPRETED)
    assert world.facts() == said(FIRST)
