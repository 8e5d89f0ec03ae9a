"""What a million of each operation costs, and a month of doing nothing, with all that follows."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache, partial
from itertools import count
from typing import Any, NamedTuple

from membrane_cli.cost.month import A_MONTH, ANCHORED, CAPTURE, GRAPH, KEPT_WARM
from membrane_local.events.sources import interval_s
from tests.bench.price import bill, prices
from tests.bench.price.bill import Bill
from tests.bench.price.world import TTL_LAG, PricedWorld, Spent, priced_world
from tests.bench.question_sets import OWN, read_set
from tests.bench.workload import SCOPE, Sent
from tests.worlds.agreed import usual_tuning
from tests.worlds.template import metrics_of, resources, target

MILLION = 1_000_000
TEXT_CHARACTERS = 1_000
THREAD = 20
"""Events that have one ref, but for its number."""
PEOPLE = 20
"""Names in captures, each beside the name of a project."""
A_REQUEST = 100
"""Records that one request brings where a scope is filled."""

ANCHOR = "AnchorFunction"

Priced = tuple[Bill, Collection[str]]
"""Dollars, and the metrics of our own."""

HALF_LIVES = 10
"""After so many a record is due, by the usual threshold of 0.001, and no vector has expired."""
SETTLING = timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class Line:
    """One price."""

    name: str
    bill: Bill
    metrics: Collection[str] = ()
    """The metrics of our own that the work tells of, by name and dimensions."""
    unit: str = "$ a million"
    limit: float | None = None
    counts: Mapping[str, float] = field(default_factory=dict)
    """How much it takes of what is counted, by unit."""
    count_limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def dollars(self) -> float:
        """Without the transfer of replies, which callers of the same Region do not pay."""
        return sum(dollars for part, dollars in self.bill.items() if part != "egress")


def lines() -> Iterator[Line]:
    """Every price."""
    with priced_world() as world:
        sender = Sender(world)
        for batch, limit in ((1, 12.0), (5, None), (20, 10.0)):
            name = f"IngestEvent of 1 KB, indexed in batches of {batch}"
            yield Line(name, *_created(sender, batch), limit=limit)
        yield Line("IngestObservation of a fact", *_each(sender, fact, 40, 20))
        yield Line(CAPTURE, *_each(sender, capture, 40, PEOPLE))
        yield Line("IngestTopic of three new fields", *_each(sender, topic, 20, 20))
        for messages in (2, 20):
            name = f"a message of 1 KB, in conversations of {messages}"
            said = partial(conversation, messages)
            yield Line(name, *_each(sender, said, 40 // messages, 1, messages))
    with priced_world() as world:
        yield Line("life of an event that is pruned", *_life(Sender(world), EVENT), limit=22.0)
    with priced_world() as world:
        yield Line("life of a message that is pruned", *_life(Sender(world), MESSAGE))
    with priced_world() as world:
        yield from _retrieving(Sender(world))
    with priced_world() as world:
        yield _graph(Sender(world))
    with priced_world() as world:
        idle = idle_month(world)
        told = bill.metrics_told(world.functions.runs)
        yield Line("idle month, empty", idle, told, A_MONTH, 6.0)
        yield from _standing(Sender(world))
    with priced_world() as world:
        yield Line(KEPT_WARM, kept_warm(world), (), A_MONTH, 0.1)


@dataclass(slots=True)
class Sender:
    """Sends requests of which each is another one."""

    world: PricedWorld
    numbers: Iterator[int] = field(default_factory=count)

    def send(self, make: Callable[[int], Sent], times: int, batch: int, records: int = 1) -> None:
        """So many requests of their own; after each `batch` of them comes what follows.

        Each makes so many records.
        """
        for sent in range(1, times + 1):
            self.world.http(make(next(self.numbers)))
            if sent % batch == 0 or sent == times:
                self.world.follow(batch * records)

    def fill(self, records: int) -> None:
        """Events in batches, as quickly as they may come."""
        for first in range(0, records, A_REQUEST):
            items = [
                {"rpc": "IngestEvent", **(event(next(self.numbers)).body or {})}
                for _ in range(min(A_REQUEST, records - first))
            ]
            self.world.http(Sent("POST /v1/ingest/batch", {"items": items}, f"batch-{first}"))
            self.world.follow(A_REQUEST)


def _each(
    sender: Sender, make: Callable[[int], Sent], times: int, batch: int, records: int = 1
) -> Priced:
    """Dollars a million records, once the functions are warm."""
    sender.send(make, batch, batch, records)
    with sender.world.spending() as spent:
        sender.send(make, times, batch, records)
    return _priced(spent, times * records)


def _priced(spent: Spent, times: int) -> Priced:
    """Dollars a million, of so many."""
    dollars = bill.times(bill.bill_of(spent), MILLION / times)
    return dollars, bill.metrics_told(spent.runs)


def _created(sender: Sender, batch: int) -> Priced:
    return _each(sender, event, max(40, 3 * batch), batch)


class Lived(NamedTuple):
    """What lives until it is pruned: how it is made, and the parameter with its half-life."""

    make: Callable[[int], Sent]
    half_life: str
    records: int = 1
    """That one request makes."""


def _life(sender: Sender, lived: Lived, records: int = 100) -> Priced:
    """From the request to the end of the tombstone; what is stored until then, too.

    Records before the priced records end first, and warm the functions.
    """
    world, batch = sender.world, 20 // lived.records
    stages = _stages(lived)
    sender.send(lived.make, batch, batch, lived.records)
    for period in (*stages, TTL_LAG):
        _let_pass(world, period)
    before, stored = bill.stored_month(world.items(), world.template.table), 0.0
    with world.spending() as spent:
        sender.send(lived.make, records // lived.records, batch, lived.records)
        for period in stages:
            kept = bill.stored_month(world.items(), world.template.table) - before
            stored += max(0.0, kept) * period.total_seconds() / prices.MONTH_S
            _let_pass(world, period)
    dollars, told = _priced(spent, records)
    return {**dollars, "storage": stored * MILLION / records}, told


def _stages(lived: Lived) -> tuple[timedelta, ...]:
    """How long it fades, can be restored, and is a tombstone alone."""
    restorable, buried = (
        timedelta(days=float(usual_tuning()[name]))
        for name in ("RestoreDays", "EpisodicTombstoneDays")
    )
    return fading_of(lived), restorable, buried - restorable


def _let_pass(world: PricedWorld, period: timedelta) -> None:
    """The period and the sweep at the end."""
    world.advance(period + SETTLING, 20)
    world.run("DecayFunction")
    world.advance(SETTLING, 20)


def fading_of(lived: Lived) -> timedelta:
    """How long after it was made it is due for certain."""
    return HALF_LIVES * timedelta(seconds=float(usual_tuning()[lived.half_life]))


def _retrieving(sender: Sender) -> Iterator[Line]:
    here = 0
    for records, limit, most in _SCOPES:
        sender.fill(records - here)
        here = records
        yield _asked(sender, f"Retrieve for a task, from a scope of {records}", task, limit, most)
        if limit is not None:
            yield _asked(sender, f"Retrieve without a task, from a scope of {records}", no_task)


def _graph(sender: Sender, records: int = 400) -> Line:
    sender.send(capture, records, PEOPLE)
    return _asked(sender, GRAPH, linked_task)


_SCOPES: Sequence[tuple[int, float | None, Mapping[str, float]]] = (
    (400, 16.0, {"requests": 14, "RRU": 60}),
    (1_000, None, {"CPU ms": 60}),
    (5_000, None, {}),
)
"""How many records there are, and what asking them may cost and take."""


def _asked(
    sender: Sender,
    name: str,
    make: Callable[[int], Sent],
    limit: float | None = None,
    most: Mapping[str, float] | None = None,
) -> Line:
    times = 20
    sender.send(make, 3, 1)
    with sender.world.spending() as spent:
        sender.send(make, times, 1)
    counts = {
        "requests": spent.cost.requests / times,
        "RRU": spent.cost.read_units / times,
        "WRU": spent.cost.write_units / times,
        "CPU ms": 1e3 * sum(run.cpu_s for run in spent.runs) / times,
        "bytes examined": spent.cost.examined_bytes / times,
    }
    return Line(name, *_priced(spent, times), limit=limit, counts=counts, count_limits=most or {})


def idle_month(world: PricedWorld) -> Bill:
    """What comes whatever is stored: schedules, alarms, polls of queues, metrics of our own."""
    world.run_schedules()
    world.follow(1)
    parts: list[Bill] = []
    for schedule in world.sources.schedules:
        with world.spending() as spent:
            world.run(schedule.function, schedule.event(world.functions.clock.now()))
            world.follow(1)
        each = bill.bill_of(spent)
        each["lambda"] = sum(bill.lambda_dollars(run, prices.COLD_S) for run in spent.runs)
        each["lambda"] -= each["cpu"]
        each["schedules"] = prices.SCHEDULED_RUN.dollars
        parts.append(bill.times(each, prices.MONTH_S / schedule.interval_s))
        hours_told = min(1.0, 3_600 / schedule.interval_s)  # a metric is billed by the hour
        told = len(bill.metrics_told(spent.runs)) * prices.CUSTOM_METRIC.dollars
        parts.append({"metrics": told * hours_told})
    alarms = [
        resource["Properties"]
        for resource in world.template.resources.values()
        if resource["Type"] == "AWS::CloudWatch::Alarm"
    ]
    polls = prices.MONTH_S / prices.POLL_S * sum(map(_pollers, _queue_events(world)))
    dashboard = world.template.parameters["Dashboard"] == "true"
    keys = [
        resource
        for resource in world.template.resources.values()
        if resource["Type"] == "AWS::KMS::Key" and "Condition" not in resource
    ]
    standing = {
        "alarms": sum(len(metrics_of(each)) for each in alarms) * prices.ALARM_METRIC.dollars,
        "queues": polls * prices.SQS_REQUEST.dollars,
        "dashboard": dashboard * prices.DASHBOARD.dollars,
        "keys": len(keys) * prices.KEY.dollars,
        "storage": bill.stored_month(world.items(), world.template.table),
    }
    return bill.added([*parts, standing])


def _standing(sender: Sender, records: int = 300) -> Iterator[Line]:
    """What a month brings for records that live, and anchors for events until they are gone."""
    world = sender.world
    sender.fill(records)
    fewer, first = _kept_and_gone_through(world), _walk(world)
    sender.fill(records)
    more, second = _kept_and_gone_through(world), _walk(world)
    anchors = timedelta(days=30) / _between_anchors(world)
    walked = {part: _difference(second, first)[part] * anchors for part in ("lambda", "cpu")}
    live = bill.times(bill.added([_difference(more, fewer), walked]), MILLION / records)
    yield Line("idle month, a million live records more", live, (), A_MONTH, 7.0)
    of_none = _difference(bill.times(first, 2), second)
    parts: list[Bill] = []
    for period in _stages(EVENT):
        walked = _difference(_walk(world), of_none)
        parts.append(bill.times(walked, period / _between_anchors(world)))
        _let_pass(world, period)
    yield Line(ANCHORED, bill.times(bill.added(parts), MILLION / (2 * records)))


def _difference(more: Bill, fewer: Bill) -> Bill:
    return bill.added([more, bill.times(fewer, -1)])


def _walk(world: PricedWorld, times: int = 3) -> Bill:
    """An anchor of the whole table as it is, beside the objects in the bucket."""
    with world.spending() as spent:
        for _ in range(times):
            world.functions.clock.advance(timedelta(seconds=1))  # the instant names an anchor
            world.run(ANCHOR)
    found = bill.bill_of(spent)
    return {part: found[part] / times for part in ("lambda", "cpu", "dynamodb")}


def _between_anchors(world: PricedWorld) -> timedelta:
    (schedule,) = (each for each in world.sources.schedules if each.function == ANCHOR)
    return timedelta(seconds=schedule.interval_s)


def kept_warm(world: PricedWorld) -> Bill:
    """A month of the schedules that KeepRetrieveWarm and so on add, of functions that are warm."""
    parts: list[Bill] = []
    for schedule in resources("AWS::Scheduler::Schedule").values():
        function, sent = target(schedule["Target"]["Arn"]), json.loads(schedule["Target"]["Input"])
        world.run(function, sent)
        with world.spending() as spent:
            world.run(function, sent)
        each = {**bill.bill_of(spent), "schedules": prices.SCHEDULED_RUN.dollars}
        every_s = interval_s(schedule["ScheduleExpression"])
        parts.append(bill.times(each, prices.MONTH_S / (every_s or 0)))
    return bill.added(parts)


def _kept_and_gone_through(world: PricedWorld) -> Bill:
    parts: list[Bill] = [{"storage": bill.stored_month(world.items(), world.template.table)}]
    for schedule in world.sources.schedules:
        with world.spending() as spent:
            world.run(schedule.function, schedule.event(world.functions.clock.now()))
            world.follow(A_REQUEST)
        dynamodb = {"dynamodb": bill.bill_of(spent)["dynamodb"]}
        parts.append(bill.times(dynamodb, prices.MONTH_S / schedule.interval_s))
    return bill.added(parts)


def _queue_events(world: PricedWorld) -> Sequence[Mapping[str, Any]]:
    return [
        event["Properties"]
        for resource in world.template.resources.values()
        if resource["Type"] == "AWS::Serverless::Function"
        for event in resource["Properties"].get("Events", {}).values()
        if event["Type"] == "SQS"
    ]


def _pollers(source: Mapping[str, Any]) -> int:
    is_limited = "MaximumConcurrency" in source.get("ScalingConfig", {})
    return prices.POLLERS_AT_MOST_CONCURRENT if is_limited else prices.POLLERS


def event(number: int) -> Sent:
    """The report of an event of 1,000 characters of English."""
    body = {
        "source": "ci",
        "event_kind": "build",
        "ref": f"talk-{number // THREAD}:{number % THREAD}",
        "summary": english(number, TEXT_CHARACTERS),
        "scope": SCOPE,
        "tags": ["one", "two"],
    }
    return Sent("POST /v1/ingest/event", body, f"event-{number}")


def conversation(messages: int, number: int) -> Sent:
    """So many messages of 1,000 characters of English."""
    said = [
        {
            "role": ("user", "assistant")[turn % 2],
            "content": english(number * messages + turn, TEXT_CHARACTERS),
        }
        for turn in range(messages)
    ]
    body = {"thread_id": f"talk-{number}", "messages": said, "scope": SCOPE, "tags": ["one", "two"]}
    return Sent("POST /v1/messages", body, f"talk-{number}")


EVENT = Lived(event, "EpisodicHalfLifeSeconds")
MESSAGE = Lived(partial(conversation, 2), "MessageHalfLifeSeconds", 2)


def fact(number: int) -> Sent:
    """The report of a short fact."""
    body = {
        "source": "agent",
        "subject": f"service-{number}",
        "predicate": "is described as",
        "object": english(number, 100),
        "scope": SCOPE,
    }
    return Sent("POST /v1/ingest/observation", body, f"fact-{number}")


def capture(number: int) -> Sent:
    """A note of 1,000 characters of English that names one of PEOPLE people and a project.

    In lower case and without punctuation the sentences name nothing else.
    """
    words = "".join(filter(_is_plain, english(number, TEXT_CHARACTERS).casefold()))
    name = number % PEOPLE
    content = {"user": f"Person {name}", "project": f"Project {name}", "text": words}
    body = {"source": "agent", "source_kind": "note", "scope": SCOPE, "content": content}
    return Sent("POST /v1/capture", body, f"capture-{number}")


def _is_plain(character: str) -> bool:
    return character.isalpha() or character == " "


def topic(number: int) -> Sent:
    """A new topic of three fields."""
    fields = [
        {"name": name, "value": english(number * 3 + place, 100), "why_changed": "it was said"}
        for place, name in enumerate(("role", "place", "habit"))
    ]
    body = {"title": f"Person {number}", "scope": SCOPE, "fields": fields}
    return Sent("POST /v1/ingest", body, f"topic-{number}")


def task(number: int) -> Sent:
    """A question in words."""
    questions = _questions()
    body = {"task_descriptor": questions[number % len(questions)], "limit": 10}
    return Sent("POST /v1/retrieve", body)


def linked_task(number: int) -> Sent:
    """A question in words that names a person."""
    task_descriptor = f"{english(number, 50)} Person {number % PEOPLE}?"
    body = {"task_descriptor": task_descriptor, "max_hops": 2}
    return Sent("POST /v1/retrieve/graph", body)


def no_task(_: int) -> Sent:
    """The most salient records."""
    return Sent("POST /v1/retrieve", {"limit": 10})


def english(number: int, characters: int) -> str:
    """Sentences, others for each number."""
    said = _sentences()
    text = ""
    place = number * 7
    while len(text) < characters:
        text += said[place % len(said)] + " "
        place += 1 + number % 5
    return text[:characters]


@cache
def _sentences() -> Sequence[str]:
    return [
        text
        for path in OWN
        for record in read_set(path).records
        if (text := record.fields.get("summary"))
    ]


@cache
def _questions() -> Sequence[str]:
    return [query.text for path in OWN for query in read_set(path).queries]
