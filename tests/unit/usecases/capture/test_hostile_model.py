"""Whatever a model answers: other places stay as they are, and a broken-off answer is finished."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records.interpretation import InterpretationStatus
from membrane.domain.records.payloads import EntityPayload, SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.capture.interpret_capture import CLAIM_S, Outcome, interpret_capture
from membrane.usecases.capture.interpreting_call import is_interpreted
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.usecases.ports.services_capture import InterpretingServices
from tests.builders.captured_records import newest, stored_capture
from tests.builders.entities import add_entity
from tests.builders.ingesting import ingest
from tests.builders.observations import REPLACE, policies
from tests.builders.proposals import fact, label, mention, proposal, reference, relation
from tests.builders.requests import call, observation, written
from tests.fakes.clock import FakeClock
from tests.fakes.interpreters import FakeInterpreter
from tests.fakes.operators import Metrics
from tests.worlds.dying_records import DyingRecords, KilledError
from tests.worlds.memory import make_interpreting_services

CONTENT = "Ana owns billing. Billing depends on Ledger and went down."


@dataclass(slots=True)
class World:
    """A memory in which newer facts replace older ones, and a model that answers as told."""

    interpreter: FakeInterpreter = field(default_factory=FakeInterpreter)
    clock: FakeClock = field(default_factory=FakeClock)
    records: DyingRecords = field(init=False)
    metrics: Metrics = field(default_factory=Metrics)
    services: InterpretingServices = field(init=False)

    def __post_init__(self) -> None:
        self.records = DyingRecords(self.clock)
        self.services = make_interpreting_services(
            records=self.records,
            now=self.clock,
            interpreter=self.interpreter,
            measure=self.metrics,
            policy=PolicyDefaults(conflicts=policies(REPLACE)),
        )

    def said(self, value: str, **fields: Any) -> MemoryRecord:
        """The fact that a person reports of the owner of billing."""
        usual = {"subject": "billing", "predicate": "owned_by", "scope": "project:alpha"}
        asked = observation(object=value, **{**usual, **fields})
        return written(ingest(asked, call(asked), self.services))

    def captured(self) -> StoredRecord:
        return stored_capture(CONTENT, self.services, sensitivity="low")

    def interpret(self, held: StoredRecord, **lists: list[dict[str, Any]]) -> StoredRecord:
        """The capture after the model answered with the lists."""
        self.interpreter.answers = [proposal(**lists)]
        steps = interpreting_steps(self.services)
        assert interpret_capture(held.id, 1, steps, self.services) is Outcome.INTERPRETED
        return newest(held.id, self.services)

    def made(self) -> set[tuple[str, str, str]]:
        """Name or sentence, scope and sensitivity of every entity and fact."""
        return {
            (_words(each.record), each.scope, each.sensitivity)
            for each in self.records.places.values()
            if isinstance(each, StoredRecord) and _words(each.record)
        }


@pytest.fixture
def world() -> World:
    """An empty memory."""
    return World()


def _words(record: MemoryRecord) -> str:
    match record.payload:
        case EntityPayload(canonical_name=name):
            return name
        case SemanticPayload(subject=subject, predicate=predicate, object=value):
            return f"{subject} {predicate} {value}"
        case _:
            return ""


def test_a_model_reads_on_where_the_rules_ended(world: World) -> None:
    ledger = add_entity("Ledger", world.services)
    held = world.captured()

    after = world.interpret(
        held,
        mentions=[mention("Ana"), mention("billing", entity_kind="project")],
        relations=[relation(ledger.id)],
        labels=[label()],
        facts=[fact()],
    )

    interpretation = after.record.interpretation
    assert interpretation is not None
    assert interpretation.status is InterpretationStatus.RESOLVED
    assert {each.surface for each in interpretation.mentions} == {"Ledger", "Ana", "billing"}
    assert world.made() == {
        ("Ledger", "project:alpha", "low"),
        ("Ana", "project:alpha", "low"),
        ("billing", "project:alpha", "low"),
        ("billing owned_by Ana", "project:alpha", "low"),
    }
    predicates = sorted(each.predicate for each in after.record.relations)
    assert predicates == ["depends_on", "derived_semantic", *["mentions_entity"] * 3]


def test_invented_and_hidden_ids_change_nothing(world: World) -> None:
    hidden = [
        add_entity("Ledger", world.services, scope="project:beta"),
        add_entity("Ledger", world.services, sensitivity="hyper"),
    ]
    before = [newest(each.id, world.services) for each in hidden]
    held = world.captured()

    after = world.interpret(
        held,
        mentions=[mention("Ana", entity_id=each) for each in (hidden[0].id, "invented")],
        relations=[relation(each.id) for each in hidden],
        references=[reference(each.id, ref="Ledger", words="Ledger") for each in hidden],
    )

    assert after.record.relations == held.record.relations
    assert [newest(each.id, world.services) for each in hidden] == before
    assert ("DroppedProposals", 6, {"reason": "id_not_offered"}) in world.metrics.told


def test_names_of_hidden_entities_make_entities_of_the_capture_s_place(world: World) -> None:
    hidden = add_entity("Ana", world.services, scope="project:beta")

    after = world.interpret(world.captured(), mentions=[mention("Ana")])

    assert hidden.id not in {each.target_id for each in after.record.relations}
    assert world.made() == {("Ana", "project:beta", "low"), ("Ana", "project:alpha", "low")}


def test_what_a_person_said_stands_contested_beside_what_the_model_says(world: World) -> None:
    said = world.said("Bob")

    world.interpret(world.captured(), facts=[fact()])

    stands = newest(said.id, world.services).record
    assert state_of(stands.payload).status is RevisionStatus.CONTESTED
    assert ("billing owned_by Ana", "project:alpha", "low") in world.made()


def test_facts_of_other_scopes_and_of_higher_levels_stay_as_they_are(world: World) -> None:
    said = [world.said("Bob", scope="project:beta"), world.said("Bob", sensitivity="hyper")]
    before = [newest(each.id, world.services) for each in said]

    world.interpret(world.captured(), facts=[fact()])

    assert [newest(each.id, world.services) for each in said] == before


def test_what_does_not_rest_on_the_content_makes_nothing(world: World) -> None:
    held = world.captured()

    after = world.interpret(
        held,
        mentions=[mention("Eve")],
        facts=[fact(words="Eve owns everything")],
        labels=[label(words="secret")],
    )

    assert after.record.relations == ()
    assert world.made() == set()


def test_what_the_model_adds_stands_with_the_words_that_it_rests_on() -> None:
    world = World()

    after = world.interpret(
        world.captured(),
        mentions=[mention("Ana", words="Ana owns")],
        facts=[fact(words="Ana owns billing")],
    )

    interpretation = after.record.interpretation
    assert interpretation is not None
    named = {each.surface: each.words for each in interpretation.mentions}
    assert named["Ana"] == "Ana owns"
    (stated,) = interpretation.relation_candidates
    assert (stated.predicate, stated.words) == ("derived_semantic", "Ana owns billing")
    assert stated.confidence == 0.9


@pytest.mark.parametrize("writes", range(4))
def test_an_interpretation_that_is_killed_is_finished_by_a_repeat(writes: int) -> None:
    answer = {
        "mentions": [mention("Ana"), mention("billing")],
        "facts": [fact(), fact(object="Ledger")],
    }
    world, whole = World(), World()
    expected = whole.interpret(whole.captured(), **answer)
    held = world.captured()
    world.records.writes_left = writes

    with pytest.raises(KilledError):
        world.interpret(held, **answer)
    assert not is_interpreted(newest(held.id, world.services))
    world.records.writes_left = 1_000
    world.clock.advance(seconds=CLAIM_S)
    after = world.interpret(held, **answer)

    assert after.record.interpretation == expected.record.interpretation
    assert {(each.predicate, each.target_id) for each in after.record.relations} == {
        (each.predicate, each.target_id) for each in expected.record.relations
    }
    assert world.made() == whole.made()
