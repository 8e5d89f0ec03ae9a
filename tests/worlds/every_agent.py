"""Agents that call every tool, and read every resource, of every kind of memory."""

import json
from datetime import timedelta
from typing import Any

from membrane.adapters.dynamodb.topics.pending_items import MARK
from membrane.adapters.dynamodb.topics.topic_keys import INCOMING, OUTGOING, topic_partition
from membrane.domain.language.vocabulary import Permission
from membrane_local.storage.stores import TABLE
from tests.worlds.cloud import CONTESTED, LARGE, REPLACED, Cloud
from tests.worlds.every_record import add_entity, leave_a_change_open
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
    keep_topics(cloud)
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


def keep_topics(cloud: Cloud) -> None:
    """By MemState's tools, with small and large values."""
    ada, home = {"topic_id": "ada-of-agents"}, {"topic_id": "home-of-agents"}
    for topic in (ada, home):
        call(cloud, "memory_create_topic", title=topic["topic_id"], summary=LARGE, **topic)
    for n in range(6):  # the oldest revisions leave the table
        call(cloud, "memory_append_field", **ada, field_name="n", value=n)
    call(cloud, "memory_append_field", **ada, field_name="manual", value=LARGE + LARGE)
    call(cloud, "memory_append_field", **ada, field_name="city", value="Rome")
    settle_changes(cloud, ada["topic_id"], home["topic_id"])
    call(cloud, "memory_set_field_ref", **ada, field_name="city", ref_topic_id=home["topic_id"])
    call(cloud, "memory_nest_fields_in_topic", **ada, field_names=["n"], nest_key="g")
    call(cloud, "memory_get_topic", **ada)
    call(cloud, "memory_get_topic_schema", **ada, detail="history")
    for name in ("n", "manual"):
        call(cloud, "memory_get_field_history", **ada, field_name=name, path="/field/value")
    for tool in ("memory_list_topics", "memory_graph_snapshot", "memory_reorganize_merge_topics"):
        call(cloud, tool)
    call(cloud, "memory_unnest_fields_in_topic", **ada, nest_key="g")
    call(cloud, "memory_update_topic", **home, title="Home", salience=0.5)
    both = {"parent_topic_id": ada["topic_id"], "child_topic_id": "child-of-agents"}
    child = {"field_names": ["n"], "child_title": "Child", "parent_link_field": "child"}
    call(cloud, "memory_promote_fields_to_nested_topic", **both, **child)
    call(cloud, "memory_undo_promote_nested_topic", **both)
    call(cloud, "memory_delete_field", **ada, field_name="city")
    call(cloud, "memory_delete_topic", **home)


def settle_changes(cloud: Cloud, from_id: str, to_id: str) -> None:
    """Add and remove an edge that a killed function left in a change, open or committed."""
    for state, tool in (
        ("open", "memory_add_relationship"),
        ("committed", "memory_remove_relationship"),
    ):
        edge = {"to_topic_id": to_id, "kind": state}
        cloud.http("POST /v1/topics/{id}/relationships", edge, from_id)
        token = leave_a_change_open(cloud, from_id, to_id, state=state)
        for topic_id, side in ((from_id, OUTGOING), (to_id, INCOMING)):
            mark_edges(cloud, topic_id, side, token)
        assert call(cloud, tool, from_topic_id=from_id, **edge) == {"ok": True}


def mark_edges(cloud: Cloud, topic_id: str, side: str, token: str) -> None:
    """Mark the edges of one side of a topic as part of a change."""
    dynamodb = cloud.store.dynamodb
    found = dynamodb.query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :side)",
        ExpressionAttributeValues={":pk": {"S": topic_partition(topic_id)}, ":side": {"S": side}},
    )["Items"]
    assert found
    for item in found:
        dynamodb.put_item(TableName=TABLE, Item={**item, MARK: {"S": token}})


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
