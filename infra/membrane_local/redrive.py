"""Send what was set aside on its way again, so that nothing comes out of it twice.

A message that brought no idempotency key was ingested under its id, which it keeps among the dead
letters but would lose on its way back: so the id goes back with it, as its key. An event keeps its
own id. Each is sent first and deleted then; what a crash leaves in between is sent once more.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from membrane import wiring
from membrane.adapters.aws_lambda.operations import KEY
from membrane.domain import policy
from membrane.domain.candidates import candidate_from
from membrane.domain.errors import InvalidArgument, NotFound
from membrane.domain.json_text import compact_json, parse_json
from membrane.domain.requests import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
    Report,
)
from membrane.domain.timestamps import rfc3339
from membrane.domain.violations import validated
from membrane_local.queues import MAX_MESSAGE_BYTES

_REQUESTS: Mapping[str, type[Report | IngestOutcome]] = {
    "IngestEventQueue": IngestEvent,
    "IngestToolOutputQueue": IngestToolOutput,
    "IngestObservationQueue": IngestObservation,
    "IngestOutcomeQueue": IngestOutcome,
    "IngestWorkingStateQueue": IngestWorkingState,
}
"""What the queues of the template carry, by their logical ids."""


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """A queue of what was set aside."""

    name: str
    source: str | None
    """The queue that its messages come from; None for events that were not delivered."""
    size: int


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One message that was set aside."""

    message_id: str
    body: str
    attributes: Mapping[str, str]
    receipt: str


class Place(Protocol):
    """Where a stack runs."""

    def dead_letters(self) -> Sequence[DeadLetters]:
        """Every queue of them."""

    def letters(self, queue: DeadLetters) -> Iterator[DeadLetter]:
        """Its messages, each once."""

    def send(self, queue: str, body: str) -> None:
        """Send a message."""

    def invoke(self, function_arn: str, event: str) -> None:
        """Invoke a function of the stack asynchronously; raises NotFound for any other."""

    def delete(self, queue: DeadLetters, letter: DeadLetter) -> None:
        """Delete a message."""


@dataclass(frozen=True, slots=True)
class Redriven:
    """What became of one queue."""

    queue: DeadLetters
    redriven: int
    left: int
    reasons: Mapping[str, int]
    """Why the messages were set aside, or could not be sent again, and how many."""


def redrive(
    place: Place, only: str | None, limit: int | None, *, dry_run: bool
) -> Iterator[Redriven]:
    """Redrive every queue, or one, up to so many messages each; raises NotFound.

    A dry run sends and deletes nothing.
    """
    queues = place.dead_letters()
    if only is not None and only not in {queue.name for queue in queues}:
        names = ", ".join(queue.name for queue in queues)
        raise NotFound(f"the stack has no dead letters {only}; it has: {names}")
    for queue in queues:
        if only in (None, queue.name):
            yield _redrive(place, queue, limit, dry_run=dry_run)


def _redrive(place: Place, queue: DeadLetters, limit: int | None, *, dry_run: bool) -> Redriven:
    reasons: Counter[str] = Counter()
    redriven = seen = 0
    for letter in place.letters(queue):
        seen += 1
        try:
            reasons[_reason(queue, letter)] += 1
            if not dry_run:
                _send_again(place, queue, letter)
                place.delete(queue, letter)
                redriven += 1
        except (InvalidArgument, NotFound) as error:
            reasons[str(error)] += 1
        if seen == limit:
            break
    return Redriven(queue, redriven, max(queue.size, seen) - redriven, reasons)


def _send_again(place: Place, queue: DeadLetters, letter: DeadLetter) -> None:
    if queue.source is None:
        event = _undelivered(letter)
        place.invoke(event.function_arn, event.text)
    else:
        body = keyed(letter)
        if len(body.encode()) > MAX_MESSAGE_BYTES:
            raise InvalidArgument("too large to be sent with its id as its key")
        place.send(queue.source, body)


def keyed(letter: DeadLetter) -> str:
    """The body with the message's id as its key, where it is a request without one."""
    try:
        asked = parse_json(letter.body)
    except InvalidArgument:
        return letter.body
    if not isinstance(asked, dict) or asked.get(KEY) is not None:
        return letter.body
    return compact_json({**asked, KEY: letter.message_id})


@dataclass(frozen=True, slots=True)
class _Undelivered:
    """An event, the function that it is for, and why that did not take it."""

    function_arn: str
    text: str
    reason: str


def _undelivered(letter: DeadLetter) -> _Undelivered:
    """Read what a rule or Lambda set aside; raises InvalidArgument for anything else."""
    try:
        body: Any = json.loads(letter.body)
    except ValueError as error:
        raise InvalidArgument("neither an event nor the record of an invocation") from error
    match body:
        case {
            "requestContext": {"functionArn": str(arn), "condition": str(condition)},
            "requestPayload": event,
        }:
            response = body.get("responsePayload")
            error_type = response.get("errorType") if isinstance(response, dict) else None
            reason = f"{function_name(arn)}: {error_type or 'no reply'} ({condition})"
            return _Undelivered(arn, json.dumps(event), reason)
        case {"detail-type": str()} if "TARGET_ARN" in letter.attributes:
            arn = letter.attributes["TARGET_ARN"]
            code = letter.attributes.get("ERROR_CODE", "undelivered")
            return _Undelivered(arn, letter.body, f"{function_name(arn)}: {code}")
        case _:
            raise InvalidArgument("neither an event nor the record of an invocation")


def function_name(arn: str) -> str:
    """The name in a function's ARN, without its version."""
    return arn.partition(":function:")[2].partition(":")[0]


def _reason(queue: DeadLetters, letter: DeadLetter) -> str:
    """Why it was set aside, as far as it shows; never what it says."""
    if queue.source is None:
        return _undelivered(letter).reason
    try:
        _require_valid(queue.source, letter.body)
    except InvalidArgument as error:
        return str(error)
    return "a valid request: see the function's log"


def _require_valid(source: str, body: str) -> None:
    """Raises InvalidArgument as the function that reads the queue would."""
    asked = parse_json(body)
    if not isinstance(asked, dict):
        raise InvalidArgument("the request must be a JSON object")
    request = _REQUESTS.get(source)
    if request is not None:
        report = validated(request, asked)
        policy.check(candidate_from(report, rfc3339(wiring.system_clock())))
