"""`membrane cost`: an estimate of a month, or the vector searches that a stack made."""

import argparse
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from rich.console import Console

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane_cli.cost import month
from membrane_cli.options import Parser
from membrane_cli.output import print_json, print_rows

GIGABYTE = 1e9
THOUSANDS = {"": 1, "k": 1_000, "M": 1_000_000}
NAMESPACE, METRIC = "AWS/DynamoDB", "VectorSearchRequestBytes"
"""DynamoDB's guide, "Monitoring vector index capacity"; the dimensions are TableName and INDEX."""
INDEX = "VectorIndexName"
HOUR_S = 3_600


class Searches(NamedTuple):
    vector_index: str
    searches: int
    examined_bytes: float

    @property
    def bytes_each(self) -> float:
        return self.examined_bytes / self.searches


def searches_of(
    table: str, cloudwatch: Any, until: datetime, period: timedelta
) -> Sequence[Searches]:
    """The searches by vector index of the table; raises NotFound for a period without searches."""
    of_table = {"Name": "TableName", "Value": table}
    pages = cloudwatch.get_paginator("list_metrics").paginate(
        Namespace=NAMESPACE, MetricName=METRIC, Dimensions=[of_table]
    )
    dimensions = [
        each for page in pages for found in page["Metrics"] for each in found["Dimensions"]
    ]
    found = []
    for vector_index in sorted({each["Value"] for each in dimensions if each["Name"] == INDEX}):
        points = cloudwatch.get_metric_statistics(
            Namespace=NAMESPACE,
            MetricName=METRIC,
            Dimensions=[of_table, {"Name": INDEX, "Value": vector_index}],
            StartTime=until - period,
            EndTime=until,
            Period=HOUR_S,
            Statistics=["SampleCount", "Sum"],
        )["Datapoints"]
        searches = round(sum(each["SampleCount"] for each in points))  # a sample is a search
        if searches:
            examined = sum(each["Sum"] for each in points)
            found.append(Searches(vector_index, searches, examined))
    if not found:
        raise NotFound(f"CloudWatch counted no vector search of the table {table} in the period")
    return found


def add_options(parser: Parser) -> None:
    meaning = "events of 1 KB in a period, as in 100k"
    parser.option("--events", meaning, type=amount, default=0.0)
    meaning = "retrievals for a task in a period, as in 20k"
    parser.option("--retrievals", meaning, type=amount, default=0.0)
    parser.option("--per", "the period", choices=month.PERIODS_S, default="day")
    meaning = "times that a function takes on Graviton, where the bench takes 1 on x86; %(default)s"
    factor: Any = {"type": _factor, "default": month.GRAVITON, "metavar": "FACTOR"}
    parser.option("--graviton-factor", meaning, **factor)
    parser.option("--live", "records that stay, as in 2M", type=amount, default=0.0)
    scopes: Any = {"choices": month.RETRIEVING, "default": min(month.RETRIEVING)}
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
        show_searches(_searches(options), as_json=options.json)
        return
    prices, periods = month.read_prices(), month.MONTH_S / month.PERIODS_S[options.per]
    events, retrievals = options.events * periods, options.retrievals * periods
    use = month.Use(events, retrievals, options.live, options.scope, options.graviton_factor)
    parts = month.month_of(use, prices)
    assumed = (
        "events come evenly, fade and are pruned",
        *prices.assumptions,
        f"Graviton takes {use.graviton:g} times that CPU time (--graviton-factor)",
        f"{month.FREE_BYTES / GIGABYTE:.0f} GB of replies a month are free, as for every account",
    )
    if options.json:
        print_json({"parts": parts, "total": sum(parts.values()), "assumed": assumed})
        return
    shares = sorted(parts.items(), key=lambda each: -each[1])
    rows = [(part, f"{dollars:,.2f}") for part, dollars in (*shares, ("all", sum(parts.values())))]
    console = Console(soft_wrap=True)
    print_rows(("part", "$ a month"), rows, console)
    console.print(f"Assumed: {'; '.join(assumed)}.", markup=False, highlight=False)


def _searches(options: argparse.Namespace) -> Sequence[Searches]:
    if options.events or options.retrievals or options.live:
        raise InvalidArgument("--stack takes --per, without --events, --retrievals and --live")
    import boto3  # noqa: PLC0415 - only a deployed stack needs a client

    from membrane_cli.stacks import stack_here  # noqa: PLC0415

    until, period = datetime.now(UTC), timedelta(seconds=month.PERIODS_S[options.per])
    table = stack_here(options.stack).table
    return searches_of(table, boto3.client("cloudwatch"), until, period)


def show_searches(found: Sequence[Searches], *, as_json: bool) -> None:
    a_byte = month.read_prices().examined_byte
    priced = [(each, each.bytes_each * a_byte * month.MILLION) for each in found]
    if as_json:
        more = (
            {"bytes_each": each.bytes_each, "dollars_a_million": dollars}
            for each, dollars in priced
        )
        print_json([each._asdict() | figures for each, figures in zip(found, more, strict=True)])
        return
    headings = ("vector index", "searches", "bytes", "bytes a search", "$ a million searches")
    rows = []
    for each, dollars in priced:
        sizes = f"{each.examined_bytes:,.0f}", f"{each.bytes_each:,.0f}"
        rows.append((each.vector_index, f"{each.searches:,}", *sizes, f"{dollars:,.2f}"))
    print_rows(headings, rows, Console(soft_wrap=True))


def _factor(text: str) -> float:
    """A factor from 0.5 to 5; raises ArgumentTypeError."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) or not 0.5 <= float(text) <= 5:  # noqa: PLR2004
        raise argparse.ArgumentTypeError(f"expected a factor such as 1.4, not '{text}'")
    return float(text)


def amount(text: str) -> float:
    """The number in a text like 250, 100k or 2M; raises ArgumentTypeError."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kM]?)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"expected a number such as 250, 100k or 2M, not '{text}'")
    return float(found[1]) * THOUSANDS[found[2]]
