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
from membrane.adapters.messaging import set_aside
from membrane.domain.capture.primary import report_of, require_capturable
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.imports import in_known_names
from membrane.domain.ingest import policy
from membrane.domain.ingest.messages import IngestMessages, check
from membrane.domain.ingest.policy import candidate_from
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.values import Reference
from membrane.usecases.ports.search import Waiting
from membrane.usecases.search.indexing import merge_changes
from membrane.wiring import chance
from membrane_cli.options import Parser, count, local_stack
from membrane_cli.output import print_rows
from membrane_cli.redrive import places
from membrane_cli.redrive.places import DeadLetter, DeadLetterQueue, Place, function_name
from membrane_cli.stacks import stack_here
from membrane_local.events.queues import MAX_MESSAGE_BYTES

REQUESTS = {f"{row.function.title().replace('_', '')}Queue": row for row in REPORTS}
"""The row of the requests in every ingest queue, by the queue's logical id."""
UNKNOWN = "neither an event nor the record of an invocation"
SendAgain = Callable[[Place], None]


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
                    reason, send_again = _resolve(queue, letter)
                    if not dry_run:
                        send_again(place)
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
        place.show_after(result.queue, list(taken.values()), 3_600)
        hidden |= taken.keys()
    return []


def _resolve(queue: DeadLetterQueue, letter: DeadLetter) -> tuple[str, SendAgain]:
    """The likely reason, in words that never quote the message, and the way to send again."""
    source = queue.source
    if source is None:
        return _resolve_sourceless(letter)

    def send_again(place: Place) -> None:
        body = body_with_key(letter)
        if len(body.encode()) > MAX_MESSAGE_BYTES:
            raise InvalidArgument("too large to be sent with the message id as the key")
        place.send(source, body)

    try:
        _require_valid(source, letter.body)
    except InvalidArgument as error:
        return in_known_names(error), send_again
    return "a valid request: see the function's log", send_again


def body_with_key(letter: DeadLetter) -> str:
    """The body, with the message id as the idempotency key of a request that has no key."""
    try:
        parsed = parse_json(letter.body)
    except InvalidArgument:
        return letter.body
    if not isinstance(parsed, dict) or parsed.get(KEY) is not None:
        return letter.body
    return compact_json({**parsed, KEY: letter.message_id})


def _resolve_sourceless(letter: DeadLetter) -> tuple[str, SendAgain]:
    """Raises InvalidArgument for a letter of neither a rule nor Lambda nor the stream."""
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
            text = _event_text(event)
            return reason, lambda place: place.invoke(arn, text)
        case {"detail-type": str()} if "TARGET_ARN" in letter.attributes:
            arn = letter.attributes["TARGET_ARN"]
            code = letter.attributes.get("ERROR_CODE", "undelivered")
            return f"{function_name(arn)}: {code}", lambda place: place.invoke(arn, letter.body)
        case {
            "DDBStreamBatchInfo": {
                "streamArn": str(arn),
                "shardId": str(shard),
                "startSequenceNumber": str(first),
                "endSequenceNumber": str(last),
            }
        } if last.isdecimal():
            reason = "changes of the table that the index function could not follow"
            batch = places.StreamBatch(arn, shard, first, last)
            return reason, lambda place: send_changes(place.changes(batch), place.send)
        case _:
            raise InvalidArgument(UNKNOWN)


def _event_text(event: Any) -> str:
    """Compact JSON, for the limit of an invocation; an unpaired surrogate stays escaped."""
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


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
        (Waiting.CREATED, found.created),
        (Waiting.ENDED, found.ended),
    ):
        for each in merge_changes(several):
            put: Any = lambda queue, body, _: send(queue, body)  # noqa: E731 - a port of one call
            set_aside(put, "IndexQueue", each.record_id, each.scopes, kind)


def add_options(parser: Parser) -> None:
    parser.add_stack("the stack: one of --url, --stack")
    parser.option("--queue", "the logical id of one queue of dead letters; all if absent")
    parser.option("--limit", "the most messages of every queue", type=count)
    parser.flag("--dry-run", "count, but send and delete nothing")
    parser.run_by(
        _run, "membrane redrive --dry-run --stack membrane", "membrane redrive --stack membrane"
    )


def _run(options: argparse.Namespace) -> None:
    place, rows = _place(options), list[tuple[str, ...]]()
    try:
        for result in redrive(place, options.queue, options.limit, dry_run=options.dry_run):
            reasons = [f"{times} x {reason}" for reason, times in sorted(result.reasons.items())]
            counts = str(result.redriven), str(result.remaining)
            rows.append((result.queue.name, *counts, "\n".join(reasons) or "-"))
    finally:  # after a refusal, the earlier rows are shown
        if rows:
            print_rows(("dead letters", "redriven", "left", "reason"), rows)


def _place(options: argparse.Namespace) -> Place:
    client = local_stack(options)
    if client is not None:
        return places.LocalQueues(client)
    from boto3 import client as aws  # noqa: PLC0415 - a local stack needs no client

    stack = stack_here(options.stack)
    return places.DeployedQueues(stack, aws("sqs"), aws("lambda"), aws("dynamodbstreams"))
