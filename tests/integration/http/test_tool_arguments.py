"""Arguments of tools in the forms that programs and models send, over the tools route and MCP."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.worlds.api import Api

JSON_TYPES = {"string", "integer", "number", "boolean", "array", "object"}


def call(api: Api, tool: str, **arguments: Any) -> Any:
    """The result of a tool that succeeds."""
    reply = api.post(f"/v1/tools/{tool}", {"arguments": arguments})
    assert reply.status == 200, reply.body
    assert not reply.body.get("is_error"), reply.body
    return reply.body["result"]


def refusal(api: Api, tool: str, **arguments: Any) -> str:
    reply = api.post(f"/v1/tools/{tool}", {"arguments": arguments})
    assert reply.status == 400, reply.body
    return str(reply.body["detail"])


def mcp(api: Api, method: str, **params: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or None}
    reply = api.post("/mcp", message, headers={"accept": "application/json"})
    assert "result" in reply.body, reply.body
    return reply.body["result"]


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of a schema, and every element of an array, at any depth."""
    for name, each in schema.get("properties", {}).items():
        yield name, each
        yield from properties(each)
    if "items" in schema:
        yield "items", schema["items"]
        yield from properties(schema["items"])


@pytest.mark.parametrize("profile", ["agent", "search", "memstate"])
@pytest.mark.parametrize("key", ["of all", "of users"])
def test_every_property_of_every_tool_has_a_single_type(api: Api, profile: str, key: str) -> None:
    of_users: dict[str, Any] = {"scopes": ("app:*",), "user_prefix": "app:", "user_required": True}
    secret = api.key_for(**(of_users if key == "of users" else {}))
    tools = api.get(f"/v1/tools?profile={profile}", key=secret).body["tools"]

    assert tools
    for tool in tools:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert set(schema.get("required", ())) <= schema["properties"].keys()
            for name, each in properties(schema):
                assert each.get("type") in JSON_TYPES, (tool["name"], name)
                assert "anyOf" not in each


def test_lists_that_arrive_as_json_text_are_lists(api: Api) -> None:
    made = call(api, "remember", text="Ada drinks tea", tags='["drinks", "ada"]')
    other = call(api, "remember", text="Ada drinks mate", tags="drinks")

    assert call(api, "read", id=made["id"])["tags"] == ["drinks", "ada"]
    assert call(api, "read", id=other["id"])["tags"] == ["drinks"]
    recalled = call(api, "recall", query="Ada", memory_types=' ["Semantic"] ')
    assert {each["id"] for each in recalled["memories"]} == {made["id"], other["id"]}
    call(api, "record_outcome", status="success", task="Tea", used_ids=json.dumps([made["id"]]))
    state = {"thread_id": "t", "state": "Executing", "next_actions": '["boil", "pour"]'}
    call(api, "working_state", **state)
    assert call(api, "working_state", thread_id="t")["next_actions"] == ["boil", "pour"]
    both = json.dumps([made["id"], other["id"]])
    assert call(api, "forget", id=both)["forgotten"] == [made["id"], other["id"]]


@pytest.mark.parametrize(
    "tags", ["['drinks', 'ada']", '["drinks", ada]', "[drinks]", '["drinks"', '{"a":1}', '"drinks']
)
def test_a_text_in_brackets_that_is_no_list_is_no_tag(api: Api, tags: str) -> None:
    assert refusal(api, "remember", text="Ada drinks tea", tags=tags).startswith(
        "tags must be an array"
    )


@pytest.mark.parametrize("sentence", ["[urgent] call Bob", "[ ] boil water", '"Tea" is a word'])
def test_a_sentence_that_begins_with_a_bracket_is_a_sentence(api: Api, sentence: str) -> None:
    for sent in (sentence, [sentence]):
        call(api, "working_state", thread_id="t", state="executing", next_actions=sent)

        assert call(api, "working_state", thread_id="t")["next_actions"] == [sentence]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        *(("null", []), ("", []), ('""', []), ('"drinks"', ["drinks"]), ("drinks", ["drinks"])),
        *((['["a","b"]'], ["a", "b"]), ('\ufeff ["a"]', ["a"]), ("nullable", None)),
        *((["[]"], []), (['\ufeff["a"]'], ["a"]), ('["[\\"a\\"]"]', ["a"]), ('["null"]', ["null"])),
    ],
)
def test_a_list_is_read_from_any_json_text_of_a_list(
    api: Api, sent: Any, read: list[str] | None
) -> None:
    made = call(api, "remember", text="Ada drinks tea", tags=sent)

    assert call(api, "read", id=made["id"])["tags"] == ([sent] if read is None else read)


@pytest.mark.parametrize(
    "tag",
    [
        *("[WIP]", "{draft}", "[[wiki]]", '{"step":1}', "[x] [y] do", '[See "docs"] read'),
        *("null", '"quoted"', "[1]", '["a", 1]', r'["\ud83d"]', ""),
    ],
)
def test_the_only_text_of_a_list_stays_unless_it_is_a_list_of_texts(api: Api, tag: str) -> None:
    state = {"thread_id": "t", "state": "executing", "next_actions": [tag]}
    call(api, "working_state", **state)

    assert call(api, "working_state", thread_id="t")["next_actions"] == [tag]


def test_arguments_may_be_a_json_text_as_a_whole(api: Api) -> None:
    made = call(api, "remember", text="Ada drinks tea")

    for arguments in ('{"query": "tea"}', "", ' \ufeff{"query": "tea"}'):
        found = mcp(api, "tools/call", name="recall", arguments=arguments)["structuredContent"][
            "memories"
        ]
        assert [each["id"] for each in found] == [made["id"]]
    for arguments in ("[]", '{"query"', "query"):
        params = {"name": "recall", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        reply = api.post("/mcp", message, headers={"accept": "application/json"}).body
        assert reply["error"]["message"].startswith("params.arguments must be a JSON object")


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ('{"city": "Rome"}', {"city": "Rome"}),
        (' ["a", 1]', ["a", 1]),
        ("{a note", "{a note"),
        ("1.10", "1.10"),
        (7, 7),
        (True, True),
        ({"city": "Rome"}, {"city": "Rome"}),
    ],
)
def test_the_object_of_a_fact_may_be_json_text(api: Api, sent: Any, kept: Any) -> None:
    fact = {"subject": "Ada", "predicate": "has"}
    made = call(api, "remember", **fact, object=sent)
    right = call(api, "correct", id=made["id"], object=sent)

    for record_id in (made["id"], right["id"]):
        assert api.get(f"/v1/records/{record_id}").record["payload"]["object"] == kept


@pytest.mark.parametrize(
    ("field_type", "sent", "kept"),
    [
        (None, "[1, 2]", [1, 2]),
        (None, "12", "12"),
        ("Int", "12", 12),
        ("float", "1.5", 1.5),
        ("bool", "True", True),
        ("string", "[1, 2]", "[1, 2]"),
    ],
)
def test_the_value_of_a_field_may_be_json_text(
    api: Api, field_type: str | None, sent: str, kept: Any
) -> None:
    topic = call(api, "memory_create_topic", title="Ada")["topic_id"]
    place = {"topic_id": topic, "field_name": "n"}
    call(api, "memory_append_field", **place, value=sent, field_type=field_type)

    assert call(api, "memory_get_field", **place)["field"]["value"] == kept


def test_a_word_of_another_case_is_understood(api: Api) -> None:
    made = call(api, "record_outcome", status="Success", task="Tea")

    assert made["status"] == "success"
    assert "must be one of: success, failure, partial" in refusal(
        api, "record_outcome", status="done", task="Tea"
    )


@pytest.mark.parametrize(
    ("tool", "name", "meant"),
    [
        ("recall", "quary", "query"),
        ("recall", "topK", "limit"),
        ("remember", "contents", "text"),
        ("memory_get_topic", "topicid", "topic_id"),
    ],
)
def test_an_unknown_argument_names_the_nearest(api: Api, tool: str, name: str, meant: str) -> None:
    assert refusal(api, tool, **{name: "x"}) == f"{name} unknown field; did you mean {meant}?"


def test_null_and_an_empty_cursor_are_absent(api: Api) -> None:
    for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        whole = mcp(api, method)
        assert mcp(api, method, cursor=None, _meta=None) == whole
        assert mcp(api, method, cursor="") == whole
    called = mcp(api, "tools/call", name="recall", arguments=None, _meta=None)
    assert "isError" not in called


def test_a_client_of_2024_connects(api: Api) -> None:
    asked = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "sdk"}}

    assert mcp(api, "initialize", **asked)["protocolVersion"] == "2024-11-05"
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert (
        api.post("/mcp", ping, headers={"mcp-protocol-version": "2024-11-05"}).body["result"] == {}
    )
