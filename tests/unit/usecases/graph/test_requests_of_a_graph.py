"""How many requests a graph needs beside the retrieval of its roots."""

from typing import Any

import pytest

from membrane.usecases.graph import hubs
from membrane.usecases.graph.entities_in_task import MAX_PLACES
from tests.builders.requests import full_record, relation
from tests.fakes.records import FakeRecords
from tests.worlds.graphs import GraphMemory, node_ids

MANY = 250
"""Mentions of an entity: more than a page of edges, and more than a search finds."""


def a_busy_memory(mentions: int) -> GraphMemory:
    """Two entities with many mentions, and chains of records behind them."""
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    memory.entity("ann", "Ann Example")
    for number in range(mentions):
        memory.episode(f"m{number}", f"note {number} of the service", "atlas")
    for number in range(12):
        memory.episode(f"p{number}", f"the pager went off, {number}", "atlas", "ann")
    return memory


def spent_on_graph(memory: GraphMemory, **asked: Any) -> list[str]:
    """The requests for records and edges beyond those of a retrieval, and those for names."""
    task: dict[str, Any] = {"task_descriptor": "whose pager went off? ask Ann Example"}
    memory.records.requests.clear()
    memory.retrieve(**task)
    of_retrieval = len(memory.records.requests)
    memory.records.requests.clear()
    memory.names.read.clear()
    memory.graph(**task, **asked)
    names = ["names"] * len(memory.names.read)
    return names + memory.records.requests[of_retrieval:]


@pytest.mark.parametrize("mentions", [5, 60, MANY])
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_a_graph_needs_three_requests_and_one_a_hop_beyond_a_retrieval(
    mentions: int, hops: int
) -> None:
    memory = a_busy_memory(mentions)

    spent = spent_on_graph(memory, max_hops=hops)

    assert len(spent) <= 3 + hops
    assert spent.count("names") == 1
    assert len([each for each in spent if each not in {"names", "records"}]) == 2
    assert "ann" in spent


def test_without_hops_there_is_one_request_for_names() -> None:
    assert spent_on_graph(a_busy_memory(60), max_hops=0) == ["names"]


@pytest.mark.parametrize("scopes", [1, 3, 30])
def test_few_places_of_names_are_read_for_a_long_task(scopes: int) -> None:
    memory = GraphMemory()
    task = " ".join(f"Orchid{number}" for number in range(500))
    trust = {"scopes": [f"project:{number}" for number in range(scopes)]}

    memory.graph(task_descriptor=task, trust=trust)

    (places,) = memory.names.read
    assert MAX_PLACES // 2 <= len(places) <= MAX_PLACES


def test_the_newest_mentions_of_a_hub_are_among_the_nodes() -> None:
    memory = a_busy_memory(MANY)

    graph = memory.graph(memory_types=["entity"], root_limit=2, node_limit=100)

    newest = {f"p{number}" for number in range(12)} | {f"m{MANY - 1 - each}" for each in range(60)}
    assert "atlas" in graph.root_ids
    assert newest <= set(node_ids(graph))


def a_skill_behind(mentions: int) -> GraphMemory:
    """A skill about an entity with many newer mentions."""
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    memory.add(full_record(id="skill", relations=[relation("atlas", "subject_entity")]))
    for number in range(mentions):
        memory.episode(f"m{number}", f"a note, {number}", "atlas")
    return memory


def skills_in(memory: GraphMemory) -> tuple[list[str], list[str]]:
    """The skills around the entity, and the requests for edges."""
    memory.records.requests.clear()
    roots: dict[str, Any] = {"memory_types": ["entity"], "root_limit": 1}
    graph = memory.graph(task_descriptor="Atlas", **roots, node_types=["competence"])
    requests = [each for each in memory.records.requests if each == "atlas"]
    return [each for each in node_ids(graph) if each != "atlas"], requests


def test_a_node_of_a_rare_type_is_found_behind_newer_mentions_of_other_types() -> None:
    assert skills_in(a_skill_behind(MANY)) == (["skill"], ["atlas"] * 2)


def test_the_requests_for_a_rare_type_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "MAX_EXAMINED", 200)

    assert skills_in(a_skill_behind(MANY)) == ([], ["atlas"] * 2)


def test_edges_without_a_type_lead_to_records_that_have_the_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edges_to = FakeRecords._edges_to  # noqa: SLF001 - makes the edges of the fake
    monkeypatch.setattr(
        FakeRecords,
        "_edges_to",
        lambda *given: (each._replace(source_type=None) for each in edges_to(*given)),
    )

    assert skills_in(a_skill_behind(20)) == (["skill"], ["atlas"])


def test_pages_go_on_through_the_edges_of_a_hub_with_bounded_requests() -> None:
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    for number in range(MANY):
        memory.episode(f"m{number}", f"a note, {number}", "atlas")
    asked: dict[str, Any] = {"memory_types": ["entity"], "root_limit": 1, "node_limit": 60}
    memory.records.requests.clear()

    pages = memory.graph_pages(task_descriptor="Atlas", **asked)

    every = [each for page in pages for each in node_ids(page)]
    assert sorted(every) == sorted(["atlas", *(f"m{number}" for number in range(MANY))])
    assert all(page.nodes for page in pages)
    assert len(memory.records.requests) <= 6 * len(pages)
