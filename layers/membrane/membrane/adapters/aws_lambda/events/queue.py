"""SQS batches: a refused message fails alone, and SQS delivers the message again."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.http.problems import kind_of
from membrane.domain.language.errors import DomainError, ScopeFenced
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.world import World

Message = Mapping[str, Any]


def is_batch(event: Mapping[str, Any]) -> bool:
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
