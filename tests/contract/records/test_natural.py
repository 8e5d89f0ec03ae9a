"""Records by what their users call them, the newest first; tickets in their queues."""

from collections.abc import Sequence
from typing import Any

import pytest

from membrane.adapters.dynamodb.records.queues import DynamoTicketQueues
from membrane.domain.language.vocabulary import TaskState
from membrane.domain.records.payloads import WorkingPayload
from membrane.domain.records.standing import natural_key
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.records import TicketQueue
from tests.builders.generated_records import SCOPES
from tests.builders.stored_records import NOW_S, buried, stored
from tests.worlds.metering import meter
from tests.worlds.stores import Store

SCOPE = "project:alpha"
ALL = 1_000


def state(number: int, *, thread: str = "thread:1", scope: str = SCOPE) -> StoredRecord:
    """The working state of a thread, a second later for each number."""
    payload = WorkingPayload(kind="working", thread_id=thread, state=TaskState.PLANNING)
    return stored(f"record-{number}", payload=payload, scope=scope, born_s=NOW_S + number)


KEY = natural_key(SCOPE, state(0).record.payload) or b""


def create(store: Store, records: Sequence[StoredRecord]) -> None:
    for each in records:
        store.records.create(each)


def listed(*numbers: int) -> list[tuple[str, float]]:
    return [(f"record-{number}", NOW_S + number) for number in numbers]


def test_the_newest_record_of_a_thread_comes_first(store: Store) -> None:
    create(store, [state(2), state(0), state(1), state(3, thread="thread:2")])

    assert store.natural.newest(KEY, ALL) == listed(2, 1, 0)
    assert store.natural.newest(KEY, 2) == listed(2, 1)


def test_a_key_that_nothing_has_finds_nothing(store: Store) -> None:
    assert store.natural.newest(KEY, ALL) == []


def test_reading_goes_on_with_what_is_no_younger_than_asked_for(store: Store) -> None:
    create(store, [state(number) for number in range(4)])

    assert store.natural.newest(KEY, ALL, before_s=NOW_S + 2) == listed(2, 1, 0)
    assert store.natural.newest(KEY, ALL, before_s=NOW_S + 1.999) == listed(1, 0)
    assert store.natural.newest(KEY, 1, before_s=NOW_S + 1) == listed(1)
    assert store.natural.newest(KEY, ALL, before_s=NOW_S - 1) == []


def test_a_deleted_record_is_found_while_it_can_be_restored(store: Store) -> None:
    create(store, [state(0), state(1)])
    before = store.records.load("record-1")
    assert isinstance(before, StoredRecord)

    store.records.replace(before, buried(before))

    assert store.natural.newest(KEY, ALL) == listed(1, 0)


def test_no_scope_finds_the_records_of_another(store: Store) -> None:
    create(store, [state(number, scope=scope) for number, scope in enumerate(SCOPES)])

    for number, scope in enumerate(SCOPES):
        key = natural_key(scope, state(0).record.payload)
        assert key is not None
        assert store.natural.newest(key, ALL) == listed(number)


@pytest.mark.parametrize("entries", [1, 3, 5])
def test_pages_that_end_early_are_followed_by_the_next(table: Store, entries: int) -> None:
    create(table, [state(number) for number in range(5)])

    def cut_short(params: dict[str, Any], **_: object) -> None:
        """As after a megabyte."""
        params["Limit"] = min(params["Limit"], 2)

    table.client.meta.events.register("provide-client-params.dynamodb.Query", cut_short)

    assert table.natural.newest(KEY, entries) == listed(4, 3, 2, 1, 0)[:entries]


def test_the_newest_costs_one_query_however_many_there_are(table: Store) -> None:
    create(table, [state(number) for number in range(30)])
    spent = meter(table.client)

    table.natural.newest(KEY, 1)

    assert (spent.requests, spent.read_units) == (1, 0.5)


HEAD = b"h" * 32


@pytest.fixture
def queues(table: Store) -> DynamoTicketQueues:
    """Queues with three tickets at the head, of which the second was served."""
    queues = DynamoTicketQueues(table.client, table.table, lambda: table.clock.now)
    for _ in range(3):
        queues.take_ticket(HEAD)
    queues.serve(HEAD, 2)
    return queues


def test_a_ticket_is_the_next_number(queues: DynamoTicketQueues) -> None:
    assert queues.take_ticket(HEAD) == TicketQueue(4, 2)


@pytest.mark.parametrize("late", [1, 2, 4])
def test_neither_an_earlier_ticket_nor_one_that_nobody_has_is_served(
    queues: DynamoTicketQueues, late: int
) -> None:
    queues.serve(HEAD, late)

    assert queues.load(HEAD) == TicketQueue(3, 2)


def test_the_next_ticket_is_served(queues: DynamoTicketQueues) -> None:
    queues.serve(HEAD, 3)

    assert queues.load(HEAD) == TicketQueue(3, 3)


def test_nobody_waits_where_nobody_ever_did(queues: DynamoTicketQueues) -> None:
    assert queues.load(b"other" * 8) == TicketQueue()
