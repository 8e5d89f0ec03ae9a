"""Records that live through all that the functions can do with records."""

import json
import zlib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from membrane_local.storage.stores import TABLE
from tests.worlds.agreed import keys as table_keys
from tests.worlds.cloud import LARGE, Cloud


def count_everything(cloud: Cloud) -> None:
    """What there is in a scope, and in all."""
    assert cloud.http("GET /v1/metrics", query="scope=events")["snapshot"]["total_records"] >= 0
    assert cloud.http("GET /v1/metrics")["snapshot"]["total_records"] > 0


def record_with_a_past(cloud: Cloud, record_id: str, target_id: str) -> None:
    """A record with an edge, document and audit in the bucket, and 16 entries: the next spills."""
    fact: dict[str, Any] = {
        "id": record_id,
        "type": "semantic",
        "sensitivity": "low",
        "lifecycle": {"decay": {"half_life_seconds": 76}},
        "relations": [{"predicate": "about", "target_id": target_id}],
        "payload": {
            "kind": "semantic",
            "subject": record_id,
            "predicate": "says",
            "object": LARGE,
            "validity": {"mode": "global"},
        },
    }
    cloud.http("POST /v1/records", {"record": fact})
    for n in range(15):
        penalty = {"amount": 0, "rationale": f"{n}" if n < 14 else LARGE}
        cloud.http("POST /v1/records/{id}/penalize", penalty, record_id)


def add_entity(cloud: Cloud, name: str, scope: str = "", **fields: Any) -> str:
    """The id of an entity of that name."""
    payload = {"kind": "entity", "canonical_name": name, "primary_type": "Service"}
    entity = {"type": "entity", "sensitivity": "low", "scope": scope, "payload": payload, **fields}
    return str(cloud.http("POST /v1/records", {"record": entity})["record"]["id"])


def remove_entities(cloud: Cloud, *, erase: bool) -> None:
    """Remove an entity whose name has a first word alone, and one whose first word others share."""
    alone, shared = ("Solitary", "Common") if erase else ("Lonely", "Usual")
    add_entity(cloud, f"{shared} Sense")
    for name in (alone, f"{shared} Ground"):
        entity_id = add_entity(cloud, name)
        query = "erase=true" if erase else ""
        cloud.http("DELETE /v1/records/{id}", record_id=entity_id, query=query)


def merge_fading_entities(cloud: Cloud) -> None:
    """Let an entity that fades absorb another."""
    fading = {"decay": {"half_life_seconds": 76}}
    one, other = (add_entity(cloud, name, lifecycle=fading) for name in ("Fading", "Faded"))
    cloud.http("POST /v1/entities/{id}/merge", {"entity_ids": [other]}, one)


def change_everything(cloud: Cloud, target_id: str) -> None:
    """Make every change of a record, the last of which erases it; delete one, let one fade."""
    record_with_a_past(cloud, "erased", target_id)
    for change in ("reinforce", "pin", "unpin"):
        cloud.http(f"POST /v1/records/{{id}}/{change}", {}, "erased")
    other = {"decay": {"half_life_seconds": 75}}
    cloud.crowd()
    cloud.http("PATCH /v1/records/{id}/lifecycle", other, "erased")
    cloud.http("DELETE /v1/records/{id}", record_id="erased")
    cloud.http("POST /v1/records/{id}/restore", {}, "erased")
    cloud.http("DELETE /v1/records/{id}", record_id="erased", query="erase=true")
    remove_entities(cloud, erase=True)
    remove_entities(cloud, erase=False)
    merge_fading_entities(cloud)
    record_with_a_past(cloud, "deleted", target_id)
    cloud.http("DELETE /v1/records/{id}", record_id="deleted")
    record_with_a_past(cloud, "fading", target_id)


def leave_blob(cloud: Cloud, record_id: str) -> None:
    """Put a blob that no item names, as a write does that loses against an erasure."""
    cloud.store.blobs.write(f"{table_keys.BLOBS}{record_id}/{'0' * 64}", b"lost")


def interrupt_erasure(cloud: Cloud, target_id: str) -> None:
    """Erase a record, and put a blob and the due instant back, as a killed erasure leaves them."""
    record_with_a_past(cloud, "interrupted", target_id)
    (before,) = (each for each in cloud.items() if each["pk"]["S"].endswith("#interrupted"))
    cloud.http("DELETE /v1/records/{id}", record_id="interrupted", query="erase=true")
    leave_blob(cloud, "interrupted")
    cloud.store.dynamodb.update_item(
        TableName=TABLE,
        Key={"pk": before["pk"], "sk": before["sk"]},
        UpdateExpression="SET due_pk = :pk, due_sk = :sk",
        ExpressionAttributeValues={":pk": before["due_pk"], ":sk": {"N": "1"}},
    )


def sweep_everything(cloud: Cloud, target_id: str) -> None:
    """Prune what has faded, forget what was deleted, and discard what was not forgotten in time."""
    interrupt_erasure(cloud, target_id)
    pruned = cloud.invoke("DecayFunction", {})
    cloud.functions.clock.advance(timedelta(days=31))
    forgotten = cloud.invoke("DecayFunction", {})
    cloud.functions.clock.advance(timedelta(days=401))
    discarded = cloud.invoke("DecayFunction", {})
    assert pruned["pruned"]
    assert forgotten["forgotten"]
    assert [each["failed"] for each in (pruned, forgotten, discarded)] == [0, 0, 0]


def index_anew(cloud: Cloud) -> None:
    """Records and topics, in as many runs as that takes."""
    while not cloud.invoke("IndexFunction", {"membrane-reindex": {"again": True}})["done"]:
        pass


def index_everything(cloud: Cloud) -> None:
    """By a message for each record, and then anew."""
    ids = [table_keys.record_id_of(item) for item in cloud.items()]
    bodies = [{"record_id": each, "scopes": [""]} for each in ids]
    messages = [
        {"messageId": str(number), "eventSource": "aws:sqs", "body": json.dumps(body)}
        for number, body in enumerate(bodies)
    ]
    assert cloud.invoke("IndexFunction", {"Records": messages}) == {"batchItemFailures": []}
    index_anew(cloud)


def index_waiting(cloud: Cloud, waiting: Sequence[dict[str, Any]]) -> None:
    """Let the index function take messages with these bodies; none of them fails."""
    messages = [
        {"messageId": str(number), "eventSource": "aws:sqs", "body": json.dumps(body)}
        for number, body in enumerate(waiting)
    ]
    assert cloud.invoke("IndexFunction", {"Records": messages}) == {"batchItemFailures": []}


def retrieve_everything(cloud: Cloud) -> None:
    """By task, by salience, by fact, by thread; and what was told of one of these answers.

    The task with a tag is asked where a search has not found the record with the tag.
    """
    task = {"task_descriptor": "what does the user like", "limit": 2}
    found = cloud.http("POST /v1/retrieve", task)
    assert found["records"]
    cloud.http("POST /v1/retrieve", {**task, "cursor": found["next_cursor"]})
    asked = {"task_descriptor": "user", "max_hops": 2}
    assert cloud.http("POST /v1/retrieve/graph", asked)["nodes"]
    new = {"source": "me", "subject": "lamp", "predicate": "is", "object": "new", "tags": ["new"]}
    cloud.http("POST /v1/ingest/observation", new)
    assert not cloud.http("POST /v1/retrieve", {**task, "tags": ["new"]})["records"]
    fact = {"subject": "user", "predicate": "likes", "memory_types": ["semantic"]}
    assert cloud.http("POST /v1/retrieve", fact)["records"]
    assert cloud.http("GET /v1/records", query="type=episodic")["records"]
    assert cloud.http("GET /v1/threads/{thread_id}/state", record_id="1")["record"]
    cloud.http("GET /v1/receipts/{id}", record_id=found["receipt_id"])


def leave_a_change_open(cloud: Cloud, *topic_ids: str, state: str = "open") -> str:
    """The token of a change of the topics that is open, as a function leaves it that is killed.

    Or of a committed change that is not settled.
    """
    token = "0" * 32
    places = {f"topic#{each}": ["in#", "rev#~"] for each in topic_ids}
    change: dict[str, Any] = {
        "pk": {"S": f"change#{token}"},
        "sk": {"S": "change"},
        "state": {"S": state},
        "places": {"B": zlib.compress(json.dumps(places).encode())},
        "due_pk": {"S": "changes-due"},
        "due_sk": {"N": "0"},
    }
    cloud.store.dynamodb.put_item(TableName=TABLE, Item=change)
    return token
