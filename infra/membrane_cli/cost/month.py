"""A month's bill by part, for given numbers of events and retrievals, from the bench's prices."""

import json
from collections import defaultdict
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


@dataclass(frozen=True, slots=True)
class Use:
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
