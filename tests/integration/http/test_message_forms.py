"""Messages as the clients of providers dump them, and what of them is refused in which words."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.api import Api, Reply
from tests.worlds.depth import examples

HELLO: Mapping[str, Any] = {"role": "user", "content": "Hello"}
CALL: Mapping[str, Any] = {
    "id": "call-1",
    "type": "function",
    "function": {"name": "grep", "arguments": '{"pattern": "TODO"}'},
}


@pytest.fixture(scope="module")
def told_api(local_api: Api) -> Iterator[Api]:
    """The stack with nothing indexed; what one test says is of no matter to the next."""
    local_api.post("/_dev/stream", {"paused": True})
    yield local_api
    local_api.application.reset()


def told(api: Api, *messages: Any, **fields: Any) -> Reply:
    return api.post("/v1/messages", {"thread_id": "t", "messages": messages, **fields})


def refusal(api: Api, *messages: Any, **fields: Any) -> Mapping[str, str]:
    """What is wrong with the messages, by field."""
    reply = told(api, *messages, **fields)
    assert reply.status == 400, reply.body
    return {each["field"]: each["message"] for each in reply.body["errors"]}


def nodes(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of tools in a record."""
    found: list[dict[str, Any]] = record["payload"].get("tool_graph", [])
    return found


SEARCH: dict[str, Any] = {"url": "https://a.example", "title": "Rome", "encrypted_content": "Eo"}
PROVIDERS: list[tuple[dict[str, Any], str | None, str | None, list[tuple[str, str, Any]]]] = [
    # OpenAI, Responses
    ({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None}, None, None, []),
    (
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"},
        "assistant", None, [("c1", "f", {})],
    ),
    (
        {"type": "computer_call_output", "call_id": "c1", "output": {"type": "text", "text": "x"}},
        "tool", "x", [],
    ),
    (
        {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "Rome"}},
        "assistant", None,
        [("ws_1", "web_search", {"action": {"type": "search", "query": "Rome"}})],
    ),
    (
        {"type": "mcp_call", "id": "m1", "name": "ask", "arguments": '{"q": 1}', "output": "42"},
        "assistant", "[tool_result m1] 42", [("m1", "ask", {"q": 1})],
    ),
    (
        {
            "type": "code_interpreter_call", "id": "ci_1", "code": "print(42)",
            "outputs": [{"type": "logs", "logs": "42"}],
        },
        "assistant", '[tool_result ci_1] [{"type":"logs","logs":"42"}]',
        [("ci_1", "code_interpreter", {"code": "print(42)"})],
    ),
    (
        {
            "type": "image_generation_call", "id": "ig_1", "status": "completed",
            "result": "aGVsbG8=",
        },
        "assistant", "[tool_result ig_1] [image: 5 bytes]", [("ig_1", "image_generation", {})],
    ),
    ({"type": "mcp_list_tools", "id": "l1", "tools": [{"name": "ask"}]}, None, None, []),
    ({"type": "item_reference", "id": "msg_1"}, None, None, []),
    (
        {"type": "apply_patch_call", "call_id": "c1", "operation": {"path": "a"}, "status": "x"},
        "assistant", None, [("c1", "apply_patch", {"operation": {"path": "a"}})],
    ),
    ({"role": "user", "content": [{"type": "phone_call", "transcript": "Hi"}]}, "user", "Hi", []),
    # OpenAI, Chat Completions
    ({"role": "assistant", "content": None, "refusal": None}, None, None, []),
    ({"role": "assistant", "content": ""}, None, None, []),
    ({"role": "assistant", "content": [{"type": "text", "text": ""}]}, None, None, []),
    ({"role": "tool", "tool_call_id": "c1", "content": None}, "tool", "", []),
    ({"role": "tool", "tool_call_id": "c1", "content": []}, "tool", "", []),
    ({"role": "assistant", "audio": {"id": "audio_1"}}, "assistant", "[audio: audio_1]", []),
    # Ollama and LiteLLM
    ({"role": "tool", "tool_name": "f", "content": "x"}, "tool", "x", []),
    (
        {"role": "user", "content": "Look", "images": ["aGVsbG8="]}, "user",
        "Look\n[image: 5 bytes]", [],
    ),
    ({"role": "assistant", "content": "", "thinking": "Hm"}, None, None, []),
    (
        {
            "role": "assistant", "content": None,
            "tool_calls": [
                {"index": 0, "function": {"index": 0, "name": "f", "arguments": {"q": 1}}},
            ],
            "provider_specific_fields": {"refusal": None},
            "thinking_blocks": [{"type": "thinking", "thinking": "Hm"}],
        },
        "assistant", None, [("f", "f", {"q": 1})],
    ),
    # Anthropic
    ({"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"}]}, None, None, []),
    (
        {
            "role": "assistant",
            "content": [
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "R"}},
                {
                    "type": "web_search_tool_result", "tool_use_id": "s1",
                    "content": [{"type": "web_search_result", **SEARCH}],
                },
                {"type": "text", "text": "Here."},
            ],
        },
        "assistant", "[tool_result s1] [web_search_result: Rome, https://a.example]\nHere.",
        [("s1", "web_search", {"q": "R"})],
    ),
    (
        {
            "role": "user",
            "content": [
                {
                    "type": "document", "title": "plan",
                    "source": {"type": "text", "media_type": "text/plain", "data": "Buy milk."},
                },
                {"type": "search_result", **SEARCH, "content": [{"type": "text", "text": "Old."}]},
            ],
        },
        "user", "[document: plan]\nBuy milk.\n[search_result: Rome]\nOld.", [],
    ),
    # Google
    (
        {
            "role": "model",
            "parts": [
                {"executableCode": {"language": "PYTHON", "code": "print(6 * 7)"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42"}},
                {"text": "Of course.", "thought": True},
            ],
        },
        "assistant", "42",
        [("code_execution", "code_execution", {"language": "PYTHON", "code": "print(6 * 7)"})],
    ),
    # Bedrock
    (
        {
            "role": "user",
            "content": [
                {"document": {"format": "txt", "name": "plan", "source": {"text": "Buy milk."}}},
                {"guardContent": {"text": {"text": "And tea."}}},
                {"cachePoint": {"type": "default"}},
            ],
        },
        "user", "[document: plan]\nBuy milk.\nAnd tea.", [],
    ),
    # LangChain
    ({"type": "human", "content": "Hi", "response_metadata": {}}, "user", "Hi", []),
    (
        {
            "type": "ai", "content": "", "additional_kwargs": {"refusal": None},
            "tool_calls": [{"name": "f", "args": {"q": 1}, "id": "c1", "type": "tool_call"}],
            "invalid_tool_calls": [], "usage_metadata": {"input_tokens": 1},
        },
        "assistant", "", [("c1", "f", {"q": 1})],
    ),
    ({"type": "tool", "content": "x", "tool_call_id": "c1", "status": "success"}, "tool", "x", []),
    ({"type": "human", "data": {"content": "Hi", "type": "human"}}, "user", "Hi", []),
    (
        {
            "lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"],
            "kwargs": {"content": "Hi", "type": "ai", "tool_calls": []},
        },
        "assistant", "Hi", [],
    ),
    (
        {
            "lc": 1, "type": "constructor",
            "id": ["langchain", "schema", "messages", "AIMessageChunk"],
            "kwargs": {
                "content": "Hi",
                "invalid_tool_calls": [{"name": "f", "args": '{"q', "id": "c1", "error": None}],
            },
        },
        "assistant", "Hi", [("c1", "f", {"text": '{"q'})],
    ),
    (
        {
            "type": "ai", "content": "",
            "additional_kwargs": {
                "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": "{}"}}],
            },
        },
        "assistant", "", [("c1", "f", {})],
    ),
    ({"type": "chat", "role": "user", "content": "Hi"}, "user", "Hi", []),
    (
        {
            "type": "human",
            "content": [
                {"type": "text-plain", "text": "Buy milk.", "mime_type": "text/plain"},
                {"type": "image", "base64": "aGVsbG8=", "mime_type": "image/png"},
                {"type": "non_standard", "value": {"type": "text", "text": "And tea."}},
            ],
        },
        "user", "Buy milk.\n[image: image/png, 5 bytes]\nAnd tea.", [],
    ),
    # Vercel's AI SDK
    (
        {
            "id": "1", "role": "assistant",
            "parts": [
                {"type": "step-start"}, {"type": "reasoning", "text": "Hm"},
                {
                    "type": "tool-weather", "toolCallId": "t1", "state": "output-available",
                    "input": {"in": "Rome"}, "output": "12 degrees",
                },
                {"type": "text", "text": "Cold.", "state": "done"},
            ],
        },
        "assistant", "[tool_result t1] 12 degrees\nCold.", [("t1", "weather", {"in": "Rome"})],
    ),
    (
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result", "toolCallId": "t1", "toolName": "weather",
                    "output": {"type": "text", "value": "12"},
                },
            ],
        },
        "tool", "12", [],
    ),
    (
        {
            "role": "assistant", "content": "", "createdAt": "2025-01-01",
            "toolInvocations": [
                {
                    "state": "result", "toolCallId": "t1", "toolName": "weather",
                    "args": {"in": "Rome"}, "result": {"t": 12},
                },
            ],
        },
        "assistant", '[tool_result t1] {"t":12}', [("t1", "weather", {"in": "Rome"})],
    ),
    (
        {
            "role": "user",
            "parts": [
                {"type": "image", "image": "https://a.example"},
                {"type": "data-place", "data": {"at": "Rome"}},
                {"type": "source-url", "sourceId": "s", "url": "https://a.example", "title": "A"},
            ],
        },
        "user",
        '[image: https://a.example]\n[data-place] {"at":"Rome"}\n[source-url: A, https://a.example]',
        [],
    ),
    (
        {
            "role": "assistant",
            "parts": [
                {
                    "type": "dynamic-tool", "toolName": "f", "toolCallId": "t1",
                    "state": "output-error", "input": {}, "errorText": "boom",
                },
            ],
        },
        "assistant", "[tool_result t1] boom", [("t1", "f", {})],
    ),
]  # fmt: skip


# The value, and its text where that is not the JSON of the value.
RESULTS: list[tuple[Any, str]] = [
    (
        {"type": "user", "name": "Alice", "plan": "pro"},
        '{"type":"user","name":"Alice","plan":"pro"}',
    ),
    ({"type": "temperature", "value": 21}, '{"type":"temperature","value":21}'),
    ({"type": "json", "value": {"t": 12}}, '{"t":12}'),
    ([{"title": "R", "url": "https://a.example", "snippet": "long"}], ""),
    ([{"file": {"name": "a", "size": 3}}], ""),
    ([{"type": "text", "text": "12"}, {"type": "tool_use", "id": "t", "name": "f"}], ""),
    (
        [{"text": "12"}, {"image": {"format": "png", "source": {"bytes": "aGVsbG8="}}}],
        "12\n[image: png, 5 bytes]",
    ),
    (
        {
            "type": "web_fetch_result", "url": "https://a.example",
            "content": {
                "type": "document", "title": "T",
                "source": {"type": "text", "media_type": "text/plain", "data": "Words."},
            },
        },
        "[document: T]\nWords.",
    ),
    (None, ""),
    (21, "21"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), RESULTS, ids=str)
def test_a_value_of_a_tool_stays_as_it_is(told_api: Api, value: Any, text: str) -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": value}

    (record,) = told(told_api, {"role": "user", "content": [result]}).body["records"]

    (node,) = nodes(record)
    as_json = "" if value is None else json.dumps(value, separators=(",", ":"))
    assert node["result"] == (text or as_json)


@pytest.mark.parametrize(("dumped", "role", "content", "calls"), PROVIDERS, ids=str)
def test_what_the_client_of_a_provider_dumps_is_a_message(
    told_api: Api,
    dumped: dict[str, Any],
    role: str | None,
    content: str | None,
    calls: list[tuple[str, str, Any]],
) -> None:
    reply = told(told_api, HELLO, dumped)

    assert (reply.status, reply.body.get("skipped", 0)) == (201, 0 if role else 1), reply.body
    for record in reply.body["records"][1:]:
        (event,) = record["payload"]["timeline"]
        made = [(each["id"], each["tool"], each.get("args", {})) for each in nodes(record)]
        if role == "tool":
            assert event["event_kind"] == "tool_call"
            assert nodes(record)[0]["result"] == content
        else:
            assert event["event_kind"] == f"message:{role}"
            named = ", ".join(tool for _, tool, _ in calls)
            assert event["summary"] == (content or f"tool_call: {named}")
            assert made == calls


NAMES = st.sampled_from(
    [
        *("type", "text", "content", "parts", "source", "data", "url", "id", "name", "input"),
        *("image_url", "tool_use", "tool_result", "functionCall", "functionResponse", "custom"),
        *("refusal", "audio", "transcript", "function_call", "tool_calls", "role", "function"),
        *("images", "toolInvocations", "invalid_tool_calls", "value", "additional_kwargs", "json"),
        *("lc", "kwargs", "document", "x_call", "output", "tool_result", "executableCode", "ai"),
    ]
)
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=examples(300), database=None)
@given(messages=st.lists(st.dictionaries(NAMES, JSON, max_size=6) | JSON, max_size=3))
def test_any_json_is_a_conversation_or_refused_in_words(told_api: Api, messages: list[Any]) -> None:
    reply = told(told_api, *messages)

    assert reply.status in (201, 400), (messages, reply.body)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"thread_id": "t"}, {}),
        ({"session": "t"}, {}),
        ({"thread_id": "t", "session": "t"}, {}),
        ({"thread_id": ""}, {"thread_id": "thread ID is required for messages"}),
        ({"thread_id": " \t"}, {"thread_id": "thread ID is required for messages"}),
        ({"session": "\u3000"}, {"thread_id": "thread ID is required for messages"}),
        (
            {"thread_id": "t", "session": "u"},
            {"session": "session and thread_id must be the same"},
        ),
    ],
    ids=str,
)
def test_session_is_another_word_for_the_thread_id_and_a_thread_has_one_name(
    told_api: Api, named: dict[str, str], words: dict[str, str]
) -> None:
    reply = told_api.post("/v1/messages", {"messages": [HELLO], **named})

    assert {each["field"]: each["message"] for each in reply.body.get("errors", [])} == words
    assert words or reply.body["thread_id"] == "t"


INSTRUCTIONS = "instructions are not memories, and are skipped at the beginning alone"
NO_PARTS = (
    'must be a text, or a list of parts: {"type": "text", "text": ...}, an image, a file, '
    "or a call or a result of a tool"
)


@pytest.mark.parametrize(
    ("message", "field", "words"),
    [
        *(
            (
                {"role": role, "content": "Be brief"},
                "role",
                f"must not be {role}: {INSTRUCTIONS}",
            )
            for role in ("system", "developer")
        ),
        (
            {"role": "narrator", "content": "Meanwhile"},
            "role",
            "must be one of: user, assistant, tool, system, developer, reasoning",
        ),
        ({"role": "user"}, "content", "is required"),
        ({"role": "user", "content": " \n\u3000"}, "content", "is required"),
        ({"role": "user", "content": [{"type": "text", "text": " "}]}, "content", "is required"),
        ({"role": "user", "content": []}, "content", "is required"),
        ({"role": "assistant", "tool_calls": []}, "content", "is required"),
        ({"role": "tool", "name": "grep"}, "content", "is required"),
        ({"role": "tool", "content": "3"}, "tool_call_id", "or name is required of the role tool"),
        ({**HELLO, "tool_calls": [CALL]}, "tool_calls", "goes with the role assistant alone"),
        ({**HELLO, "tool_call_id": "call-1"}, "tool_call_id", "goes with the role tool alone"),
        ({**HELLO, "content": "x" * 100_001}, "content", "exceeds maximum length of 100000"),
        ({**HELLO, "name": "x" * 257}, "name", "exceeds maximum length of 256"),
        *(
            ({**HELLO, "content": [part]}, "content", NO_PARTS)
            for part in (
                {"type": "image_url", "image_url": {}},
                {"type": "text"},
                {"type": "text", "text": 7},
                {"type": "narration", "narration": {"of": "a river"}},
                {"type": "tool_use", "id": "call-1"},
                {"type": "tool_result", "content": "x"},
                {},
                7,
            )
        ),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_message_that_breaks_a_rule_is_named_by_its_place(
    told_api: Api, message: Mapping[str, Any], field: str, words: str
) -> None:
    place = f"messages.1.{field}"

    found = refusal(told_api, HELLO, message)

    assert found == {place: f"{place} {words}"}


def test_every_message_that_breaks_a_rule_is_named_and_there_are_1_to_100(told_api: Api) -> None:
    empty = {"role": "user", "content": ""}

    named = refusal(told_api, empty, HELLO, empty)

    assert set(named) == {"messages.0.content", "messages.2.content"}
    assert set(refusal(told_api)) == {"messages"}
    assert set(refusal(told_api, *[HELLO] * 101)) == {"messages"}
    assert told(told_api, *[HELLO] * 100).status == 201


@pytest.mark.parametrize(
    ("field", "value"),
    [("images", 5), ("images", "abc"), ("images", [5]), ("toolInvocations", True)],
)
def test_what_is_no_list_beside_the_content_is_refused(
    told_api: Api, field: str, value: Any
) -> None:
    assert next(iter(refusal(told_api, HELLO, {**HELLO, field: value}))).startswith("messages.1.")


def test_thoughts_before_instructions_do_not_end_the_beginning(told_api: Api) -> None:
    thoughts: dict[str, Any] = {"type": "reasoning", "summary": []}

    assert told(told_api, thoughts, {"role": "system"}, HELLO, thoughts).body["skipped"] == 3
    assert refusal(told_api, HELLO, thoughts, {"role": "system"}).keys() == {"messages.2.role"}
    assert refusal(told_api, thoughts).keys() == {"messages"}


@pytest.mark.parametrize("arguments", [{"$upload": "u"}, '{"$blob": {}}', 7, [1]])
def test_arguments_that_are_no_object_in_place_are_refused(told_api: Api, arguments: Any) -> None:
    called = {**CALL, "function": {"name": "grep", "arguments": arguments}}

    found = refusal(told_api, {"role": "assistant", "tool_calls": [called]})

    assert list(found) == ["messages.0.tool_calls.0.function.arguments"]
