"""Editors' routes over the local gateway: nesting, promotion, links, fields with odd names."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest

from tests.worlds.api import Api, Reply


def created(api: Api, title: str, **values: Any) -> str:
    """The path of a new topic with these fields."""
    made = api.post("/v1/topics", {"title": title})
    assert made.status == 200, made.body
    path = f"/v1/topics/{made.body['topic_id']}"
    for name, value in values.items():
        append(api, path, name, value)
    return path


def append(api: Api, path: str, name: str, value: Any, **more: Any) -> None:
    reply = api.post(f"{path}/fields", {"field_name": name, "value": value, **more})
    assert reply.status == 200, reply.body


def id_of(path: str) -> str:
    return path.removeprefix("/v1/topics/")


def values(api: Api, path: str, name: str) -> list[Any]:
    """All values of a field, the newest first."""
    reply = api.get(f"{path}/fields/{quote(name, safe='')}")
    assert reply.status == 200, reply.body
    return [each["value"] for each in reply.body["history"]]


def told(reply: Reply) -> dict[str, Any]:
    """The body of a reply, which has a consistency token."""
    assert reply.status == 200, reply.body
    assert reply.body["consistency_token"]
    return {name: each for name, each in reply.body.items() if name != "consistency_token"}


def test_fields_are_nested_written_to_in_place_and_unnested(api: Api) -> None:
    path = created(api, "Ada", street="Rue A", city="Paris", pet="a cat")

    asked = {"field_names": ["street", "city"], "nest_key": "address"}
    assert told(api.post(f"{path}/nest-fields", asked)) == {
        "ok": True,
        "topic_id": id_of(path),
        "nest_key": "address",
        "moved_fields": ["street", "city"],
    }
    append(api, path, "address.city", "Rome")
    nested = api.get(path).body["fields"]
    assert told(api.post(f"{path}/unnest-fields", {"nest_key": "address"})) == {
        "ok": True,
        "topic_id": id_of(path),
        "nest_key": "address",
        "restored_fields": ["city", "street"],
    }

    assert set(nested) == {"address", "pet"}
    assert nested["address"]["history"][0]["value"]["_memstate_nested"] is True
    assert values(api, path, "city") == ["Rome", "Paris"]


def test_fields_are_promoted_and_come_back(api: Api) -> None:
    path = created(api, "Ada", street="Rue A", city="Paris")
    asked = {
        "field_names": ["street", "city"],
        "child_title": "Address",
        "child_topic_id": "ada-s-address",
        "parent_link_field": "address",
        "max_history": 1,
    }

    promoted = told(api.post(f"{path}/promote-nested", asked))
    child = "/v1/topics/ada-s-address"
    append(api, child, "city", "Rome")
    under_the_child = values(api, child, "city")
    undone = told(api.post(f"{path}/undo-nested", {"child_topic_id": "ada-s-address"}))

    assert promoted == {
        "ok": True,
        "child_topic_id": "ada-s-address",
        "moved_fields": ["street", "city"],
        "relationship_kind": "has_detail",
        "parent_link_field": "address",
    }
    assert under_the_child == ["Rome", "Paris"]
    assert undone == {
        "ok": True,
        "parent_topic_id": id_of(path),
        "restored_fields": ["city", "street"],
        "removed_ref_fields": ["address"],
        "deleted_child_topic_id": "ada-s-address",
    }
    assert values(api, path, "city") == ["Rome", "Paris"]
    assert api.get(child).status == 404
    assert api.get(f"{path}/fields/address").status == 404


def test_a_promotion_among_many_appends_loses_none_of_them(api: Api) -> None:
    path = created(api, "Ada", city="Paris")
    promotion = {"field_names": ["city"], "child_title": "Address", "child_topic_id": "address"}

    def do(number: int) -> None:
        if number == 8:
            assert api.post(f"{path}/promote-nested", promotion).status == 200
        else:
            append(api, path, "city", str(number))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(do, range(16)))

    under_the_parent = api.get(f"{path}/fields/city")
    later = under_the_parent.body["history"] if under_the_parent.status == 200 else []
    found = [each["value"] for each in later] + values(api, "/v1/topics/address", "city")
    assert sorted(found) == sorted(["Paris", *(str(n) for n in range(16) if n != 8)])


def test_a_link_is_made_removed_and_made_anew(api: Api) -> None:
    ada, bob = created(api, "Ada"), created(api, "Bob")
    body = {"to_topic_id": id_of(bob), "kind": "knows of & likes"}
    query = f"to_topic_id={id_of(bob)}&kind={quote(body['kind'], safe='')}"

    for _ in range(2):
        assert told(api.post(f"{ada}/relationships", body)) == {"ok": True}
        assert told(api.call("DELETE", f"{ada}/relationships?{query}")) == {"ok": True}

    gone = api.call("DELETE", f"{ada}/relationships?{query}")
    assert (gone.status, gone.body["detail"]) == (404, "relationship not found")
    kinds = [each["kind"] for each in api.get(ada).body["topic_history"]]
    assert kinds == ["created", *["edge_added", "edge_removed"] * 2]


@pytest.mark.parametrize("name", ["a/b", "a b", "a.b", "größe", "a%2Fb", "x" * 256, "__proto__"])
def test_a_field_of_any_name_is_pointed_at_a_topic_and_deleted(api: Api, name: str) -> None:
    ada, bob = created(api, "Ada"), created(api, "Bob")
    append(api, ada, name, "x")
    field = f"{ada}/fields/{quote(name, safe='')}"

    assert told(api.call("PUT", f"{field}/ref", {"ref_topic_id": id_of(bob)})) == {"ok": True}
    pointed = api.get(field).body["ref_topic_id"]
    assert told(api.call("DELETE", field)) == {"deleted": name}

    assert pointed == id_of(bob)
    assert api.get(field).status == 404


def test_a_repeated_edit_is_known_by_its_key(api: Api) -> None:
    path = created(api, "Ada")
    body = {"field_name": "city", "value": "Paris", "idempotency_key": "key-1"}

    first, again = (api.post(f"{path}/fields", body) for _ in range(2))
    other = api.post(f"{path}/fields", {**body, "value": "Rome"})

    assert first.body == again.body
    assert again.headers["idempotency-replayed"] == "true"
    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")
    assert values(api, path, "city") == ["Paris"]


@pytest.mark.parametrize(
    ("method", "route", "body"),
    [
        ("POST", "", {"titel": "Ada"}),
        ("POST", "/{id}/fields", {"value": "x"}),
        ("POST", "/{id}/fields", {"field_name": "a", "field_type": "number"}),
        ("POST", "/{id}/fields", {"field_name": "a", "max_history": 0}),
        ("PATCH", "/{id}", {"archived": "yes"}),
        ("PATCH", "/{id}", {"scope": "other"}),
        ("POST", "/{id}/relationships", {"kind": "knows"}),
        ("DELETE", "/{id}/relationships?kind=knows", None),
        ("POST", "/{id}/nest-fields", {"nest_key": "k", "field_names": "a"}),
        ("PUT", "/{id}/fields/a/ref", {"ref_topic_id": 5}),
    ],
)
def test_what_is_not_well_formed_is_refused(
    api: Api, method: str, route: str, body: dict[str, Any] | None
) -> None:
    made = id_of(created(api, "Ada"))

    reply = api.call(method, f"/v1/topics{route.replace('{id}', made)}", body)

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")


def test_who_may_only_ingest_does_not_revise(api: Api) -> None:
    path = created(api, "Ada", city="Paris")
    ingests = api.key_for(actor_id="ingests", permissions=("ingest",), scopes=("*",))

    added = api.post(f"{path}/fields", {"field_name": "pet"}, key=ingests)
    refused = [
        api.call("PATCH", path, {"title": "Bob"}, key=ingests),
        api.call("DELETE", path, key=ingests),
        api.call("DELETE", f"{path}/fields/city", key=ingests),
        api.post(f"{path}/nest-fields", {"field_names": ["city"], "nest_key": "k"}, key=ingests),
    ]

    assert added.status == 200
    assert [each.status for each in refused] == [403] * 4


def test_an_erased_topic_is_absent_for_good(api: Api) -> None:
    path = created(api, "Ada", city="Paris")

    erased = told(api.call("DELETE", f"{path}?erase=true", {"why": "Ada asked for it"}))

    assert erased == {"deleted": id_of(path)}
    assert api.get(path).status == 404
    restored = api.post(f"{path}/restore", {})
    assert (restored.status, restored.body["detail"]) == (
        409,
        "the topic was erased; nothing is left to restore",
    )
    taken = api.post("/v1/topics", {"title": "Ada", "topic_id": id_of(path)})
    assert taken.status == 409
    assert told(api.call("DELETE", f"{path}?erase=true")) == erased
