"""Prices as figures of the bench, and as the file that `membrane cost` reads."""

import json
from collections.abc import Iterable, Iterator

from membrane_cli.cost.month import FILE
from tests.bench.figures import Figure
from tests.bench.price import prices
from tests.bench.price.lines import Line, lines


def figures() -> Iterator[Figure]:
    """Every price as it is found; of retrievals how much of what is counted, too."""
    for line in lines():
        yield from figures_of(line)


def figures_of(line: Line) -> Iterator[Figure]:
    """The price of a line with its parts, and its counts."""
    parts = {part: round(dollars, 3) for part, dollars in line.bill.items()}
    yield Figure(
        line.name,
        line.dollars,
        line.unit,
        line.limit,
        parts=parts,
        assumptions=prices.ASSUMPTIONS,
    )
    for unit, value in line.counts.items():
        yield Figure(f"{line.name}, {unit}", value, unit, line.count_limits.get(unit))


def keep(found: Iterable[Line]) -> None:
    """Write the file that `membrane cost` reads."""
    content = {
        "listed": prices.LISTED,
        "assumptions": prices.ASSUMPTIONS,
        "metric": prices.CUSTOM_METRIC.dollars,
        "sent_byte": prices.SENT_BYTE.dollars,
        "examined_byte": prices.EXAMINED_BYTE.dollars,
        "lines": [
            {
                "name": line.name,
                "unit": line.unit,
                "parts": {part: round(dollars, 3) for part, dollars in line.bill.items()},
                "metrics": sorted(line.metrics),
            }
            for line in found
        ],
    }
    FILE.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
