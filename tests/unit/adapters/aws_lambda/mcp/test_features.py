"""Requests for tools, resources, prompts and completions, and answers that ask the client."""

import json
from typing import Any

import pytest

from membrane.adapters.aws_lambda.mcp.errors import INTERNAL_ERROR, INVALID_PARAMS, McpError
from membrane.adapters.aws_lambda.mcp.features import Features, InputRequired, ToolResult
from membrane.domain.language.errors import DomainError, InvalidArgument, NotFound, Unavailable
from tests.builders.mcp_requests import META, ask
from tests.fakes.mcp import CALLER, FakePrompts, FakeResources, FakeTools, fake_features

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ELICIT = {"method": "elicitation/create", "params": {"message": "Name?", "requestedSchema": {}}}
SAMPLE = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}
ROOTS = {"method": "roots/list", "params": {}}


def test_a_tool_gets_arguments_caller_and_exchange() -> None:
    tools = FakeTools()
    meta = {**META, CAPABILITIES: {"sampling": {}}, "traceparent": "00-1"}
    params = {
        "name": "echo",
        "arguments": {"a": 1},
        "inputResponses": {"name": {"action": "accept"}},
        "requestState": "state",
    }

    ask("tools/call", params, meta=meta, features=fake_features(tools=tools))

    ((name, arguments, caller, exchange),) = tools.calls
    assert (name, arguments, caller) == ("echo", {"a": 1}, CALLER)
    assert exchange.capabilities == {"sampling": {}}
    assert exchange.input_responses == {"name": {"action": "accept"}}
    assert exchange.request_state == "state"
    assert exchange.meta["traceparent"] == "00-1"


def test_arguments_may_be_left_out() -> None:
    tools = FakeTools()

    ask("tools/call", {"name": "echo"}, features=fake_features(tools=tools))

    ((_, arguments, _, exchange),) = tools.calls
    assert arguments == {}
    assert (exchange.input_responses, exchange.request_state) == ({}, None)


def test_a_tool_answers_by_text_and_by_structured_content() -> None:
    tools = FakeTools(ToolResult([{"type": "text", "text": "{}"}], {"count": 0}, is_error=True))

    result = ask("tools/call", {"name": "echo"}, features=fake_features(tools=tools)).result

    assert result["content"] == [{"type": "text", "text": "{}"}]
    assert result["structuredContent"] == {"count": 0}
    assert result["isError"] is True


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_an_answer_above_the_payload_of_lambda_is_an_error(accept: str) -> None:
    tools = FakeTools(ToolResult([{"type": "text", "text": '"' * 2_000_000}]))

    reply = ask(
        "tools/call",
        {"name": "echo"},
        features=fake_features(tools=tools),
        headers={"accept": accept},
    )

    assert reply.error["code"] == INTERNAL_ERROR
    assert "larger than" in reply.error["message"]


def test_a_sound_answer_has_no_sign_of_an_error() -> None:
    result = ask("tools/call", {"name": "echo"}).result

    assert result.keys() == {"resultType", "content", "_meta"}


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("tools/call", {"name": "absent"}, "params.name"),
        ("tools/call", {"name": ["echo"]}, "params.name"),
        ("tools/call", {}, "params.name"),
        ("tools/call", {"name": "echo", "arguments": []}, "params.arguments"),
        ("tools/call", {"name": "echo", "inputResponses": {"n": 1}}, "params.inputResponses.n"),
        ("tools/call", {"name": "echo", "requestState": {}}, "params.requestState"),
        ("tools/list", {"cursor": "1"}, "params.cursor"),
        ("prompts/list", {"cursor": "1"}, "params.cursor"),
        ("resources/templates/list", {"cursor": "1"}, "params.cursor"),
        ("resources/list", {"cursor": 1}, "params.cursor"),
        ("resources/read", {"uri": "memory://absent"}, "params.uri"),
        ("resources/read", {"uri": 1}, "params.uri"),
        ("prompts/get", {"name": "absent"}, "params.name"),
        ("prompts/get", {"name": "greet", "arguments": {"name": 1}}, "params.arguments.name"),
        ("completion/complete", {}, "params.ref.type"),
        ("completion/complete", {"ref": []}, "params.ref"),
        ("completion/complete", {"ref": {"type": "ref/tool"}}, "params.ref.type"),
        ("completion/complete", {"ref": {"type": "ref/prompt"}}, "params.ref.name"),
        ("completion/complete", {"ref": {"type": "ref/resource"}}, "params.ref.uri"),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "n"}},
            "params.argument.value",
        ),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "p"},
                "argument": {"name": "n", "value": "v"},
                "context": {"arguments": {"a": 1}},
            },
            "params.context.arguments.a",
        ),
    ],
)
def test_params_that_do_not_fit_are_refused_by_the_name_of_the_field(
    method: str, params: Any, field: str
) -> None:
    name = params.get("name", params.get("uri"))
    headers = {"mcp-name": name if isinstance(name, str) else None}

    error = ask(method, params, headers=headers).error

    assert error["code"] == INVALID_PARAMS
    assert field in error["message"].split()


def test_an_absent_resource_is_refused_with_its_address() -> None:
    reply = ask("resources/read", {"uri": "memory://absent"})

    assert reply.refusal == (200, -32602)
    assert reply.error["data"] == {"uri": "memory://absent"}


def test_resources_are_listed_page_by_page() -> None:
    first = ask("resources/list").result
    second = ask("resources/list", {"cursor": first["nextCursor"]}).result

    assert [each["name"] for each in first["resources"]] == ["one"]
    assert [each["name"] for each in second["resources"]] == ["two"]
    assert "nextCursor" not in second


def test_templates_are_listed() -> None:
    result = ask("resources/templates/list").result

    assert result["resourceTemplates"] == [{"uriTemplate": "memory://{id}", "name": "a memory"}]


def test_a_prompt_has_the_arguments_in_place() -> None:
    result = ask("prompts/get", {"name": "greet", "arguments": {"name": "Ada"}}).result

    assert result["description"] == "A greeting"
    assert result["messages"][0]["content"]["text"] == "Hello, Ada"


def test_an_argument_is_completed() -> None:
    params = {
        "ref": {"type": "ref/prompt", "name": "greet"},
        "argument": {"name": "name", "value": "A"},
        "context": {"arguments": {"age": "36"}},
    }

    completion = ask("completion/complete", params).result["completion"]

    assert completion == {"values": ["ref/prompt name A ['age']"], "total": 7, "hasMore": True}


ASKING = InputRequired({"name": ELICIT, "greeting": SAMPLE}, "state")


@pytest.mark.parametrize(
    ("method", "params", "features"),
    [
        ("tools/call", {"name": "echo"}, fake_features(tools=FakeTools(ASKING))),
        (
            "resources/read",
            {"uri": "memory://1"},
            fake_features(resources=FakeResources(ASKING)),
        ),
        ("prompts/get", {"name": "greet"}, fake_features(prompts=FakePrompts(ASKING))),
    ],
)
def test_three_methods_may_ask_the_client(
    method: str, params: Any, features: Features[str]
) -> None:
    meta = {**META, CAPABILITIES: {"elicitation": {}, "sampling": {}}}

    result = ask(method, params, meta=meta, features=features).result

    assert result["resultType"] == "input_required"
    assert result["inputRequests"] == {"name": ELICIT, "greeting": SAMPLE}
    assert result["requestState"] == "state"
    assert "ttlMs" not in result


@pytest.mark.parametrize(
    ("request_to_client", "capability"),
    [(ELICIT, "elicitation"), (SAMPLE, "sampling"), (ROOTS, "roots")],
)
def test_a_client_is_not_asked_for_an_undeclared_capability(
    request_to_client: Any, capability: str
) -> None:
    features = fake_features(tools=FakeTools(InputRequired({"a": request_to_client})))

    reply = ask("tools/call", {"name": "echo"}, features=features)

    assert reply.refusal == (400, -32021)
    assert reply.error["data"] == {"requiredCapabilities": {capability: {}}}


def test_a_request_may_be_sent_again_by_its_state_alone() -> None:
    features = fake_features(tools=FakeTools(InputRequired({}, "state")))

    result = ask("tools/call", {"name": "echo"}, features=features).result

    assert (result["resultType"], result["requestState"]) == ("input_required", "state")
    assert "inputRequests" not in result


def test_a_refusal_of_a_feature_is_sent_as_it_is() -> None:
    refusal = McpError(-32602, "not a state of this server", {"why": "changed"}, status=400)

    reply = ask("tools/call", {"name": "echo"}, features=fake_features(tools=FakeTools(refusal)))

    assert reply.refusal == (400, -32602)
    assert reply.error["data"] == {"why": "changed"}


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (InvalidArgument("no ref"), -32602, "INVALID_ARGUMENT"),
        (NotFound("no tool"), -32602, "NOT_FOUND"),
        (Unavailable("later"), -32603, "UNAVAILABLE"),
    ],
)
def test_an_error_of_the_product_carries_the_problem_document(
    error: DomainError, code: int, word: str
) -> None:
    reply = ask("tools/call", {"name": "echo"}, features=fake_features(tools=FakeTools(error)))

    assert reply.refusal == (200, code)
    assert reply.error["message"] == str(error)
    assert reply.error["data"]["code"] == word


def test_a_reply_is_one_line_of_json_with_every_character() -> None:
    tools = FakeTools(ToolResult([{"type": "text", "text": "été\n\u2028"}]))

    reply = ask("tools/call", {"name": "echo"}, features=fake_features(tools=tools))

    assert "\n" not in reply.body
    assert json.loads(reply.body)["result"]["content"][0]["text"] == "été\n\u2028"
