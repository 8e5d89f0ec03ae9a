"""The bench itself: that it measures what it says, and that a missed limit shows."""

import json
from collections.abc import Iterable

import pytest

from tests.bench import (
    costs,
    graph,
    retrieval_costs,
    size,
    sweep,
    throughput,
    topics,
)
from tests.bench.figures import TIMES, Figure, shown
from tests.bench.till import swept
from tests.worlds.depth import cases
from tests.worlds.memory import make_world


def named(figures: Iterable[Figure]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


def test_a_figure_is_a_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    status = shown([Figure("warm IngestEvent", 1.23456, TIMES, 1.25, "bare put_item")])

    assert status == 0
    assert json.loads(capsys.readouterr().out) == {
        "name": "warm IngestEvent",
        "value": 1.235,
        "unit": "x",
        "limit": 1.25,
        "ratio_to": "bare put_item",
    }


def test_a_missed_limit_is_named_and_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    status = shown([Figure("slow", 1.26, TIMES, 1.25), Figure("fast", 1.25, TIMES, 1.25)])

    assert status == 1
    assert capsys.readouterr().err == "bench: slow is 1.26, over 1.25\n"


def test_too_small_a_value_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    few, enough = (Figure("written", value, "events/s", least=60) for value in (59, 60))

    assert (shown([enough]), shown([few, enough])) == (0, 1)
    assert capsys.readouterr().err == "bench: written is 59, less than 60\n"


def test_all_code_of_the_layers_is_counted() -> None:
    (figure,) = size.figures()

    assert figure.value > 10_000
    assert figure.limit == size.LIMIT


@pytest.fixture(scope="module")
def sweeps() -> dict[str, Figure]:
    """The figures of sweeps over two small tables."""
    return named(sweep.figures(sizes=(10, 40), due=3, rounds=1))


def test_a_sweep_costs_what_is_due_whatever_is_stored(sweeps: dict[str, Figure]) -> None:
    for unit, value in {"requests": 16, "WRU": 0, "RRU": 8}.items():
        few = sweeps[f"sweep with nothing due at 10 records, {unit}"]
        many = sweeps[f"sweep with nothing due at 40 records, {unit}"]
        assert few.value == few.limit == many.value == many.limit == value

    for unit in costs.PARTS:
        few = sweeps[f"sweep with 3 due at 10 records, {unit}"]
        many = sweeps[f"sweep with 3 due at 40 records, {unit}"]
        assert few.value == many.value == many.limit
        assert not few.missed


def test_a_sweep_that_does_something_else_stops_the_bench() -> None:
    services = make_world()

    swept(services, pruned=0)
    with pytest.raises(RuntimeError, match="a sweep with 1 due ends with"):
        swept(services, pruned=1)


def test_retrievals_beside_many_events_are_timed_in_memory_and_in_a_file() -> None:
    figures = named(throughput.large_figures(many=100, recalls=3))

    assert [*figures] == [
        f"local stack, 100 events {store}, {each}"
        for store in ("in memory", "in a file")
        for each in ("median retrieval", "memory")
    ]
    assert all(each.value > 0 and each.limit for each in figures.values())


def test_a_retrieval_costs_the_same_whatever_other_scopes_hold() -> None:
    sizes = ((20, 40), (60, 40))

    figures = named(retrieval_costs.figures(sizes, questions=2, scopes=2))

    assert not [each for each in figures.values() if each.missed]
    for way in (retrieval_costs.TASK, retrieval_costs.SALIENCE):
        name = f"Retrieve {way} with 40 records in its scope and 60 in others"
        assert figures[f"{name}, requests"].limit == figures[f"{name}, requests"].value > 0
        assert figures[f"{name}, CPU against the first size"].ratio_to is not None
    examined = figures[
        "Retrieve for a task with 40 records in its scope and 60 in others, bytes examined"
    ]
    assert examined.limit == examined.value > 0


def test_a_graph_costs_three_requests_and_one_a_hop_beyond_a_retrieval_at_any_size() -> None:
    sizes = cases((60, 700), (60, 200))
    figures = named(graph.figures(sizes, questions=3, most_cpu=None))

    assert not [each for each in figures.values() if each.missed]
    for records in sizes:
        name = f"RetrieveGraph of 2 hops with {records} records in its scope"
        beyond = figures[f"{name}, requests beyond a retrieval"]
        assert 0 < beyond.value <= 5 == beyond.limit


def test_a_query_of_topics_costs_the_same_whatever_other_scopes_hold() -> None:
    figures = named(topics.figures(((0, 30), (60, 30), (60, 60)), rounds=2))

    assert not [each for each in figures.values() if each.missed]
    grown = f"{topics.QUERY} with 30 topics in its scope and 60 in another"
    for unit in ("requests", "RRU", "bytes examined"):
        assert figures[f"{grown}, {unit}"].limit == figures[f"{grown}, {unit}"].value > 0
    larger = f"{topics.QUERY} with 60 topics in its scope and 60 in another, requests"
    assert figures[larger].limit == figures[larger].value > 0
