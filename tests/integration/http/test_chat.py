"""Conversations over HTTP with the scripted model of the local stack."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.integration.conftest import NO_SCHEDULES
from tests.worlds.api import Api, Reply, api_with
from tests.worlds.chat_endpoint import chat_endpoint, in_turn, says, sends


@contextmanager
def stack_with(**parameters: str) -> Iterator[Api]:
    """A local stack of its own with these parameters."""
    with api_with({**NO_SCHEDULES, **parameters}) as api:
        yield api


def say(api: Api, text: str, key: str | None = None, **others: Any) -> Reply:
    """The reply to a message of the user."""
    messages = [{"role": "user", "content": text}]
    return api.post("/v1/chat", {"messages": messages, **others}, key=key)


@pytest.mark.parametrize("profile", ["memstate", "agent"])
def test_what_was_told_in_one_conversation_is_known_in_the_next(api: Api, profile: str) -> None:
    told = say(api, "Ada likes green tea.", profile=profile)
    assert api.get("/_dev/queues?wait").status == 200  # the index has caught up

    asked = say(api, "What does Ada like?", profile=profile)

    assert (told.status, told.body["intent"]) == (200, "ingest")
    assert (asked.status, asked.body["intent"]) == (200, "query")
    assert "green tea" in asked.body["reply"]


def test_a_conversation_sees_the_scopes_of_its_key_alone(api: Api) -> None:
    acme, globex = (api.key_for(scopes=(scope,)) for scope in ("acme", "globex"))
    say(api, "Ada likes green tea.", acme)

    asked = say(api, "What does Ada like?", globex)

    assert asked.body["reply"] == "I know nothing about this yet."


def test_a_key_that_only_reads_writes_nothing_by_a_conversation(api: Api) -> None:
    reader = api.key_for(permissions=("read",))

    refused = say(api, '/memory_create_topic {"title": "Ada"}', reader, intent_override="both")

    assert "not open here" in refused.body["tool_log"][0]["result"]["error"]
    assert api.get("/v1/topics").body["topics"] == []


def test_a_repeat_under_an_idempotency_key_writes_once(api: Api) -> None:
    for _ in range(2):
        say(api, "Ada likes green tea.", profile="agent", idempotency_key="tea-1")

    assert len(api.get("/v1/records?scope=&type=semantic").body["records"]) == 1


def test_a_user_of_a_key_has_a_memory_of_his_or_her_own(api: Api) -> None:
    key = api.key_for(scopes=("user:*",), user_prefix="user:", user_required=True)
    say(api, "Ada likes green tea.", key, user="ann")

    own, other = (say(api, "What does Ada like?", key, user=user) for user in ("ann", "bob"))

    assert "green tea" in own.body["reply"]
    assert other.body["reply"] == "I know nothing about this yet."
    assert say(api, "What does Ada like?", key).status == 403


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": "hello"},
        {"messages": [{"role": "user"}]},
        {"messages": [{"content": "hello"}]},
        {"messages": [{"role": "user", "content": "x"}] * 1_001},
        {"messages": [{"role": "user", "content": "x"}], "ollama_base_url": "http://10.0.0.1"},
    ],
)
def test_a_malformed_conversation_is_refused_and_names_the_field(
    api: Api, body: dict[str, Any]
) -> None:
    refused = api.post("/v1/chat", body)

    assert refused.status == 400
    assert "10.0.0.1" not in json.dumps(refused.body)
    named = refused.body.get("errors", [{"field": "messages"}])
    assert named[0]["field"].startswith(("messages", "ollama_base_url"))


def test_without_a_model_no_conversation_is_led() -> None:
    with stack_with() as api:
        refused = say(api, "hello")

    assert refused.status == 503
    assert "ChatModel" in refused.body["detail"]
    assert "retry-after" not in refused.headers


def test_a_model_behind_an_endpoint_reads_the_results_of_its_calls() -> None:
    made = {"name": "memory_create_topic", "arguments": '{"title": "Ada"}'}
    steps = [
        says("ingest"),
        sends(json.dumps(calling(made)).encode()),
        says("I made a topic.", {"total_tokens": 50}),
    ]
    with (
        chat_endpoint() as endpoint,
        stack_with(ChatModel="llama", ChatUrl=endpoint.url) as api,
    ):
        endpoint.answer = in_turn(steps)
        told = say(api, "Ada is a pilot.").body
        titles = [each["title"] for each in api.get("/v1/topics").body["topics"]]

    *_, (_, _, last) = endpoint.requests
    assert (told["reply"], told["provider"], titles) == ("I made a topic.", "openai", ["Ada"])
    assert [each["role"] for each in last["messages"]] == ["system", "user", "assistant", "tool"]
    assert json.loads(last["messages"][-1]["content"])["ok"] is True
    assert len(last["tools"]) == 23


def calling(function: dict[str, str]) -> dict[str, Any]:
    """The body of an answer that calls a tool."""
    call = {"id": "call_1", "type": "function", "function": function}
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}


@pytest.mark.parametrize(("status", "answered"), [(429, 429), (500, 503), (401, 503)])
def test_a_failure_of_the_endpoint_is_no_reply_of_the_endpoint(status: int, answered: int) -> None:
    secret = b'{"error": {"message": "internal host 10.0.0.7"}}'
    with (
        chat_endpoint() as endpoint,
        stack_with(ChatModel="llama", ChatUrl=endpoint.url) as api,
    ):
        endpoint.answer = sends(secret, status, [("Retry-After", "600")])
        refused = say(api, "Who is Ada?")

    assert refused.status == answered
    assert "10.0.0.7" not in json.dumps(refused.body)


def test_a_key_has_tokens_for_the_day_and_new_ones_on_the_next() -> None:
    with stack_with(ChatModel="scripted", ChatDailyTokensOfKey="110000") as api:
        api.post("/_dev/clock", {"set": "2026-03-01T18:00:00Z"})
        api.post("/_dev/clock", {"frozen": True})
        replies = (say(api, "What does Ada like?") for _ in range(50))
        spent = next(each for each in replies if each.status != 200)
        api.post("/_dev/clock", {"set": "2026-03-02T00:00:00Z"})
        renewed = say(api, "What does Ada like?")

    assert (spent.status, spent.body["code"]) == (429, "RESOURCE_EXHAUSTED")
    assert spent.headers["retry-after"] == str(6 * 3_600)
    assert "2026-03-02T00:00:00Z" in spent.body["detail"]
    assert renewed.status == 200


def test_a_long_message_is_studied_and_leaves_no_topic_in_the_session(api: Api) -> None:
    document = f"# Tea\n\nAda likes green tea. Bob grows rare roses.\n\n{'word ' * 2_100}"

    told = say(api, document)

    kinds = {each["title"]: each["kind"] for each in api.get("/v1/topics").body["topics"]}
    assert told.status == 200
    assert told.body["study_phases"] == 2
    assert kinds == {"Tea": ""}
    assert not any(kind.startswith("study:") for kind in kinds.values())
    assert {each["phase"] for each in told.body["tool_log"]} == {"study_a", "study_b"}
