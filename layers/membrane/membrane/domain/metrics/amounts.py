"""What a counter holds: whole numbers by name, so that what is added can be taken off again.

A fraction is counted in parts of 1e-12: sums of those are exact, whatever comes in what order.
"""

import math
from collections.abc import Mapping

from membrane.domain.language.vocabulary import Sensitivity

PARTS = 10**12
"""Of a whole."""

Amounts = Mapping[str, int]
"""What a cell holds, by name."""

Cells = Mapping[str, Amounts]
"""By a cell's name what it holds, or what is added to it."""

RECORDS = "records"

OVER = "over"
"""And an exponent: records whose salience, when last touched, was above 1 and below 2 to that."""


def parts(value: float) -> int:
    """A number in parts, off by half a part at most."""
    return round(value * PARTS)


def whole(counted: int) -> float:
    """The inverse of `parts`."""
    return counted / PARTS


def amount_of(sensitivity: Sensitivity, name: str) -> str:
    """The name of an amount of records that are so sensitive: each level is counted apart."""
    return f"{sensitivity}_{name}"


def visible(amounts: Amounts, ceiling: Sensitivity) -> dict[str, int]:
    """What is counted of records up to the ceiling, all their levels together."""
    seen: dict[str, int] = {}
    for counted, value in amounts.items():
        level, _, name = counted.partition("_")
        if Sensitivity(level).level <= ceiling.level:
            seen[name] = seen.get(name, 0) + value
    return seen


def added(cells: Cells, more: Cells, sign: int = 1) -> dict[str, dict[str, int]]:
    """The sum, or the difference, of what both hold."""
    together = {name: dict(amounts) for name, amounts in cells.items()}
    for name, amounts in more.items():
        cell = together.setdefault(name, {})
        for amount, value in amounts.items():
            cell[amount] = cell.get(amount, 0) + sign * value
    return together


def over(salience: float) -> str:
    """The name under which a record of that salience, above 1, is counted."""
    return f"{OVER}{math.frexp(salience)[1]}"


def highest(amounts: Amounts) -> float:
    """No record that is counted so has more salience, then or later."""
    exponents = [
        int(name.removeprefix(OVER))
        for name, counted in amounts.items()
        if name.startswith(OVER) and counted > 0
    ]
    return math.ldexp(1.0, max(exponents, default=0))


def drift_between(before: Amounts, after: Amounts) -> int:
    """By how many records a cell differs; by one at least where anything does."""
    names = {**before, **after}
    off = {name: abs(before.get(name, 0) - after.get(name, 0)) for name in names}
    records = sum(by for name, by in off.items() if name.endswith(RECORDS))
    return max(records, int(any(off.values())))
