"""A capture goes to the interpreting model after the write, and again while nothing came of it."""

from dataclasses import dataclass, field

import pytest

from membrane.domain.language.errors import AlreadyExists, Unavailable
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.capture.interpret_capture import Outcome, interpret_capture
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.usecases.ports.services import Services
from tests.builders.captures import capture
from tests.builders.requests import change
from tests.fakes.interpreters import FakeInterpreter
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_interpreting_services, make_services


@dataclass(slots=True)
class Sent:
    """What a queue took; the first sends fail."""

    captures: list[tuple[str, int]] = field(default_factory=list)
    failures_left: int = 0

    def __call__(self, record_id: str, version: int, _delay_s: int) -> None:
        if self.failures_left:
            self.failures_left -= 1
            raise Unavailable("the queue did not take a message")
        self.captures.append((record_id, version))


@pytest.fixture
def sent() -> Sent:
    """An empty queue."""
    return Sent()


@pytest.fixture
def services(records: FakeRecords, sent: Sent) -> Services:
    """A memory whose captures go to a model."""
    return make_services(records=records, now=records.now, send_to_interpreter=sent)


def capture_id(services: Services, key: str = "k", content: str = "Ana") -> str:
    """The id of the capture under the key."""
    return str(capture(content, services, key=key).body["primary_record"]["id"])


def interpret(record_id: str, records: FakeRecords) -> Outcome:
    services = make_interpreting_services(
        records=records, now=records.now, interpreter=FakeInterpreter()
    )
    return interpret_capture(record_id, 1, interpreting_steps(services), services)


def test_id_and_version_are_sent_after_the_write(
    services: Services, sent: Sent, records: FakeRecords
) -> None:
    record_id = capture_id(services)

    assert sent.captures == [(record_id, 1)]
    assert record_id in records.places


def test_a_failed_send_fails_the_request_and_a_repeat_sends_again(
    services: Services, sent: Sent
) -> None:
    sent.failures_left = 1

    with pytest.raises(Unavailable):
        capture_id(services)
    record_id = capture_id(services)

    assert sent.captures == [(record_id, 1)]


def test_a_repeat_sends_again_until_the_capture_is_interpreted(
    services: Services, sent: Sent, records: FakeRecords
) -> None:
    record_id = capture_id(services)
    capture_id(services)
    assert sent.captures == [(record_id, 1)] * 2

    assert interpret(record_id, records) is Outcome.INTERPRETED
    capture_id(services)

    assert sent.captures == [(record_id, 1)] * 2


def test_a_refused_or_deleted_capture_is_not_sent(services: Services, sent: Sent) -> None:
    record_id = capture_id(services)
    change(DeleteRecord(id=record_id), services)
    sent.captures.clear()

    capture_id(services)
    with pytest.raises(AlreadyExists):
        capture_id(services, content="Bob")

    assert sent.captures == []
