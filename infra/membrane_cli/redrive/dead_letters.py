"""Send what was set aside on its way again, so that nothing comes out of it twice.

A message that brought no idempotency key was ingested under its id, which it keeps among the dead
letters but would lose on its way back: so the id goes back with it, as its key. An event keeps its
own id. Each is sent first and deleted then; what a crash leaves in between is sent once more.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from membrane.adapters.aws_lambda.http.operations import KEY
from membrane.domain.imports.known_names import in_known_names
from membrane.domain.ingest import policy
from membrane.domain.ingest.candidates import candidate_from
from membrane.domain.ingest.messages import IngestMessages, check
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
    Report,
)
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.violations import validate
from membrane.wiring import services as wiring
from membrane_local.events.queues import MAX_MESSAGE_BYTES

REQUESTS: Mapping[str, type[Report | IngestOutcome | IngestMessages]] = {
    "IngestEventQueue": IngestEvent,
    "IngestToolOutputQueue": IngestToolOutput,
    "IngestObservationQueue": IngestObservation,
    "IngestOutcomeQueue": IngestOutcome,
    "IngestWorkingStateQueue": IngestWorkingState,
    "IngestMessagesQueue": IngestMessages,
}
"""What the queues of requests carry, by their logical ids."""


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """A queue of what was set aside."""

    name: str
    source: str | None
    """The queue that its messages come from; None for events that were not delivered."""
    size: int
    """Messages in it, also those that somebody is looking at."""


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

    def take(self, queue: DeadLetters, limit: int | None) -> Sequence[DeadLetter]:
        """Some of its messages, at most so many; none once there are no others."""

    def send(self, queue: str, body: str) -> None:
        """Send a message; raises InvalidArgument for one that is refused."""

    def invoke(self, function_arn: str, event: str) -> None:
        """Invoke a function of the stack asynchronously, as its ARN is qualified.

        Raises NotFound for any other function, and InvalidArgument for an event that is refused.
        """

    def delete(self, queue: DeadLetters, letter: DeadLetter) -> None:
        """Delete a message."""

    def hide(self, queue: DeadLetters, letters: Sequence[DeadLetter]) -> None:
        """Let messages that came once more not come again for long."""

    def give_back(self, queue: DeadLetters, letters: Sequence[DeadLetter]) -> None:
        """Let messages that were taken be taken again at once."""


@dataclass(slots=True)
class Redriven:
    """What became of one queue."""

    queue: DeadLetters
    seen: set[str] = field(default_factory=set)
    """Message ids."""
    redriven: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Why the messages were set aside or, where that is so, cannot be sent again; how many."""

    @property
    def left(self) -> int:
        """How many messages are still in the queue."""
        return max(self.queue.size, len(self.seen)) - self.redriven


def redrive(
    place: Place, only: str | None, limit: int | None, *, dry_run: bool
) -> Iterator[Redriven]:
    """Redrive every queue, or one, up to so many messages each; raises NotFound.

    A dry run sends and deletes nothing. Where an error ends the run, what became of the queue until
    then comes first.
    """
    queues = place.dead_letters()
    if only is not None and only not in {queue.name for queue in queues}:
        names = ", ".join(queue.name for queue in queues)
        raise NotFound(f"the stack has no dead letters {only}; it has: {names}")
    for queue in queues:
        if only in (None, queue.name):
            done = Redriven(queue)
            try:
                _redrive(place, done, limit, dry_run=dry_run)
            finally:
                yield done


def _redrive(place: Place, done: Redriven, limit: int | None, *, dry_run: bool) -> None:
    queue, kept = done.queue, dict[str, DeadLetter]()
    try:
        while new := _new_letters(place, done, kept, limit):
            for letter in new:
                done.seen.add(letter.message_id)
                try:
                    reason = _reason(queue, letter)
                    if not dry_run:
                        _send_again(place, queue, letter)
                        place.delete(queue, letter)
                        del kept[letter.message_id]
                        done.redriven += 1
                except (InvalidArgument, NotFound) as error:
                    reason = str(error)
                done.reasons[reason] += 1
    finally:
        place.give_back(queue, list(kept.values()))


def _new_letters(
    place: Place, done: Redriven, kept: dict[str, DeadLetter], limit: int | None
) -> list[DeadLetter]:
    """Messages that were not seen; none once the limit is reached. All that was taken is kept.

    What is kept comes again after a while, before others that nobody has seen. So a receipt without
    anything new is the end only where all were seen, or where it holds nothing but hidden ones.
    """
    hidden = set[str]()
    while limit is None or len(done.seen) < limit:
        wanted = None if limit is None else limit - len(done.seen)
        taken = {letter.message_id: letter for letter in place.take(done.queue, wanted)}
        kept.update(taken)
        new = [letter for message_id, letter in taken.items() if message_id not in done.seen]
        if new or len(done.seen) >= done.queue.size or taken.keys() <= hidden:
            return new
        place.hide(done.queue, list(taken.values()))
        hidden |= taken.keys()
    return []


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
            return _Undelivered(arn, _event_text(event), reason)
        case {"detail-type": str()} if "TARGET_ARN" in letter.attributes:
            arn = letter.attributes["TARGET_ARN"]
            code = letter.attributes.get("ERROR_CODE", "undelivered")
            return _Undelivered(arn, letter.body, f"{function_name(arn)}: {code}")
        case {"DDBStreamBatchInfo": dict()}:
            raise InvalidArgument("changes that were not indexed: run `membrane reindex`")
        case _:
            raise InvalidArgument("neither an event nor the record of an invocation")


def _event_text(event: Any) -> str:
    """As short as it came, for an invocation carries no more; half a character stays escaped."""
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


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
        return in_known_names(error)
    return "a valid request: see the function's log"


def _require_valid(source: str, body: str) -> None:
    """Raises InvalidArgument as the function that reads the queue would."""
    asked = parse_json(body)
    if not isinstance(asked, dict):
        raise InvalidArgument("the request must be a JSON object")
    request = REQUESTS.get(source)
    if request is not None:
        report = validate(request, asked)
        if isinstance(report, IngestMessages):
            check(report)
        else:
            policy.check(candidate_from(report, rfc3339(wiring.system_clock())))
