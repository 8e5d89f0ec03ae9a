"""Agents that call every tool, and read every resource, of every kind of memory."""

import json
from datetime import timedelta
from typing import Any

from membrane.domain.language.vocabulary import Permission
from membrane_local.storage.stores import TABLE
from tests.worlds.cloud import CONTESTED, LARGE, REPLACED, Cloud
from tests.worlds.every_record import add_entity
from tests.worlds.every_revision import overtaken

FUNCTION = "McpFunction"
LATER = timedelta(seconds=61)
"""After so long no write of a tool counts as recent."""


def call(cloud: Cloud, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a tool."""
    body = cloud.http("POST /v1/tools/{name}", {"arguments": arguments}, name=tool)
    return dict(body["result"])


def agents_everywhere(cloud: Cloud) -> None:
    """Call each tool with small and large memories, also where a second writer comes first."""
    entity_id = add_entity(cloud, "Agent Smith")
    smith = {"topic_id": "of-agents", "title": "Agent Smith", "summary": LARGE}
    cloud.http("POST /v1/topics", smith)
    for sign in (1, -1):  # the second change is long, so that readers must look up its end
        many = [{"name": f"field {n}", "value": sign * n} for n in range(120)]
        told = {"placement": "extend_topic", "topic_id": "of-agents", "fields": many}
        cloud.http("POST /v1/ingest", told)
    cloud.http("GET /v1/tools", query="format=openai")
    remember_everything(cloud)
    recall_everything(cloud)
    change_everything(cloud)
    read_resources(cloud, entity_id)
    authenticate(cloud)


def remember_everything(cloud: Cloud) -> None:
    for subject in ("first", "second"):
        for predicate in (CONTESTED, REPLACED, "is"):
            for said in ("much", LARGE):
                fact = {"subject": f"agent's {subject}", "predicate": predicate, "object": said}
                call(cloud, "remember", **fact)
    with overtaken(cloud, FUNCTION):
        call(cloud, "remember", subject="agent's first", predicate=CONTESTED, object="more")
    call(cloud, "remember", text=LARGE)
    uploaded = cloud.upload(LARGE)
    call(cloud, "remember", subject="agent's manual", predicate="is", object=uploaded)
    for state in ("planning", "done"):
        call(cloud, "working_state", thread_id="of-agents", state=state, summary=LARGE)


def recall_everything(cloud: Cloud) -> None:
    key_of_cursors = {"pk": {"S": "cursors"}, "sk": {"S": "key"}}
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=key_of_cursors)
    first = call(cloud, "recall", limit=1)
    call(cloud, "recall", limit=1, cursor=first["next_cursor"])
    call(cloud, "recall", query="much", subject="agent's first")
    call(cloud, "working_state", thread_id="of-agents")
    call(cloud, "recall")
    call(cloud, "recall", query="much", types=["semantic"])
    call(cloud, "recall", subject="agent's first", predicate="is")
    call(cloud, "about", name="agent's first")
    call(cloud, "recall", query="what does the user like", subject="lamp")
    assert call(cloud, "about", name="Agent Smith")["topics"]
    call(cloud, "about", name="nobody")


def change_everything(cloud: Cloud) -> None:
    found = call(cloud, "recall", query="much", limit=20)
    facts = [each["id"] for each in found["memories"] if each["type"] == "semantic"]
    outcome = {"status": "success", "task": "done", "receipt_id": found["receipt_id"]}
    episode = call(cloud, "record_outcome", **outcome, used_ids=facts[:2])["id"]
    call(cloud, "record_outcome", status="failure", record_id=episode, used_ids=facts[:1])
    corrected = call(cloud, "correct", id=facts[0], object=LARGE)["id"]
    call(cloud, "read", id=corrected, history=True)
    call(cloud, "correct", id=facts[1], retract=True)
    name = add_entity(cloud, "Agent Jones")
    call(cloud, "forget", ids=[corrected, episode, name])


def read_resources(cloud: Cloud, entity_id: str) -> None:
    note = call(cloud, "remember", text="a note")["id"]
    for uri in (
        f"records/{note}",
        f"records/{note}/audit",
        f"records/{note}/history",
        f"entities/{entity_id}",
        "topics/of-agents",
        "threads/of-agents/state",
        "metrics",
    ):
        reply = post(cloud, "resources/read", uri=f"membrane://{uri}")
        assert "result" in reply, reply
    for kind in ("entities", "topics"):
        reference = {"type": "ref/resource", "uri": f"membrane://{kind}/{{id}}"}
        post(cloud, "completion/complete", ref=reference, argument={"name": "id", "value": "b"})


def authenticate(cloud: Cloud) -> None:
    """Send a key that nobody has."""
    reply = cloud.invoke(FUNCTION, event("ping", {"authorization": "Bearer unknown"}))
    assert reply["statusCode"] == 401


def post(cloud: Cloud, method: str, **params: Any) -> dict[str, Any]:
    """The answer to a message of a client that has initialized, with every right."""
    sent = event(method, {}, **params)
    everything = {
        "actor_id": "agent",
        "permissions": [str(permission) for permission in Permission],
        "scopes": ["*"],
        "max_sensitivity": "hyper",
    }
    sent["requestContext"]["authorizer"] = {"lambda": everything}
    return dict(json.loads(cloud.invoke(FUNCTION, sent)["body"]))


def event(method: str, headers: dict[str, str], **params: Any) -> dict[str, Any]:
    """An event of the HTTP API with a message of MCP."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return {
        "routeKey": "POST /mcp",
        "rawPath": "/mcp",
        "headers": headers,
        "body": json.dumps(message),
        "requestContext": {"domainName": "api.example", "http": {"method": "POST"}},
    }
