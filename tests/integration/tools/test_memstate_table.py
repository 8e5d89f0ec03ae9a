"""MemState's table of tools, the planners and study tools, and what a failing store answers."""

from typing import Any

import jsonschema_rs
import pytest
from botocore.exceptions import EndpointConnectionError

from tests.worlds.agents import Agent, Keeper

REQUIRED: dict[str, list[str]] = {
    "memory_graph_snapshot": [],
    "memory_list_topics": [],
    "memory_topics_schema_page": [],
    "memory_get_topic_schema": ["topic_id"],
    "memory_get_topic": ["topic_id"],
    "memory_get_field": ["topic_id", "field_name"],
    "memory_get_field_history": ["topic_id", "field_name"],
    "memory_create_topic": ["title"],
    "memory_update_topic": ["topic_id"],
    "memory_delete_topic": ["topic_id"],
    "memory_add_relationship": ["from_topic_id", "to_topic_id", "kind"],
    "memory_remove_relationship": ["from_topic_id", "to_topic_id", "kind"],
    "memory_append_field": ["topic_id", "field_name", "value"],
    "memory_delete_field": ["topic_id", "field_name"],
    "memory_set_field_ref": ["topic_id", "field_name"],
    "memory_nest_fields_in_topic": ["topic_id", "field_names", "nest_key"],
    "memory_unnest_fields_in_topic": ["topic_id", "nest_key"],
    "memory_promote_fields_to_nested_topic": ["parent_topic_id", "field_names", "child_title"],
    "memory_undo_promote_nested_topic": ["parent_topic_id", "child_topic_id"],
    "memory_reorganize_consolidation": [],
    "memory_reorganize_merge_topics": [],
    "memory_reorganize_split_topics": [],
    "memory_reorganize_connect_topics": [],
    "memory_reorganize_retention_trim": [],
    "study_unit_catalog": [],
    "study_graph_snapshot": [],
}
"""The tools in MemState's order, with the arguments that the schema requires."""
PLANNERS = [each for each in REQUIRED if "reorganize" in each]


def listed(agent: Agent) -> list[dict[str, Any]]:
    return list(agent.api.get("/v1/tools?profile=memstate", key=agent.key).body["tools"])


def test_the_table_has_memstates_tools_in_memstates_order_with_valid_schemas(
    keeper: Keeper,
) -> None:
    tools = listed(keeper)

    assert {each["name"]: each["inputSchema"].get("required", []) for each in tools} == REQUIRED
    assert [each["name"] for each in tools] == [*REQUIRED]
    for tool in tools:
        assert tool["description"].endswith(".")
        for name in ("inputSchema", "outputSchema"):
            assert jsonschema_rs.Draft202012Validator(tool[name]) is not None


@pytest.mark.parametrize(
    ("permission", "count"), [("read", 14), ("ingest", 3), ("revise", 9), ("admin", 0)]
)
def test_a_key_sees_and_calls_the_tools_of_its_permissions_alone(
    keeper: Keeper, permission: str, count: int
) -> None:
    other = keeper.with_key(permission)
    seen = {each["name"] for each in listed(other)}

    assert len(seen) == count
    for name in REQUIRED:
        assert (other.ask(name, {}).status == 404) == (name not in seen), name
    reading = {each["name"] for each in listed(keeper) if each["annotations"].get("readOnlyHint")}
    assert (reading == seen) is (permission == "read")


def test_answers_fit_their_schemas(keeper: Keeper) -> None:
    rome, ada = keeper.topic("Rome"), keeper.topic("Ada", phone="1", city="London")
    edge = {"from_topic_id": ada, "to_topic_id": rome, "kind": "knows"}
    field, topic = {"topic_id": ada, "field_name": "city"}, {"topic_id": ada}
    parts = {"field_names": ["phone"], "nest_key": "contact"}
    both = {"parent_topic_id": ada, "child_topic_id": "contact"}
    calls: dict[str, list[dict[str, Any]]] = {
        "memory_get_topic_schema": [topic, {**topic, "path": "/fields"}],
        "memory_get_topic": [topic, {**topic, "path": "/topic/title"}],
        "memory_get_field": [field, {**field, "path": "/field/value"}],
        "memory_get_field_history": [field],
        "memory_create_topic": [{"title": "Oslo"}],
        "memory_update_topic": [topic],
        "memory_add_relationship": [edge],
        "memory_remove_relationship": [edge, edge],
        "memory_append_field": [{**field, "value": "Rome"}],
        "memory_set_field_ref": [{**field, "ref_topic_id": rome}],
        "memory_nest_fields_in_topic": [{**topic, **parts}],
        "memory_unnest_fields_in_topic": [{**topic, "nest_key": "contact"}],
        "memory_promote_fields_to_nested_topic": [
            {**both, "field_names": ["phone"], "child_title": "Contact"}
        ],
        "memory_undo_promote_nested_topic": [both],
        "memory_delete_field": [field, field],
        "study_graph_snapshot": [{"study_topic_kind": "x"}],
    }
    last = "memory_delete_topic"

    for tool in sorted(listed(keeper), key=lambda each: bool(each["name"] == last)):
        name, schema = tool["name"], jsonschema_rs.Draft202012Validator(tool["outputSchema"])
        for arguments in [topic] if name == last else calls.get(name, [{}]):
            assert list(schema.iter_errors(keeper.do(name, **arguments))) == [], name


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_planner_shows_structure_and_guidelines_and_changes_nothing(
    keeper: Keeper, planner: str
) -> None:
    rome = keeper.topic("Rome")
    ada = keeper.topic("Ada")
    keeper.append(ada, "home", "Rome", ref_topic_id=rome)
    keeper.relate(ada, rome, "lives_in")
    keeper.do("memory_update_topic", topic_id=rome, archived=True, summary="a city")
    before = keeper.do("memory_graph_snapshot")

    plan = keeper.do(planner, criteria="  tidy up ")

    assert len(plan.pop("guidelines")) > 100
    usual = {"topic_kind": "", "salience": 1.0}
    home = {"field_type": "string", "ref_topic_id": rome, "salience": 1.0}
    assert plan == {
        "ok": True,
        "tool": planner,
        "operation": planner.removeprefix("memory_reorganize_"),
        "criteria": "tidy up",
        "metrics": {"topic_count": 2, "related_edge_count": 1},
        "topics_schema_snapshot": {
            "topics": [
                {"id": ada, "title": "Ada", "archived": False, "fields": {"home": home}, **usual},
                {"id": rome, "title": "Rome", "archived": True, "fields": {}, **usual},
            ],
            "edges": [{"from": ada, "to": rome, "kind": "lives_in", "edge_type": "related"}],
        },
        "total": 2,
        "has_more": False,
        "next_offset": None,
    }
    assert keeper.do("memory_graph_snapshot") == before


def test_a_planner_shows_the_whole_structure_page_by_page(keeper: Keeper) -> None:
    made = sorted(keeper.topic(f"Topic {number}", note=number) for number in range(18))
    for other in made[1:]:
        keeper.relate(made[0], other)

    pages = keeper.pages("memory_reorganize_connect_topics", criteria="all " * 500)

    snapshots = [each["topics_schema_snapshot"] for each in pages]
    assert len(pages) > 1
    assert [each["id"] for one in snapshots for each in one["topics"]] == made
    assert [each["to"] for one in snapshots for each in one["edges"]] == made[1:]
    assert {each["metrics"]["related_edge_count"] for each in pages} == {17}


def test_outside_of_a_study_there_are_neither_units_nor_a_graph(keeper: Keeper) -> None:
    shown = keeper.do("study_unit_catalog")

    assert (shown["catalog"], "No study session" in shown["note"]) == ({}, True)
    for kind in ("", "  ", None):
        assert keeper.refusal("study_graph_snapshot", study_topic_kind=kind) == {
            "error": "study_graph_snapshot is only available in Study phase A"
        }


def test_a_silent_store_is_an_answer_for_the_agent(keeper: Keeper) -> None:
    ada = keeper.topic("Ada")

    def fail(params: dict[str, Any], **_: object) -> None:
        if "topic#" in str(params):
            raise EndpointConnectionError(endpoint_url="https://dynamodb")

    events = keeper.api.functions.store.dynamodb.meta.events
    events.register_first("provide-client-params.dynamodb", fail)
    try:
        refusal = keeper.refusal("memory_get_topic", topic_id=ada)
    finally:
        events.unregister("provide-client-params.dynamodb", fail)

    assert refusal["tool"] == "memory_get_topic"
    assert refusal["error"]
