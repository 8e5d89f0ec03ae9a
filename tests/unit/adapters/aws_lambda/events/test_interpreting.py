"""Messages of the interpret function: each fails alone, and any other event is refused."""

import json
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.queues import interpret
from membrane.adapters.messaging import send_capture
from membrane.domain.language.errors import InvalidArgument, ScopeFenced, Unavailable
from membrane.domain.records.interpretation import Interpretation
from membrane.wiring.world import World
from tests.builders.proposals import proposal
from tests.builders.requests import standing
from tests.builders.stored_records import stored
from tests.fakes.clock import FakeClock
from tests.fakes.interpreters import FakeInterpreter, HeldBack
from tests.fakes.operators import Reports
from tests.worlds.memory import make_world
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def services() -> World:
    """A store with two captures, and a model that fails at the second question."""
    records = TableRecords(FakeClock())
    for record_id in ("a", "b"):
        records.create(stored(record_id))
        held = standing(record_id, records)
        noted = held.record.model_copy(update={"interpretation": Interpretation()})
        records.replace(held, held.next_version(noted))
    model = FakeInterpreter([proposal(), Unavailable("no answer"), proposal()])
    return make_world(records=records, now=records.now, interpreter=model, report=Reports())


def sent(record_id: str, version: int = 2) -> str:
    """The body of the message for a capture."""
    bodies: list[str] = []
    send_capture(lambda _queue, body, _delay_s: bodies.append(body), "q", record_id, version, 0)
    return bodies[0]


def batch(*bodies: str, receives: int = 1) -> dict[str, Any]:
    return {
        "Records": [
            {
                "eventSource": "aws:sqs",
                "messageId": f"m-{number}",
                "receiptHandle": f"r-{number}",
                "attributes": {"ApproximateReceiveCount": str(receives)},
                "body": body,
            }
            for number, body in enumerate(bodies)
        ]
    }


def test_a_message_has_id_and_version_alone() -> None:
    assert json.loads(sent("a")) == {"record_id": "a", "version": 2}


def test_a_failed_message_comes_again_and_the_rest_is_done(services: World) -> None:
    answer = interpret(batch(sent("a"), sent("b"), "{}", sent("gone")), services)

    failed = [each["itemIdentifier"] for each in answer["batchItemFailures"]]
    assert failed == ["m-1", "m-2"]
    assert isinstance(services.report, Reports)
    assert [code for _, code in services.report.told] == [
        "OK",
        "UNAVAILABLE",
        "INVALID_ARGUMENT",
        "NOT_FOUND",
    ]
    assert interpret(batch(sent("b")), services) == {"batchItemFailures": []}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"interpreter": None}, "FAILED_PRECONDITION"),
        ({"daily_tokens": 0, "send_to_interpreter": lambda *_: None}, "RESOURCE_EXHAUSTED"),
    ],
)
def test_a_message_that_is_done_without_an_interpretation_is_no_success(
    services: World, changed: dict[str, Any], code: str
) -> None:
    answer = interpret(batch(sent("a"), receives=5), services.but(**changed))

    assert answer == {"batchItemFailures": []}
    assert isinstance(services.report, Reports)
    assert [told for _, told in services.report.told] == [code]


@pytest.mark.parametrize(
    ("error", "receives", "held_back"),
    [
        (Unavailable("no answer"), 1, [("r-0", 120)]),
        (Unavailable("no answer"), 5, []),
        (ScopeFenced("a"), 1, []),
    ],
)
def test_a_failed_message_is_held_back_unless_it_is_set_aside_or_dropped(
    services: World,
    error: Exception,
    receives: int,
    held_back: list[tuple[str, int]],
) -> None:
    model = FakeInterpreter([error])

    interpret(batch(sent("a"), receives=receives), services.but(interpreter=model))

    assert isinstance(services.hold_back, HeldBack)
    assert services.hold_back.messages == held_back


def test_a_direct_invocation_gets_the_outcome(services: World) -> None:
    message = {"record_id": "a", "version": 2, "idempotency_key": "redriven"}

    assert interpret(message, services) == {"outcome": "interpreted"}
    assert interpret(message, services) == {"outcome": "repeated"}


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
def test_any_other_event_is_refused(services: World, event: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="not an event of the interpret function"):
        interpret(event, services)
