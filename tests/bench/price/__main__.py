"""Measures every price and cost, and writes them where they are shown.

python -m tests.bench.price: both tables of docs/costs.md, and the file of `membrane cost`.
"""

import sys

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from membrane_cli.cost.month import read_prices
from tests.bench import costs
from tests.bench.all_costs import MEASURES
from tests.bench.figures import shown
from tests.bench.price.figures import figures_of, keep
from tests.bench.price.lines import lines
from tests.bench.price.table import with_costs, with_table
from tests.worlds.pages import manual
from tests.worlds.stores import memory_store


def main() -> int:
    """1 where a price is over its limit; it is written all the same."""
    found = list(lines())
    keep(found)
    measured = dict(costs.measured())
    for measure in MEASURES:
        with memory_store() as store:
            measured.update(measure(store))
    costs_page = manual("costs")
    prices = with_table(costs_page.text, read_prices())
    page = with_costs(prices, measured)
    costs_page.path.write_text(page, "utf-8")
    return shown(figure for line in found for figure in figures_of(line))


if __name__ == "__main__":
    sys.exit(main())
