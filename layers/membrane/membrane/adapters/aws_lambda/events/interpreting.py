"""The interpret function's events: captures in a queue, each by record id and version alone."""

from contextlib import suppress

from membrane.adapters.aws_lambda.events import queue
from membrane.adapters.aws_lambda.http.operations import KEY, SUCCESS
from membrane.adapters.aws_lambda.invocation import Event
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.capture.interpret_capture import CaptureSteps, Outcome, interpret_capture
from membrane.usecases.capture.interpreting_call import INTERPRET
from membrane.usecases.capture.mark_failed import mark_failed
from membrane.usecases.ports.services_capture import InterpretingServices


def interpret(event: Event, steps: CaptureSteps, services: InterpretingServices) -> JsonObject:
    """The failed messages of a batch, for SQS; for a direct invocation, the outcome.

    Raises InvalidArgument for any other event, and the failure of a directly invoked message.
    """
    if queue.is_batch(event):

        def take(message: queue.Message) -> None:
            _interpret(parse_json(message["body"]), steps, services)
            services.report(INTERPRET, SUCCESS)

        reply = queue.answer_batch(event["Records"], take, INTERPRET, services)
        failed = {each["itemIdentifier"] for each in reply["batchItemFailures"]}
        for message in event["Records"]:
            if message["messageId"] in failed and _is_last_try(message, services):
                _mark(message, services)
        return reply
    return {"outcome": _interpret(event, steps, services)}


def _is_last_try(message: queue.Message, services: InterpretingServices) -> bool:
    return int(message["attributes"]["ApproximateReceiveCount"]) >= services.max_tries


def _mark(message: queue.Message, services: InterpretingServices) -> None:
    """Say on the capture that the message goes to the dead letters."""
    with suppress(InvalidArgument):  # the body is not JSON, so it names no capture
        body = parse_json(message["body"])
        if isinstance(body, dict) and isinstance(body.get("record_id"), str):
            mark_failed(body["record_id"], services)


def _interpret(message: object, steps: CaptureSteps, services: InterpretingServices) -> Outcome:
    """Process a message; `membrane redrive` adds a key to a message, which is ignored."""
    match message:
        case {"record_id": str(record_id), "version": int(version), **others} if others.keys() <= {
            KEY
        }:
            return interpret_capture(record_id, version, steps, services)
        case _:
            raise InvalidArgument("not an event of the interpret function")
