"""A graph as a tree: every node once, below the nearest node of its path that is shown."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from membrane_cli.memories.recall import SHOWN_CHARACTERS, branches, brief_text
from membrane_client import Graph, MemoryRecord
from tests.builders.filled_stores import RECORD


def a_node(record_id: str, *path: tuple[str, str]) -> dict[str, Any]:
    return {
        "record": {**RECORD, "id": record_id},
        "root": not path,
        "hop": len(path),
        "path": [{"from_id": from_id, "predicate": predicate} for from_id, predicate in path],
    }


def tree_of(*nodes: dict[str, Any]) -> list[tuple[int, str, str]]:
    graph = Graph({"nodes": [*nodes], "edges": [], "root_ids": []})
    return [(depth, way, node.record.id) for depth, way, node in branches(graph.nodes)]


def test_nodes_come_below_the_node_before_them_in_the_order_of_the_graph() -> None:
    tree = tree_of(
        a_node("one"),
        a_node("near", ("one", "cites")),
        a_node("two"),
        a_node("far", ("one", "cites"), ("near", "mentions")),
        a_node("other", ("one", "mentions")),
    )

    assert tree == [
        (0, "", "one"),
        (1, "cites", "near"),
        (2, "mentions", "far"),
        (1, "mentions", "other"),
        (0, "", "two"),
    ]


def test_a_node_whose_parent_is_not_shown_comes_below_the_nearest_that_is() -> None:
    tree = tree_of(a_node("one"), a_node("far", ("one", "cites"), ("absent", "mentions")))

    assert tree == [(0, "", "one"), (1, "cites / mentions", "far")]
    assert tree_of(a_node("far", ("absent", "cites"))) == [(0, "cites", "far")]


@given(st.lists(st.integers(0, 20), max_size=20), st.data())
def test_every_node_comes_once_whatever_the_page_lacks(
    parents: list[int], data: st.DataObject
) -> None:
    paths: list[tuple[tuple[str, str], ...]] = [()]
    for parent in parents:
        at = parent % len(paths)
        paths.append((*paths[at], (str(at), "cites")))
    nodes = [a_node(str(at), *path) for at, path in enumerate(paths)]
    shown = data.draw(st.lists(st.sampled_from(nodes), unique_by=lambda each: each["record"]["id"]))

    ids = [record_id for _, _, record_id in tree_of(*shown)]

    assert sorted(ids) == sorted(each["record"]["id"] for each in shown)


def a_record(payload: dict[str, Any] | None) -> MemoryRecord:
    return MemoryRecord({**RECORD, "payload": payload})


def test_each_type_of_record_has_a_brief_text() -> None:
    event = {"t": "2026-01-02T03:04:05Z", "event_kind": "pager", "ref": "7"}
    payloads: dict[str, dict[str, Any]] = {
        "Ada": {"kind": "entity", "canonical_name": "Ada"},
        'Ada owns ["checkout"]': {
            "kind": "semantic", "subject": "Ada", "predicate": "owns", "object": ["checkout"],
        },
        "pager 7": {"kind": "episodic", "timeline": [event]},
        "Paged, pager 7": {
            "kind": "episodic", "timeline": [{**event, "summary": "Paged"}, event],
        },
        "t1 planning": {"kind": "working", "thread_id": "t1", "state": "planning"},
        "deploy": {"kind": "competence", "skill_name": "deploy"},
        "plan-1": {"kind": "plan_graph", "plan_id": "plan-1"},
        "dream": {"kind": "dream"},
    }  # fmt: skip

    assert [brief_text(a_record(each)) for each in payloads.values()] == [*payloads]
    assert brief_text(a_record(None)) == "(redacted)"


def test_a_long_text_is_cut() -> None:
    text = brief_text(a_record({"kind": "entity", "canonical_name": "x" * 500}))

    assert len(text) == SHOWN_CHARACTERS
    assert text.endswith("…")
