"""Messages of the interpret function: each fails alone, and any other event is refused."""

import json
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.interpreting import interpret
from membrane.adapters.messaging.sqs import send_capture
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.records.interpretation import Interpretation
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.interpret_capture import CaptureSteps
from membrane.usecases.capture.read_material import Material
from membrane.usecases.ports.services_capture import InterpretingServices
from tests.builders.proposals import proposal
from tests.builders.stored_records import stored
from tests.fakes.clock import FakeClock
from tests.fakes.interpreters import FakeInterpreter
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_interpreting_services

STEPS = CaptureSteps(
    read_material=lambda _: Material("Ana owns billing", ""),
    find_candidates=lambda _held, _material: (),
    resolve_mentions=lambda _mentions, _held: (),
    write_facts=lambda _facts, _mentions, _held: {},
)


@pytest.fixture
def services() -> InterpretingServices:
    """A store with two captures, and a model that fails at the second question."""
    records = FakeRecords(FakeClock())
    for record_id in ("a", "b"):
        held = stored(record_id)
        records.create(held)
        noted = held.record.model_copy(update={"interpretation": Interpretation()})
        records.replace(held, held.next_version(noted))
    model = FakeInterpreter([proposal(), Unavailable("no answer"), proposal()])
    return make_interpreting_services(
        records=records, now=records.now, interpreter=model, report=Reports()
    )


def sent(record_id: str, version: int = 2) -> str:
    """The body of the message for a capture."""
    bodies: list[str] = []
    send_capture(lambda _queue, body, _delay_s: bodies.append(body), "q", record_id, version)
    return bodies[0]


def batch(*bodies: str, receives: int = 1) -> dict[str, Any]:
    attributes = {"ApproximateReceiveCount": str(receives)}
    return {
        "Records": [
            {
                "eventSource": "aws:sqs",
                "messageId": f"m-{number}",
                "body": body,
                "attributes": attributes,
            }
            for number, body in enumerate(bodies)
        ]
    }


def status_of(record_id: str, services: InterpretingServices) -> str | None:
    held = services.records.load(record_id)
    assert isinstance(held, StoredRecord)
    assert held.record.interpretation is not None
    return held.record.interpretation.status


def test_a_message_has_id_and_version_alone() -> None:
    assert json.loads(sent("a")) == {"record_id": "a", "version": 2}


def test_a_failed_message_comes_again_and_the_rest_is_done(services: InterpretingServices) -> None:
    answer = interpret(batch(sent("a"), sent("b"), "{}", sent("gone")), STEPS, services)

    failed = [each["itemIdentifier"] for each in answer["batchItemFailures"]]
    assert failed == ["m-1", "m-2"]
    assert isinstance(services.report, Reports)
    assert [code for _, code in services.report.told] == [
        "OK",
        "UNAVAILABLE",
        "INVALID_ARGUMENT",
        "OK",
    ]
    assert interpret(batch(sent("b")), STEPS, services) == {"batchItemFailures": []}


def test_a_capture_says_that_the_last_try_failed_until_a_later_try_succeeds(
    services: InterpretingServices,
) -> None:
    event = batch(sent("a"), sent("b"), "{}", "no JSON", receives=services.max_tries)

    before = status_of("b", services)
    failed = interpret(event, STEPS, services)["batchItemFailures"]
    marked = status_of("b", services)
    interpret(batch(sent("b")), STEPS, services)

    assert [each["itemIdentifier"] for each in failed] == ["m-1", "m-2", "m-3"]
    assert (before, marked) == (None, "failed")
    assert status_of("b", services) == "resolved"


def test_a_capture_that_will_be_tried_again_says_nothing(services: InterpretingServices) -> None:
    interpret(batch(sent("a"), sent("b"), receives=services.max_tries - 1), STEPS, services)

    assert status_of("b", services) is None


def test_a_direct_invocation_gets_the_outcome(services: InterpretingServices) -> None:
    message = {"record_id": "a", "version": 2, "idempotency_key": "redriven"}

    assert interpret(message, STEPS, services) == {"outcome": "interpreted"}
    assert interpret(message, STEPS, services) == {"outcome": "repeated"}


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"record_id": "a"},
        {"record_id": 1, "version": 2},
        {"record_id": "a", "version": "2"},
        {"record_id": "a", "version": 2, "content": "x"},
    ],
)
def test_any_other_event_is_refused(services: InterpretingServices, event: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="not an event of the interpret function"):
        interpret(event, STEPS, services)
