"""The routes of agents: who is answered, by which profile, and what tools and resources answer."""

import json
from typing import Any

import pytest

from membrane.adapters.aws_lambda.agents.endpoint import answer_agents
from membrane.adapters.aws_lambda.routes.tools import TOOLS
from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.access.api_keys import digest_of
from membrane.usecases.ports.keys import ApiKey
from membrane.usecases.ports.services_tools import BearerServices
from membrane.wiring.bearer import build_bearer
from membrane.wiring.token_settings import TokenSettings
from tests.fakes.clock import FakeClock
from tests.fakes.keys import FakeKeys
from tests.fakes.operators import Reports
from tests.fakes.tool_world import tooled
from tests.worlds.tools import Agent, key

SECRET = "secret-of-an-agent"


def served(principal: Principal, report: Reports | None = None) -> BearerServices:
    """Services that know one key."""
    keys, clock = FakeKeys(), FakeClock()
    keys.add(ApiKey(digest_of(SECRET), principal, clock()))
    return build_bearer(tooled(keys=keys, now=clock, report=report), TokenSettings("", "", ()))


def post(
    services: BearerServices,
    method: str,
    *,
    query: str = "",
    secret: str = SECRET,
    origin: str = "",
    **params: Any,
) -> JsonObject:
    """The reply to a message of a client that has initialized."""
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    event = {
        "routeKey": "POST /mcp",
        "rawPath": "/mcp",
        "rawQueryString": query,
        "headers": headers | ({"origin": origin} if origin else {}),
        "body": json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
        "requestContext": {"domainName": "api.example", "http": {"method": "POST"}},
    }
    return answer_agents(event, TOOLS, services)


def result(services: BearerServices, method: str, **params: Any) -> JsonObject:
    """The result in a reply."""
    return dict(json.loads(post(services, method, **params)["body"])["result"])


def refusal(services: BearerServices, method: str, **params: Any) -> JsonObject:
    """The error in a reply."""
    return dict(json.loads(post(services, method, **params)["body"])["error"])


@pytest.mark.parametrize("secret", ["", "unknown"])
def test_a_request_without_a_live_key_learns_how_to_authenticate(secret: str) -> None:
    reply = post(served(key()), "tools/list", secret=secret)

    assert reply["statusCode"] == 401
    assert reply["headers"]["www-authenticate"].startswith(
        'Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource/mcp"'
    )
    assert ('error="invalid_token"' in reply["headers"]["www-authenticate"]) is bool(secret)


def test_a_web_page_is_refused_with_a_key_and_without_one() -> None:
    for secret in (SECRET, ""):
        reply = post(served(key()), "tools/list", secret=secret, origin="https://evil.example")

        assert reply["statusCode"] == 403


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [("", "recall", 8), ("profile=search", "search", 2), ("profile=memstate", "memory_", 26)],
)
def test_the_profile_in_the_address_decides_the_tools(query: str, first: str, count: int) -> None:
    reply = post(served(key("read", "ingest", "revise")), "tools/list", query=query)

    tools = json.loads(reply["body"])["result"]["tools"]
    assert len(tools) == count
    assert tools[0]["name"].startswith(first)


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    reply = post(served(key()), "tools/list", query="profile=letta")

    assert reply["statusCode"] == 400
    assert "profile must be one of: agent, search, memstate" in reply["body"]


def test_a_tool_that_the_key_may_not_call_does_not_exist_for_the_key() -> None:
    services = served(key("read"))

    assert [each["name"] for each in result(services, "tools/list")["tools"]] == [
        *("recall", "read", "about", "working_state"),
    ]
    assert (
        refusal(services, "tools/call", name="forget", arguments={"ids": ["a"]})["code"] == -32602
    )


def test_a_refusal_by_a_tool_is_an_answer_that_the_model_can_react_to() -> None:
    answer = result(served(key()), "tools/call", name="recall", arguments={"limit": 0, "zz": 1})

    (content,) = answer["content"]
    assert answer["isError"] is True
    assert content["text"].split("\n") == [
        "limit must be >= 1",
        "zz unknown field",
    ]


def test_the_answer_of_a_tool_comes_as_text_and_as_structured_content() -> None:
    services = served(key())
    kept = result(services, "tools/call", name="remember", arguments={"text": "Alice likes tea"})

    found = result(services, "tools/call", name="recall", arguments={"query": "tea"})

    (memory,) = found["structuredContent"]["memories"]
    assert memory["id"] == kept["structuredContent"]["id"]
    assert "team:a noted Alice likes tea" in found["content"][0]["text"]
    assert "isError" not in found


def test_every_kind_of_resource_answers_as_its_route_does() -> None:
    services = served(key())
    agent = Agent(services, key())
    note = agent.remember("Alice likes tea")
    agent.call("working_state", thread_id="thread/1", state="done")

    def body(uri: str) -> JsonObject:
        (content,) = result(services, "resources/read", uri=f"membrane://{uri}")["contents"]
        assert content["mimeType"] == "application/json"
        return dict(json.loads(content["text"]))

    assert body(f"records/{note}")["record"]["id"] == note
    assert body(f"records/{note}/audit")["audit_count"] == 1
    assert [each["number"] for each in body(f"records/{note}/history")["versions"]] == [1]
    assert body("threads/thread%2F1/state")["record"]["payload"]["state"] == "done"
    assert body("metrics")["snapshot"]["total_records"] == 2


@pytest.mark.parametrize(
    "uri",
    [
        *("membrane://records/absent", "membrane://records/", "membrane://records/a/b/c"),
        *("membrane://metrics/all", "membrane://records/a?scope=b", "membrane://records/a#b"),
        *("file:///etc/passwd", "membrane:", "records/a", "http://[", "membrane://entities/absent"),
    ],
)
def test_an_address_of_nothing_is_not_found(uri: str) -> None:
    assert refusal(served(key()), "resources/read", uri=uri)["code"] == -32002


def test_a_large_resource_fits_the_payload_of_a_reply_by_a_link() -> None:
    """The text of a resource is escaped twice: every quote takes four bytes."""
    services = served(key())
    agent = Agent(services, key())
    quotes = agent.remember_fact("Alice", "quotes", ['"' * 50_000] * 20)
    letters = agent.remember_fact("Alice", "letters", ["a" * 50_000] * 20)

    replies = {
        each: post(services, "resources/read", uri=f"membrane://records/{each}")
        for each in (quotes, letters)
    }

    assert "$blob" in replies[quotes]["body"]
    assert "$blob" not in replies[letters]["body"]


def test_a_resource_of_a_user_is_read_for_the_user() -> None:
    users = key(scopes=("app:*",), user_prefix="app:", user_required=True)
    services = served(users)
    note = Agent(services, users).remember("I like tea", user="ann")

    (content,) = result(services, "resources/read", uri=f"membrane://records/{note}?user=ann")[
        "contents"
    ]

    assert json.loads(content["text"])["record"]["scope"] == "app:ann"
    assert refusal(services, "resources/read", uri=f"membrane://records/{note}?user=bob")[
        "code"
    ] == (-32002)
    assert (
        "user is required"
        in refusal(services, "resources/read", uri=f"membrane://records/{note}")["message"]
    )


def test_a_key_that_may_not_read_has_no_resources() -> None:
    services = served(key("ingest"))

    assert result(services, "resources/list")["resources"] == []
    assert result(services, "resources/templates/list")["resourceTemplates"] == []
    assert (
        "read is required"
        in refusal(services, "resources/read", uri="membrane://metrics")["message"]
    )


def test_a_prompt_has_the_task_in_place_and_needs_one() -> None:
    services = served(key())

    prompt = result(services, "prompts/get", name="recall_first", arguments={"task": "make tea"})

    assert "Then do the task: make tea." in prompt["messages"][0]["content"]["text"]
    assert (
        "arguments.task is required"
        in refusal(services, "prompts/get", name="end_of_task")["message"]
    )
    assert refusal(services, "prompts/get", name="unknown")["code"] == -32602


def test_ids_are_completed_by_the_beginning_of_a_name() -> None:
    services = served(key())

    def completed(uri: str) -> list[str]:
        reference = {"type": "ref/resource", "uri": uri}
        argument = {"name": "id", "value": "al"}
        answer = result(services, "completion/complete", ref=reference, argument=argument)
        return list(answer["completion"]["values"])

    call = {"arguments": {"title": "Alice", "topic_id": "topic-1"}, "name": "memory_create_topic"}
    assert "isError" not in result(services, "tools/call", **call)
    assert completed("membrane://topics/{id}") == ["topic-1"]
    assert completed("membrane://entities/{id}") == []
    assert completed("membrane://records/{id}") == []
    reference = {"type": "ref/prompt", "name": "recall_first", "uri": []}
    argument = {"name": "task", "value": "al"}
    answer = result(services, "completion/complete", ref=reference, argument=argument)
    assert answer["completion"]["values"] == []


def test_a_completion_beyond_the_first_topics_says_that_more_may_follow() -> None:
    services = served(key())
    agent = Agent(services, key())
    for number in range(101):
        agent.call("memory_create_topic", title=f"Topic {number}")
    reference = {"type": "ref/resource", "uri": "membrane://topics/{id}"}

    def completed(value: str) -> tuple[int, bool]:
        argument = {"name": "id", "value": value}
        answer = result(services, "completion/complete", ref=reference, argument=argument)
        completion = answer["completion"]
        assert "total" not in completion
        return len(completion["values"]), completion["hasMore"]

    assert completed("topic") == (100, True)
    assert completed("absent") == (0, True)


def test_names_are_completed_for_the_user_of_the_context() -> None:
    users = key(scopes=("app:*",), user_prefix="app:", user_required=True)
    services = served(users)
    call = {"title": "Alice", "topic_id": "topic-1", "user": "ann"}
    result(services, "tools/call", name="memory_create_topic", arguments=call)

    def completed(**context: object) -> list[str]:
        reference = {"type": "ref/resource", "uri": "membrane://topics/{id}"}
        argument = {"name": "id", "value": "al"}
        answer = result(
            services, "completion/complete", ref=reference, argument=argument, **context
        )
        return list(answer["completion"]["values"])

    assert completed(context={"arguments": {"user": "ann"}}) == ["topic-1"]
    assert completed(context={"arguments": {"user": "bob"}}) == []
    assert completed() == []


def test_an_error_of_a_tool_has_no_structured_content() -> None:
    answer = result(served(key()), "tools/call", name="forget", arguments={"ids": ["memory-9"]})

    assert answer["isError"] is True
    assert "structuredContent" not in answer
    assert "record not found" in answer["content"][0]["text"]


def test_calls_and_reads_are_reported_under_the_names_of_the_routes() -> None:
    reports = Reports()
    services = served(key(), reports)
    note = Agent(services, key()).remember("Alice likes tea")

    result(services, "tools/call", name="recall", arguments={"query": "tea"})
    result(services, "resources/read", uri=f"membrane://records/{note}")

    assert reports.told == [("CallTool", "OK"), ("RetrieveByID", "OK")]


def called(services: BearerServices, name: str, body: JsonObject, **rights: Any) -> JsonObject:
    """The reply to a call of a tool by HTTP."""
    own = {
        "actor_id": "agent",
        "permissions": ["read", "ingest", "revise"],
        "scopes": ["team:a"],
        "max_sensitivity": "low",
        **rights,
    }
    event = {
        "routeKey": "POST /v1/tools/{name}",
        "headers": {},
        "pathParameters": {"name": name},
        "body": json.dumps(body),
        "requestContext": {"authorizer": {"lambda": own}},
    }
    return answer_agents(event, TOOLS, services)


def test_the_routes_of_tools_are_answered_by_the_same_function() -> None:
    services = served(key())
    body = {"arguments": {"text": "Alice likes tea"}}

    reply = called(services, "remember", body)
    refused = called(services, "forget", body, permissions=["read", "ingest"])

    answer = json.loads(reply["body"])
    assert reply["statusCode"] == 200
    assert answer["text"].startswith(f"Remembered as {answer['result']['id']}")
    assert refused["statusCode"] == 404


def test_a_user_beside_the_arguments_leaves_the_keys_other_calls_reading_the_write() -> None:
    users = {"scopes": ["app:*"], "user_prefix": "app:"}
    caller = key(scopes=("app:*",), user_prefix="app:")
    services = served(caller)
    asked = {"arguments": {"text": "Alice likes tea"}, "user": "ann"}

    reply = called(services, "remember", asked, **users)

    assert json.loads(reply["body"])["result"]["scope"] == "app:ann"
    assert services.recent_writes.read(caller.identity)
    assert services.recent_writes.read(caller.acting_for("ann").identity)
