"""Queues as SQS has them, on a clock that can be moved."""

from datetime import timedelta

import pytest

from membrane_local.clock import DevClock
from membrane_local.events.queues import (
    MAX_HIDDEN_S,
    MAX_MESSAGE_BYTES,
    Message,
    Queue,
    open_queues,
)
from membrane_local.events.sources import QueueSettings
from tests.worlds.refusals import refuses

SETTINGS = (
    QueueSettings("Source", visibility_s=180, dead_letters="Dead", max_receives=2),
    QueueSettings("Dead", retention_s=1_209_600),
)


@pytest.fixture
def clock() -> DevClock:
    """A clock that stands still."""
    clock = DevClock()
    clock.freeze(frozen=True)
    return clock


@pytest.fixture
def queues(clock: DevClock) -> dict[str, Queue]:
    return open_queues(SETTINGS, clock)


def anything_fits(_batch: list[Message]) -> bool:
    return True


def received(queue: Queue, limit: int = 10) -> list[str]:
    return [message.body for message in queue.receive(limit, anything_fits)]


def test_a_message_is_hidden_until_its_timeout_has_passed(
    queues: dict[str, Queue], clock: DevClock
) -> None:
    queue = queues["Source"]
    queue.send("a")

    assert received(queue) == ["a"]
    clock.advance(timedelta(seconds=179))
    assert received(queue) == []
    assert (len(queue.waiting()), queue.count_hidden()) == (0, 1)
    clock.advance(timedelta(seconds=1))
    assert received(queue) == ["a"]


def test_a_received_message_is_hidden_anew_for_as_long_as_the_reader_says(
    queues: dict[str, Queue], clock: DevClock
) -> None:
    queue, wakings = queues["Source"], list[float]()
    queue.send("a")
    (message,) = queue.receive(1, anything_fits)
    queue.on_send = wakings.append

    clock.advance(timedelta(seconds=10))
    queue.hide(message.receipt, 600)

    assert wakings == [600]
    clock.advance(timedelta(seconds=599))
    assert received(queue) == []
    clock.advance(timedelta(seconds=1))
    assert received(queue) == ["a"]


def test_a_message_is_hidden_for_no_longer_than_sqs_allows_and_by_the_last_receipt_alone(
    queues: dict[str, Queue], clock: DevClock
) -> None:
    queue = queues["Source"]
    queue.send("a")
    (message,) = queue.receive(1, anything_fits)
    first = message.receipt
    clock.advance(timedelta(seconds=60))

    for seconds in (-1, MAX_HIDDEN_S - 59):
        with refuses("INVALID_ARGUMENT", match="12 hours"):
            queue.hide(first, seconds)
    queue.hide(first, 0)
    assert received(queue) == ["a"]
    with refuses("INVALID_ARGUMENT", match="receipt"):
        queue.hide(first, 60)


def test_a_message_is_held_back_for_as_long_as_its_sender_says(
    queues: dict[str, Queue], clock: DevClock
) -> None:
    queue = queues["Source"]
    told: list[float] = []
    queue.on_send = told.append

    queue.send("later", delay_s=30)
    queue.send("now")

    assert received(queue) == ["now"]
    assert told == [30, 0]
    clock.advance(timedelta(seconds=30))
    assert received(queue) == ["later"]


@pytest.mark.parametrize("delay_s", [-1, 901])
def test_a_message_is_held_back_for_no_longer_than_sqs_does(
    queues: dict[str, Queue], delay_s: int
) -> None:
    with refuses("INVALID_ARGUMENT", match="900 seconds"):
        queues["Source"].send("a", delay_s=delay_s)


def test_a_deleted_message_does_not_come_back(queues: dict[str, Queue], clock: DevClock) -> None:
    queue = queues["Source"]
    message_id = queue.send("a")
    received(queue)

    assert queue.delete([message_id]) == 1
    assert queue.delete([message_id]) == 0
    clock.advance(timedelta(hours=1))
    assert received(queue) == []


def test_a_message_received_too_often_is_set_aside_under_its_own_id(
    queues: dict[str, Queue], clock: DevClock
) -> None:
    message_id = queues["Source"].send("a")
    for _ in range(2):
        assert received(queues["Source"]) == ["a"]
        assert queues["Dead"].waiting() == []
        clock.advance(timedelta(seconds=180))

    assert received(queues["Source"]) == []

    (dead,) = queues["Dead"].waiting()
    assert (dead.message_id, dead.body, dead.receives) == (message_id, "a", 2)
    assert queues["Source"].count_hidden() == 0


def test_retention_counts_from_when_a_message_was_first_sent(
    queues: dict[str, Queue], clock: DevClock
) -> None:
    queues["Source"].send("a")
    for _ in range(3):
        received(queues["Source"])
        clock.advance(timedelta(days=1))

    clock.advance(timedelta(days=11))
    assert queues["Dead"].waiting() == []
    queues["Source"].send("b")
    clock.advance(timedelta(days=4))
    assert queues["Source"].waiting() == []


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\x00",
        "a\x0b",
        "\ufffe",
        "x" * (MAX_MESSAGE_BYTES + 1),
        "€" * (MAX_MESSAGE_BYTES // 3 + 1),
    ],
    ids=["empty", "null", "vertical tab", "not a character", "too large", "too many bytes"],
)
def test_what_sqs_refuses_is_refused_and_nothing_beside_it_is_sent(
    queues: dict[str, Queue], body: str
) -> None:
    with refuses("INVALID_ARGUMENT"):
        queues["Source"].send_all(["good", body])

    assert queues["Source"].waiting() == []
