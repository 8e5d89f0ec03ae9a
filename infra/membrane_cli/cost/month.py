"""`membrane cost`: a month's bill by part, from the bench's prices; or a stack's searches."""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane_cli.options import Parser
from membrane_cli.output import print_json, print_rows

FILE = Path(__file__).with_name("prices.json")
"""Written by `python -m tests.bench.price`."""
A_MONTH = "$ a month"
CREATING = {size: f"IngestEvent of 1 KB, indexed in batches of {size}" for size in (20, 5, 1)}
"""By the events a second from which on the index takes events in batches of that size."""
FACT = "IngestObservation of a fact"
CAPTURE = "CaptureMemory of two known names"
LIFE = "life of an event that is pruned"
RETRIEVING = {size: f"Retrieve for a task, from a scope of {size}" for size in (400, 1_000, 5_000)}
GRAPH = "RetrieveGraph of two hops, from a scope of 400"
ANCHORED = "anchors of an event until the end of the tombstone"
KEPT_WARM = "Retrieve, Mcp and Authorizer kept warm"
IDLE = "idle month, empty"
LIVE = "idle month, a million live records more"
Parts = Mapping[str, float]
"""Dollars by part of the bill; `cpu` is the part of Lambda's that a slower processor raises."""


class Prices(NamedTuple):
    listed: str
    assumptions: Sequence[str]
    lines: Mapping[str, Parts]
    units: Mapping[str, str]
    metrics: Mapping[str, Collection[str]]
    metric: float
    sent_byte: float
    """Dollars for a byte to the internet, after FREE_BYTES."""
    examined_byte: float
    """Dollars for a byte that a vector search examines."""


def read_prices() -> Prices:
    content = json.loads(FILE.read_text("utf-8"))
    lines = content.pop("lines")
    return Prices(
        lines={line["name"]: line["parts"] for line in lines},
        units={line["name"]: line["unit"] for line in lines},
        metrics={line["name"]: line["metrics"] for line in lines},
        **content,
    )


MILLION = 1_000_000
MONTH_S = 30 * 86_400
FREE_BYTES = 100e9
"""Of a month's transfer to the internet (EC2, "Data Transfer")."""
GRAVITON = 1.4
"""An assumption: the bench measures on x86-64, and no figure is from Lambda."""
PERIODS_S = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400, "month": MONTH_S}


class Use(NamedTuple):
    events: float
    retrievals: float
    live: float
    """Records that stay, beside the events, which are pruned in time."""
    scope: int
    """Records in the scope of a retrieval: one of RETRIEVING."""
    graviton: float = GRAVITON
    """How many times the CPU time of the bench a function takes on Graviton."""


def month_of(use: Use, prices: Prices) -> Parts:
    total: defaultdict[str, float] = defaultdict(float)
    metrics: set[str] = set()

    def add(name: str, times: float) -> None:
        for part, dollars in prices.lines[name].items():
            total[part] += dollars * times
        if times > 0:
            metrics.update(prices.metrics[name])

    a_second = use.events / MONTH_S  # all events of one second share an index batch
    batch = max(size for size in CREATING if size == 1 or size <= a_second)
    add(CREATING[batch], use.events / MILLION)
    add(LIFE, use.events / MILLION)  # with the creation in the largest batches, subtracted below
    add(CREATING[max(CREATING)], -use.events / MILLION)
    add(ANCHORED, use.events / MILLION)
    add(RETRIEVING[use.scope], use.retrievals / MILLION)
    add(IDLE, 1)
    add(LIVE, use.live / MILLION)
    total["lambda"] += total.pop("cpu", 0.0) * use.graviton
    total["metrics"] += prices.metric * len(metrics - {*prices.metrics[IDLE]})
    total["egress"] -= FREE_BYTES * prices.sent_byte
    return {part: max(0.0, dollars) for part, dollars in total.items()}


class Searches(NamedTuple):
    vector_index: str
    searches: int
    examined_bytes: float
    bytes_each: float


def searches_of(
    table: str, cloudwatch: Any, until: datetime, period: timedelta
) -> Sequence[Searches]:
    """The searches by vector index of the table; raises NotFound for a period without searches.

    DynamoDB's guide, "Monitoring vector index capacity", has the metric and both dimensions.
    """
    metric = {"Namespace": "AWS/DynamoDB", "MetricName": "VectorSearchRequestBytes"}
    of_table, index = {"Name": "TableName", "Value": table}, "VectorIndexName"
    pages = cloudwatch.get_paginator("list_metrics").paginate(**metric, Dimensions=[of_table])
    named = [each for page in pages for found in page["Metrics"] for each in found["Dimensions"]]
    hourly: Any = {"Period": PERIODS_S["hour"], "Statistics": ["SampleCount", "Sum"]}
    asked: Any = {**metric, **hourly, "StartTime": until - period, "EndTime": until}
    found = []
    for vector_index in sorted({each["Value"] for each in named if each["Name"] == index}):
        dimensions = [of_table, {"Name": index, "Value": vector_index}]
        reply = cloudwatch.get_metric_statistics(**asked, Dimensions=dimensions)
        points = reply["Datapoints"]
        searches = round(sum(each["SampleCount"] for each in points))  # a sample is a search
        if searches:
            examined = sum(each["Sum"] for each in points)
            found.append(Searches(vector_index, searches, examined, examined / searches))
    if not found:
        raise NotFound(f"CloudWatch counted no vector search of the table {table} in the period")
    return found


def add_options(parser: Parser) -> None:
    meaning = "events of 1 KB in a period, as in 100k"
    parser.option("--events", meaning, type=amount, default=0.0)
    meaning = "retrievals for a task in a period, as in 20k"
    parser.option("--retrievals", meaning, type=amount, default=0.0)
    parser.option("--per", "the period", choices=PERIODS_S, default="day")
    meaning = "times that a function takes on Graviton, where the bench takes 1 on x86; %(default)s"
    factor: Any = {"type": _factor, "default": GRAVITON, "metavar": "FACTOR"}
    parser.option("--graviton-factor", meaning, **factor)
    parser.option("--live", "records that stay, as in 2M", type=amount, default=0.0)
    scopes: Any = {"choices": RETRIEVING, "default": min(RETRIEVING)}
    parser.option("--scope", "records in the scope of a retrieval", type=int, **scopes)
    searches = "print the bytes and the price of its vector searches in the period"
    parser.option("--stack", f"a deployed stack: {searches}")
    parser.add_json("the dollars of every part, the total and the assumptions; or the searches")
    parser.run_by(
        _cost,
        "membrane cost --events 100k --retrievals 20k --per day --live 2M",
        "membrane cost --stack membrane --per hour",
    )


def _cost(options: argparse.Namespace) -> None:
    if options.stack is not None:
        _show_searches_of_stack(options)
        return
    prices, periods = read_prices(), MONTH_S / PERIODS_S[options.per]
    events, retrievals = options.events * periods, options.retrievals * periods
    use = Use(events, retrievals, options.live, options.scope, options.graviton_factor)
    parts = month_of(use, prices)
    assumed = (
        "events come evenly, fade and are pruned",
        *prices.assumptions,
        f"Graviton takes {use.graviton:g} times that CPU time (--graviton-factor)",
        f"{FREE_BYTES / 1e9:.0f} GB of replies a month are free, as for every account",
    )
    if options.json:
        print_json({"parts": parts, "total": sum(parts.values()), "assumed": assumed})
        return
    shares = sorted(parts.items(), key=lambda each: -each[1])
    rows = [(part, f"{dollars:,.2f}") for part, dollars in (*shares, ("all", sum(parts.values())))]
    print_rows(("part", "$ a month"), rows)
    print(f"Assumed: {'; '.join(assumed)}.")


def _show_searches_of_stack(options: argparse.Namespace) -> None:
    if options.events or options.retrievals or options.live:
        raise InvalidArgument("--stack takes --per, without --events, --retrievals and --live")
    import boto3  # noqa: PLC0415 - only a deployed stack needs a client

    from membrane_cli.stacks import stack_here  # noqa: PLC0415

    until, period = datetime.now(UTC), timedelta(seconds=PERIODS_S[options.per])
    table = stack_here(options.stack).table
    found = searches_of(table, boto3.client("cloudwatch"), until, period)
    show_searches(found, as_json=options.json)


def show_searches(found: Sequence[Searches], *, as_json: bool) -> None:
    a_byte = read_prices().examined_byte
    priced = [(each, each.bytes_each * a_byte * MILLION) for each in found]
    if as_json:
        print_json([{**each._asdict(), "dollars_a_million": dollars} for each, dollars in priced])
        return
    headings = ("vector index", "searches", "bytes", "bytes a search", "$ a million searches")
    rows = []
    for each, dollars in priced:
        sizes = f"{each.examined_bytes:,.0f}", f"{each.bytes_each:,.0f}"
        rows.append((each.vector_index, f"{each.searches:,}", *sizes, f"{dollars:,.2f}"))
    print_rows(headings, rows)


def _factor(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) or not 0.5 <= float(text) <= 5:  # noqa: PLR2004
        raise argparse.ArgumentTypeError(f"expected a factor such as 1.4, not '{text}'")
    return float(text)


def amount(text: str) -> float:
    """The number in a text like 250, 100k or 2M; raises ArgumentTypeError."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kM]?)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a number such as 250, 100k or 2M, not '{text}'")
    return float(found[1]) * {"": 1, "k": 1_000, "M": 1_000_000}[found[2]]
