"""Hands the table's stream to a function as Lambda does: in order, in batches, halved on failure.

Nothing polls: a write through the stack's own client schedules a read. The stream is read once no
ingest request is under way, or LONGEST_WAIT_S later, since callers come first. A failed batch is
retried at once; Lambda's pauses would only make a developer wait.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import MAX_PAYLOAD_BYTES, payload_bytes
from membrane_local.account import REGION
from membrane_local.events.agenda import Agenda
from membrane_local.events.expiry import Expiry
from membrane_local.events.patterns import matches
from membrane_local.events.queues import Queue
from membrane_local.events.sources import StreamSource
from membrane_local.functions import FunctionError, Functions, PayloadTooLargeError, function_arn
from membrane_local.storage.table import Piece, TableStream

LONGEST_WAIT_S = 5.0
"""Seconds for which ingest requests may delay the reading of the stream."""
WRITTEN = tuple(
    f"{sign}.dynamodb.{write}"
    for write in ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem")
    for sign in ("after-call", "after-call-error")
)
EMPTY, SEPARATOR = payload_bytes({"Records": []}), len(", ")
"""Bytes of a payload without a record, and of the separator between two records."""


@dataclass(slots=True)
class StreamPump:
    source: StreamSource
    stream: TableStream
    functions: Functions
    agenda: Agenda
    queues: Mapping[str, Queue]
    expiry: Expiry | None = None
    is_paused: bool = False
    is_scheduled: bool = False
    """Whether a job on the agenda will read the stream."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    reading: threading.Lock = field(default_factory=threading.Lock)
    """Held during a read, so that records written during a pause wait."""

    def watch(self) -> None:
        """Read after every write through the store's client from now on, and once now."""
        store = self.functions.store
        for event in WRITTEN:
            store.dynamodb.meta.events.register_last(event, self._schedule_read)
        if store.read_changes is not None:
            store.read_changes.watchers.append(self._schedule_read)
        self._schedule_read()

    def close(self) -> None:
        for event in WRITTEN:
            self.functions.store.dynamodb.meta.events.unregister(event, self._schedule_read)

    def pause(self, *, paused: bool) -> None:
        with self.reading:
            self.is_paused = paused
        self._schedule_read()

    def start_afresh(self) -> None:
        """Skip all records in the stream and resume; to be called with an empty agenda."""
        self.stream.skip()
        self._forget_erased()
        self.is_paused = False
        with self.lock:
            self.is_scheduled = False

    def _schedule_read(self, **_: object) -> None:
        """Schedule a read, unless a scheduled read will see the write too."""
        with self.lock:
            if self.is_scheduled:
                return
            self.is_scheduled = True
        self.agenda.add(self.source.function, self._deliver_next)

    def _deliver_next(self) -> None:
        """Deliver the next records; after a crash, the same records are delivered again."""
        self.functions.ingests.give_way(LONGEST_WAIT_S)
        with self.lock:
            self.is_scheduled = False
        with self.reading:
            piece = None if self.is_paused else self._piece()
        if piece is None:
            self._forget_erased()
            return
        for batch in self._batches(piece):
            self._deliver(piece, batch)
        self._keep_given_up()
        self.stream.mark_read(piece)
        if self.expiry is not None:
            self.expiry.count_reader(piece.records)
        self._schedule_read()

    def _keep_given_up(self) -> None:
        """Keep the changes that dead letters name: a redrive reads them again."""
        read = self.functions.store.read_changes
        if read is not None and self.source.dead_letters is not None:
            letters = self.queues[self.source.dead_letters].waiting()
            numbers = [_first_given_up(each.body) for each in letters]
            read.first_given_up = min((each for each in numbers if each is not None), default=None)

    def _forget_erased(self) -> None:
        read = self.functions.store.read_changes
        if read is not None and read.has_erased:
            read.trim()

    def _piece(self) -> Piece | None:
        """The next records, after the removal of all items expired by now."""
        if self.expiry is None:
            return self.stream.read_next()
        with self.expiry.sweep_and_hold():
            piece = self.stream.read_next()
            if piece is not None:
                self.expiry.follow(piece.records)
            return piece

    def _batches(self, piece: Piece) -> Iterator[Sequence[JsonObject]]:
        """Batches of the records that the source accepts, within the payload limit."""
        patterns = self.source.patterns
        batch, size = list[JsonObject](), EMPTY
        for each in piece.records:
            record = lambda_record(each, self.stream.arn, self.functions.clock.now())
            if patterns and not any(matches(pattern, record) for pattern in patterns):
                continue
            more = payload_bytes(record) + SEPARATOR
            if len(batch) == self.source.batch_size or size + more > MAX_PAYLOAD_BYTES:
                yield batch
                batch, size = [], EMPTY
            batch.append(record)
            size += more
        if batch:
            yield batch

    def _deliver(self, piece: Piece, batch: Sequence[JsonObject]) -> None:
        """Deliver a batch; halve a failed batch, and give up a single record after the retries."""
        if self._is_taken(batch):
            return
        if self.source.bisects and len(batch) > 1:
            middle = len(batch) // 2
            for half in (batch[:middle], batch[middle:]):
                self._deliver(piece, half)
        elif not any(self._is_taken(batch) for _ in range(self.source.retries)):
            self._give_up(piece, batch)

    def _is_taken(self, batch: Sequence[JsonObject]) -> bool:
        try:
            self.functions.invoke(self.source.function, {"Records": list(batch)})
        except (FunctionError, PayloadTooLargeError):
            return False
        return True

    def _give_up(self, piece: Piece, batch: Sequence[JsonObject]) -> None:
        """Send the batch's position in the stream to the dead letters; Lambda sends no content."""
        if self.source.dead_letters is None:
            return
        now, tries = self.functions.clock.now(), self.source.retries + 1
        about = failure_record(
            function_arn(self.source.function), "RetryAttemptsExhausted", tries, now, str(uuid4())
        )
        place = {
            "shardId": piece.shard,
            "startSequenceNumber": batch[0]["dynamodb"]["SequenceNumber"],
            "endSequenceNumber": batch[-1]["dynamodb"]["SequenceNumber"],
            "approximateArrivalOfFirstRecord": rfc3339(now),
            "approximateArrivalOfLastRecord": rfc3339(now),
            "batchSize": len(batch),
            "streamArn": self.stream.arn,
        }
        self.queues[self.source.dead_letters].send(
            compact_json({**about, "DDBStreamBatchInfo": place})
        )


def failure_record(
    arn: str, condition: str, tries: int, now: datetime, request_id: str
) -> JsonObject:
    """Lambda's record of an invocation that it gave up, without the payload."""
    return {
        "version": "1.0",
        "timestamp": rfc3339(now),
        "requestContext": {
            "requestId": request_id,
            "functionArn": arn,
            "condition": condition,
            "approximateInvokeCount": tries,
        },
        "responseContext": {
            "statusCode": 200,
            "executedVersion": "$LATEST",
            "functionError": "Unhandled",
        },
    }


def _first_given_up(dead_letter: str) -> int | None:
    """The number of the first record of a batch; None for a message of another sender."""
    with suppress(RecursionError, ValueError):
        match json.loads(dead_letter):
            case {"DDBStreamBatchInfo": {"startSequenceNumber": str(first)}}:
                return int(first)
            case _:
                return None
    return None


def lambda_record(record: JsonObject, arn: str, now: datetime) -> JsonObject:
    """A stream record as Lambda delivers the record, dated by the stack's clock."""
    change = {**record["dynamodb"], "ApproximateCreationDateTime": epoch_seconds(now)}
    return {**record, "awsRegion": REGION, "eventSourceARN": arn, "dynamodb": change}
