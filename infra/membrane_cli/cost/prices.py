"""The prices of operations and of a month, as the bench measured them last."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("prices.json")
"""Written by `python -m tests.bench.price`."""

A_MILLION, A_MONTH = "$ a million", "$ a month"

CREATING = {
    20: "IngestEvent of 1 KB, indexed in batches of 20",
    5: "IngestEvent of 1 KB, indexed in batches of 5",
    1: "IngestEvent of 1 KB, indexed in batches of 1",
}
"""By the events a second from which on the index takes events in batches of that size."""
FACT = "IngestObservation of a fact"
CAPTURE = "CaptureMemory of two known names"
LIFE = "life of an event that is pruned"
RETRIEVING = {
    400: "Retrieve for a task, from a scope of 400",
    1_000: "Retrieve for a task, from a scope of 1000",
    5_000: "Retrieve for a task, from a scope of 5000",
}
"""By records in the scope."""
GRAPH = "RetrieveGraph of two hops, from a scope of 400"
ANCHORED = "anchors of an event until the end of the tombstone"
KEPT_WARM = "Retrieve, Mcp and Authorizer kept warm"
IDLE = "idle month, empty"
LIVE = "idle month, a million live records more"

Parts = Mapping[str, float]
"""Dollars by part of the bill; `cpu` is the part of Lambda's that a slower processor raises."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of each line of the file, by part."""

    listed: str
    """The date of AWS's price list."""
    assumptions: Sequence[str]
    lines: Mapping[str, Parts]
    units: Mapping[str, str]
    metrics: Mapping[str, Collection[str]]
    """The custom metrics that each line tells of."""
    metric: float
    """Dollars a month for a custom metric."""
    sent_byte: float
    """Dollars for a byte to the internet, after FREE_BYTES."""
    examined_byte: float
    """Dollars for a byte that a vector search examines."""


def read_prices() -> Prices:
    content = json.loads(FILE.read_text("utf-8"))
    lines = {line["name"]: line["parts"] for line in content["lines"]}
    units = {line["name"]: line["unit"] for line in content["lines"]}
    metrics = {line["name"]: line["metrics"] for line in content["lines"]}
    return Prices(
        content["listed"],
        content["assumptions"],
        lines,
        units,
        metrics,
        content["metric"],
        content["sent_byte"],
        content["examined_byte"],
    )
