"""Facts that a model read go through the conflict policy, contest at most, and are written once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import pytest

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.vocabulary import ConflictPolicy, RevisionStatus, Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records import sizes
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.predicates import DERIVED_SEMANTIC
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted, state_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.capture.write_facts import write_facts
from membrane.usecases.ports.services import Services
from membrane.usecases.revision import heads
from membrane.usecases.revision.derived_facts import LEFT_OUT, MAX_FACTS
from tests.builders.captured_records import newest, proposed_facts, stored_capture
from tests.builders.derived_facts import evidence_in
from tests.builders.entities import add_entity
from tests.builders.ingesting import ingest
from tests.builders.observations import KEEP, REPLACE, policies
from tests.builders.proposals import fact
from tests.builders.requests import call, change, observation, written
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Metrics
from tests.worlds.dying_records import DyingRecords, KilledError
from tests.worlds.memory import make_services

WORDS = "Ana owns billing"


@dataclass(slots=True)
class RefusingRecords(DyingRecords):
    """Refuses every head."""

    def head(self, _key: object) -> NoReturn:
        """See DynamoRecords."""
        raise FailedPrecondition("no")


@dataclass(slots=True)
class World:
    """A memory with a capture, under a conflict policy."""

    policy: ConflictPolicy = KEEP
    records: DyingRecords = field(default_factory=lambda: DyingRecords(FakeClock()))
    metrics: Metrics = field(default_factory=Metrics)
    services: Services = field(init=False)
    held: StoredRecord = field(init=False)

    def __post_init__(self) -> None:
        self.services = make_services(
            records=self.records,
            now=self.records.now,
            measure=self.metrics,
            policy=PolicyDefaults(conflicts=policies(self.policy)),
        )
        self.held = stored_capture(WORDS, self.services, sensitivity="medium", tags=["t"])

    def write(self, *facts: dict[str, Any], mentions: Sequence[Mention] = ()) -> Sequence[str]:
        return [*write_facts(proposed_facts(*facts), mentions, self.held, self.services)]

    def said(self, value: str, **fields: Any) -> MemoryRecord:
        """The fact that a person reports of the owner of billing."""
        usual = {"subject": "billing", "predicate": "owned_by", "scope": "project:alpha"}
        asked = observation(object=value, **{**usual, **fields})
        return written(ingest(asked, call(asked), self.services))

    def fact(self, record_id: str) -> SemanticPayload:
        payload = newest(record_id, self.services).record.payload
        assert isinstance(payload, SemanticPayload)
        return payload

    def active(self) -> list[Any]:
        """The objects of the active facts."""
        return [
            each.record.payload.object
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and isinstance(each.record.payload, SemanticPayload)
            and not is_retracted(each.record.payload)
        ]


@pytest.fixture
def world() -> World:
    """An empty memory but for the capture; facts stand side by side."""
    return World()


def test_a_fact_has_the_place_of_the_capture_and_the_confidence_of_the_model(
    world: World,
) -> None:
    (fact_id,) = world.write(fact(confidence=0.35))

    record = newest(fact_id, world.services).record
    assert (record.scope, record.sensitivity) == ("project:alpha", Sensitivity.MEDIUM)
    assert (record.confidence, record.tags) == (0.35, ("t",))
    assert evidence_in(record) == [world.held.id]
    assert record.provenance.sources == ()
    assert record.audit_log[0].principal == "interpretation"


def test_subject_and_object_are_canonical_and_linked(world: World) -> None:
    ana = add_entity("Ana Petrova", world.services, payload={"aliases": ["Ana"]})
    billing = add_entity("Billing Service", world.services)
    meant = Mention(surface="billing", canonical_entity_id=billing.id)

    (fact_id,) = world.write(fact(), mentions=[meant])

    held = newest(fact_id, world.services).record
    stated = world.fact(fact_id)
    assert (stated.subject, stated.predicate, stated.object) == (
        "Billing Service",
        "owned_by",
        "Ana Petrova",
    )
    assert {(each.predicate, each.target_id) for each in held.relations} == {
        ("subject_entity", billing.id),
        ("object_entity", ana.id),
    }


@pytest.mark.parametrize("hidden", [{"scope": "project:beta"}, {"sensitivity": "hyper"}])
def test_entities_out_of_sight_are_not_linked(world: World, hidden: dict[str, Any]) -> None:
    ana = add_entity("Ana", world.services, **hidden)
    meant = Mention(surface="billing", canonical_entity_id=ana.id)

    (fact_id,) = world.write(fact(), mentions=[meant])

    assert newest(fact_id, world.services).record.relations == ()
    assert world.fact(fact_id).subject == "billing"


@pytest.mark.parametrize("policy", [REPLACE, ConflictPolicy.FORK, ConflictPolicy.CONTEST])
def test_what_a_person_said_is_contested_at_most(policy: ConflictPolicy) -> None:
    world = World(policy)
    said = world.said("Bob")

    world.write(fact())

    stands = newest(said.id, world.services).record
    assert state_of(stands.payload).status is RevisionStatus.CONTESTED
    assert sorted(world.active()) == ["Ana", "Bob"]


def test_under_keep_facts_stand_side_by_side(world: World) -> None:
    said = newest(world.said("Bob").id, world.services)

    world.write(fact())

    assert newest(said.id, world.services) == said
    assert sorted(world.active()) == ["Ana", "Bob"]


@pytest.mark.parametrize("policy", [KEEP, REPLACE])
def test_an_equal_fact_is_reinforced_and_gains_evidence(policy: ConflictPolicy) -> None:
    world = World(policy)
    said = world.said("Ana", sensitivity="medium")

    assert world.write(fact()) == [said.id]

    assert evidence_in(newest(said.id, world.services).record) == ["agent", world.held.id]
    assert world.active() == ["Ana"]


def test_a_fact_that_the_capture_brought_along_is_not_reinforced_again(world: World) -> None:
    content = {"subject": "billing", "predicate": "owned_by", "object": "Ana"}
    world.held = stored_capture(content, world.services, source_kind="observation")
    relations = world.held.record.relations
    (known,) = (each.target_id for each in relations if each.predicate == DERIVED_SEMANTIC)
    before = newest(known, world.services)

    assert world.write(fact()) == [known]

    assert newest(known, world.services) == before


def test_equal_facts_of_a_proposal_become_one(world: World) -> None:
    (fact_id,) = world.write(fact(), fact(confidence=0.2))

    assert world.fact(fact_id).object == "Ana"
    assert world.active() == ["Ana"]


@pytest.mark.parametrize("said", [None, "Ana", "Bob"])
@pytest.mark.parametrize("policy", [KEEP, REPLACE])
def test_a_repeat_writes_nothing_again(policy: ConflictPolicy, said: str | None) -> None:
    world = World(policy)
    if said is not None:
        world.said(said)
    first = world.write(fact(), fact(object="Lumo"))
    before = world.records.everything()

    assert world.write(fact(), fact(object="Lumo")) == first

    assert world.records.everything() == before


@pytest.mark.parametrize("writes", range(3))
@pytest.mark.parametrize("said", ["Ana", "Bob"])
def test_what_is_killed_between_its_writes_is_finished_by_a_repeat(writes: int, said: str) -> None:
    facts = [fact(), fact(object="Lumo"), fact(subject="ledger")]
    world, whole = World(REPLACE), World(REPLACE)
    for each in (world, whole):
        each.said(said)
    whole.write(*facts)
    world.records.writes_left = writes

    with pytest.raises(KilledError):
        world.write(*facts)
    world.records.writes_left = 1_000
    fact_ids = world.write(*facts)

    assert len(fact_ids) == 3
    assert sorted(world.active()) == sorted(whole.active())


def test_a_fact_that_was_deleted_since_is_not_made_again(world: World) -> None:
    (fact_id,) = world.write(fact())
    change(DeleteRecord(id=fact_id), world.services)

    assert world.write(fact()) == []


def test_facts_of_a_full_head_and_facts_beyond_the_limit_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(REPLACE)
    world.said("Lumo")
    monkeypatch.setattr(heads, "MAX_HOLDERS", 1)

    fact_ids = world.write(fact(), *(fact(subject=f"s{number}") for number in range(MAX_FACTS)))

    assert len(fact_ids) == MAX_FACTS - 1
    assert world.active() == ["Lumo", *["Ana"] * (MAX_FACTS - 1)]
    assert [told for told in world.metrics.told if told[0] == LEFT_OUT] == [
        (LEFT_OUT, 1, {"reason": "head_is_full"}),
        (LEFT_OUT, 1, {"reason": "too_many"}),
    ]


def test_a_fact_that_a_known_fact_has_no_room_for_is_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(REPLACE)
    world.said("Lumo", tags=[f"{number}".rjust(200, "x") for number in range(100)])
    monkeypatch.setattr(sizes, "GROWTH_BYTES", 10_000 - sizes.MAX_REPLY_BYTES)

    fact_ids = world.write(fact(), fact(subject="ledger"))

    assert [world.fact(each).subject for each in fact_ids] == ["ledger"]
    assert world.active() == ["Lumo", "Ana"]
    assert (LEFT_OUT, 1, {"reason": "too_large"}) in world.metrics.told


def test_a_fact_that_the_store_refuses_for_another_reason_is_counted_as_refused() -> None:
    world = World(records=RefusingRecords(FakeClock()))

    assert world.write(fact()) == []
    assert (LEFT_OUT, 1, {"reason": "refused"}) in world.metrics.told
