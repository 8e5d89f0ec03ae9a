"""A memory exported, restored into the emptied table, anchored and verified."""

import json
from collections.abc import Sequence
from datetime import timedelta
from io import BytesIO
from typing import Any, BinaryIO

from membrane.adapters.bucket import S3Imports
from membrane.adapters.dynamodb.archive.exports import ATTRIBUTES
from membrane.domain.archive.lines import Frame, kind_of_line, last_line
from membrane.usecases.imports.progress import RESTORES
from membrane.usecases.integrity.anchor_table import KEPT
from membrane_local.storage.stores import TABLE
from tests.worlds.cloud import REPLACED, Cloud
from tests.worlds.every_document import DOCUMENT
from tests.worlds.every_record import leave_a_change_open

LONG = b'"namespace":["books"],"key":"long"'


class BucketImports(S3Imports):
    """The bucket's imports, with objects to import from somebody else."""

    def receive(self, key: str, content: BinaryIO) -> None:
        self.client().put_object(Bucket=self.bucket, Key=key, Body=content)


def export_everything(cloud: Cloud) -> bytes:
    """Export by scope and whole; the file of the whole memory.

    An unfinished change has added an edge to a topic; the export leaves the edge out.
    """
    cloud.http("POST /v1/topics", {"topic_id": "fresh", "title": "fresh", "scope": "events"})
    edge = {"pk": {"S": "topic#fresh"}, "sk": {"S": "out#unfinished"}}
    mark = {"mark": {"S": leave_a_change_open(cloud, "fresh")}}
    cloud.store.dynamodb.put_item(TableName=TABLE, Item={**edge, **mark})
    for number in range(10):  # more versions than a document has in its own item
        edition = {"value": number, "operation_id": f"page-{number}"}
        cloud.http(f"PUT {DOCUMENT}", edition, "books/long")
    cloud.http(f"POST {DOCUMENT}", {"items": ["note"]}, "books/long/items")
    export(cloud, {"scope": "events"}, scopes=("events",))
    content = export(cloud, {})
    cloud.http("GET /v1/exports")
    return content


def restore_everything(cloud: Cloud, content: bytes) -> None:
    """Restore the file into the emptied table, and once more."""
    empty_the_table(cloud)
    cloud.crowd()
    refused = restore(cloud, "spoiled", with_a_spoiled_document(content))
    assert refused["refused"] == 1, refused
    created = restore(cloud, "first", content)
    assert created["created"] > 0
    assert created["refused"] == 0, created
    again = restore(cloud, "second", content)
    assert again["replayed"] > 0
    assert again["refused"] == 0, again


def with_a_spoiled_document(content: bytes) -> bytes:
    """The lines of a keyed document, the last of which is not sound."""
    first, *lines, _ = content.splitlines()
    left = [
        line.replace(b'"document":{', b'"document":{"more":1,') for line in lines if LONG in line
    ]
    frame = Frame().after([first]).after(left, map(kind_of_line, left))
    return b"".join(line + b"\n" for line in (first, *left, last_line(frame)))


def export(cloud: Cloud, asked: Any, *, scopes: Sequence[str] = ("*",)) -> bytes:
    """The file of an export, written by the function that the request starts."""
    created = cloud.http("POST /v1/exports", asked, scopes=scopes)["export"]
    function, event = cloud.started.pop()
    assert cloud.invoke(function, event)["state"] == "done"
    export_id = created["id"]
    assert cloud.http("GET /v1/exports/{id}", record_id=export_id, scopes=scopes)["parts"]
    imports = cloud.store.imports
    assert isinstance(imports, BucketImports)
    listed = imports.client().list_objects_v2(Bucket=imports.bucket, Prefix=f"exports/{export_id}/")
    names = sorted(found["Key"] for found in listed["Contents"])
    return b"".join(cloud.store.blobs.get(name) or b"" for name in names)


def restore(cloud: Cloud, name: str, content: bytes) -> Any:
    """The result of the restore of a file."""
    key = f"{RESTORES}{name}.ndjson"
    cloud.store.imports.receive(key, BytesIO(content))
    found = cloud.store.imports.find(key)
    assert found is not None
    put = {"key": found.key, "etag": found.etag, "sequencer": "1"}
    return cloud.invoke(
        "RestoreFunction", {"time": "2026-01-01T00:00:00Z", "detail": {"object": put}}
    )


def empty_the_table(cloud: Cloud) -> None:
    """Delete every item."""
    keys = ATTRIBUTES[:2]
    pages = cloud.store.dynamodb.get_paginator("scan").paginate(TableName=TABLE)
    for item in [item for page in pages for item in page["Items"]]:
        key: Any = {name: item[name] for name in keys}
        cloud.store.dynamodb.delete_item(TableName=TABLE, Key=key)


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
