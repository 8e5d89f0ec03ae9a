"""The costs of operations keep their budgets, are those of docs/costs.md, and never grow.

They are measured up to three times, which takes half as long where one worker has all of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import pytest

from membrane.adapters.aws_lambda.rows import ROWS
from membrane.adapters.sentence_encoder import SentenceEncoder
from tests.bench import costs, document_costs, growth
from tests.bench.all_costs import MEASURES
from tests.worlds.depth import deep
from tests.worlds.metering import Cost
from tests.worlds.pages import manual
from tests.worlds.stores import memory_store


@pytest.fixture(scope="module", autouse=True)
def _each_text_is_embedded_once() -> Iterator[None]:
    """The texts of one measurement are those of the next."""
    embed = SentenceEncoder.embed

    @cache
    def vector(text: str) -> Sequence[float]:
        return embed(SentenceEncoder(), [text])[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SentenceEncoder, "embed", lambda _, texts: [*map(vector, texts)])
        yield


@pytest.fixture(scope="module")
def measured() -> Mapping[str, Cost]:
    """By operation, on a small table."""
    return costs.measured()


@pytest.fixture(scope="module")
def measured_beyond() -> Mapping[str, Cost]:
    """By operation, of the measures beyond records."""
    found: dict[str, Cost] = {}
    for measure in MEASURES:
        with memory_store() as store:
            found.update(measure(store))
    return found


def test_every_operation_keeps_its_budget(measured: Mapping[str, Cost]) -> None:
    figures = list(costs.figures_of(measured))

    assert {each.name for each in figures if each.limit is not None} == {
        f"{operation}, {unit}" for operation in costs.LIMITS for unit in costs.PARTS
    }
    assert not [each.line() for each in figures if each.missed]


@deep
def test_keyed_documents_keep_their_budgets(measured_beyond: Mapping[str, Cost]) -> None:
    documents = {name: measured_beyond[name] for name in document_costs.LIMITS}

    figures = list(document_costs.figures_of(documents))

    assert len(figures) == len(documents) * len(costs.PARTS)
    assert not [each.line() for each in figures if each.missed]


@deep
def test_the_cost_table_is_what_the_bench_measures(
    measured: Mapping[str, Cost], measured_beyond: Mapping[str, Cost]
) -> None:
    table = manual("costs").section("Operations")
    rows = re.findall(r"^\| (.*\d) \|$", table, re.MULTILINE)
    cells = [row.split(" | ") for row in rows]
    shown = {
        operation: tuple(map(float, figures))
        for names, _, *figures in cells
        for operation in names.partition(", once")[0].split(", ")
    }

    found = {**measured, **measured_beyond}

    assert {each.rpc for each in ROWS} <= {name.split()[0] for name in shown}
    assert shown == {
        name: (cost.requests, cost.write_units, cost.read_units, costs.price(cost))
        for name, cost in found.items()
    }


def test_a_table_that_grows_makes_nothing_dearer() -> None:
    figures = {each.name: each for each in growth.figures(few=300, many=600)}

    assert figures["IngestEvent at 600 records, WRU"].value > 0
    assert not [each.line() for each in figures.values() if each.value != each.limit]
