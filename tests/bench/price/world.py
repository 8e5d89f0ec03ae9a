"""The template's functions over dynoxide, with what each invocation takes."""

import io
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

from membrane.adapters.aws_lambda import telemetry
from membrane.domain.language.timestamps import epoch_seconds
from membrane.wiring.world import World
from membrane_local.clock import DevClock
from membrane_local.events.patterns import matches
from membrane_local.events.sources import EventSources
from membrane_local.events.stream import lambda_record
from membrane_local.functions import Functions, function_arn
from membrane_local.storage.stores import TABLE, open_store
from membrane_local.template import STACK_NAME, Template, read_template
from tests.bench.workload import Sent, function_of
from tests.worlds.dynoxide_server import run_server
from tests.worlds.metering import Cost, meter
from tests.worlds.quick_folders import quick_folder
from tests.worlds.template import TEMPLATE

TTL_LAG = timedelta(hours=48)
"""How late an expired item is removed; AWS typically takes up to two days."""

EXPIRED = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
"""Who removes an item when its time is over."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one invocation of a function took."""

    function: str
    cpu_s: float
    cost: Cost
    log: str


@dataclass(slots=True)
class Spent:
    """What a piece of work took in all."""

    runs: list[Run] = field(default_factory=list)
    api_requests: int = 0
    queue_requests: int = 0
    reply_bytes: int = 0
    """Of bodies and headers that went to clients."""

    @property
    def cost(self) -> Cost:
        """Of all runs together."""
        total = Cost()
        for run in self.runs:
            total = total - (Cost() - run.cost)
        return total


@dataclass(slots=True)
class PricedFunctions(Functions):
    """Functions of which every invocation is kept."""

    capacity: Cost = field(default_factory=Cost)
    runs: list[Run] = field(default_factory=list)

    def world_of(self, logical_id: str) -> World:
        """With the log and the metrics that the local stack has no use for."""
        made = Functions.world_of(self, logical_id)  # no `super` in a slotted copy
        now = self.clock.now
        namespace = telemetry.namespace_of(STACK_NAME)
        report, measure = telemetry.reporter(now, namespace), telemetry.meter(now, namespace)
        return made.but(report=report, measure=measure)

    def invoke(self, logical_id: str, event: Any, *request: Any, **more: Any) -> Any:
        """See Functions."""
        before, log, began_s = replace(self.capacity), io.StringIO(), time.process_time()
        with redirect_stdout(log):
            reply = Functions.invoke(self, logical_id, event, *request, **more)
        took_s = time.process_time() - began_s
        cost = replace(self.capacity) - before
        self.runs.append(Run(logical_id, took_s, cost, log.getvalue()))
        return reply


@dataclass(slots=True)
class PricedWorld:
    """A stack whose events go on when they are told to, in batches of a given size."""

    template: Template
    functions: PricedFunctions
    sources: EventSources
    sent: list[tuple[str, str]] = field(default_factory=list)
    """Messages that wait in queues, by the queue's logical id."""
    invoked: list[tuple[str, Any]] = field(default_factory=list)
    """Functions that wait to be started, with their events."""
    expired: set[tuple[str, str]] = field(default_factory=set)
    """Keys of the items that the service removed when their time was over."""
    api_requests: int = 0
    queue_requests: int = 0
    reply_bytes: int = 0

    @contextmanager
    def spending(self) -> Iterator[Spent]:
        """What the block takes."""
        spent, runs = Spent(), len(self.functions.runs)
        before = self.api_requests, self.queue_requests, self.reply_bytes
        yield spent
        spent.runs = self.functions.runs[runs:]
        spent.api_requests = self.api_requests - before[0]
        spent.queue_requests = self.queue_requests - before[1]
        spent.reply_bytes = self.reply_bytes - before[2]

    def http(self, sent: Sent) -> Any:
        """The body of the reply, through the function behind the route."""
        function = function_of(sent.route, self.template.functions)
        self.api_requests += 1
        reply = self.functions.invoke(function.logical_id, sent.event())
        if reply["statusCode"] >= 300:
            raise RuntimeError(f"{sent.route}: {reply['body']}")
        headers = "".join(map("{}: {}\r\n".format, *zip(*reply["headers"].items(), strict=True)))
        self.reply_bytes += len(headers) + len(reply["body"].encode())
        return json.loads(reply["body"])

    def follow(self, batch: int) -> None:
        """Hand on what the stream has, at most `batch` changes at once, and all that follows."""
        while self._follow_stream(batch) or self._start() or self._deliver():
            pass

    def advance(self, by: timedelta, batch: int) -> None:
        """Move the clock, remove what has expired since, and follow."""
        self.functions.clock.advance(by)
        self._expire()
        self.follow(batch)

    def run(self, function: str, event: Any = None) -> None:
        """A function by itself, with an event of its schedule."""
        self.functions.invoke(function, event or {})

    def run_schedules(self) -> None:
        """Every schedule's function once."""
        for schedule in self.sources.schedules:
            self.run(schedule.function, schedule.event(self.functions.clock.now()))

    def items(self) -> Sequence[dict[str, Any]]:
        """All that the table holds."""
        pages = self.functions.store.dynamodb.get_paginator("scan").paginate(TableName=TABLE)
        return [item for page in pages for item in page["Items"]]

    def _follow_stream(self, batch: int) -> bool:
        stream, now = self.functions.store.stream, self.functions.clock.now()
        piece = stream.read_next()
        if piece is None:
            return False
        told = [self._told(lambda_record(each, stream.arn, now)) for each in piece.records]
        for source in self.sources.streams:
            patterns = source.patterns
            wanted = [
                each
                for each in told
                if not patterns or any(matches(pattern, each) for pattern in patterns)
            ]
            size = min(batch, source.batch_size)
            for first in range(0, len(wanted), size):
                records = wanted[first : first + size]
                self.functions.invoke(source.function, {"Records": records})
        stream.mark_read(piece)
        return True

    def _start(self) -> bool:
        waiting, self.invoked = self.invoked, []
        for function, event in waiting:
            self.functions.invoke(function.rpartition(":function:")[2], event)
        return bool(waiting)

    def _deliver(self) -> bool:
        waiting, self.sent = self.sent, []
        self.queue_requests += len(waiting)
        for source in self.sources.queue_sources:
            bodies = [body for queue, body in waiting if queue == source.queue]
            for first in range(0, len(bodies), source.batch_size):
                records = [_message(body) for body in bodies[first : first + source.batch_size]]
                self.queue_requests += 2  # received and deleted
                self.functions.invoke(source.function, {"Records": records})
        return bool(waiting)

    def _expire(self) -> None:
        by_s = epoch_seconds(self.functions.clock.now() - TTL_LAG)
        for item in self.items():
            if float(item.get("expires_at", {}).get("N", "inf")) <= by_s:
                key = {name: item[name] for name in ("pk", "sk")}
                self.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key)
                self.expired.add((item["pk"]["S"], item["sk"]["S"]))

    def _told(self, record: dict[str, Any]) -> dict[str, Any]:
        """A change as the stream tells it, with the service's name where an item expired."""
        keys = record["dynamodb"]["Keys"]
        is_expired = (keys["pk"]["S"], keys["sk"]["S"]) in self.expired
        if record["eventName"] != "REMOVE" or not is_expired:
            return record
        return {**record, "userIdentity": EXPIRED}


def _message(body: str) -> dict[str, Any]:
    return {
        "messageId": str(uuid4()),
        "receiptHandle": "receipt",
        "body": body,
        "attributes": {},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": function_arn("queue"),
    }


@contextmanager
def priced_world() -> Iterator[PricedWorld]:
    """An empty stack with the template's defaults, but for what needs an account."""
    template = read_template(TEMPLATE)
    with (
        quick_folder() as folder,
        run_server(folder / "table.db") as endpoint,
        open_store(endpoint, template.table, folder / "blobs") as store,
    ):
        functions = PricedFunctions(template, store, DevClock())
        functions.capacity = meter(store.dynamodb)
        world = PricedWorld(template, functions, EventSources.of(template))
        functions.send = lambda queue, body, *_, **__: world.sent.append((queue, body))
        functions.invoke_later = lambda function, event: world.invoked.append((function, event))
        yield world
