"""Anchors and verifications that meet all that they anchor, verify and repair."""

import json
from datetime import timedelta
from typing import Any

from membrane.usecases.integrity.anchor_table import KEPT
from membrane_local.storage.stores import TABLE
from tests.worlds.cloud import REPLACED, Cloud
from tests.worlds.every_document import DOCUMENT


def anchor_often(cloud: Cloud) -> None:
    """As many anchors as keep their leaves, of what is there so far."""
    for _ in range(KEPT):
        anchor(cloud)


def anchor(cloud: Cloud) -> None:
    cloud.functions.clock.advance(timedelta(seconds=1))
    assert cloud.invoke("AnchorFunction", {})["stage"] == "done"


def anchor_everything(cloud: Cloud, record_id: str) -> None:
    """One anchor more than keep their leaves, and a trail that is verified by the newest."""
    anchor(cloud)
    query = "verify=true"
    assert cloud.http("GET /v1/records/{id}/audit", record_id=record_id, query=query)["anchor"]


def verify_everything(cloud: Cloud) -> None:
    """With all that is repaired, a damaged topic, an edited document and a lost anchor."""
    cloud.functions.clock.advance(timedelta(hours=1))
    fact = {"source": "me", "subject": "stone", "predicate": REPLACED, "object": "a ton"}
    cloud.http("POST /v1/ingest/observation", fact)
    cloud.functions.clock.advance(timedelta(hours=1))
    for number in range(9):
        cloud.http(f"PUT {DOCUMENT}", {"value": number}, "logs/kept")
    remove_derived(cloud)
    damaged: Any = {"pk": {"S": "topic#damaged"}, "sk": {"S": "topic"}}
    cloud.store.dynamodb.put_item(TableName=TABLE, Item=damaged)
    items = cloud.store.dynamodb.scan(TableName=TABLE)["Items"]
    lost = next(item for item in items if item["pk"] == {"S": "anchors"})
    anchor: Any = {name: lost[name] for name in ("pk", "sk")}
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=anchor)
    place: Any = {"pk": {"S": "documents#-"}, "sk": {"S": "users/ada//note"}}
    document = cloud.store.dynamodb.get_item(TableName=TABLE, Key=place)["Item"]
    edited: Any = {**document, "c": {"S": "2020-01-01T00:00:00Z"}}
    cloud.store.dynamodb.put_item(TableName=TABLE, Item=edited)
    found = cloud.invoke("VerifyFunction", {"membrane-verify": {"after": None, "repair": True}})
    for item in (lost, document):
        cloud.store.dynamodb.put_item(TableName=TABLE, Item=item)
    assert "changed" in {each["kind"] for each in found["findings"]}
    kinds = {each["kind"] for each in found["findings"] if each["repaired"]}
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=damaged)
    assert kinds == {"edge_without_inverse", "head_missing", "vector_missing", "name_missing"}
    part = {"part": 0, "seen": found["seen"], "anchors": found["anchors"]}
    gone = cloud.invoke("VerifyFunction", {"membrane-verify": part})
    assert gone == {"findings": [], "left_out": 0}


def remove_derived(cloud: Cloud) -> None:
    """Remove edges at targets, vectors, names and holders of heads, behind the service's back."""
    table = cloud.store.dynamodb
    for item in table.scan(TableName=TABLE)["Items"]:
        key: Any = {"pk": item["pk"], "sk": item["sk"]}
        is_name = item["pk"]["S"].startswith("names#")
        if is_name or "source_id" in item or item["sk"] == {"S": "vector"}:
            table.delete_item(TableName=TABLE, Key=key)
        elif "holders" in item and json.loads(item["holders"]["S"]):
            later = {"N": str(float(item["known_to"]["N"]) + 7_200)}
            table.put_item(
                TableName=TABLE, Item={**item, "holders": {"S": "[]"}, "known_to": later}
            )
