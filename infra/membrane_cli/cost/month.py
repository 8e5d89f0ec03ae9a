"""A month's bill by part, for given numbers of events and retrievals."""

from collections import defaultdict
from dataclasses import dataclass

from membrane_cli.cost.prices import CREATING, IDLE, LIFE, LIVE, RETRIEVING, Parts, Prices

MILLION = 1_000_000
MONTH_S = 30 * 86_400
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


def month_of(use: Use, prices: Prices) -> Parts:
    """Dollars by part."""
    total: defaultdict[str, float] = defaultdict(float)

    def add(name: str, times: float) -> None:
        for part, dollars in prices.lines[name].items():
            total[part] += dollars * times

    add(_creating(use), use.events / MILLION)
    add(
        LIFE, use.events / MILLION
    )  # includes the creation in the largest batches, subtracted below
    add(CREATING[max(CREATING)], -use.events / MILLION)
    add(RETRIEVING[use.scope], use.retrievals / MILLION)
    add(IDLE, 1)
    add(LIVE, use.live / MILLION)
    return {part: max(0.0, dollars) for part, dollars in total.items()}


def _creating(use: Use) -> str:
    """The price line of events at this rate: all events of one second share an index batch."""
    a_second = use.events / MONTH_S
    return CREATING[max(size for size in CREATING if size == 1 or size <= a_second)]
