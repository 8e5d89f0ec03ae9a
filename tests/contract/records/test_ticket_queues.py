"""Queues of writers at a head: whoever is served stays served."""

import pytest

from membrane.adapters.dynamodb.records.queues import DynamoTicketQueues
from membrane.usecases.ports.records import TicketQueue
from tests.worlds.stores import Store

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
