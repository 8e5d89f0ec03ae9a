"""The table of MemState's tools: order, permissions, schemas, and arguments as text."""

from typing import Any

import jsonschema_rs
import pytest

from membrane.adapters.aws_lambda.routes.topics import TOPICS
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.tools.requests import Profile, ToolFormat
from membrane.domain.tools.schemas import input_schema, output_schema
from membrane.usecases.tools.call_tool import call_tool
from membrane.usecases.tools.list_tools import description_of
from membrane.usecases.tools.memstate.table import MEMSTATE_TOOLS
from membrane.usecases.tools.table import tool_named, tools_of
from tests.worlds.memstate_tools import Keeper
from tests.worlds.tools import key

NAMES = [
    "memory_graph_snapshot",
    "memory_list_topics",
    "memory_topics_schema_page",
    "memory_get_topic_schema",
    "memory_get_topic",
    "memory_get_field",
    "memory_get_field_history",
    "memory_create_topic",
    "memory_update_topic",
    "memory_delete_topic",
    "memory_add_relationship",
    "memory_remove_relationship",
    "memory_append_field",
    "memory_delete_field",
    "memory_set_field_ref",
    "memory_nest_fields_in_topic",
    "memory_unnest_fields_in_topic",
    "memory_promote_fields_to_nested_topic",
    "memory_undo_promote_nested_topic",
    "memory_reorganize_consolidation",
    "memory_reorganize_merge_topics",
    "memory_reorganize_split_topics",
    "memory_reorganize_connect_topics",
    "memory_reorganize_retention_trim",
    "study_unit_catalog",
    "study_graph_snapshot",
]

ROUTES = {
    "memory_create_topic": "CreateTopic",
    "memory_update_topic": "ChangeTopic",
    "memory_delete_topic": "DeleteTopic",
    "memory_add_relationship": "AddRelationship",
    "memory_remove_relationship": "RemoveRelationship",
    "memory_append_field": "AppendField",
    "memory_delete_field": "DeleteField",
    "memory_set_field_ref": "SetFieldRef",
    "memory_nest_fields_in_topic": "NestFields",
    "memory_unnest_fields_in_topic": "UnnestFields",
    "memory_promote_fields_to_nested_topic": "PromoteFields",
    "memory_undo_promote_nested_topic": "UndoPromotion",
}
"""The route of the same use case, by tool; every other tool reads."""

REQUIRED = {
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
}


def test_the_table_has_memstates_tools_in_memstates_order() -> None:
    assert [each.name for each in MEMSTATE_TOOLS] == NAMES


def test_a_tool_needs_the_permission_of_the_route_of_its_use_case() -> None:
    of_routes = {each.rpc: each.permission for each in TOPICS}

    for tool in MEMSTATE_TOOLS:
        rpc = ROUTES.get(tool.name)
        assert tool.permission == ("read" if rpc is None else of_routes[rpc]), tool.name
        assert tool.effect.read_only == (rpc is None), tool.name


@pytest.mark.parametrize(
    ("permission", "count"), [("read", 14), ("ingest", 3), ("revise", 9), ("admin", 0)]
)
def test_a_key_sees_the_tools_of_its_permissions(permission: str, count: int) -> None:
    assert len(tools_of(Profile.MEMSTATE, key(permission))) == count


@pytest.mark.parametrize("tool", MEMSTATE_TOOLS, ids=lambda each: each.name)
def test_a_tool_is_not_called_without_its_permission(tool: Any) -> None:
    others = {"read", "ingest", "revise"} - {tool.permission}

    with pytest.raises(NotFound):
        tool_named(tool.name, key(*others))


def test_required_arguments_are_required_in_the_schema() -> None:
    """MemState refuses a missing argument in words of its own, so the model has a default."""
    found = {each.name: input_schema(each.arguments).get("required", []) for each in MEMSTATE_TOOLS}

    assert {name: each for name, each in found.items() if each} == REQUIRED


@pytest.mark.parametrize("tool", MEMSTATE_TOOLS, ids=lambda each: each.name)
def test_every_schema_is_valid(tool: Any) -> None:
    described = description_of(tool, key(), ToolFormat.MCP)

    for name in ("inputSchema", "outputSchema"):
        assert jsonschema_rs.Draft202012Validator(described[name]) is not None
    assert described["description"].endswith(".")


def test_answers_fit_their_schemas(keeper: Keeper) -> None:
    rome = keeper.topic("Rome")
    ada = keeper.topic("Ada", phone="1", city="London")
    edge = {"from_topic_id": ada, "to_topic_id": rome, "kind": "knows"}
    field = {"topic_id": ada, "field_name": "city"}
    topic = {"topic_id": ada}
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
        "memory_nest_fields_in_topic": [{**topic, "field_names": ["phone"], "nest_key": "contact"}],
        "memory_unnest_fields_in_topic": [{**topic, "nest_key": "contact"}],
        "memory_promote_fields_to_nested_topic": [
            {
                "parent_topic_id": ada,
                "field_names": ["phone"],
                "child_title": "Contact",
                "child_topic_id": "contact",
            }
        ],
        "memory_undo_promote_nested_topic": [{"parent_topic_id": ada, "child_topic_id": "contact"}],
        "memory_delete_field": [field, field],
        "study_graph_snapshot": [{"study_topic_kind": "x"}],
    }
    last = "memory_delete_topic"

    tools = sorted(MEMSTATE_TOOLS, key=lambda each: each.name == last)
    for tool in tools:
        for arguments in [topic] if tool.name == last else calls.get(tool.name, [{}]):
            reply = keeper.do(tool.name, **arguments)
            schema = jsonschema_rs.Draft202012Validator(output_schema(tool.reply))
            assert list(schema.iter_errors(reply)) == [], tool.name


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"title": "A", "title": "B"}'])
def test_a_text_that_is_no_json_object_has_no_arguments(keeper: Keeper, text: str) -> None:
    listing = tool_named("memory_list_topics", keeper.principal)
    making = tool_named("memory_create_topic", keeper.principal)

    assert call_tool(listing, text, keeper.principal, keeper.services).reply["topics"] == []
    refusal = call_tool(making, text, keeper.principal, keeper.services)
    assert refusal.reply == {"ok": False, "error": "title required"}


def test_arguments_may_be_a_json_text(keeper: Keeper) -> None:
    tool = tool_named("memory_create_topic", keeper.principal)

    answer = call_tool(tool, '{"title": "Ada"}', keeper.principal, keeper.services)

    assert answer.reply["ok"] is True


@pytest.mark.parametrize("given", [None, [], 3])
def test_arguments_of_a_different_form_are_refused(keeper: Keeper, given: object) -> None:
    tool = tool_named("memory_list_topics", keeper.principal)

    with pytest.raises(InvalidArgument, match="the arguments must be a JSON object"):
        call_tool(tool, given, keeper.principal, keeper.services)


def test_a_repeated_write_under_one_key_writes_once(keeper: Keeper) -> None:
    tool = tool_named("memory_create_topic", keeper.principal)

    first, second = (
        call_tool(tool, {"title": "Ada"}, keeper.principal, keeper.services, "key") for _ in "ab"
    )

    assert first.reply == second.reply
    assert keeper.do("memory_list_topics")["total"] == 1
