"""Keyed documents that live through all that their function can do."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from membrane_local.storage.stores import TABLE
from tests.worlds.agreed import Place, head_key
from tests.worlds.cloud import LARGE, Cloud

DOCUMENT = "/v1/documents/{path+}"
ADA, CHAT = "users/ada/profile", "chats/42"
LARGER = LARGE + LARGE
"""Text that lies in the bucket."""

PUTS = "provide-client-params.dynamodb.PutItem"


def keep_documents(cloud: Cloud) -> None:
    """Write, read, search, empty and erase, also while somebody else writes."""
    write_documents(cloud)
    read_documents(cloud)
    remove_documents(cloud)
    leave_value(cloud)


def leave_documents(cloud: Cloud, scope: str) -> None:
    """A document in the scope with history, a large value, a list and a receipt."""
    for value in (LARGER, "b" * 700, "c" * 700):
        kept = {"operation_id": "left"} if value is LARGER else {}
        cloud.http(f"PUT {DOCUMENT}", {"value": value, "scope": scope, **kept}, "left/behind")
    cloud.http(f"POST {DOCUMENT}", {"items": ["one"], "scope": scope}, "left/behind/items")


def write_documents(cloud: Cloud) -> None:
    """More versions than an item holds, some of them large; a claim, a list, and a batch."""
    for number in range(6):
        value = {"text": f"{number}{LARGER}" if number % 2 else f"{number}" * 700}
        body = {"value": value, "operation_id": f"edition-{number}", "ttl_seconds": 600}
        cloud.http(f"PUT {DOCUMENT}", body, ADA)
    cloud.http(f"PUT {DOCUMENT}", {"value": cloud.upload(LARGER)}, "logs/build")
    note = {"value": "Ada drinks tea", "index": True}
    cloud.http(f"PUT {DOCUMENT}", note, "users/ada/note")
    for each in ("one", "two"):
        cloud.http(f"POST {DOCUMENT}", {"items": [each]}, f"{CHAT}/items")
    operation = {"op": "get", "namespace": ["users", "ada"], "key": "note"}
    batch = cloud.http("POST /v1/documents/batch", {"operations": [operation]})
    assert batch["results"][0]["document"]["value"] == "Ada drinks tea"


def read_documents(cloud: Cloud) -> None:
    """By every route that reads."""
    cloud.functions.clock.advance(timedelta(minutes=1))
    query = "history=9&verify=true&refresh=true"
    read = cloud.http(f"GET {DOCUMENT}", record_id=ADA, query=query)["document"]
    assert (read["verified"], len(read["history"])) == (True, 5)
    assert cloud.http(f"GET {DOCUMENT}", record_id=CHAT, query="items=9")["document"]["items"]
    cursors = {"pk": {"S": "cursors"}, "sk": {"S": "key"}}
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=cursors)
    page = cloud.http("POST /v1/documents/search", {"limit": 1})
    cloud.http("POST /v1/documents/search", {"limit": 1, "cursor": page["next_cursor"]})
    found = cloud.http("POST /v1/documents/search", {"query": "tea"})["documents"]
    assert found[0]["key"] == "note"
    assert ["users", "ada"] in cloud.http("GET /v1/namespaces")["namespaces"]
    receipt = cloud.http("GET /v1/document-operations", query="operation_id=edition-5")
    assert receipt["version"] == 6


def remove_documents(cloud: Cloud) -> None:
    """Take an item off, then delete and erase; a list changes while it is emptied."""
    taken = cloud.http(f"DELETE {DOCUMENT}", record_id=CHAT, query="items=1")
    assert [each["value"] for each in taken["items"]] == ["two"]
    with overtaken(cloud):
        assert cloud.http(f"DELETE {DOCUMENT}", record_id=CHAT)["existed"]
    erased = cloud.http(f"DELETE {DOCUMENT}", record_id=ADA, query="erase=true")
    assert erased["existed"]
    live_twice(cloud)


def live_twice(cloud: Cloud) -> None:
    """A document that expired with former versions beside it, and is written anew and erased."""
    editions = [cloud.http(f"PUT {DOCUMENT}", {"value": n}, "logs/twice") for n in range(10)]
    stored = editions[-1]
    head = head_key(Place(stored["document"]["scope"], ("logs",), "twice"))
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=head)
    cloud.http(f"PUT {DOCUMENT}", {"value": "anew"}, "logs/twice")
    assert cloud.http(f"DELETE {DOCUMENT}", record_id="logs/twice", query="erase=true")["existed"]


def leave_value(cloud: Cloud) -> None:
    """A large value whose document has expired, so that nothing names the value."""
    stored = cloud.http(f"PUT {DOCUMENT}", {"value": LARGER, "ttl_seconds": 60}, "logs/expired")
    head = head_key(Place(stored["document"]["scope"], ("logs",), "expired"))
    cloud.store.dynamodb.delete_item(TableName=TABLE, Key=head)


@contextmanager
def overtaken(cloud: Cloud) -> Iterator[None]:
    """Each chunk of a list changes once, just before the function changes the chunk."""
    seen: list[Any] = []

    def change(params: Mapping[str, Any], **_: Any) -> None:
        key = {name: params["Item"][name] for name in ("pk", "sk")}
        if not key["pk"]["S"].startswith("document#") or key in seen:
            return
        seen.append(key)
        running, cloud.running = cloud.running, ""
        cloud.store.dynamodb.update_item(
            TableName=TABLE,
            Key=key,
            UpdateExpression="ADD r :one",
            ExpressionAttributeValues={":one": {"N": "1"}},
        )
        cloud.running = running

    events = cloud.store.dynamodb.meta.events
    events.register_first(PUTS, change)
    try:
        yield
    finally:
        events.unregister(PUTS, change)
    assert seen
