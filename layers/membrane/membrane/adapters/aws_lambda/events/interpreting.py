"""The interpret function's events: captures in a queue, each by record id and version alone."""

from membrane.adapters.aws_lambda.events import queue
from membrane.adapters.aws_lambda.http.operations import KEY, SUCCESS
from membrane.adapters.aws_lambda.http.problems import KINDS
from membrane.adapters.aws_lambda.invocation import Event
from membrane.domain.language.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
)
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.capture.interpret_capture import (
    CaptureSteps,
    Outcome,
    interpret_capture,
)
from membrane.usecases.capture.interpret_received import Received, interpret_received
from membrane.usecases.capture.interpreting_call import INTERPRET
from membrane.usecases.ports.world import World

_CODES = {
    Outcome.INTERPRETED: SUCCESS,
    Outcome.REPEATED: SUCCESS,
    Outcome.GONE: KINDS[NotFound].code,
    Outcome.POSTPONED: KINDS[ResourceExhausted].code,
    Outcome.SWITCHED_OFF: KINDS[FailedPrecondition].code,
}
"""The codes of messages that are done: only a capture that a model interpreted is a success."""


def interpret(event: Event, steps: CaptureSteps, world: World) -> JsonObject:
    """The failed messages of a batch, for SQS; for a direct invocation, the outcome.

    Raises InvalidArgument for any other event, and the failure of a directly invoked message.
    """
    if queue.is_batch(event):

        def take(message: queue.Message) -> None:
            record_id, version = _capture_in(parse_json(message["body"]))
            tries = int(message["attributes"]["ApproximateReceiveCount"])
            received = Received(record_id, version, message["receiptHandle"], tries)
            outcome = interpret_received(received, steps, world)
            world.report(INTERPRET, _CODES[outcome])

        return queue.answer_batch(event["Records"], take, INTERPRET, world)
    return {"outcome": interpret_capture(*_capture_in(event), steps, world)}


def _capture_in(message: object) -> tuple[str, int]:
    """The id and the version; `membrane redrive` adds a key to a message, which is ignored."""
    match message:
        case {"record_id": str(record_id), "version": int(version), **others} if others.keys() <= {
            KEY
        }:
            return record_id, version
        case _:
            raise InvalidArgument("not an event of the interpret function")
