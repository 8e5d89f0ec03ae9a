"""A graph over HTTP: from records with relations to nodes, edges and paths."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.worlds.api import Api
from tests.worlds.recall import change, edge, keep, pages, settle, stalled, turn
from tests.worlds.recall import entity as named


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


def graph(api: Api, task: str = "", key: str | None = None, **asked: Any) -> Any:
    """The body of the answer for a task."""
    reply = api.post("/v1/retrieve/graph", {"task_descriptor": task, **asked}, key=key)
    assert reply.status == 200, reply.body
    return reply.body


def nodes(*bodies: Any) -> list[str]:
    return [each["record"]["id"] for body in bodies for each in body["nodes"]]


def edges(body: Any) -> list[tuple[str, str, str]]:
    return [(each["source_id"], each["predicate"], each["target_id"]) for each in body["edges"]]


def mentioning(record_id: str, said: str, *entity_ids: str, **fields: Any) -> dict[str, Any]:
    """An episode that says so, and mentions entities."""
    relations = [edge(each, "mentions_entity") for each in entity_ids]
    return turn(record_id, said, ref=record_id, relations=relations, **fields)


PAGER = "Whose pager went off on Tuesday?"


@pytest.fixture
def unindexed(api: Api) -> Iterator[Api]:
    """The stack with an index that learns of nothing."""
    with stalled(api):
        yield api


@pytest.fixture
def pager(api: Api) -> Api:
    """The pager of a service went off, and somebody owns the service."""
    keep(api, named("atlas", "Atlas"), named("ann", "Ann Example"), named("lily", "Lily"))
    keep(api, mentioning("pager", "the pager went off on Tuesday", "atlas"))
    keep(api, mentioning("owner", "the rota is hers since spring", "atlas", "ann"))
    keep(api, mentioning("other", "nothing happens in the garden", "lily"))
    return settle(api)


def test_hops_types_predicates_and_limits_bound_the_graph(pager: Api) -> None:
    one: dict[str, Any] = {"root_limit": 1}
    two: dict[str, Any] = {**one, "max_hops": 2}

    assert nodes(graph(pager, PAGER, **two)) == ["pager", "atlas", "owner"]
    assert nodes(graph(pager, PAGER, **one)) == ["pager", "atlas"]
    alone = graph(pager, PAGER, max_hops=0, root_limit=3, min_score=0)
    assert (all(each["root"] for each in alone["nodes"]), alone["edges"]) == (True, [])
    assert nodes(graph(pager, PAGER, **two, node_types=["episodic"])) == ["pager"]
    assert nodes(graph(pager, PAGER, **two, node_types=["entity"])) == ["pager", "atlas"]
    assert nodes(graph(pager, PAGER, **two, predicates=["supports"])) == ["pager"]
    for predicate in ("mentions_entity", "mentioned_in"):
        body = graph(pager, PAGER, **two, predicates=[predicate])
        assert nodes(body) == ["pager", "atlas", "owner"]
    limited = graph(pager, PAGER, **two, edge_limit=1)
    assert edges(limited) == [("pager", "mentions_entity", "atlas")]
    cursor = graph(pager, PAGER, **two, node_limit=1)["next_cursor"]
    other = {"task_descriptor": PAGER, **one, "max_hops": 1, "cursor": cursor}
    reply = pager.post("/v1/retrieve/graph", other)
    assert (reply.status, "another request" in reply.body["detail"]) == (400, True)


def test_an_entity_that_the_task_names_is_a_root_whatever_answers_better(pager: Api) -> None:
    named_in = graph(pager, f"{PAGER} Ann Example's?", root_limit=1, min_score=1.0)
    episodes = graph(pager, "Ann Example", memory_types=["episodic"], max_hops=0, min_score=0)

    assert (named_in["root_ids"], nodes(named_in)) == (["ann"], ["ann", "owner"])
    assert "ann" not in episodes["root_ids"]


@pytest.mark.parametrize(
    "task",
    [
        *("is Orchid\u2014our target\u2014up?", "is \u201cOrchid\u201d up?", "is #orchid up?"),
        *("is _orchid_ up?", "ask @orchid", "what of Orchid's pager", "(orchid), again"),
    ],
)
def test_a_name_is_found_whatever_stands_around_it_also_without_the_index(
    unindexed: Api, task: str
) -> None:
    keep(unindexed, named("orchid", "Orchid"))

    assert graph(unindexed, task, min_score=1.0, max_hops=0)["root_ids"] == ["orchid"]


def test_a_longer_name_counts_first_and_a_successor_takes_the_names_over(
    unindexed: Api,
) -> None:
    keep(
        unindexed,
        named("orchid", "Orchid"),
        named("deploy", "Orchid Deploy"),
        named("old", "Nimbus"),
    )
    asked: dict[str, Any] = {"min_score": 1.0, "max_hops": 0}
    task = "when is the Orchid Deploy?"
    low = unindexed.key_for(permissions=("read",), max_sensitivity="low")

    longer = graph(unindexed, task, **asked)
    for old, new, name in (("old", "newer", "Cumulus"), ("newer", "newest", "Stratus")):
        change(unindexed, old, "supersede", new_record=named(new, name), rationale="renamed")
    hidden = named("rollout", "Rollout", sensitivity="hyper")
    change(unindexed, "deploy", "supersede", new_record=hidden, rationale="renamed")

    assert longer["root_ids"] == ["deploy"]
    assert graph(unindexed, "what is Nimbus?", **asked)["root_ids"] == ["newest"]
    assert graph(unindexed, task, low, **asked)["root_ids"] == ["orchid"]


def test_a_name_of_two_entities_in_view_names_both(api: Api) -> None:
    scopes = ["alpha", "beta"]
    keep(api, *(named(each, "Orchid", scope=each) for each in scopes))

    body = graph(api, "Orchid?", min_score=1.0, max_hops=0, trust={"scopes": scopes})

    assert set(body["root_ids"]) == {*scopes}


def test_salience_and_weight_decide_which_neighbours_come_first_and_pages_follow(api: Api) -> None:
    keep(api, *(turn(f"r{n}", "x", salience=(n + 1) / 20) for n in range(8)))
    relations = [edge(f"r{n}") for n in range(7)] + [edge("r7", weight=0.01)]
    keep(api, turn("root", "the linker cache failed", relations=relations))
    settle(api)
    asked: dict[str, Any] = {"root_limit": 1, "min_score": 0.5, "node_limit": 4}

    bodies = pages(api, route="/graph", task_descriptor="the linker cache failed", **asked)

    assert nodes(*bodies) == ["root", *(f"r{n}" for n in reversed(range(7))), "r7"]
    assert [len(each["nodes"]) for each in bodies] == [4, 4, 1]
    assert [each["root_ids"] for each in bodies] == [["root"], [], []]
    assert [len(each["edges"]) for each in bodies] == [3, 4, 1]


def test_without_a_task_the_roots_are_the_most_salient_and_faint_nodes_stay_away(api: Api) -> None:
    keep(api, turn("faint", "x", salience=0.2), turn("strong", "y", salience=0.9))
    keep(api, turn("middle", "z", salience=0.5, relations=[edge("faint", "caused_by")]))

    whole, narrow = graph(api, root_limit=2), graph(api, root_limit=2, min_salience=0.3)

    assert nodes(whole) == ["strong", "middle", "faint"]
    assert whole["root_ids"] == nodes(narrow) == ["strong", "middle"]
    assert whole["nodes"][2]["path"] == [{"from_id": "middle", "predicate": "caused_by"}]
    back = graph(api, root_limit=2, memory_types=["episodic"], min_salience=0, node_limit=9)
    assert edges(back) == [("middle", "caused_by", "faint")]
    assert all("score" not in node for node in whole["nodes"])


def test_redacted_and_retracted_neighbours_lead_nowhere(api: Api) -> None:
    keep(api, turn("beyond", "x"), turn("wrong", "w"))
    keep(api, turn("secret", "y", sensitivity="medium", relations=[edge("beyond")]))
    keep(api, turn("root", "the linker", relations=[edge("secret")]))
    keep(api, named("atlas", "Atlas"), mentioning("aside", "y", "atlas", sensitivity="medium"))
    settle(api)
    low = api.key_for(permissions=("read",), max_sensitivity="low")
    asked: dict[str, Any] = {"root_limit": 1, "max_hops": 3, "min_score": 0.1}

    body = graph(api, "linker", low, **asked)

    assert nodes(body) == ["root", "secret"]
    assert body["nodes"][1]["record"]["payload"] is None
    assert edges(body) == [("root", "cites", "secret")]
    assert "aside" not in nodes(graph(api, "Atlas", low, **asked))


def test_a_record_just_written_is_a_root_by_its_token(pager: Api) -> None:
    with stalled(pager):
        made = pager.post("/v1/records", turn("new", "mend the gate"))
        tokens = [made.body["consistency_token"]]

        body = graph(pager, "mend the gate", root_limit=1, consistency_tokens=tokens)

    assert body["root_ids"] == ["new"]


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
