"""The functions behind a queue of their own, which run on a schedule or a direct invocation, too.

`membrane redrive` adds a key to a message, which is ignored.
"""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.events.runs import Message, Run, answer_batch, is_batch
from membrane.adapters.aws_lambda.http.operations import KEY, SUCCESS
from membrane.adapters.aws_lambda.http.problems import KINDS
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language import errors
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.usecases.machinery.calls import IsOutOfTime

RUN = "membrane-reason"
"""Names the event of the schedule; the value is `{"hop": int}`, the count of earlier runs."""

MAX_HOPS = 11
"""Runs that start the next run at most; then the schedule's next run continues."""


def interpret(event: Event, world: World) -> JsonObject:
    """The failed messages of a batch, for SQS; for a direct invocation, the outcome.

    A message has the id and the version of a capture. Raises InvalidArgument for any other event,
    and the failure of a directly invoked message.
    """
    from membrane.usecases.capture.interpret_capture import (
        Outcome,
        Received,
        interpret_capture,
        interpret_received,
    )
    from membrane.usecases.capture.interpreting_call import INTERPRET

    codes = {
        Outcome.INTERPRETED: SUCCESS,
        Outcome.REPEATED: SUCCESS,
        Outcome.GONE: KINDS[errors.NotFound].code,
        Outcome.POSTPONED: KINDS[errors.ResourceExhausted].code,
        Outcome.SWITCHED_OFF: KINDS[errors.FailedPrecondition].code,
    }

    def take(message: Message) -> None:
        tries = int(message["attributes"]["ApproximateReceiveCount"])
        capture = _capture_in(parse_json(message["body"]))
        received = Received(*capture, message["receiptHandle"], tries)
        world.report(INTERPRET, codes[interpret_received(received, world)])

    if is_batch(event):
        return answer_batch(event["Records"], take, INTERPRET, world)
    return {"outcome": interpret_capture(*_capture_in(event), world)}


def _capture_in(message: object) -> tuple[str, int]:
    match _without_key(message):
        case {"record_id": str(record_id), "version": int(version), **others} if not others:
            return record_id, version
        case _:
            raise errors.InvalidArgument("not an event of the interpret function")


def reason(event: Event, context: Context, world: World) -> JsonObject:
    """The counts of a run; for a batch of the queue, the failed messages for SQS.

    A message may also come by direct invocation. Raises InvalidArgument for any other event, and
    the failure of a run or of a directly invoked message.
    """
    from membrane.usecases.topics.loading import REASON

    match event:
        case {"membrane-reason": {"hop": int(hop)}}:
            pass
        case _:
            hop = 0
    run = Run(context, world, hop, MAX_HOPS)

    def take(message: Message) -> None:
        _reason_by(parse_json(message["body"]), world, run.is_out_of_time)

    match event:
        case {"Records": [*messages]} if is_batch(event):
            return answer_batch(messages, take, REASON, world, run.is_out_of_time)
        case {"membrane-reason": {**asked}} if not asked or (asked == {"hop": hop}):
            return _reason_everywhere(run)
        case _:
            _reason_by(event, world, run.is_out_of_time)
            return {"done": True}


def _reason_by(message: object, world: World, is_out_of_time: "IsOutOfTime") -> None:
    from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
    from membrane.usecases.topics.reasoning.reason_in_background import reason_about

    match _without_key(message):
        case {"reinforce": dict(reinforce), **others} if not others:
            reinforce_topics(reinforce, world)
        case {"scope": str(scope), "pass": str(pass_id), **others} if not others:
            reason_about(scope, world, is_out_of_time, pass_id)
        case {"scope": str(scope), **others} if not others:
            reason_about(scope, world, is_out_of_time)
        case _:
            raise errors.InvalidArgument("not an event of the reason function")


def _without_key(message: object) -> object:
    if not isinstance(message, dict):
        return message
    return {name: value for name, value in message.items() if name != KEY}


def _reason_everywhere(run: Run) -> JsonObject:
    from membrane.usecases.topics.reasoning.reason_in_background import reason_everywhere

    reasoned = reason_everywhere(run.world, run.is_out_of_time)
    if reasoned.is_left:
        run.hand_over({RUN: {"hop": run.hop + 1}})
    return {
        "steps": reasoned.forgotten.steps,
        "failed": reasoned.forgotten.failed,
        "settled": reasoned.settled,
        "left": reasoned.is_left,
    }
