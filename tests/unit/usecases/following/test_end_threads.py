"""The follower of the table's stream starts the consolidation of a thread that has ended."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.learning.policy import CONSOLIDATE
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.follow_changes import end_threads, follow_all_or_set_aside
from membrane.usecases.machinery.calls import OutOfTime
from membrane.usecases.ports.search import Waiting
from membrane.usecases.search.indexing import ChangedSource, StreamChanges
from membrane.wiring.world import World
from tests.builders.requests import change
from tests.builders.traces import add_release, end
from tests.fakes.chat_models import Reports
from tests.fakes.clock import SetAsides
from tests.worlds.memory import make_world
from tests.worlds.memory_table import TableRecords

FUNCTION = "consolidate"
SILENT = Unavailable("the function could not be started")


@dataclass(slots=True)
class Started:
    """The functions that were started; the first starts fail."""

    asked: list[tuple[str, Any]] = field(default_factory=list)
    failures_left: int = 0

    def __call__(self, function: str, event: Any) -> None:
        if self.failures_left:
            self.failures_left -= 1
            raise SILENT
        self.asked.append((function, event))


class UnreadRecords(TableRecords):
    """A store that nobody may read."""

    def load_own(self, _record_ids: object) -> dict[str, StoredRecord]:
        """See DynamoRecords."""
        raise ResourceExhausted("throttled")


@pytest.fixture
def started() -> Started:
    """No function yet."""
    return Started()


@pytest.fixture
def services(records: TableRecords, started: Started) -> World:
    """A memory whose threads are consolidated when they end."""
    return make_world(
        records=records,
        now=records.now,
        consolidate_function=FUNCTION,
        invoke_later=started,
        report=Reports(),
    )


def ended(*record_ids: str) -> list[ChangedSource]:
    return [ChangedSource(each, ("team",)) for each in record_ids]


def of_thread(thread_id: str) -> tuple[str, Any]:
    """The start of the function for a thread."""
    return FUNCTION, {CONSOLIDATE: {"scope": "team", "thread_id": thread_id}}


def test_each_thread_with_an_outcome_is_consolidated_once_for_a_batch(
    services: World, started: Started
) -> None:
    first, second = add_release("t-1", "1.2", services), add_release("t-2", "1.3", services)
    end(first[0].id, services)

    ids = (first[0].id, first[-1].id, second[-1].id, first[-1].id, "unknown")
    assert end_threads(ended(*ids), services) == []

    assert started.asked == [of_thread("t-1"), of_thread("t-2")]


def test_a_step_deleted_meanwhile_ends_no_thread(services: World, started: Started) -> None:
    (*_, last) = add_release("t-1", "1.2", services)
    change(DeleteRecord(id=last.id), services)

    end_threads(ended(last.id), services)

    assert started.asked == []


def test_without_a_consolidating_function_nothing_is_read(services: World) -> None:
    unread = services.but(records=UnreadRecords(services.now))

    assert end_threads(ended("a"), unread.but(consolidate_function="")) == []
    assert end_threads([], unread) == []
    with pytest.raises(ResourceExhausted):
        end_threads(ended("a"), unread)


def test_a_failed_start_and_a_thread_without_a_turn_are_reported_and_returned(
    services: World, started: Started
) -> None:
    ids = [add_release(each, "1.2", services)[-1].id for each in ("t-1", "t-2")]
    started.failures_left = 1

    (unstarted,) = end_threads(ended(*ids), services)
    late = end_threads(ended(*ids), services, lambda: True)

    assert (unstarted.changed.record_id, unstarted.error) == (ids[0], SILENT)
    assert [type(each.error) for each in late] == [OutOfTime] * 2
    assert started.asked == [of_thread("t-2")]
    assert isinstance(services.report, Reports)
    assert services.report.told == [("EndThreads", "FAULT")] * 3


def test_what_was_not_started_is_set_aside_for_a_later_try(
    records: TableRecords, started: Started
) -> None:
    set_aside = SetAsides()
    services = make_world(
        records=records,
        now=records.now,
        consolidate_function=FUNCTION,
        invoke_later=started,
        set_aside=set_aside,
    )
    (*_, last) = add_release("t-1", "1.2", services)
    started.failures_left = 1

    follow_all_or_set_aside(StreamChanges(ended=ended(last.id)), services)

    assert set_aside.others == [(Waiting.ENDED, last.id)]
