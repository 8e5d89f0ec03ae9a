"""A month's bill by part, for so many events and retrievals in a period."""

from collections import defaultdict
from dataclasses import dataclass

from membrane_cli.cost.prices import CREATING, IDLE, LIFE, LIVE, RETRIEVING, Parts, Prices

MILLION = 1_000_000
MONTH_S = 30 * 86_400
PERIODS_S = {"hour": 3_600, "day": 86_400, "week": 7 * 86_400, "month": MONTH_S}


@dataclass(frozen=True, slots=True)
class Use:
    """What a stack is used for, by the month."""

    events: float
    retrievals: float
    live: float
    """Records that are stored beside the events, which are pruned by and by."""
    scope: int
    """Records in a scope that is asked: one of RETRIEVING."""


def month_of(use: Use, prices: Prices) -> Parts:
    """Dollars by part."""
    total: defaultdict[str, float] = defaultdict(float)

    def add(name: str, times: float) -> None:
        for part, dollars in prices.lines[name].items():
            total[part] += dollars * times

    add(_creating(use), use.events / MILLION)
    add(LIFE, use.events / MILLION)  # as created in the largest batches, which is taken off
    add(CREATING[max(CREATING)], -use.events / MILLION)
    add(RETRIEVING[use.scope], use.retrievals / MILLION)
    add(IDLE, 1)
    add(LIVE, use.live / MILLION)
    return {part: max(0.0, dollars) for part, dollars in total.items()}


def _creating(use: Use) -> str:
    """The line of events that come so often: what comes within a second is indexed at once."""
    a_second = use.events / MONTH_S
    return CREATING[max(size for size in CREATING if size == 1 or size <= a_second)]
