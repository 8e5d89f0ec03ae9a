"""Agents that call every tool, and read every resource, of every kind of memory."""

import json
from dataclasses import dataclass
from typing import Any

from membrane.adapters.dynamodb.topics.topic_items import INCOMING, OUTGOING, topic_partition
from membrane.domain.language.vocabulary import Permission
from membrane.table.long import MARK
from membrane_local.storage.stores import TABLE
from tests.worlds.cloud import CONTESTED, LARGE, REPLACED, Cloud
from tests.worlds.every_record import add_entity, leave_a_change_open
from tests.worlds.every_revision import overtaken


@dataclass(frozen=True, slots=True)
class Agents:
    """Agents that call tools one by one."""

    cloud: Cloud
    function: str = "McpFunction"
    who: str = "agent"

    @property
    def manual(self) -> str:
        """A long value of a field."""
        return LARGE + LARGE

    @property
    def thread(self) -> str:
        """The thread of the agents' work, and the topic about one of them."""
        return f"of-{self.who}s"

    @property
    def smith(self) -> str:
        """The name of one of them, which an entity and a topic have."""
        return f"{self.who.title()} Smith"

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool."""
        body = self.cloud.http("POST /v1/tools/{name}", {"arguments": arguments}, name=tool)
        return dict(body["result"])


def agents_everywhere(cloud: Cloud) -> None:
    """Call each tool with small and large memories, also where a second writer comes first."""
    agents = Agents(cloud)
    entity_id = work_with_tools(agents)
    cloud.http("GET /v1/tools", query="format=openai")
    read_resources(cloud, entity_id)
    authenticate(cloud)


def work_with_tools(agents: Agents) -> str:
    """Call each tool; the id of an entity that a topic is about."""
    entity_id = add_entity(agents.cloud, agents.smith)
    smith = {"topic_id": agents.thread, "title": agents.smith, "summary": LARGE}
    agents.cloud.http("POST /v1/topics", smith)
    for sign in (1, -1):  # the second change is long, so that readers must look up its end
        many = [{"name": f"field {n}", "value": sign * n} for n in range(120)]
        told = {"placement": "extend_topic", "topic_id": agents.thread, "fields": many}
        agents.cloud.http("POST /v1/ingest", told)
    remember_everything(agents)
    recall_everything(agents)
    change_everything(agents)
    keep_topics(agents)
    return entity_id


def remember_everything(agents: Agents) -> None:
    for subject in ("first", "second"):
        for predicate in (CONTESTED, REPLACED, "is"):
            for said in ("much", LARGE):
                fact = {
                    "subject": f"{agents.who}'s {subject}",
                    "predicate": predicate,
                    "object": said,
                }
                agents.call("remember", **fact)
    with overtaken(agents.cloud, agents.function):
        agents.call("remember", subject=f"{agents.who}'s first", predicate=CONTESTED, object="more")
    agents.call("remember", text=LARGE)
    uploaded = agents.cloud.upload(f"{agents.who}: {LARGE}")
    agents.call("remember", subject=f"{agents.who}'s manual", predicate="is", object=uploaded)
    for state in ("planning", "done"):
        agents.call("working_state", thread_id=agents.thread, state=state, summary=LARGE)


def recall_everything(agents: Agents) -> None:
    key_of_cursors = {"pk": {"S": "cursors"}, "sk": {"S": "key"}}
    agents.cloud.store.dynamodb.delete_item(TableName=TABLE, Key=key_of_cursors)
    first = agents.call("recall", limit=1)
    agents.call("recall", limit=1, cursor=first["next_cursor"])
    agents.call("recall", query="much", subject=f"{agents.who}'s first")
    agents.call("working_state", thread_id=agents.thread)
    agents.call("recall")
    agents.call("recall", query="much", types=["semantic"])
    agents.call("recall", subject=f"{agents.who}'s first", predicate="is")
    agents.call("about", name=f"{agents.who}'s first")
    agents.call("recall", query="what does the user like", subject="lamp")
    assert agents.call("about", name=agents.smith)["topics"]
    agents.call("about", name="nobody")


def change_everything(agents: Agents) -> None:
    found = agents.call("recall", query="much", limit=20)
    facts = [each["id"] for each in found["memories"] if each["type"] == "semantic"]
    outcome = {"status": "success", "task": "done", "receipt_id": found["receipt_id"]}
    episode = agents.call("record_outcome", **outcome, used_ids=facts[:2])["id"]
    agents.call("record_outcome", status="failure", record_id=episode, used_ids=facts[:1])
    corrected = agents.call("correct", id=facts[0], object=LARGE)["id"]
    agents.call("read", id=corrected, history=True)
    agents.call("correct", id=facts[1], retract=True)
    name = add_entity(agents.cloud, f"{agents.who.title()} Jones")
    agents.call("forget", ids=[corrected, episode, name])


def read_resources(cloud: Cloud, entity_id: str) -> None:
    note = Agents(cloud).call("remember", text="a note")["id"]
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
    reply = cloud.invoke(Agents(cloud).function, event("ping", {"authorization": "Bearer unknown"}))
    assert reply["statusCode"] == 401


def keep_topics(agents: Agents) -> None:
    """By MemState's tools, with small and large values."""
    ada, home = {"topic_id": f"ada-{agents.thread}"}, {"topic_id": f"home-{agents.thread}"}
    for topic in (ada, home):
        agents.call("memory_create_topic", title=topic["topic_id"], summary=LARGE, **topic)
    for n in range(6):  # the oldest revisions leave the table
        agents.call("memory_append_field", **ada, field_name="n", value=n)
    agents.call("memory_append_field", **ada, field_name="manual", value=agents.manual)
    agents.call("memory_append_field", **ada, field_name="city", value="Rome")
    settle_changes(agents, ada["topic_id"], home["topic_id"])
    agents.call("memory_set_field_ref", **ada, field_name="city", ref_topic_id=home["topic_id"])
    agents.call("memory_nest_fields_in_topic", **ada, field_names=["n"], nest_key="g")
    agents.call("memory_get_topic", **ada)
    agents.call("memory_get_topic_schema", **ada, detail="history")
    for name in ("n", "manual"):
        agents.call("memory_get_field_history", **ada, field_name=name, path="/field/value")
    for tool in ("memory_list_topics", "memory_graph_snapshot", "memory_reorganize_merge_topics"):
        agents.call(tool)
    agents.call("memory_unnest_fields_in_topic", **ada, nest_key="g")
    agents.call("memory_update_topic", **home, title="Home", salience=0.5)
    both = {"parent_topic_id": ada["topic_id"], "child_topic_id": f"child-{agents.thread}"}
    child = {"field_names": ["n"], "child_title": "Child", "parent_link_field": "child"}
    agents.call("memory_promote_fields_to_nested_topic", **both, **child)
    agents.call("memory_undo_promote_nested_topic", **both)
    agents.call("memory_delete_field", **ada, field_name="city")
    agents.call("memory_delete_topic", **home)


def settle_changes(agents: Agents, from_id: str, to_id: str) -> None:
    """Add and remove an edge that a killed function left in a change, open or committed."""
    for state, tool in (
        ("open", "memory_add_relationship"),
        ("committed", "memory_remove_relationship"),
    ):
        edge = {"to_topic_id": to_id, "kind": state}
        agents.cloud.http("POST /v1/topics/{id}/relationships", edge, from_id)
        token = leave_a_change_open(agents.cloud, from_id, to_id, state=state)
        for topic_id, side in ((from_id, OUTGOING), (to_id, INCOMING)):
            mark_edges(agents.cloud, topic_id, side, token)
        assert agents.call(tool, from_topic_id=from_id, **edge) == {"ok": True}


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
    return dict(json.loads(cloud.invoke(Agents(cloud).function, sent)["body"]))


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
