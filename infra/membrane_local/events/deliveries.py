"""Delivers the template's events in this process as EventBridge, Lambda and SQS would.

Every delivery is a job of the agenda in the lane of the function: a sender never waits, and a
function gets a single event at a time. A function in this process is always reachable, so retries
and dead letters of rules and schedules never occur; retries and dead letters of Lambda and SQS do.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import uuid4

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.values import MAX_PAYLOAD_BYTES, payload_bytes
from membrane_local.account import ACCOUNT, REGION
from membrane_local.events.agenda import Agenda
from membrane_local.events.bus import Bus
from membrane_local.events.expiry import Expiry
from membrane_local.events.queues import Message, open_queues
from membrane_local.events.sources import EventSources, QueueSource, Rule, Schedule
from membrane_local.events.state_machines import Executions, state_machines_in
from membrane_local.events.stream import StreamPump, failure_record
from membrane_local.functions import FunctionError, Functions, PayloadTooLargeError, function_arn
from membrane_local.storage.stores import TABLE
from membrane_local.storage.table import is_own_table

MAX_ASYNC_BYTES = 1_048_576
"""The payload limit of an asynchronous invocation (AWS, `Invoke`)."""
RETRY_AFTER_S = (60, 120)
"""Before the first retry, and before every further retry (Lambda, "Asynchronous invocation")."""


@dataclass(frozen=True, slots=True)
class _Invocation:
    function: str
    event: Any
    request_id: str
    """The same at every attempt."""
    accepted_s: float
    tries: int = 0


class Deliveries:
    def __init__(self, functions: Functions, ttl_lag_s: float = 0) -> None:
        sources, clock = EventSources.of(functions.template), functions.clock
        self.functions, self.sources = functions, sources
        self.queues = open_queues(sources.queues, clock)
        self.agenda = agenda = Agenda(clock)
        self.bus = Bus(sources.buses, sources.rules, clock, self._deliver)
        self.expiry = None
        wanted, store = functions.template.table.get("TimeToLiveSpecification", {}), functions.store
        if wanted.get("Enabled") in (True, "true") and is_own_table(store.dynamodb, TABLE):
            readers, attribute = len(sources.streams), wanted["AttributeName"]
            self.expiry = Expiry(store, clock, agenda, attribute, readers, ttl_lag_s)
        self.pumps = [
            StreamPump(
                source,
                functions.store.stream.for_reader(source.function if number else None),
                functions,
                agenda,
                self.queues,
                self.expiry,
            )
            for number, source in enumerate(sources.streams)
        ]
        self.executions = Executions(state_machines_in(functions.template), functions, agenda)
        functions.invoke_later = self.invoke
        functions.start_execution = self.executions.start
        functions.send = self.send
        functions.hide = lambda queue, receipt, seconds: self.queues[queue].hide(receipt, seconds)
        functions.remove_where = self.remove_dead_letters
        for each in sources.queue_sources:
            self.queues[each.queue].on_send = partial(self._read_soon, each)
        self._begin_schedules()
        for pump in self.pumps:
            pump.watch()

    def invoke(self, name_or_arn: str, event: Any) -> None:
        """Invoke a function asynchronously; raises PayloadTooLargeError and KeyError."""
        function = name_or_arn.rpartition(":function:")[2]
        if function not in self.sources.invocations:
            raise KeyError(function)
        if len(compact_json(event).encode()) > MAX_ASYNC_BYTES:
            raise PayloadTooLargeError(f"the payload is larger than {MAX_ASYNC_BYTES} bytes")
        accepted_s = self.functions.clock.passed_s()
        invocation = _Invocation(function, event, str(uuid4()), accepted_s)
        self.agenda.add(function, partial(self._try, invocation))

    def send(self, queue: str, body: str, delay_s: int = 0) -> None:
        """Send a message to a queue, by logical id; raises KeyError and InvalidArgument."""
        self.queues[queue].send(body, delay_s)

    def remove_dead_letters(self, is_wanted: Callable[[str], bool]) -> list[str]:
        """Remove messages with a wanted body from the queues that no function reads."""
        read = {source.queue for source in self.sources.queue_sources}
        queues = [queue for name, queue in self.queues.items() if name not in read]
        return [each for queue in queues for each in queue.remove_where(is_wanted)]

    @property
    def is_paused(self) -> bool:
        return any(pump.is_paused for pump in self.pumps)

    def pause(self, *, paused: bool) -> None:
        """Let changes of the table wait in the stream, or resume the delivery."""
        for pump in self.pumps:
            pump.pause(paused=paused)

    def start_afresh(self) -> None:
        """Drop all pending deliveries, executions and messages, and restart the schedules."""
        self.agenda.forget()
        self.executions.forget()
        for queue in self.queues.values():
            queue.clear()
        for pump in self.pumps:
            pump.start_afresh()
        if self.expiry is not None:
            self.expiry.start_afresh()
        self._begin_schedules()

    def close(self) -> None:
        for pump in self.pumps:
            pump.close()
        self.agenda.close()

    # --- Lambda: asynchronous invocations -----------------------------------------------------

    def _try(self, invocation: _Invocation) -> None:
        try:
            self.functions.invoke(invocation.function, invocation.event, invocation.request_id)
        except (FunctionError, PayloadTooLargeError) as error:
            failed = replace(invocation, tries=invocation.tries + 1)
            settings = self.sources.invocations[failed.function]
            after_s = RETRY_AFTER_S[min(failed.tries, len(RETRY_AFTER_S)) - 1]
            age_s = self.functions.clock.passed_s() - failed.accepted_s + after_s
            if failed.tries > settings.retries:
                self._give_up(failed, settings.dead_letters, "RetriesExhausted", error)
            elif age_s > settings.max_age_s:
                self._give_up(failed, settings.dead_letters, "EventAgeExceeded", error)
            else:
                self.agenda.add(failed.function, partial(self._try, failed), after_s)

    def _give_up(
        self, failed: _Invocation, queue: str | None, condition: str, error: Exception
    ) -> None:
        """Send Lambda's record of the invocation to the function's on-failure destination."""
        if queue is None:
            return
        arn = f"{function_arn(failed.function)}:$LATEST"
        kind = error.error_type if isinstance(error, FunctionError) else "Function.TooLarge"
        about = failure_record(
            arn, condition, failed.tries, self.functions.clock.now(), failed.request_id
        )
        payload = {"errorType": kind, "errorMessage": str(error)}
        record = {**about, "requestPayload": failed.event, "responsePayload": payload}
        try:
            self.queues[queue].send(compact_json(record))
        except InvalidArgument as too_large:
            _report_loss(failed.function, too_large)

    # --- EventBridge: rules and schedules -----------------------------------------------------

    def _deliver(self, rule: Rule | Schedule, event: JsonObject) -> None:
        try:
            self.invoke(rule.function, event)
        except PayloadTooLargeError as error:
            _report_loss(rule.function, error)

    def _begin_schedules(self) -> None:
        for schedule in self.sources.schedules:
            self._schedule_next(schedule)

    def _send_scheduled(self, schedule: Schedule) -> None:
        """Send a single event, even if a leap of the clock skipped several intervals."""
        self._schedule_next(schedule)
        self._deliver(schedule, schedule.event(self.functions.clock.now()))

    def _schedule_next(self, schedule: Schedule) -> None:
        self.agenda.add(schedule.name, partial(self._send_scheduled, schedule), schedule.interval_s)

    # --- SQS: batches -------------------------------------------------------------------------

    def _read_soon(self, source: QueueSource, after_s: float = 0) -> None:
        self.agenda.add(source.function, partial(self._deliver_batch, source), after_s)

    def _deliver_batch(self, source: QueueSource) -> None:
        """Hand a batch to the function; failed messages become visible again in time."""
        queue = self.queues[source.queue]
        event_of = partial(_batch_event, source.queue)
        batch = queue.receive(
            source.batch_size, lambda batch: payload_bytes(event_of(batch)) <= MAX_PAYLOAD_BYTES
        )
        if not batch:
            return
        self._read_soon(source)
        event = event_of(batch)
        try:
            reply = self.functions.invoke(source.function, event)
        except (FunctionError, PayloadTooLargeError):
            failed = {message.message_id for message in batch}
        else:
            failed = _failures(reply, batch) if source.reports_failures else set()
        queue.delete({message.message_id for message in batch} - failed)
        if failed:
            self._read_soon(source, queue.settings.visibility_s)


def _report_loss(function: str, reason: Exception) -> None:
    print(f"{function}: an event is lost: {reason}", file=sys.stderr)


def _batch_event(queue: str, batch: list[Message]) -> JsonObject:
    return {
        "Records": [
            {
                "messageId": message.message_id,
                "receiptHandle": message.receipt,
                "body": message.body,
                "attributes": {
                    "ApproximateReceiveCount": str(message.receives),
                    "SentTimestamp": str(round(message.sent_at.timestamp() * 1000)),
                    "SenderId": ACCOUNT,
                    "ApproximateFirstReceiveTimestamp": str(
                        round((message.first_received_at or message.sent_at).timestamp() * 1000)
                    ),
                },
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}",
                "awsRegion": REGION,
            }
            for message in batch
        ]
    }


def _failures(reply: Any, batch: list[Message]) -> set[str]:
    """The ids that the reply reports as failed; all ids for a malformed reply."""
    every = {message.message_id for message in batch}
    match reply or {}:
        case {"batchItemFailures": list(failures)}:
            named = [each.get("itemIdentifier") for each in failures if isinstance(each, dict)]
            known = every.intersection(named)
            return known if len(known) == len(failures) else every
        case {"batchItemFailures": object()} | str() | list() | int() | float():
            return every
        case _:
            return set()
