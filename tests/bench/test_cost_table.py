"""The costs of operations are within their budgets, and are the figures of infra/README's table."""

import re
from collections.abc import Mapping

import pytest

from membrane.adapters.aws_lambda.routes.table import OPERATIONS
from membrane_local.storage.dynoxide import running
from tests.bench import costs
from tests.bench.topic_costs import topic_costs
from tests.worlds.metering import Cost
from tests.worlds.pages import INFRA_README
from tests.worlds.stores import dynoxide_store


@pytest.fixture(scope="module")
def measured() -> Mapping[str, Cost]:
    """By operation, on a small table."""
    return costs.measured()


def test_every_operation_keeps_its_budget(measured: Mapping[str, Cost]) -> None:
    figures = list(costs.figures_of(measured))

    assert {each.name for each in figures if each.limit is not None} == {
        f"{operation}, {unit}" for operation in costs.LIMITS for unit in costs.PARTS
    }
    assert not [each.line() for each in figures if each.missed]


def test_the_cost_table_is_what_the_bench_measures(measured: Mapping[str, Cost]) -> None:
    (table,) = re.findall(r"## Costs\n(.*?)##", INFRA_README, re.DOTALL)
    rows = re.findall(r"^\| (.*\d) \|$", table, re.MULTILINE)
    cells = [row.split(" | ") for row in rows]
    shown = {
        operation: tuple(map(float, figures))
        for names, _, *figures in cells
        for operation in names.partition(", once")[0].split(", ")
    }

    with running(None) as endpoint, dynoxide_store(endpoint) as store:
        of_topics = topic_costs(store)

    assert {each.rpc for each in OPERATIONS} <= {name.split()[0] for name in shown}
    assert shown == {
        name: (cost.requests, cost.write_units, cost.read_units, costs.price(cost))
        for name, cost in {**measured, **of_topics}.items()
    }
