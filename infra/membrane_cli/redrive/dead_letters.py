"""Sends dead letters again without creating any record twice.

A queue message without an idempotency key was ingested under the message id. The message keeps the
id in the dead-letter queue, but would get a new id when sent again, so the old id is sent as the
idempotency key. An event keeps the event's own id. The changes of a batch of the stream have no
effect twice. A letter is sent first and deleted afterwards; after a crash between both steps, the
next run sends the letter once more.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from membrane.adapters.aws_lambda.http.operations import KEY
from membrane.adapters.aws_lambda.rows import REPORTS
from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.adapters.messaging.sqs import set_aside
from membrane.domain.capture.primary import report_of, require_capturable
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.imports.known_names import in_known_names
from membrane.domain.ingest import policy
from membrane.domain.ingest.candidates import candidate_from
from membrane.domain.ingest.messages import IngestMessages, check
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.values import Reference
from membrane.domain.language.violations import validate
from membrane.usecases.ports.search import Waiting
from membrane.usecases.search.indexing.changes import merge_changes
from membrane.wiring import chance
from membrane_cli.options import Parser, count, local_stack
from membrane_cli.output import Row, print_rows
from membrane_cli.redrive.places import (
    UNKNOWN,
    DeadLetter,
    DeadLetterQueue,
    DeployedQueues,
    LocalQueues,
    Place,
    StreamBatch,
    batch_in,
    function_name,
)
from membrane_cli.stacks import stack_here
from membrane_local.events.queues import MAX_MESSAGE_BYTES

REQUESTS = {f"{row.function.title().replace('_', '')}Queue": row for row in REPORTS}
"""The row of the requests in every ingest queue, by the queue's logical id."""
INDEX_QUEUE = "IndexQueue"
LONG_S = 3_600
"""Seconds for which a message is hidden that was received a second time."""
NOT_FOLLOWED = "changes of the table that the index function could not follow"


@dataclass(slots=True)
class RedriveResult:
    queue: DeadLetterQueue
    seen: set[str] = field(default_factory=set)
    redriven: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """How often each reason occurred: for the dead letter or, after a refusal, for the refusal."""

    @property
    def remaining(self) -> int:
        return max(self.queue.size, len(self.seen)) - self.redriven


def redrive(
    place: Place, only: str | None, limit: int | None, *, dry_run: bool
) -> Iterator[RedriveResult]:
    """Redrive every queue, or one, up to `limit` messages of a queue; raises NotFound.

    A dry run sends and deletes nothing. Where an error ends the run, the result of the interrupted
    queue is yielded before the error is raised.
    """
    queues = place.dead_letters()
    if only is not None and only not in {queue.name for queue in queues}:
        names = ", ".join(queue.name for queue in queues)
        raise NotFound(f"the stack has no dead letters {only}; the stack has: {names}")
    for queue in queues:
        if only in (None, queue.name):
            result = RedriveResult(queue)
            try:
                _redrive(place, result, limit, dry_run=dry_run)
            finally:
                yield result


def _redrive(place: Place, result: RedriveResult, limit: int | None, *, dry_run: bool) -> None:
    queue, pending = result.queue, dict[str, DeadLetter]()
    try:
        while new := _new_letters(place, result, pending, limit):
            for letter in new:
                result.seen.add(letter.message_id)
                try:
                    reason = _reason(queue, letter)
                    if not dry_run:
                        _send_again(place, queue, letter)
                        place.delete(queue, letter)
                        del pending[letter.message_id]
                        result.redriven += 1
                except (InvalidArgument, NotFound) as error:
                    reason = str(error)
                result.reasons[reason] += 1
    finally:
        place.show_after(queue, list(pending.values()), 0)


def _new_letters(
    place: Place, result: RedriveResult, pending: dict[str, DeadLetter], limit: int | None
) -> list[DeadLetter]:
    """Unseen messages; none once the limit is reached. Every taken message is added to `pending`.

    After a while, pending messages are received again, before messages that nobody has seen. So a
    receive without a new message means the end only if all messages of the queue were seen, or if
    the receive returned hidden messages alone.
    """
    hidden = set[str]()
    while limit is None or len(result.seen) < limit:
        wanted = None if limit is None else limit - len(result.seen)
        taken = {letter.message_id: letter for letter in place.take(result.queue, wanted)}
        pending.update(taken)
        new = [letter for message_id, letter in taken.items() if message_id not in result.seen]
        if new or len(result.seen) >= result.queue.size or taken.keys() <= hidden:
            return new
        place.show_after(result.queue, list(taken.values()), LONG_S)
        hidden |= taken.keys()
    return []


def _send_again(place: Place, queue: DeadLetterQueue, letter: DeadLetter) -> None:
    if queue.source is None:
        match _parse_sourceless(letter):
            case StreamBatch() as batch:
                send_changes(place.changes(batch), place.send)
            case event:
                place.invoke(event.function_arn, event.text)
    else:
        body = body_with_key(letter)
        if len(body.encode()) > MAX_MESSAGE_BYTES:
            raise InvalidArgument("too large to be sent with the message id as the key")
        place.send(queue.source, body)


def body_with_key(letter: DeadLetter) -> str:
    """The body, with the message id as the idempotency key of a request that has no key."""
    try:
        parsed = parse_json(letter.body)
    except InvalidArgument:
        return letter.body
    if not isinstance(parsed, dict) or parsed.get(KEY) is not None:
        return letter.body
    return compact_json({**parsed, KEY: letter.message_id})


@dataclass(frozen=True, slots=True)
class _UndeliveredEvent:
    function_arn: str
    text: str
    reason: str


def _parse_sourceless(letter: DeadLetter) -> _UndeliveredEvent | StreamBatch:
    """Parse the dead letter of a rule or of Lambda; raises InvalidArgument for any other body."""
    try:
        body: Any = json.loads(letter.body)
    except ValueError as error:
        raise InvalidArgument(UNKNOWN) from error
    match body:
        case {
            "requestContext": {"functionArn": str(arn), "condition": str(condition)},
            "requestPayload": event,
        }:
            response = body.get("responsePayload")
            error_type = response.get("errorType") if isinstance(response, dict) else None
            reason = f"{function_name(arn)}: {error_type or 'no reply'} ({condition})"
            return _UndeliveredEvent(arn, _event_text(event), reason)
        case {"detail-type": str()} if "TARGET_ARN" in letter.attributes:
            arn = letter.attributes["TARGET_ARN"]
            code = letter.attributes.get("ERROR_CODE", "undelivered")
            return _UndeliveredEvent(arn, letter.body, f"{function_name(arn)}: {code}")
        case {"DDBStreamBatchInfo": info}:
            return batch_in(info)
        case _:
            raise InvalidArgument(UNKNOWN)


def _event_text(event: Any) -> str:
    """Compact JSON, for the limit of an invocation; an unpaired surrogate stays escaped."""
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _reason(queue: DeadLetterQueue, letter: DeadLetter) -> str:
    """The likely reason for the dead letter, in words that never quote the message."""
    if queue.source is None:
        undelivered = _parse_sourceless(letter)
        return NOT_FOLLOWED if isinstance(undelivered, StreamBatch) else undelivered.reason
    try:
        _require_valid(queue.source, letter.body)
    except InvalidArgument as error:
        return in_known_names(error)
    return "a valid request: see the function's log"


def _require_valid(source: str, body: str) -> None:
    """Raises InvalidArgument as the function that reads the queue would."""
    parsed = parse_json(body)
    if not isinstance(parsed, dict):
        raise InvalidArgument("the request must be a JSON object")
    if source not in REQUESTS:
        return
    report: Any = validate(REQUESTS[source].request_type, parsed)
    if isinstance(report, IngestMessages):
        check(report)
        return
    if isinstance(report, CaptureMemory):
        if isinstance(report.content, Reference):  # what is uploaded is not looked at
            return
        require_capturable(report.content)
        report = report_of(report, report.content, new_ref="unknown")
    policy.check(candidate_from(report, rfc3339(chance.system_clock())))


def send_changes(changes: Sequence[Mapping[str, Any]], send: Callable[[str, str], None]) -> None:
    """Send a message to the index function's queue for each changed source and kind of work."""
    found = changes_in(changes)
    for kind, several in (
        (Waiting.RECORD, found.records),
        (Waiting.TOPIC, found.topics),
        (Waiting.FED, found.facts),
        (Waiting.CREATED, found.created),
        (Waiting.ENDED, found.ended),
    ):
        for each in merge_changes(several):
            put: Any = lambda queue, body, _: send(queue, body)  # noqa: E731 - a port of one call
            set_aside(put, INDEX_QUEUE, each.record_id, each.scopes, kind)


def add_options(parser: Parser) -> None:
    parser.add_stack("the stack: one of --url, --stack")
    parser.option("--queue", "the logical id of one queue of dead letters; all if absent")
    parser.option("--limit", "the most messages of every queue", type=count)
    parser.flag("--dry-run", "count, but send and delete nothing")
    parser.run_by(
        _run, "membrane redrive --dry-run --stack membrane", "membrane redrive --stack membrane"
    )


def _run(options: argparse.Namespace) -> None:
    place, rows = _place(options), []
    try:
        for result in redrive(place, options.queue, options.limit, dry_run=options.dry_run):
            rows.append(_cells(result))  # noqa: PERF401 - after a refusal, the earlier rows are shown
    finally:
        if rows:
            print_rows(("dead letters", "redriven", "left", "reason"), rows)


def _place(options: argparse.Namespace) -> Place:
    client = local_stack(options)
    if client is not None:
        return LocalQueues(client)
    from boto3 import client as aws  # noqa: PLC0415 - a local stack needs no client

    stack = stack_here(options.stack)
    return DeployedQueues(stack, aws("sqs"), aws("lambda"), aws("dynamodbstreams"))


def _cells(result: RedriveResult) -> Row:
    reasons = [f"{count} x {reason}" for reason, count in sorted(result.reasons.items())]
    counts = str(result.redriven), str(result.remaining)
    return result.queue.name, *counts, "\n".join(reasons) or "-"
