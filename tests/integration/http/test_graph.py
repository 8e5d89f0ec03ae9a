"""A graph over HTTP: from records with relations to nodes, edges and paths."""

from typing import Any

import pytest

from tests.worlds.api import Api


def kept(api: Api, record_id: str, payload: dict[str, Any], *targets: str, **fields: Any) -> None:
    """Keep a whole record that mentions entities."""
    relations = [{"predicate": "mentions_entity", "target_id": each} for each in targets]
    record = {
        "id": record_id,
        "type": payload["kind"],
        "sensitivity": "low",
        "payload": payload,
        "relations": relations,
        **fields,
    }
    reply = api.post("/v1/records", record)
    assert reply.status == 201, reply.body


def entity(name: str) -> dict[str, Any]:
    """The payload of an entity of that name."""
    return {"kind": "entity", "canonical_name": name}


def told(ref: str, text: str) -> dict[str, Any]:
    """The payload of an episode."""
    event = {"t": "2026-01-01T00:00:00Z", "event_kind": "note", "ref": ref, "summary": text}
    return {"kind": "episodic", "timeline": [event]}


@pytest.fixture
def story(api: Api) -> Api:
    """Two records that only an entity connects."""
    kept(api, "atlas", entity("Atlas"))
    kept(api, "pager", told("pager", "the pager went off on Tuesday"), "atlas")
    kept(api, "owner", told("owner", "hers since spring, says the rota"), "atlas")
    assert api.get("/_dev/queues?wait").status == 200
    return api


def test_two_links_lead_from_a_task_to_what_no_word_of_it_finds(story: Api) -> None:
    asked = {"task_descriptor": "Whose pager went off?", "root_limit": 1, "max_hops": 2}

    reply = story.post("/v1/retrieve/graph", asked)

    assert reply.status == 200, reply.body
    assert reply.body.keys() == {"nodes", "edges", "root_ids"}
    assert reply.body["root_ids"] == ["pager"]
    nodes = reply.body["nodes"]
    assert [(each["record"]["id"], each["root"], each["hop"]) for each in nodes] == [
        ("pager", True, 0),
        ("owner", False, 2),
        ("atlas", False, 1),
    ]
    assert nodes[1]["path"] == [
        {"from_id": "pager", "predicate": "mentions_entity"},
        {"from_id": "atlas", "predicate": "mentioned_in"},
    ]
    assert [(each["source_id"], each["target_id"]) for each in reply.body["edges"]] == [
        ("pager", "atlas"),
        ("owner", "atlas"),
    ]
    assert {each["weight"] for each in reply.body["edges"]} == {1}


def test_pages_of_a_graph_follow_one_another(story: Api) -> None:
    asked = {"task_descriptor": "Whose pager went off?", "root_limit": 1, "max_hops": 2}

    first = story.post("/v1/retrieve/graph", {**asked, "node_limit": 2}).body
    second = story.post("/v1/retrieve/graph", {**asked, "cursor": first["next_cursor"]}).body

    assert [each["record"]["id"] for each in first["nodes"]] == ["pager", "owner"]
    assert [each["record"]["id"] for each in second["nodes"]] == ["atlas"]
    assert second["root_ids"] == []
    assert [each["source_id"] for each in second["edges"]] == ["pager", "owner"]
    assert "next_cursor" not in second


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"root_limit": -1}, "root_limit must be between 0 and 10000"),
        ({"node_limit": -1}, "node_limit must be between 0 and 10000"),
        ({"edge_limit": 10_001}, "edge_limit must be between 0 and 10000"),
        ({"max_hops": -2}, "max_hops must be between -1 and 10000"),
        ({"max_hops": True}, "max_hops must be an integer"),
        ({"min_salience": -0.1}, "min_salience must be non-negative and finite"),
        ({"memory_types": ["anything"]}, "memory_types[0] must be one of: episodic, working"),
        ({"node_types": ["anything"]}, "node_types[0] must be one of: episodic, working"),
        ({"task_descriptor": "a" * 100_001}, "task_descriptor exceeds maximum length of 100000"),
        ({"predicates": ["p"] * 101}, "predicates has more than 100 elements"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_a_refusal_names_the_field_and_the_limit(
    local_api: Api, asked: dict[str, Any], text: str
) -> None:
    reply = local_api.post("/v1/retrieve/graph", asked)

    assert reply.status == 400
    assert reply.body["detail"].startswith(text)
