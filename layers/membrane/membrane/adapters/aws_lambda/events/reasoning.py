"""The reason function's events: messages of the queue, and scheduled runs."""

from membrane.adapters.aws_lambda.events import queue
from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.http.operations import KEY
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.ports.world import World
from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
from membrane.usecases.topics.reasoning.reason_in_background import reason_about, reason_everywhere
from membrane.usecases.topics.scope_walk import REASON, IsOutOfTime

RUN = "membrane-reason"
"""Names the event of the schedule; the value is `{"hop": int}`, the count of earlier runs."""

MAX_HOPS = 11
"""Runs that start the next run at most; then the schedule's next run continues."""


def reason(event: Event, context: Context, world: World) -> JsonObject:
    """The counts of a run; for a batch of the queue, the failed messages for SQS.

    A message may also come by direct invocation. Raises InvalidArgument for any other event, and
    the failure of a run or of a directly invoked message.
    """
    run = Run(context, _hop(event), MAX_HOPS)

    def take(message: queue.Message) -> None:
        _take(parse_json(message["body"]), world, run.is_out_of_time)

    match event:
        case {"Records": [*messages]} if queue.is_batch(event):
            return queue.answer_batch(messages, take, REASON, world, run.is_out_of_time)
        case {"membrane-reason": {"hop": int(), **others}} | {"membrane-reason": {**others}} if (
            not others
        ):
            return _scheduled_run(run, world)
        case _:
            _take(event, world, run.is_out_of_time)
            return {"done": True}


def _take(message: object, world: World, is_out_of_time: IsOutOfTime) -> None:
    """Process a message; `membrane redrive` adds a key to a message, which is ignored."""
    match _without_key(message):
        case {"reinforce": dict(reinforce), **others} if not others:
            reinforce_topics(reinforce, world)
        case {"scope": str(scope), "pass": str(pass_id), **others} if not others:
            reason_about(scope, world, is_out_of_time, pass_id)
        case {"scope": str(scope), **others} if not others:
            reason_about(scope, world, is_out_of_time)
        case _:
            raise InvalidArgument("not an event of the reason function")


def _without_key(message: object) -> object:
    if not isinstance(message, dict):
        return message
    return {name: value for name, value in message.items() if name != KEY}


def _scheduled_run(run: Run, world: World) -> JsonObject:
    reasoned = reason_everywhere(world, run.is_out_of_time)
    if reasoned.is_left:
        run.hand_over(world, lambda hop: {RUN: {"hop": hop}})
    return {
        "steps": reasoned.forgotten.steps,
        "failed": reasoned.forgotten.failed,
        "settled": reasoned.settled,
        "left": reasoned.is_left,
    }


def _hop(event: Event) -> int:
    """The runs before this run; 0 unless the event is a hand-over."""
    match event:
        case {"membrane-reason": {"hop": int(hop)}}:
            return hop
        case _:
            return 0
