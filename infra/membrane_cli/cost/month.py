"""A month's bill by part, for given numbers of events and retrievals."""

from collections import defaultdict
from dataclasses import dataclass

from membrane_cli.cost.prices import ANCHORED, CREATING, IDLE, LIFE, LIVE, RETRIEVING, Parts, Prices

MILLION = 1_000_000
MONTH_S = 30 * 86_400
FREE_BYTES = 100e9
"""Of a month's transfer to the internet (EC2, "Data Transfer")."""
GRAVITON = 1.4
"""An assumption: the bench measures on x86-64, and no figure is from Lambda."""
PERIODS_S = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400, "month": MONTH_S}


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a stack in a month."""

    events: float
    retrievals: float
    live: float
    """Records that stay, beside the events, which are pruned in time."""
    scope: int
    """Records in the scope of a retrieval: one of RETRIEVING."""
    graviton: float = GRAVITON
    """How many times the CPU time of the bench a function takes on Graviton."""


def month_of(use: Use, prices: Prices) -> Parts:
    """Dollars by part."""
    total: defaultdict[str, float] = defaultdict(float)
    metrics: set[str] = set()

    def add(name: str, times: float) -> None:
        for part, dollars in prices.lines[name].items():
            total[part] += dollars * times
        if times > 0:
            metrics.update(prices.metrics[name])

    add(_creating(use), use.events / MILLION)
    add(
        LIFE, use.events / MILLION
    )  # includes the creation in the largest batches, subtracted below
    add(CREATING[max(CREATING)], -use.events / MILLION)
    add(ANCHORED, use.events / MILLION)
    add(RETRIEVING[use.scope], use.retrievals / MILLION)
    add(IDLE, 1)
    add(LIVE, use.live / MILLION)
    total["lambda"] += total.pop("cpu", 0.0) * use.graviton
    total["metrics"] += prices.metric * len(metrics - {*prices.metrics[IDLE]})
    total["egress"] -= FREE_BYTES * prices.sent_byte
    return {part: max(0.0, dollars) for part, dollars in total.items()}


def _creating(use: Use) -> str:
    """The price line of events at this rate: all events of one second share an index batch."""
    a_second = use.events / MONTH_S
    return CREATING[max(size for size in CREATING if size == 1 or size <= a_second)]
