"""A write of a document under a key takes place once, whatever others write before its repeat."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.integration.http.test_documents import (
    ADA,
    DOCUMENTS,
    append,
    delete,
    get,
    path_of,
    put,
)
from tests.worlds.agreed import usual_tuning
from tests.worlds.api import Api, Reply

ONCE = {"idempotency-key": "once"}
OTHERS = 20
"""Writes of others between a write and its repeat."""


def items(api: Api, *segments: str) -> list[Any]:
    reply = get(api, *segments, query="?items=1000")
    return [each["value"] for each in reply.body["document"]["items"]]


def values(reply: Reply) -> list[Any]:
    return [each["value"] for each in reply.body["items"]]


def others_put(api: Api) -> None:
    for number in range(OTHERS):
        put(api, *ADA, value=f"newer {number}", headers={"idempotency-key": f"put {number}"})


def others_append(api: Api) -> None:
    for number in range(OTHERS):
        append(api, *ADA, items=[number], headers={"idempotency-key": f"append {number}"})


def others_make_it_anew(api: Api) -> None:
    delete(api, *ADA)
    api.functions.clock.advance(timedelta(seconds=1))
    put(api, *ADA, value="of others")


def others_erase_it(api: Api) -> None:
    delete(api, *ADA, query="?erase=true")
    api.functions.clock.advance(timedelta(seconds=1))
    append(api, *ADA, items=["of others"])


def others_let_it_expire(api: Api) -> None:
    put(api, *ADA, value="short", asked={"ttl_seconds": 1})
    api.functions.clock.advance(timedelta(seconds=2))
    put(api, *ADA, value="of others", asked={"ttl_seconds": 60})


MEANWHILE = (
    others_put,
    others_append,
    others_make_it_anew,
    others_erase_it,
    others_let_it_expire,
)
WRITES: dict[str, tuple[str, str, Any]] = {
    "put": ("PUT", path_of(*ADA), {"value": "old"}),
    "put with a period": ("PUT", path_of(*ADA), {"value": "old", "ttl_seconds": 5}),
    "put under an operation id": ("PUT", path_of(*ADA), {"value": "old", "operation_id": "op"}),
    "append": ("POST", path_of(*ADA, "items"), {"items": ["old"]}),
    "removal": ("DELETE", path_of(*ADA, query="?items=2"), None),
    "deletion": ("DELETE", path_of(*ADA), None),
    "erasure": ("DELETE", path_of(*ADA, query="?erase=true"), None),
}


def state(api: Api) -> Any:
    """All that readers see of the document, and its audit trail."""
    reply = get(api, *ADA, query="?items=1000&history=100&verify=true")
    return reply.status, reply.body


@pytest.mark.parametrize("meanwhile", MEANWHILE)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("start", [[*range(9)], []], ids=["there", "absent"])
def test_a_repeat_changes_nothing_whatever_others_did_meanwhile(
    api: Api, write: str, meanwhile: Callable[[Api], None], start: list[int]
) -> None:
    api.functions.clock.freeze(frozen=True)
    if start:
        put(api, *ADA, value="first")
        append(api, *ADA, items=start)
    method, path, body = WRITES[write]
    first = api.call(method, path, body, headers=ONCE)
    meanwhile(api)
    before = state(api)

    again = api.call(method, path, body, headers=ONCE)

    assert (first.status, again.status) == (200, 200)
    assert again.headers["idempotency-replayed"] == "true"
    for name in ("version", "existed", "end"):
        assert again.body.get(name) == first.body.get(name)
    assert state(api) == before


def test_a_repeated_removal_returns_its_items_after_other_removals(api: Api) -> None:
    append(api, *ADA, items=[*range(20)])
    first = delete(api, *ADA, query="?items=3", headers=ONCE)
    others = delete(api, *ADA, query="?items=3", headers={"idempotency-key": "other"})

    again = delete(api, *ADA, query="?items=3", headers=ONCE)

    assert values(first) == values(again) == [17, 18, 19]
    assert values(others) == [14, 15, 16]
    assert items(api, *ADA) == [*range(14)]


def test_a_repeated_removal_of_a_deleted_list_returns_nothing(api: Api) -> None:
    append(api, *ADA, items=["secret word"])
    delete(api, *ADA, query="?items=1", headers=ONCE)
    delete(api, *ADA, query="?erase=true")

    again = delete(api, *ADA, query="?items=1", headers=ONCE)

    assert (again.status, values(again)) == (200, [])
    assert "secret word" not in str(api.stored())


def test_a_receipt_is_found_after_many_writes_of_others(api: Api) -> None:
    put(api, *ADA, value="mine", asked={"operation_id": "import 7"})
    others_put(api)
    others_make_it_anew(api)

    receipt = api.get("/v1/document-operations?operation_id=import%207")

    assert (receipt.status, receipt.body["version"]) == (200, 1)


def test_a_deletion_that_found_nothing_is_remembered_without_a_receipt(api: Api) -> None:
    asked = {"operation_id": "clean"}
    first = api.call("DELETE", path_of(*ADA), asked)
    put(api, *ADA, value="newer")

    again = api.call("DELETE", path_of(*ADA), asked)

    assert first.body == again.body == {"existed": False}
    assert get(api, *ADA).body["document"]["value"] == "newer"
    assert api.get("/v1/document-operations?operation_id=clean").status == 404


def test_a_key_is_forgotten_with_the_tombstones(api: Api) -> None:
    clock = api.functions.clock
    clock.freeze(frozen=True)
    append(api, *ADA, items=["old"], headers=ONCE)

    days = float(usual_tuning()["TombstoneDays"])
    clock.advance(timedelta(days=days, seconds=-1))
    again = append(api, *ADA, items=["old"], headers=ONCE)
    clock.advance(timedelta(seconds=1))
    append(api, *ADA, items=["old"], headers=ONCE)

    assert again.headers["idempotency-replayed"] == "true"
    assert items(api, *ADA) == ["old", "old"]


def test_a_repeated_batch_changes_nothing_however_its_places_are_spelt(api: Api) -> None:
    key = api.key_for(scopes=("s",))
    spelt: list[dict[str, Any]] = [{}, {"scope": ""}, {"scope": "s"}]
    operations = [
        {"op": op, "namespace": ["n"], "key": "k", **given, **place}
        for op, given in (
            ("append", {"items": ["a"]}), ("put", {"value": 1}), ("delete", {"items": 1}),
            ("append", {"items": ["b"]}), ("delete", {}), ("delete", {"items": 1}),
        )
        for place in spelt * 3
    ]  # fmt: skip
    batch = {"operations": operations}
    api.post(f"{DOCUMENTS}/batch", batch, key=key, headers=ONCE)
    put(api, "n", "k", value="of others", key=key)
    append(api, "n", "k", items=["of others"], key=key)

    again = api.post(f"{DOCUMENTS}/batch", batch, key=key, headers=ONCE)

    assert {each["status"] for each in again.body["results"]} == {200}
    document = get(api, "n", "k", query="?items=9", key=key).body["document"]
    assert (document["value"], len(document["items"])) == ("of others", 1)


@pytest.mark.parametrize("item", ["中" * 43_600, '"' * 65_000, "x" * 130_000])
def test_what_a_removal_takes_off_is_in_the_reply(api: Api, item: str) -> None:
    for number in range(12):
        append(api, *ADA, items=[f"{number:02d}{item}"])

    taken = delete(api, *ADA, query="?items=100")
    operations = [{"op": "delete", "namespace": [*ADA[:-1]], "key": ADA[-1], "items": 100}] * 40
    batched = api.post(f"{DOCUMENTS}/batch", {"operations": operations})

    assert (taken.status, batched.status) == (200, 200)
    results = batched.body["results"]
    found = [*values(taken), *(each["value"] for one in results for each in one.get("items", ()))]
    assert sorted(found) == [f"{number:02d}{item}" for number in range(12)]


def test_a_removal_without_room_in_the_reply_to_a_batch_takes_off_nothing(api: Api) -> None:
    names = [f"list {number}" for number in range(40)]
    for name in names:
        for _ in range(2):
            append(api, "lists", name, items=["x" * 130_000])
    operations = [
        {"op": "delete", "namespace": ["lists"], "key": name, "items": 9} for name in names
    ]

    reply = api.post(f"{DOCUMENTS}/batch", {"operations": operations})

    assert reply.status == 200
    statuses = [each["status"] for each in reply.body["results"]]
    assert statuses == sorted(statuses)
    assert set(statuses) == {200, 413}
    left = [len(items(api, "lists", name)) for name in names]
    assert left == [0 if status == 200 else 2 for status in statuses]
