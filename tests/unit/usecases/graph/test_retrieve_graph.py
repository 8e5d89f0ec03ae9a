"""The graph around the records for a task: roots, nodes, edges and paths."""

from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.graph.requests import MAX_NODES
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.revision.requests import Retract, Supersede
from tests.builders.requests import relation
from tests.worlds.graphs import GraphMemory, edges_in, node_ids, path_to
from tests.worlds.retrieval import semantic, skill


def a_pager_story() -> GraphMemory:
    """The pager of a service went off, and somebody else owns the service."""
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    memory.entity("ann", "Ann Example")
    memory.entity("lily", "Lily")
    memory.episode("pager", "the pager went off on Tuesday", "atlas")
    memory.episode("owner", "the rota is hers since spring", "atlas", "ann")
    memory.episode("other", "nothing happens in the garden", "lily")
    return memory


TWO_LINKS: dict[str, Any] = {
    "task_descriptor": "whose pager went off on Tuesday?",
    "root_limit": 1,
    "max_hops": 2,
}


def test_what_hangs_together_with_the_best_record_comes_with_the_way_to_it() -> None:
    memory = a_pager_story()

    graph = memory.graph(**TWO_LINKS)

    assert node_ids(graph) == ["pager", "atlas", "owner"]
    assert graph.root_ids == ["pager"]
    assert [(node["root"], node["hop"]) for node in graph.nodes] == [
        (True, 0),
        (False, 1),
        (False, 2),
    ]
    assert path_to("owner", graph) == [("pager", "mentions_entity"), ("atlas", "mentioned_in")]
    assert path_to("pager", graph) == []
    assert edges_in(graph) == [
        ("pager", "mentions_entity", "atlas"),
        ("owner", "mentions_entity", "atlas"),
    ]
    assert all(edge["weight"] == 1.0 for edge in graph.edges)


def test_one_hop_is_usual() -> None:
    memory = a_pager_story()

    assert node_ids(memory.graph(**{**TWO_LINKS, "max_hops": 1})) == ["pager", "atlas"]
    del (asked := dict(TWO_LINKS))["max_hops"]
    assert node_ids(memory.graph(**asked)) == ["pager", "atlas"]


@pytest.mark.parametrize("hops", [0, -1])
def test_without_hops_there_are_the_roots_alone(hops: int) -> None:
    graph = a_pager_story().graph(**{**TWO_LINKS, "max_hops": hops, "root_limit": 3})

    assert all(node["root"] for node in graph.nodes)
    assert graph.edges == []


def test_roots_come_by_worth_with_and_without_hops() -> None:
    memory = GraphMemory()
    memory.entity("atlas", "Atlas Pager Rota", salience=0.3)
    memory.entity("ann", "Ann", salience=0.9)
    asked: dict[str, Any] = {"task_descriptor": "the Atlas Pager Rota, ask Ann", "root_limit": 2}

    alone, around = memory.graph(**asked, max_hops=0), memory.graph(**asked, max_hops=1)

    assert node_ids(alone) == node_ids(around)
    assert alone.root_ids == around.root_ids


def test_an_entity_named_in_the_task_is_a_root_whatever_else_answers_better() -> None:
    memory = a_pager_story()

    graph = memory.graph(
        task_descriptor="the pager went off on Tuesday: Ann Example's?", root_limit=1, min_score=1.0
    )

    assert graph.root_ids == ["ann"]
    assert node_ids(graph) == ["ann", "owner"]


def test_a_named_entity_that_the_index_lacks_is_found_by_its_stored_name() -> None:
    memory = a_pager_story()
    del memory.vectors.kept["ann"]

    graph = memory.graph(task_descriptor="what does ann example do?", root_limit=1)

    assert node_ids(graph) == ["ann", "owner"]
    assert "score" not in graph.nodes[0]


def test_a_named_entity_whose_name_is_not_stored_is_found_among_the_candidates() -> None:
    memory = a_pager_story()
    memory.names.stored.clear()

    assert memory.graph(task_descriptor="what does ann example do?", root_limit=1).root_ids == [
        "ann"
    ]


def test_a_longer_name_counts_before_its_parts_while_an_entity_bears_it() -> None:
    memory = GraphMemory()
    memory.entity("orchid", "Orchid")
    memory.entity("deploy", "Orchid Deploy")
    asked: dict[str, Any] = {
        "task_descriptor": "when is the Orchid Deploy?",
        "min_score": 1.0,
        "max_hops": 0,
    }
    memory.vectors.kept.clear()

    longer = memory.graph(**asked)
    memory.revise(Retract(id="deploy", rationale="gone"))
    memory.vectors.kept.clear()
    shorter = memory.graph(**asked)

    assert longer.root_ids == ["deploy"]
    assert shorter.root_ids == ["orchid"]


@pytest.mark.parametrize(
    "task",
    [
        *("is Orchid\u2014our target\u2014up?", "is \u201cOrchid\u201d up?", "is #orchid up?"),
        *("is _orchid_ up?", "ask @orchid", "what of Orchid's pager", "(orchid), again"),
    ],
)
def test_a_name_is_found_whatever_stands_around_it(task: str) -> None:
    memory = GraphMemory()
    memory.entity("orchid", "Orchid")
    memory.vectors.kept.clear()

    assert memory.graph(task_descriptor=task, min_score=1.0, max_hops=0).root_ids == ["orchid"]


def test_a_name_of_two_entities_in_view_names_both() -> None:
    memory = GraphMemory()
    memory.entity("here", "Orchid", scope="project:alpha")
    memory.entity("there", "Orchid", scope="project:beta")
    memory.vectors.kept.clear()
    asked: dict[str, Any] = {"trust": {"scopes": ["project:alpha", "project:beta"]}}

    graph = memory.graph(task_descriptor="is Orchid up?", min_score=1.0, max_hops=0, **asked)

    assert set(graph.root_ids) == {"here", "there"}


def test_a_name_that_begins_with_a_stop_word_is_found_among_the_candidates() -> None:
    memory = GraphMemory()
    memory.entity("pager", "The Long Pager")

    graph = memory.graph(task_descriptor="who has The Long Pager?", root_limit=1, max_hops=0)

    assert graph.root_ids == ["pager"]


def test_a_stored_name_that_the_entity_no_longer_bears_names_nothing() -> None:
    memory = a_pager_story()
    memory.name("Gardener", "ann", Sensitivity.LOW)

    graph = memory.graph(task_descriptor="gardener", min_score=1.0)

    assert graph.nodes == []


def superseded(memory: GraphMemory, record_id: str, name: str, **fields: Any) -> str:
    """The id of the entity that takes the place of another."""
    entity = {"kind": "entity", "canonical_name": name}
    successor = {"type": "entity", "sensitivity": "low", "payload": entity, **fields}
    return memory.revise(Supersede.model_validate({"id": record_id, "new_record": successor})).id


@pytest.mark.parametrize("names", [["Cumulus"], ["Cumulus", "Stratus"], ["One", "Two", "Three"]])
def test_a_superseded_entity_leads_to_its_last_successor(names: list[str]) -> None:
    memory = GraphMemory()
    memory.entity(newest := "old", "Nimbus")
    for name in names:
        newest = superseded(memory, newest, name)
    memory.vectors.kept.clear()
    memory.records.requests.clear()

    graph = memory.graph(task_descriptor="what is Nimbus?", min_score=1.0, max_hops=0)

    assert graph.root_ids == [newest]
    assert memory.records.requests == ["records"] * (1 + len(names))


def test_a_name_with_a_hidden_successor_takes_the_place_of_no_shorter_name() -> None:
    memory = GraphMemory()
    memory.entity("orchid", "Orchid")
    memory.entity("deploy", "Orchid Deploy")
    hidden_id = superseded(memory, "deploy", "Rollout")
    memory.alter(hidden_id, sensitivity=Sensitivity.HYPER)
    memory.vectors.kept.clear()
    reader = principal_of("reader", [Permission.READ], ["*"], "low")
    asked: dict[str, Any] = {"task_descriptor": "when is the Orchid Deploy?", "min_score": 1.0}

    assert memory.graph(reader, **asked, max_hops=0).root_ids == ["orchid"]


def test_entities_are_no_roots_where_other_types_are_asked_for() -> None:
    memory = a_pager_story()
    memory.names.read.clear()

    graph = memory.graph(
        task_descriptor="what does Ann Example do?", memory_types=["episodic"], max_hops=0
    )

    assert set(graph.root_ids) == {"pager", "owner", "other"}
    assert memory.names.read == []


def test_without_a_task_the_roots_are_the_most_salient() -> None:
    memory = GraphMemory()
    memory.episode("faint", "x", salience=0.2)
    memory.episode("strong", "y", salience=0.9)
    memory.episode("middle", "z", relation("faint"), salience=0.5)

    graph = memory.graph(root_limit=2)

    assert node_ids(graph) == ["strong", "middle", "faint"]
    assert graph.root_ids == ["strong", "middle"]
    assert path_to("faint", graph) == [("middle", "cites")]
    assert all("score" not in node for node in graph.nodes)


@pytest.mark.parametrize(
    ("task", "root", "other", "predicate"),
    [("b", "effect", "cause", "caused_by"), ("a", "cause", "effect", "causes")],
)
def test_edges_are_followed_in_both_directions_under_the_name_from_either_end(
    task: str, root: str, other: str, predicate: str
) -> None:
    memory = GraphMemory()
    memory.episode("cause", "a linker")
    memory.episode("effect", "b cache", relation("cause", "caused_by"))
    asked = {"a": "a linker", "b": "b cache"}[task]

    graph = memory.graph(root_limit=1, task_descriptor=asked)

    assert node_ids(graph) == [root, other]
    assert path_to(other, graph) == [(root, predicate)]
    assert edges_in(graph) == [("effect", "caused_by", "cause")]


@pytest.mark.parametrize("predicate", ["mentions_entity", "mentioned_in"])
def test_predicates_asked_for_are_followed_and_listed_alone(predicate: str) -> None:
    memory = a_pager_story()
    memory.episode("report", "more of the pager", "atlas", relation("pager", "references_record"))

    graph = memory.graph(**TWO_LINKS, predicates=[predicate])

    assert set(node_ids(graph)) == {"pager", "atlas", "owner", "report"}
    assert {predicate for _, predicate, _ in edges_in(graph)} == {"mentions_entity"}
    assert node_ids(memory.graph(**TWO_LINKS, predicates=["supports"])) == ["pager"]


def test_only_types_asked_for_are_added() -> None:
    memory = a_pager_story()

    assert node_ids(memory.graph(**TWO_LINKS, node_types=["episodic"])) == ["pager"]
    assert node_ids(memory.graph(**TWO_LINKS, node_types=["entity"])) == ["pager", "atlas"]


def test_salience_and_weight_decide_which_neighbours_come_first() -> None:
    memory = GraphMemory()
    for name, salience in (("a", 0.3), ("b", 0.9), ("c", 0.6)):
        memory.episode(name, "x", salience=salience)
    edges = [relation("a"), relation("b", weight=0.1), relation("c")]
    memory.episode("root", "the linker cache failed", *edges)

    graph = memory.graph(task_descriptor="the linker cache failed", root_limit=1, min_score=0.5)

    assert node_ids(graph) == ["root", "c", "a", "b"]


def test_a_longer_way_counts_where_the_longer_way_is_stronger() -> None:
    memory = a_pager_story()
    memory.episode("weak", "a pager is for sale", relation("owner", "see"))

    graph = memory.graph(**{**TWO_LINKS, "root_limit": 2})

    assert graph.root_ids == ["pager", "weak"]
    assert node_ids(graph) == ["pager", "atlas", "owner", "weak", "ann"]
    assert path_to("owner", graph) == [("pager", "mentions_entity"), ("atlas", "mentioned_in")]


def test_a_root_behind_a_better_root_comes_before_the_other_roots_and_stays_a_root() -> None:
    memory = a_pager_story()
    memory.episode("sale", "the pager went off the market")
    memory.episode("rota", "she has Tuesday", "atlas")

    roots = memory.graph(**{**TWO_LINKS, "root_limit": 3, "max_hops": 0}).root_ids
    graph = memory.graph(**{**TWO_LINKS, "root_limit": 3})

    assert roots == ["pager", "sale", "rota"]
    assert graph.root_ids == ["pager", "rota", "sale"]
    assert path_to("rota", graph) == []


def test_nodes_without_sufficient_salience_stay_away() -> None:
    memory = GraphMemory()
    memory.episode("faint", "x", salience=0.2)
    memory.episode("root", "y", relation("faint"), salience=0.9)

    assert node_ids(memory.graph(min_salience=0.5, root_limit=1)) == ["root"]


def test_retracted_neighbours_stay_away() -> None:
    memory = GraphMemory()
    memory.add(semantic("fact"))
    memory.episode("root", "y", relation("fact"))
    memory.revise(Retract(id="fact", rationale="wrong"))

    assert node_ids(memory.graph(task_descriptor="y", root_limit=1, min_score=0.1)) == ["root"]


def test_pages_go_on_best_first_and_repeat_no_node() -> None:
    memory = GraphMemory()
    for number in range(8):
        memory.episode(f"r{number:02}", "x", salience=(number + 1) / 20)
    edges = [relation(f"r{number:02}") for number in range(8)]
    memory.episode("root", "the linker cache failed", *edges)
    asked: dict[str, Any] = {"task_descriptor": "the linker cache failed", "root_limit": 1}
    asked["min_score"] = 0.5

    pages = memory.graph_pages(**asked, node_limit=4)

    every = [each for page in pages for each in node_ids(page)]
    assert every[0] == "root"
    assert every[1:] == [f"r{number:02}" for number in reversed(range(8))]
    assert [len(page.nodes) for page in pages] == [4, 4, 1]
    assert [page.root_ids for page in pages] == [["root"], [], []]
    assert [len(page.edges) for page in pages] == [3, 4, 1]


def test_all_pages_together_have_a_bounded_number_of_nodes() -> None:
    memory = GraphMemory()
    memory.entity("hub", "Hub")
    for number in range(MAX_NODES // 2):
        memory.episode(f"r{number}", "hub", "hub")

    pages = memory.graph_pages(task_descriptor="hub", root_limit=100, node_limit=90)

    counts = [len(page.nodes) for page in pages]
    assert 100 < sum(counts) <= MAX_NODES


def test_edges_are_limited_and_complete_the_first_nodes_first() -> None:
    memory = GraphMemory()
    memory.episode("a", "x", salience=0.9)
    memory.episode("b", "x", relation("a"), salience=0.5)
    memory.episode("root", "the linker", relation("a"), relation("b"))

    graph = memory.graph(task_descriptor="linker", root_limit=1, edge_limit=2, min_score=0.1)

    assert node_ids(graph) == ["root", "a", "b"]
    assert edges_in(graph) == [("root", "cites", "a"), ("root", "cites", "b")]


def test_a_cursor_belongs_to_its_request() -> None:
    memory = a_pager_story()
    cursor = memory.graph(**TWO_LINKS, node_limit=1).next_cursor

    assert memory.graph(**TWO_LINKS, node_limit=5, cursor=cursor).next_cursor is None
    with pytest.raises(InvalidArgument, match="another request"):
        memory.graph(**{**TWO_LINKS, "max_hops": 1}, cursor=cursor)


def test_a_record_just_written_is_a_root_by_its_token() -> None:
    memory = a_pager_story()
    record = memory.add_unindexed(skill("s", "mend the gate"))

    graph = memory.graph(
        task_descriptor="mend the gate",
        root_limit=1,
        max_hops=0,
        consistency_tokens=[memory.token(record.id)],
    )

    assert graph.root_ids == ["s"]
    assert graph.selection is not None
    assert graph.selection.selected == ("s",)


def test_a_redacted_neighbour_is_shown_without_content_and_leads_nowhere() -> None:
    memory = GraphMemory()
    memory.episode("beyond", "x")
    memory.episode("secret", "y", relation("beyond"), sensitivity="medium")
    memory.episode("root", "the linker", relation("secret"))
    reader = principal_of("reader", [Permission.READ], ["*"], "low")

    graph = memory.graph(reader, task_descriptor="linker", root_limit=1, max_hops=3, min_score=0.1)

    assert node_ids(graph) == ["root", "secret"]
    assert graph.nodes[1]["record"]["payload"] is None
    assert edges_in(graph) == [("root", "cites", "secret")]


def test_a_redacted_record_is_not_reached_by_relations_of_its_own() -> None:
    memory = a_pager_story()
    memory.episode("secret", "y", "atlas", sensitivity="medium")
    reader = principal_of("reader", [Permission.READ], ["*"], "low")

    assert node_ids(memory.graph(reader, **TWO_LINKS)) == ["pager", "atlas", "owner"]
