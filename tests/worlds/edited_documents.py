"""Keyed documents of a local stack, and edits of them behind the service's back."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from membrane.adapters.dynamodb.documents.items import versions_in, versions_text
from membrane.domain.documents.model import Version, Versions
from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language.json_text import hash_of
from membrane_local.storage.stores import TABLE
from tests.worlds.api import Api
from tests.worlds.verified_stacks import anchored

SCOPE = "project:whales"
PREFS, LOG, CHAT = "users/ann/prefs", "logs/build", "chats/42"
LARGE = "x" * 400_000

Edit = Callable[[Api], None]


def keep_documents(api: Api) -> None:
    """A document with former versions beside it, one with a large value, and a list; anchored."""
    for number in range(12):
        put(api, PREFS, f"dark {number}", rationale=f"why {number}")
    put(api, LOG, LARGE)
    for item in ("one", "two"):
        body = {"items": [item], "scope": SCOPE}
        assert api.call("POST", f"/v1/documents/{CHAT}/items", body).status == 200


def put(api: Api, path: str, value: str, **fields: Any) -> None:
    body = {"value": value, "scope": SCOPE, "sensitivity": "medium", **fields}
    assert api.call("PUT", f"/v1/documents/{path}", body).status == 200


def place_of(path: str) -> Place:
    *labels, key = path.split("/")
    return Place(SCOPE, tuple(labels), key)


def item_of(api: Api, path: str, beside: str = "") -> dict[str, Any]:
    """The head of the document, or the item beside it whose sort key begins so."""
    items = api.functions.store.dynamodb.scan(TableName=TABLE, ConsistentRead=True)["Items"]
    place = place_of(path)
    if beside:
        own = [each for each in items if each["pk"] == {"S": f"document#{place.id}"}]
        return dict(next(each for each in own if each["sk"]["S"].startswith(beside)))
    heads = [each for each in items if each["pk"]["S"].startswith("documents#")]
    return dict(next(each for each in heads if each["sk"] == {"S": place.sort_text}))


def write(api: Api, item: dict[str, Any], **attributes: Any) -> None:
    api.functions.store.dynamodb.put_item(TableName=TABLE, Item={**item, **attributes})


def remove(api: Api, item: dict[str, Any]) -> None:
    key: Any = {name: item[name] for name in ("pk", "sk")}
    api.functions.store.dynamodb.delete_item(TableName=TABLE, Key=key)


def edit(api: Api, change: Callable[[Versions], Versions], beside: str = "") -> None:
    """Change the versions that the head has, or the item beside the head."""
    item = item_of(api, PREFS, beside)
    versions = change(versions_in(item, place_of(PREFS).id))
    write(api, item, v={"S": versions_text(versions)})


def second(versions: Versions, *, text: str | None = None, **entry: Any) -> Versions:
    """The versions with changes of the second."""
    before, changed, *after = versions
    entry_after = replace(changed.entry, **entry)
    return (before, Version(entry_after, changed.text if text is None else text), *after)


def cleared(versions: Versions) -> Versions:
    """The second version as an erasure leaves a version; the chain still holds."""
    before, changed, *after = versions
    return (before, Version(replace(changed.entry, salt="", rationale=""), None), *after)


def forged(versions: Versions) -> Versions:
    """The versions with another principal in the second, and all hashes right again."""
    first, *others = second(versions, principal="mallory")
    chain = [first]
    for entry, text in others:
        previous = chain[-1].entry.hash
        parts = (previous, entry.action, entry.at, entry.principal, entry.text_hash)
        own = hash_of(place_of(PREFS).id, entry.version, *parts)
        chain.append(Version(replace(entry, previous_hash=previous, hash=own), text))
    return tuple(chain)


def id_of(path: str) -> str:
    """The id that a finding has."""
    return f"doc.{place_of(path).id}"


def an_old_head(api: Api) -> None:
    old = item_of(api, PREFS)
    put(api, PREFS, "newer")
    anchored(api)
    write(api, old)


def another_blob(api: Api) -> None:
    blobs = api.functions.store.blobs
    (blob,) = blobs.list_blobs(owner_of_values(place_of(LOG).id))
    blobs.write(blob.name, b'"planted"')


EDITS: dict[str, tuple[Edit, str, set[str]]] = {
    "a value in the head": (
        lambda api: edit(api, lambda versions: second(versions, text='"planted"')),
        PREFS,
        {"broken_chain", "changed"},
    ),
    "a value beside the head": (
        lambda api: edit(api, lambda versions: second(versions, text='"planted"'), "versions#"),
        PREFS,
        {"broken_chain"},
    ),
    "a rationale": (
        lambda api: edit(api, lambda versions: second(versions, rationale="planted")),
        PREFS,
        {"broken_chain"},
    ),
    "a principal": (
        lambda api: edit(api, lambda versions: second(versions, principal="mallory"), "versions#"),
        PREFS,
        {"broken_chain"},
    ),
    "an entry removed": (
        lambda api: edit(api, lambda versions: (*versions[:1], *versions[2:])),
        PREFS,
        {"broken_chain", "changed"},
    ),
    "the newest entry removed": (
        lambda api: edit(api, lambda versions: versions[:-1]),
        PREFS,
        {"truncated"},
    ),
    "a value cleared in the head as if it were erased": (
        lambda api: edit(api, cleared),
        PREFS,
        {"broken_chain", "changed"},
    ),
    "a value cleared beside the head as if it were erased": (
        lambda api: edit(api, cleared, "versions#"),
        PREFS,
        {"broken_chain"},
    ),
    "an entry forged, the chain recomputed": (
        lambda api: edit(api, forged),
        PREFS,
        {"rewritten"},
    ),
    "the former versions removed": (
        lambda api: remove(api, item_of(api, PREFS, "versions#")),
        PREFS,
        {"broken_chain"},
    ),
    "an old copy of the head": (an_old_head, PREFS, {"truncated"}),
    "a lower sensitivity": (
        lambda api: write(api, item_of(api, PREFS), s={"S": "public"}),
        PREFS,
        {"changed"},
    ),
    "another creation": (
        lambda api: write(api, item_of(api, PREFS), c={"S": "2020-01-01T00:00:00Z"}),
        PREFS,
        {"changed"},
    ),
    "an earlier first version of the history": (
        lambda api: write(api, item_of(api, PREFS), a={"N": "12"}),
        PREFS,
        {"changed"},
    ),
    "a period": (
        lambda api: write(api, item_of(api, PREFS), t={"N": "9"}),
        PREFS,
        {"changed"},
    ),
    "former versions that cannot be read": (
        lambda api: write(api, item_of(api, PREFS, "versions#"), v={"S": "{"}),
        PREFS,
        {"unreadable"},
    ),
    "a large value": (another_blob, LOG, {"blob_damaged"}),
    "an item of a list": (
        lambda api: write(api, item_of(api, CHAT, "items#"), d={"S": '["planted"]'}),
        CHAT,
        {"changed"},
    ),
    "the author of an item": (
        lambda api: write(api, item_of(api, CHAT, "items#"), u={"S": "mallory"}),
        CHAT,
        {"changed"},
    ),
}
