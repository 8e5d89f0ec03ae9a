"""From what was spent to dollars, by part of the bill."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.bench.price import prices
from tests.bench.price.world import Run, Spent
from tests.worlds.template import functions, parameters, resources, shared

Bill = dict[str, float]
"""Dollars by part."""

INDEX_ENTRY_BYTES = 100
"""What DynamoDB adds to each item and to each entry of an index that is stored."""
DIMENSION_BYTES = 4
"""Of a vector in an index."""


def bill_of(spent: Spent) -> Bill:
    """What the work cost."""
    cost = spent.cost
    return {
        "api": spent.api_requests * prices.API_REQUEST.dollars,
        "lambda": sum(lambda_dollars(run) - cpu_dollars(run) for run in spent.runs),
        "cpu": sum(map(cpu_dollars, spent.runs)),
        "dynamodb": cost.write_units * prices.WRU.dollars + cost.read_units * prices.RRU.dollars,
        "vectors": cost.indexed_bytes * prices.INDEXED_BYTE.dollars
        + cost.examined_bytes * prices.EXAMINED_BYTE.dollars,
        "logs": (
            sum(log_bytes(run.log) for run in spent.runs)
            + spent.api_requests * log_bytes(access_line())
        )
        * log_byte_dollars(),
        "queues": spent.queue_requests * prices.SQS_REQUEST.dollars,
        "egress": spent.reply_bytes * prices.SENT_BYTE.dollars,
    }


def added(bills: Iterable[Mapping[str, float]]) -> Bill:
    """All together, by part."""
    total: Bill = {}
    for bill in bills:
        for part, dollars in bill.items():
            total[part] = total.get(part, 0.0) + dollars
    return total


def times(bill: Mapping[str, float], count: float) -> Bill:
    """So many times the same."""
    return {part: dollars * count for part, dollars in bill.items()}


def lambda_dollars(run: Run, starting_s: float = 0.0) -> float:
    """Of one invocation, billed by whole milliseconds."""
    memory_mb = memory_of(run.function)
    share = min(1.0, memory_mb / prices.WHOLE_PROCESSOR_MB)
    took_s = starting_s + run.cpu_s / share + run.cost.requests * prices.REQUEST_S
    billed_s = math.ceil(took_s * 1_000) / 1_000
    by_time = billed_s * memory_mb / 1_024 * prices.GB_SECOND.dollars
    return by_time + prices.INVOCATION.dollars


def cpu_dollars(run: Run) -> float:
    """The part of `lambda_dollars` that grows with the time that the processor takes."""
    memory_mb = memory_of(run.function)
    share = min(1.0, memory_mb / prices.WHOLE_PROCESSOR_MB)
    return run.cpu_s / share * memory_mb / 1_024 * prices.GB_SECOND.dollars


def memory_of(function: str) -> int:
    """In MB, as the template has it."""
    return int(functions()[function].get("MemorySize", shared()["MemorySize"]))


def log_bytes(log: str) -> int:
    """What CloudWatch counts of lines."""
    lines = log.splitlines()
    return sum(len(line.encode()) + prices.LINE_BYTES for line in lines)


def log_byte_dollars() -> float:
    """For a byte that is taken, and kept as long as logs are by default."""
    months = float(parameters()["LogRetentionDays"]["Default"]) / 30
    return prices.LOGGED_BYTE.dollars + months * prices.LOG_MONTH_BYTE.dollars


def access_line() -> str:
    """A line of the API's own log, as long as most are."""
    (api,) = resources("AWS::Serverless::HttpApi").values()
    return re.sub(r"\$context[\w.]+", "a value of usual size", api["AccessLogSettings"]["Format"])


def metrics_told(runs: Iterable[Run]) -> set[str]:
    """The metrics of our own that the runs' logs carry, each set of dimensions for itself."""
    found = set()
    for run in runs:
        for line in run.log.splitlines():
            told = json.loads(line)
            for each in told.get("_aws", {}).get("CloudWatchMetrics", ()):
                for metric in each["Metrics"]:
                    for names in each["Dimensions"]:
                        found.add(f"{metric['Name']} {[told[name] for name in names]}")
    return found


def stored_month(items: Iterable[Mapping[str, Any]], table: Mapping[str, Any]) -> float:
    """Dollars a month for keeping the items, in the table, its indexes and for recovery."""
    in_table = in_indexes = 0
    for item in items:
        in_table += item_bytes(item) + INDEX_ENTRY_BYTES
        in_indexes += sum(entry_bytes(item, index) for index in table["GlobalSecondaryIndexes"])
        in_indexes += sum(vector_bytes(item, index) for index in table.get("VectorIndexes", ()))
    kept = (in_table + in_indexes) * prices.STORED_BYTE.dollars
    return kept + in_table * prices.RECOVERABLE_BYTE.dollars


def entry_bytes(item: Mapping[str, Any], index: Mapping[str, Any]) -> int:
    """Of the item's entry in an index; 0 where it has none."""
    keys = [each["AttributeName"] for each in index["KeySchema"]]
    if not all(key in item for key in keys):
        return 0
    names = {"pk", "sk", *keys, *index["Projection"].get("NonKeyAttributes", ())}
    return item_bytes({name: item[name] for name in names & item.keys()}) + INDEX_ENTRY_BYTES


def vector_bytes(item: Mapping[str, Any], index: Mapping[str, Any]) -> int:
    """Of the item's entry in a vector index; 0 where it has none."""
    attribute = index["VectorAttribute"]["AttributeName"]
    if attribute not in item:
        return 0
    names = {"pk", "sk", *index["Projection"].get("NonKeyAttributes", ())}
    names |= {each["AttributeName"] for each in index["SearchSchema"]}
    beside = item_bytes({name: item[name] for name in (names - {attribute}) & item.keys()})
    return int(index["Dimensions"]) * DIMENSION_BYTES + beside + INDEX_ENTRY_BYTES


def item_bytes(item: Mapping[str, Any]) -> int:
    """As DynamoDB counts an item: names and values."""
    return sum(len(name.encode()) + value_bytes(value) for name, value in item.items())


def value_bytes(value: Mapping[str, Any]) -> int:
    """Of one attribute value (DynamoDB, "Item sizes and formats")."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return number_bytes(content)
        case "B":
            return len(content)
        case "SS":
            return sum(len(each.encode()) for each in content)
        case "NS":
            return sum(map(number_bytes, content))
        case "BS":
            return sum(map(len, content))
        case "L":
            return 3 + sum(1 + value_bytes(each) for each in content)
        case "M":
            return 3 + sum(
                1 + len(name.encode()) + value_bytes(each) for name, each in content.items()
            )
        case _:
            return 1


def number_bytes(text: str) -> int:
    """A byte for two digits, one more for the rest, and one for a minus."""
    digits = re.sub(r"[eE].*$", "", text).lstrip("-").replace(".", "").strip("0")
    return (len(digits) + 1) // 2 + 1 + text.startswith("-")
