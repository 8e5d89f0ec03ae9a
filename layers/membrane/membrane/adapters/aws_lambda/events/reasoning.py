"""The reason function's events: messages of its queue, and the schedule's runs."""

from membrane.adapters.aws_lambda.events import queue
from membrane.adapters.aws_lambda.events.runs import Run
from membrane.adapters.aws_lambda.http.operations import KEY
from membrane.adapters.aws_lambda.invocation import Context, Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
from membrane.usecases.topics.reasoning.reason_in_background import reason_about, reason_everywhere
from membrane.usecases.topics.scope_walk import REASON, IsOutOfTime

RUN = "membrane-reason"
"""Names the schedule's event; what it brings is `{"hop": int}`, how many runs came before."""

MAX_HOPS = 11
"""Runs that start each other, after which the schedule's next run goes on."""


def reason(event: Event, context: Context, services: TopicServices) -> JsonObject:
    """The counts of a run; of a queue's batch the messages that failed, for SQS.

    A message that is invoked directly is as one of the queue. Raises InvalidArgument for any other
    event, and what a run or such a message fails of.
    """
    run = Run(context, _hop(event), MAX_HOPS)

    def take(message: queue.Message) -> None:
        _take(parse_json(message["body"]), services, run.is_out_of_time)

    match event:
        case {"Records": [*messages]} if queue.is_batch(event):
            return queue.answer_batch(messages, take, REASON, services, run.is_out_of_time)
        case {"membrane-reason": {"hop": int(), **others}} | {"membrane-reason": {**others}} if (
            not others
        ):
            return _reasoned(run, services)
        case _:
            _take(event, services, run.is_out_of_time)
            return {"done": True}


def _take(message: object, services: TopicServices, is_out_of_time: IsOutOfTime) -> None:
    """Whoever sends a message on its way again gives it a key, of which nothing here has need."""
    match _without_key(message):
        case {"reinforce": dict(reinforce), **others} if not others:
            reinforce_topics(reinforce, services)
        case {"scope": str(scope), "pass": str(pass_id), **others} if not others:
            reason_about(scope, services, is_out_of_time, pass_id)
        case {"scope": str(scope), **others} if not others:
            reason_about(scope, services, is_out_of_time)
        case _:
            raise InvalidArgument("not an event of the reason function")


def _without_key(message: object) -> object:
    if not isinstance(message, dict):
        return message
    return {name: value for name, value in message.items() if name != KEY}


def _reasoned(run: Run, services: TopicServices) -> JsonObject:
    reasoned = reason_everywhere(services, run.is_out_of_time)
    if reasoned.is_left:
        run.hand_over(services, lambda hop: {RUN: {"hop": hop}})
    return {
        "steps": reasoned.forgotten.steps,
        "failed": reasoned.forgotten.failed,
        "settled": reasoned.settled,
        "left": reasoned.is_left,
    }


def _hop(event: Event) -> int:
    """The runs before this one; 0 for any event but one that hands over."""
    match event:
        case {"membrane-reason": {"hop": int(hop)}}:
            return hop
        case _:
            return 0
