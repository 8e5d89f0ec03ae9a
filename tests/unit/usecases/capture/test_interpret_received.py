"""A failed try of a model: how long the message waits, and what the capture says in the end."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from membrane.domain.capture.failures import MAX_WAIT_S
from membrane.domain.capture.proposals import MalformedProposal
from membrane.domain.language.errors import (
    Aborted,
    DomainError,
    ResourceExhausted,
    ScopeFenced,
    Unavailable,
)
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.models.failures import BusyModel
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationFailure,
    InterpretationStatus,
)
from membrane.domain.records.stored import RemovedRecord, StoredRecord
from membrane.usecases.capture.interpret_capture import Outcome
from membrane.usecases.capture.interpret_received import (
    FAILED,
    Received,
    interpret_received,
    note_failure,
)
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.usecases.ports.services_capture import InterpretingServices
from tests.builders.captured_records import newest, stored_capture
from tests.builders.proposals import mention, proposal
from tests.builders.requests import change
from tests.fakes.clock import FakeClock
from tests.fakes.interpreters import FakeInterpreter, HeldBack
from tests.fakes.operators import Metrics
from tests.worlds.memory import make_interpreting_services
from tests.worlds.memory_table import TableRecords

LAST = 5
SILENT = Unavailable("no answer")


@dataclass(slots=True)
class World:
    """A memory with a capture, and a model that answers as told."""

    clock: FakeClock = field(default_factory=FakeClock)
    records: TableRecords = field(init=False)
    held_back: HeldBack = field(default_factory=HeldBack)
    metrics: Metrics = field(default_factory=Metrics)
    sent: list[tuple[str, int, int]] = field(default_factory=list)
    daily_tokens: int = 1_000_000
    capture_id: str = ""

    def __post_init__(self) -> None:
        self.records = TableRecords(self.clock)
        self.capture_id = stored_capture("Ana owns billing", self.services()).id
        self.sent.clear()

    def services(self, *answers: Any) -> InterpretingServices:
        return make_interpreting_services(
            records=self.records,
            now=self.clock,
            interpreter=FakeInterpreter(answers or [proposal(mentions=[mention("Ana")])]),
            hold_back=self.held_back,
            most_tries=LAST,
            daily_tokens=self.daily_tokens,
            measure=self.metrics,
            send_to_interpreter=lambda *message: self.sent.append(message),
        )

    def receive(self, tries: int, *answers: Any) -> Outcome:
        services = self.services(*answers)
        received = Received(self.capture_id, 1, f"receipt-{tries}", tries)
        return interpret_received(received, interpreting_steps(services), services)

    def fail(self, tries: int, failure: Exception = SILENT) -> None:
        with pytest.raises(type(failure)):
            self.receive(tries, failure)

    def capture(self) -> StoredRecord:
        return newest(self.capture_id, self.services())

    def interpretation(self) -> Interpretation:
        interpretation = self.capture().record.interpretation
        assert interpretation is not None
        return interpretation

    def failed(self) -> list[str]:
        """The reasons in the metric."""
        return [dimensions["reason"] for name, _, dimensions in self.metrics.told if name == FAILED]


@pytest.fixture
def world() -> World:
    return World()


def test_every_failed_try_but_the_last_holds_the_message_back_and_changes_nothing(
    world: World,
) -> None:
    before = world.capture()

    for tries in range(1, LAST):
        world.fail(tries)

    assert world.held_back.messages == [
        ("receipt-1", 120),
        ("receipt-2", 600),
        ("receipt-3", 3_600),
        ("receipt-4", 21_600),
    ]
    assert world.capture() == before
    assert world.failed() == []


def test_a_model_that_asks_to_wait_gets_the_time(world: World) -> None:
    world.fail(1, BusyModel("busy", 900))
    world.fail(2, BusyModel("busy", 10))

    assert world.held_back.messages == [("receipt-1", 900), ("receipt-2", 600)]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (BusyModel("busy", 60), "busy"),
        (ResourceExhausted("throttled"), "busy"),
        (Unavailable("no answer"), "unavailable"),
        (MalformedProposal("the answer is no JSON", 70), "malformed"),
        (Aborted("lost"), "not_written"),
        (KeyError("a defect"), "fault"),
    ],
)
def test_after_the_last_try_the_capture_says_why(
    world: World, failure: Exception, reason: str
) -> None:
    before = world.interpretation()

    world.fail(LAST, failure)

    after = world.interpretation()
    assert (after.status, after.failure) == (InterpretationStatus.FAILED, reason)
    assert after == before.model_copy(update={"status": after.status, "failure": after.failure})
    entry = world.capture().trail[-1]
    assert (entry.actor, entry.principal) == ("interpretation", "interpretation")
    assert entry.rationale == f"not interpreted: {reason}"
    assert world.failed() == [reason]
    assert world.held_back.messages == []


def test_a_later_success_takes_the_failure_away(world: World) -> None:
    world.fail(LAST)

    world.receive(1)

    assert world.interpretation().status is InterpretationStatus.RESOLVED
    assert world.interpretation().failure is None
    assert [each.surface for each in world.interpretation().mentions] == ["Ana"]


def test_a_failure_noted_before_is_noted_again_for_another_reason_alone(world: World) -> None:
    world.fail(LAST)
    noted = world.capture()

    world.fail(LAST)
    assert world.capture() == noted
    world.fail(LAST, MalformedProposal("no JSON"))

    assert world.interpretation().failure is InterpretationFailure.MALFORMED


def test_a_capture_interpreted_meanwhile_has_not_failed(world: World) -> None:
    world.receive(1)
    before = world.capture()

    note_failure(world.capture_id, InterpretationFailure.BUSY, world.services())

    assert world.capture() == before
    assert world.failed() == []


@pytest.mark.parametrize("erases", [False, True])
def test_a_capture_that_went_meanwhile_is_left_alone(world: World, *, erases: bool) -> None:
    change(DeleteRecord(id=world.capture_id, erase=erases), world.services())
    before = world.records.everything()

    note_failure(world.capture_id, InterpretationFailure.BUSY, world.services())
    note_failure("unknown", InterpretationFailure.BUSY, world.services())

    assert world.records.everything() == before
    assert isinstance(world.records.load(world.capture_id), RemovedRecord) is erases
    assert world.failed() == []


def test_a_capture_of_a_fenced_scope_neither_waits_nor_fails(world: World) -> None:
    world.fail(LAST, ScopeFenced("an erasure is under way"))

    assert world.interpretation().status is not InterpretationStatus.FAILED
    assert world.held_back.messages == []


def test_a_capture_without_tokens_left_waits_for_the_next_day(world: World) -> None:
    world.daily_tokens = 0
    world.clock.advance(hours=10)  # 19:00

    with pytest.raises(ResourceExhausted, match="no tokens left today"):
        world.receive(1)

    ((receipt, wait_s),) = world.held_back.messages
    assert receipt == "receipt-1"
    assert 5 * 3_600 - 1 <= wait_s <= 5 * 3_600 + 900


def test_a_capture_that_waits_for_tokens_is_never_set_aside_but_sent_anew(world: World) -> None:
    world.daily_tokens = 0

    assert world.receive(LAST) is Outcome.POSTPONED

    assert world.sent == [(world.capture_id, 1, 900)]
    assert world.interpretation().status is not InterpretationStatus.FAILED
    assert world.held_back.messages == []


def test_a_capture_that_waited_two_weeks_for_tokens_has_failed(world: World) -> None:
    world.daily_tokens = 0
    world.clock.advance(days=14, seconds=1)

    with pytest.raises(ResourceExhausted, match="no tokens left today"):
        assert world.receive(LAST) is Outcome.POSTPONED

    assert world.sent == []
    assert world.failed() == ["out_of_tokens"]
    assert world.interpretation().failure is InterpretationFailure.OUT_OF_TOKENS


def test_a_queue_that_holds_nothing_back_fails_the_try(world: World) -> None:
    def refuse(_receipt: str, _seconds: int) -> None:
        raise Unavailable("the queue did not hold a message back")

    services = replace(world.services(BusyModel("busy")), hold_back=refuse)
    received = Received(world.capture_id, 1, "receipt", 1)

    with pytest.raises(DomainError, match="the queue did not hold"):
        interpret_received(received, interpreting_steps(services), services)


def test_no_wait_is_longer_than_sqs_can_hide_a_message(world: World) -> None:
    world.daily_tokens = 0
    world.clock.advance(hours=15, minutes=1)  # 00:01

    with pytest.raises(ResourceExhausted):
        world.receive(1)

    assert world.held_back.messages == [("receipt-1", MAX_WAIT_S)]
