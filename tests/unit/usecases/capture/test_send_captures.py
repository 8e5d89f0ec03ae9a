"""The follower of the table's stream sends every new capture to the interpreting model."""

from dataclasses import dataclass, field, replace

import pytest

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.interpret_capture import Outcome, interpret_capture
from membrane.usecases.capture.interpreting_steps import interpreting_steps
from membrane.usecases.capture.send_captures import send_captures
from membrane.usecases.following.follow_changes import follow_all_or_set_aside
from membrane.usecases.machinery.long_jobs import OutOfTime
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services import Services
from membrane.usecases.search.indexing.changes import ChangedSource, StreamChanges
from tests.builders.captured_records import stored_capture
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, written
from tests.fakes.interpreters import FakeInterpreter
from tests.fakes.operators import Reports
from tests.fakes.vectors import SetAsides
from tests.worlds.memory import make_interpreting_services, make_services, topical
from tests.worlds.memory_table import TableRecords

SILENT = Unavailable("the queue did not take a message")


@dataclass(slots=True)
class Sent:
    """What a queue took; the first sends fail."""

    captures: list[tuple[str, int]] = field(default_factory=list)
    failures_left: int = 0

    def __call__(self, record_id: str, version: int, _delay_s: int) -> None:
        if self.failures_left:
            self.failures_left -= 1
            raise SILENT
        self.captures.append((record_id, version))


class UnreadRecords(TableRecords):
    """A store that nobody may read."""

    def load_own(self, _record_ids: object) -> dict[str, StoredRecord]:
        """See DynamoRecords."""
        raise ResourceExhausted("throttled")


@pytest.fixture
def sent() -> Sent:
    """An empty queue."""
    return Sent()


@pytest.fixture
def services(records: TableRecords, sent: Sent) -> Services:
    """A memory whose captures go to a model."""
    return make_services(
        records=records, now=records.now, send_to_interpreter=sent, report=Reports()
    )


def created(*record_ids: str) -> list[ChangedSource]:
    return [ChangedSource(each, ("project:alpha",)) for each in record_ids]


def interpret(record_id: str, records: TableRecords) -> Outcome:
    services = make_interpreting_services(
        records=records, now=records.now, interpreter=FakeInterpreter()
    )
    return interpret_capture(record_id, 1, interpreting_steps(services), services)


def test_a_capture_is_written_and_replied_to_whatever_the_queue_of_the_model_does(
    services: Services, sent: Sent
) -> None:
    sent.failures_left = 1

    held = stored_capture("Ana", services)

    assert (held.version, sent.failures_left) == (1, 1)


def test_id_and_version_of_new_captures_are_sent(services: Services, sent: Sent) -> None:
    held, asked = stored_capture("Ana", services), event()
    plain = written(ingest(asked, call(asked), services))

    assert send_captures(created(held.id, plain.id, held.id, "unknown"), services) == []

    assert sent.captures == [(held.id, 1)]


def test_a_repeat_sends_again_until_the_capture_is_interpreted(
    services: Services, sent: Sent, records: TableRecords
) -> None:
    held = stored_capture("Ana", services)
    for _ in range(2):
        send_captures(created(held.id), services)
    assert sent.captures == [(held.id, 1)] * 2

    assert interpret(held.id, records) is Outcome.INTERPRETED
    send_captures(created(held.id), services)

    assert sent.captures == [(held.id, 1)] * 2


def test_a_capture_deleted_meanwhile_is_not_sent(services: Services, sent: Sent) -> None:
    held = stored_capture("Ana", services)
    change(DeleteRecord(id=held.id), services)

    send_captures(created(held.id), services)

    assert sent.captures == []


def test_without_a_model_nothing_is_read(services: Services) -> None:
    unread = UnreadRecords(services.now)

    assert (
        send_captures(created("a"), replace(services, records=unread, send_to_interpreter=None))
        == []
    )
    with pytest.raises(ResourceExhausted):
        send_captures(created("a"), replace(services, records=unread))


def test_a_failed_send_and_a_capture_without_a_turn_are_reported_and_returned(
    services: Services, sent: Sent
) -> None:
    ids = [stored_capture(name, services).id for name in ("Ana", "Bob")]
    sent.failures_left = 1

    (unsent,) = send_captures(created(*ids), services)
    late = send_captures(created(*ids), services, lambda: True)

    assert (unsent.changed.record_id, unsent.error) == (ids[0], SILENT)
    assert [type(each.error) for each in late] == [OutOfTime] * 2
    assert sent.captures == [(ids[1], 1)]
    assert isinstance(services.report, Reports)
    assert services.report.told == [("InterpretCapture", "FAULT")] * 3


def test_what_was_not_sent_is_set_aside_for_a_later_try(records: TableRecords, sent: Sent) -> None:
    set_aside = SetAsides()
    services = topical(
        records=records, now=records.now, send_to_interpreter=sent, set_aside=set_aside
    )
    held = stored_capture("Ana", services)
    sent.failures_left = 1

    follow_all_or_set_aside(StreamChanges(created=created(held.id)), services)

    assert set_aside.others == [(Waiting.CREATED, held.id)]
