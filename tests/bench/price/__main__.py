"""Measures every price and cost, and writes them where they are shown.

python -m tests.bench.price: README's table, infra/README's table, and the file of `membrane cost`.
"""

import sys

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from membrane_cli.cost.prices import read_prices
from membrane_local.storage.dynoxide import run_server
from tests.bench import costs
from tests.bench.figures import shown
from tests.bench.price.figures import figures_of, keep
from tests.bench.price.lines import lines
from tests.bench.price.table import with_costs, with_table
from tests.bench.topic_costs import topic_costs
from tests.worlds.pages import INFRA_README, INFRA_README_FILE, README, README_FILE
from tests.worlds.stores import dynoxide_store


def main() -> int:
    """1 where a price is over its limit; it is written all the same."""
    found = list(lines())
    keep(found)
    README_FILE.write_text(with_table(README, read_prices()), "utf-8")
    with run_server(None) as endpoint, dynoxide_store(endpoint) as store:
        of_topics = topic_costs(store)
    page = with_costs(INFRA_README, {**costs.measured(), **of_topics})
    INFRA_README_FILE.write_text(page, "utf-8")
    return shown(figure for line in found for figure in figures_of(line))


if __name__ == "__main__":
    sys.exit(main())
