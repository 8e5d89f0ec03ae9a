"""A model interprets a capture once: what it sees, what it adds, and what a failure leaves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from membrane.domain.capture.interpreter_prompt import InterpreterPrompt
from membrane.domain.capture.proposals import MalformedProposal, ProposedFact, ProposedMention
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.models.failures import NotAsked
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationStatus,
    Mention,
)
from membrane.domain.records.payloads import EntityAlias, EntityPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.capture.ask_interpreter import (
    DROPPED,
    MALFORMED,
    OUT_OF_TOKENS,
    TOKENS,
)
from membrane.usecases.capture.interpret_capture import (
    INTERPRETED,
    CaptureSteps,
    Outcome,
    interpret_capture,
)
from membrane.usecases.capture.read_material import Material
from membrane.usecases.ports.services_capture import InterpretingServices
from tests.builders.proposals import fact, label, mention, proposal, reference, relation
from tests.builders.stored_records import buried, event, stored
from tests.fakes.interpreters import FakeInterpreter
from tests.fakes.operators import Metrics
from tests.worlds.memory import make_interpreting_services
from tests.worlds.memory_table import TableRecords

CONTENT = "Ana owns billing. Billing depends on Ledger and went down, see OPS-7."
PROPOSAL = proposal(
    mentions=[mention(), mention("Ledger", entity_id="e-1")],
    relations=[relation("e-1")],
    references=[reference("r-1")],
    labels=[label()],
    facts=[fact()],
)
DAY = "2026-03-01"


def entity(record_id: str, name: str = "Ledger", *aliases: str, **fields: Any) -> StoredRecord:
    payload = EntityPayload(
        kind="entity",
        canonical_name=name,
        aliases=tuple(EntityAlias(value=each) for each in aliases),
    )
    return stored(record_id, payload=payload, **fields)


def capture(**fields: Any) -> StoredRecord:
    """A capture that the rules have interpreted."""
    held = stored("capture", payload=event("OPS-9"), **fields)
    interpretation = Interpretation(status=InterpretationStatus.RESOLVED)
    return replace(held, record=held.record.model_copy(update={"interpretation": interpretation}))


@dataclass(slots=True)
class Steps:
    """Steps that find the given records and link mentions by the proposed id or the name."""

    candidates: Sequence[AnyRecord] = ()
    entity_ids: dict[str, str] = field(default_factory=lambda: {"Ana": "e-2"})
    fact_ids: Sequence[str] = ("f-1",)
    facts: list[ProposedFact] = field(default_factory=list)

    def taken(self) -> CaptureSteps:
        return CaptureSteps(
            read_material=lambda _: Material(CONTENT, "standup"),
            find_candidates=lambda _held, _material: self.candidates,
            resolve_mentions=self._resolve,
            write_facts=self._write,
        )

    def _resolve(
        self, mentions: Iterable[ProposedMention], _held: StoredRecord
    ) -> Sequence[Mention]:
        return [
            Mention(
                surface=each.surface,
                canonical_entity_id=each.entity_id or self.entity_ids.get(each.surface, ""),
                confidence=each.confidence,
            )
            for each in mentions
        ]

    def _write(
        self, facts: Sequence[ProposedFact], _mentions: object, _held: StoredRecord
    ) -> Mapping[str, ProposedFact]:
        self.facts += facts
        return dict.fromkeys(self.fact_ids, facts[0])


@dataclass(slots=True)
class World:
    """A store with a capture and what the capture may mean."""

    records: TableRecords
    interpreter: FakeInterpreter = field(default_factory=lambda: FakeInterpreter([PROPOSAL]))
    metrics: Metrics = field(default_factory=Metrics)
    steps: Steps = field(default_factory=Steps)
    daily_tokens: int = 100_000

    def holds(self, *held: StoredRecord) -> None:
        for each in held:
            self.records.create(each)

    @property
    def services(self) -> InterpretingServices:
        return make_interpreting_services(
            records=self.records,
            now=self.records.now,
            interpreter=self.interpreter,
            daily_tokens=self.daily_tokens,
            measure=self.metrics,
        )

    def spent(self, day: str) -> int:
        """The tokens that count for the day."""
        return sum(
            int(each["tokens_spent"]["N"])
            for each in self.records.everything()
            if each["sk"] == {"S": day} and "tokens_spent" in each
        )

    def interpret(self, version: int = 1) -> Outcome:
        return interpret_capture("capture", version, self.steps.taken(), self.services)

    def capture(self) -> StoredRecord:
        held = self.records.load("capture")
        assert isinstance(held, StoredRecord)
        return held

    def measured(self, metric: str) -> list[float]:
        return [value for name, value, _ in self.metrics.told if name == metric]


@pytest.fixture
def world(records: TableRecords) -> World:
    world = World(records)
    near = [entity("e-1", "Ledger", "ledger-svc"), stored("r-1"), entity("e-2", "Ana")]
    world.holds(capture(), *near, stored("f-1"))
    world.steps.candidates = near[:2]
    return world


def asked(world: World) -> InterpreterPrompt:
    (prompt,) = world.interpreter.asked
    return prompt


def test_what_counts_of_the_proposal_is_in_the_next_version(world: World) -> None:
    assert world.interpret() is Outcome.INTERPRETED

    held = world.capture()
    interpretation = held.record.interpretation
    assert interpretation is not None
    assert held.version == 2
    assert [each.canonical_entity_id for each in interpretation.mentions] == ["e-2", "e-1"]
    assert interpretation.reference_candidates[0].target_record_id == "r-1"
    assert interpretation.relation_candidates[0].target_entity_id == "e-1"
    assert interpretation.topical_labels == ("outage",)
    assert interpretation.status is InterpretationStatus.RESOLVED
    assert {(each.predicate, each.target_id) for each in held.record.relations} == {
        ("derived_semantic", "f-1"),
        ("mentions_entity", "e-2"),
        ("mentions_entity", "e-1"),
        ("references_record", "r-1"),
        ("depends_on", "e-1"),
    }
    assert [each.subject for each in world.steps.facts] == ["billing"]
    assert world.measured(INTERPRETED) == [1]


def test_the_audit_names_the_service_and_the_model(world: World) -> None:
    world.interpret()

    entry = world.capture().trail[-1]
    assert (entry.actor, entry.principal) == ("interpretation", "interpretation")
    assert entry.rationale == "interpreted by scripted"


def test_the_model_sees_the_material_and_id_name_and_aliases_of_candidates(world: World) -> None:
    world.interpret()

    user = asked(world).user
    assert CONTENT in user
    assert "standup" in user
    assert '{"id":"e-1","name":"Ledger","aliases":["ledger-svc"]}' in user
    assert '"id":"r-1"' in user
    assert "project:alpha" not in user


@pytest.mark.parametrize(
    "hidden",
    [
        entity("e-9", "Hidden", scope="project:beta"),
        entity("e-9", "Hidden", sensitivity=Sensitivity.MEDIUM),
        buried(entity("e-9", "Hidden")),
    ],
)
def test_a_candidate_out_of_the_capture_s_sight_is_neither_shown_nor_linked(
    world: World, hidden: StoredRecord
) -> None:
    world.holds(hidden)
    world.steps.candidates = [hidden]
    world.interpreter.answers = [proposal(mentions=[mention("Ledger", entity_id="e-9")])]

    world.interpret()

    assert "Hidden" not in asked(world).user
    assert world.capture().record.relations == ()
    assert ("DroppedProposals", 1, {"reason": "id_not_offered"}) in world.metrics.told


def test_an_unscoped_candidate_is_shown(world: World) -> None:
    shared = entity("e-9", "Shared", scope="", sensitivity=Sensitivity.PUBLIC)
    world.holds(shared)
    world.steps.candidates = [shared]

    world.interpret()

    assert '"name":"Shared"' in asked(world).user


def test_an_id_by_a_step_that_the_capture_may_not_be_linked_to_does_not_count(
    world: World,
) -> None:
    world.holds(entity("e-9", "Ana", scope="project:beta"))
    world.steps.entity_ids = {"Ana": "e-9"}
    world.steps.fact_ids = ["unknown"]

    world.interpret()

    targets = {each.target_id for each in world.capture().record.relations}
    assert targets == {"e-1", "r-1"}


def test_what_does_not_count_is_measured(world: World) -> None:
    world.interpreter.answers = [proposal(facts=[fact(words="invented")] * 3)]

    world.interpret()

    assert world.measured(DROPPED) == [3]
    assert world.steps.facts == []


def test_a_capture_is_interpreted_once(world: World) -> None:
    world.interpret()

    assert world.interpret() is Outcome.REPEATED

    assert world.capture().version == 2
    assert len(world.interpreter.asked) == 1


def test_without_a_model_nothing_is_read(world: World) -> None:
    services = replace(world.services, interpreter=None)

    outcome = interpret_capture("unknown", 1, world.steps.taken(), services)

    assert outcome is Outcome.SWITCHED_OFF


def test_a_record_that_is_gone_or_no_capture_is_not_asked_about(
    world: World, records: TableRecords
) -> None:
    gone, plain = TableRecords(records.now), TableRecords(records.now)
    gone.create(buried(capture()))
    plain.create(stored("capture"))

    for store in (gone, plain, TableRecords(records.now)):
        world.records = store
        assert world.interpret() is Outcome.GONE
    world.records = records
    assert world.interpret(version=2) is Outcome.GONE
    assert world.interpreter.asked == []


def test_tokens_are_counted_as_taken(world: World) -> None:
    world.interpret()

    assert world.spent(DAY) == 1_000
    assert world.measured(TOKENS) == [1_000]


def test_without_tokens_left_today_no_question_is_asked(world: World) -> None:
    world.daily_tokens = 100

    with pytest.raises(ResourceExhausted, match="no tokens left today"):
        world.interpret()

    assert world.interpreter.asked == []
    assert world.capture().version == 1
    assert world.measured(OUT_OF_TOKENS) == [1]


@pytest.mark.parametrize(
    ("failure", "takes_tokens"),
    [
        (ResourceExhausted("busy"), False),
        (NotAsked("no connection"), False),
        (Unavailable("no answer"), True),
        (MalformedProposal("no JSON"), True),
    ],
)
def test_a_failure_is_raised_leaves_the_capture_and_can_be_repeated(
    world: World, failure: Exception, *, takes_tokens: bool
) -> None:
    world.interpreter.answers = [failure, PROPOSAL]

    with pytest.raises(type(failure)):
        world.interpret()

    assert world.capture().version == 1
    assert (world.spent(DAY) > 0) is takes_tokens
    assert world.interpret() is Outcome.INTERPRETED


def test_a_malformed_answer_is_measured_and_counted_as_taken(world: World) -> None:
    world.interpreter.answers = [MalformedProposal("no JSON", 70)]

    with pytest.raises(MalformedProposal):
        world.interpret()

    assert world.measured(MALFORMED) == [1]
    assert world.spent(DAY) == 70
