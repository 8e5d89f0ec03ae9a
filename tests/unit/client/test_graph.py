"""Graphs in the client: what a graph asks for, and how nodes, edges and ways are read."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from membrane_client import Graph, InvalidCall
from membrane_client.calls import Calls
from membrane_client.core.protocol import Reply, Request
from tests.builders.filled_stores import RECORD, Definitions, an_api, played, sent_by

EDGE = {
    "source_id": "r1",
    "predicate": "mentions_entity",
    "target_id": "e1",
    "weight": 1.0,
    "created_at": "2026-01-02T03:04:05Z",
}
ROOT = {"record": {**RECORD, "id": "e1"}, "root": True, "hop": 0, "score": 0.5, "path": []}
NODE = {
    "record": RECORD,
    "root": False,
    "hop": 1,
    "path": [{"from_id": "e1", "predicate": "mentioned_in"}],
}
GRAPH = {"nodes": [ROOT, NODE], "edges": [EDGE], "root_ids": ["e1"], "next_cursor": "c"}


def reply(body: Mapping[str, Any]) -> Reply:
    return Reply(200, {}, json.dumps(body).encode())


def with_a_write(**options: Any) -> Definitions:
    """An api that has the token of a write."""
    api = an_api(**options)
    written = {"record": RECORD, "consistency_token": "t1"}
    played(api.ingest_event("build", "15"), reply(written))
    return api


def test_a_graph_is_asked_for_with_roots_hops_and_predicates() -> None:
    steps = an_api().graph(
        "who owns checkout?",
        memory_types=["entity"],
        root_limit=2,
        max_hops=3,
        predicates=["mentioned_in"],
        node_types=["semantic"],
        min_score=0.2,
    )

    request, body = sent_by(steps)

    assert (request.method, request.url) == ("POST", "http://memory/v1/retrieve/graph")
    assert body == {
        "task_descriptor": "who owns checkout?",
        "memory_types": ["entity"],
        "root_limit": 2,
        "max_hops": 3,
        "predicates": ["mentioned_in"],
        "node_types": ["semantic"],
        "min_score": 0.2,
    }


def test_a_graph_reads_the_scope_of_the_call_or_of_the_client_and_refuses_an_empty_scope() -> None:
    api = an_api(scope="s")

    assert sent_by(api.graph("q"))[1]["trust"] == {"scopes": ["s"]}
    assert sent_by(api.graph("q", scope="t"))[1]["trust"] == {"scopes": ["t"]}
    assert sent_by(api.graph("q", user="ada"))[1] == {
        "task_descriptor": "q",
        "user": "ada",
    }
    with pytest.raises(InvalidCall, match="scope is empty"):
        api.graph("q", scope="")


def test_a_graph_sees_own_writes_as_a_recall_does() -> None:
    for asked in (Calls.graph, Calls.retrieve_graph, Calls.recall):
        assert sent_by(asked.steps(with_a_write(), "q"))[1]["consistency_tokens"] == ["t1"]
    without = with_a_write(read_your_writes=False)
    assert "consistency_tokens" not in sent_by(without.graph("q"))[1]


def test_a_graph_reads_as_nodes_with_ways_from_the_roots_and_edges() -> None:
    _, graph = played(an_api().graph("q"), reply(GRAPH))

    root, node = graph.nodes
    (step,) = node.path
    (edge,) = graph.edges
    assert (root.root, root.hop, root.score, root.path) == (True, 0, 0.5, ())
    assert (node.root, node.hop, node.score) == (False, 1, None)
    assert (step.from_id, step.predicate) == (root.record.id, "mentioned_in")
    assert (edge.source_id, edge.target_id) == (node.record.id, root.record.id)
    assert [each.id for each in graph.records] == ["e1", "r1"]
    assert (graph.root_ids, graph.next_cursor, graph.selection) == (["e1"], "c", None)


def test_a_node_too_large_for_the_page_is_read_by_its_link() -> None:
    link = {"id": "r1", "type": "semantic", "size": 6_000_000, "link": "/v1/records/r1"}
    page = {**GRAPH, "nodes": [ROOT, {**NODE, "record": link}]}

    requests, graph = played(an_api().graph("q"), reply(page), reply({"record": RECORD}))

    followed = requests[1]
    assert isinstance(followed, Request)
    assert followed.url.endswith("/v1/records/r1")
    assert graph == Graph(GRAPH)


def test_nodes_of_a_graph_of_topics_hold_no_records_to_follow() -> None:
    page = {"nodes": [{"id": "t1", "title": "checkout"}], "edges": []}

    requests, _ = played(an_api().read_graph(), reply(page))

    assert len(requests) == 1
