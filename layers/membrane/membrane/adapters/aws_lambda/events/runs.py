"""A run: one invocation by the event of a job, or by a batch of messages of a queue."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import DomainError, ScopeFenced
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

RESERVE_MS = 20_000
"""Milliseconds before Lambda's timeout at which a run starts no further item.

The reserve is for finishing the items in progress and for the hand-over.
"""

Message = Mapping[str, Any]


class Run(NamedTuple):
    """A run of a job that may need several."""

    context: Context
    world: World
    hop: int = 0
    """The count of the runs that handed over before."""
    max_hops: int = 0
    """After `max_hops` runs the schedule's next run continues."""

    def is_out_of_time(self, needed_s: float = 0.0) -> bool:
        """Whether there is no time for an item that takes `needed_s` seconds longer than most."""
        return self.context.get_remaining_time_in_millis() < RESERVE_MS + needed_s * 1_000

    def hand_over(self, event: JsonObject) -> None:
        """Start this function again with the event, unless `max_hops` is reached."""
        if start := self.start_of_next(event):
            start()

    def start_of_next(self, event: JsonObject) -> Callable[[], None] | None:
        """What starts this function again with the event; None once `max_hops` is reached."""
        if self.hop >= self.max_hops:
            return None
        return partial(self.world.invoke_later, self.context.invoked_function_arn, event)


def is_batch(event: Event) -> bool:
    match event.get("Records"):
        case [{"eventSource": "aws:sqs"}, *_]:
            return True
        case _:
            return False


def answer_batch(
    messages: Iterable[Message],
    take: Callable[[Message], None],
    rpc: str,
    world: World,
    is_out_of_time: Callable[[], bool] = lambda: False,
) -> JsonObject:
    """The ids of the failed messages, for SQS to deliver again and finally to set aside.

    A message that the time limit leaves unprocessed is delivered again, too. A message for a scope
    under erasure is dropped.
    """
    return failures_of(
        message["messageId"]
        for message in messages
        if is_out_of_time() or not _is_taken(message, take, rpc, world)
    )


def failures_of(message_ids: Iterable[str]) -> JsonObject:
    """The reply that makes SQS deliver the messages again."""
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in message_ids]}


def _is_taken(message: Message, take: Callable[[Message], None], rpc: str, world: World) -> bool:
    try:
        take(message)
    except ScopeFenced as error:  # the erasure would remove what the message writes
        world.report(rpc, kind_of(error).code)
    except DomainError as error:
        world.report(rpc, kind_of(error).code)
        return False
    except Exception as fault:  # noqa: BLE001 - raised, the fault would fail the whole batch
        world.report(rpc, FAULT, fault)
        return False
    return True
