"""A graph reads on behind records that have ended or are hidden, within bounds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.stored import Tombstone
from membrane.usecases.graph import expanding, hubs, retrieve_graph, roots
from membrane.usecases.graph.retrieve_graph import Graph
from tests.builders.requests import relation, standing
from tests.worlds.graphs import GraphMemory, node_ids

ALPHA = principal_of("alpha", [Permission.READ], ["project:alpha"], "low")
AROUND_ATLAS: dict[str, Any] = {
    "task_descriptor": "Atlas",
    "memory_types": ["entity"],
    "root_limit": 1,
}
ENDED = Tombstone(deleted_at_s=0.0, reason="pruned", due_s=2**33, expires_at_s=2**33)


def an_entity_mentioned_early() -> GraphMemory:
    """Three records mention an entity; the search finds none of the three."""
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    for name in ("one", "two", "three"):
        memory.episode(name, "a note", "atlas", scope="project:alpha")
        memory.vectors.kept.pop(name)
    return memory


def end(memory: GraphMemory, ids: Sequence[str]) -> None:
    """Delete the records, which keep their edges while they may be restored."""
    for each in ids:
        memory.records.places[each] = replace(standing(each, memory.records), tombstone=ENDED)


def nodes_in(pages: Sequence[Graph]) -> list[str]:
    """The ids of the nodes on all pages, in order."""
    return [each for page in pages for each in node_ids(page)]


@pytest.mark.parametrize("ended", [30, 99, 250, 700])
def test_neighbours_behind_newer_deleted_records_are_found(ended: int) -> None:
    memory = an_entity_mentioned_early()
    end(memory, memory.crowd("atlas", ended))

    graph = memory.graph(**AROUND_ATLAS)

    assert node_ids(graph) == ["atlas", "three", "two", "one"]


def test_the_requests_for_records_that_have_ended_are_bounded() -> None:
    memory = an_entity_mentioned_early()
    end(memory, memory.crowd("atlas", 2_000))
    memory.records.requests.clear()

    memory.graph(**AROUND_ATLAS)

    assert memory.records.requests.count("records") <= 2 + 1 + expanding.FURTHER_READS


def test_pages_go_on_until_no_record_is_left_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieve_graph, "FURTHER_READS", 2)
    memory = an_entity_mentioned_early()
    end(memory, memory.crowd("atlas", 500))

    pages = memory.graph_pages(**AROUND_ATLAS)

    assert nodes_in(pages) == ["atlas", "three", "two", "one"]
    assert node_ids(pages[0]) == ["atlas"]
    assert not pages[1].nodes


def test_relations_to_deleted_records_displace_no_neighbour() -> None:
    memory = GraphMemory()
    for number in range(40):
        memory.episode(f"old{number:02}", "a note")
        memory.episode(f"new{number:02}", "a note")
    end(memory, [f"new{number:02}" for number in range(40)])
    strong = [relation(f"new{number:02}") for number in range(40)]
    weak = [relation(f"old{number:02}", weight=0.5) for number in range(40)]
    memory.episode("root", "the linker cache failed")
    memory.alter("root", relations=(*strong, *weak))
    memory.vectors.kept = {"root": memory.vectors.kept["root"]}

    asked: dict[str, Any] = {"task_descriptor": "the linker cache failed", "min_score": 0.3}
    graph = memory.graph(**asked)

    assert node_ids(graph) == ["root", *(f"old{number:02}" for number in reversed(range(16, 40)))]


@pytest.mark.parametrize("hidden", [0, 99, 1_500, 4_900])
def test_mentions_in_a_scope_of_others_change_nothing(hidden: int) -> None:
    memory = an_entity_mentioned_early()
    memory.crowd("atlas", hidden, scope="project:beta")

    pages = memory.graph_pages(ALPHA, **AROUND_ATLAS)

    assert [node_ids(page) for page in pages] == [["atlas", "three", "two", "one"]]


def test_pages_go_on_behind_more_hidden_mentions_than_a_page_examines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hubs, "MAX_EXAMINED", 200)
    memory = an_entity_mentioned_early()
    memory.crowd("atlas", 500, scope="project:beta")

    pages = memory.graph_pages(ALPHA, **AROUND_ATLAS)

    assert nodes_in(pages) == ["atlas", "three", "two", "one"]


def most_salient_behind(hidden: int) -> GraphMemory:
    """A record of the reader's, and more salient records in another scope."""
    memory = GraphMemory()
    memory.episode("own", "a note", scope="project:alpha", salience=0.5)
    memory.entity("atlas", "Atlas", scope="project:beta")
    memory.crowd("atlas", hidden, scope="project:beta", sensitivity="hyper")
    return memory


@pytest.mark.parametrize("hidden", [0, 2_500])
@pytest.mark.parametrize("max_hops", [0, 1])
def test_hidden_records_of_more_salience_keep_back_no_root(hidden: int, max_hops: int) -> None:
    everywhere = principal_of("reader", [Permission.READ], [ALL_SCOPES], "low")

    graph = most_salient_behind(hidden).graph(everywhere, max_hops=max_hops)

    assert graph.root_ids == ["atlas", "own"]
    assert graph.next_cursor is None


@pytest.mark.parametrize("max_hops", [0, 1])
def test_pages_go_on_behind_more_hidden_rows_than_a_page_reads(
    monkeypatch: pytest.MonkeyPatch, max_hops: int
) -> None:
    monkeypatch.setattr(roots, "MAX_ROWS", 200)
    everywhere = principal_of("reader", [Permission.READ], [ALL_SCOPES], "low")
    asked: dict[str, Any] = {"memory_types": ["episodic"], "max_hops": max_hops}

    pages = most_salient_behind(500).graph_pages(everywhere, **asked)

    assert not pages[0].nodes
    assert nodes_in(pages) == ["own"]
