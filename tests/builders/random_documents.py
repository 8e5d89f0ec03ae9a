"""Random keyed documents, made by every write over HTTP, and all that readers get of them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import quote

from tests.builders.random_memories import Sent
from tests.worlds.api import Api, Reply

PLACES = ("/v1/documents", "/v1/documents/search", "/v1/namespaces")
SCOPES = ("", "team:a", "team:b")
NAMESPACES = (("users", "ada"), ("users", "bob"), ("users",), ("a/b", "%"), ("x" * 128,) * 8)
WORDS = ("tea", "coffee", "a cache", "the vault", "blue", "Ada's cat")
LARGE = 140_000
"""Characters of a value that lies in the bucket."""
PERIODS = ({"ttl_seconds": 1_000}, {"ttl_seconds": 900_000}, {"half_life_seconds": 5_000})
BY_CHANCE = frozenset({"url", "next_cursor", "request_id"})
"""Fields of replies that are random, or sealed under the key of a stack."""

PAGE = 3


@dataclass(slots=True)
class Documents:
    """The documents of one stack, and the requests that a repeat may send."""

    api: Api
    random: Random
    places: dict[tuple[str, tuple[str, ...], str], None] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    count: int = 0

    def fill(self, number: int) -> None:
        """Make so many documents, some with a long story."""
        for _ in range(number):
            place = self._new_place()
            for act in self.random.choice(STORIES):
                getattr(self, act)(*place)

    def put(self, scope: str, path: str, **more: Any) -> None:
        words = self.random.choices(WORDS, k=self.random.randint(1, 60))
        value = {"text": " ".join(words), "number": self.random.random()}
        self._write("PUT", path, {"value": value, "scope": scope, "rationale": "why", **more})

    def put_text(self, scope: str, path: str) -> None:
        self.put(scope, path, index=["text"])

    def put_for_a_while(self, scope: str, path: str) -> None:
        self.put(scope, path, **self.random.choice(PERIODS))

    def put_openly(self, scope: str, path: str) -> None:
        self.put(scope, path, sensitivity="public")

    def put_secretly(self, scope: str, path: str) -> None:
        self.put(scope, path, sensitivity="hyper")

    def put_large(self, scope: str, path: str) -> None:
        self.put(scope, path, value=f"{self.random.random()}" * (LARGE // 18))

    def put_often(self, scope: str, path: str) -> None:
        for _ in range(self.random.randint(9, 30)):
            self.put(scope, path)

    def append(self, scope: str, path: str) -> None:
        items = [self.random.choice(WORDS), {"n": self.random.random()}, None]
        body = {"items": items[: self.random.randint(1, 3)], "scope": scope}
        self._write("POST", f"{path}/items", body)

    def take_off(self, scope: str, path: str) -> None:
        self._write("DELETE", f"{path}?items={self.random.randint(1, 4)}", {"scope": scope})

    def delete(self, scope: str, path: str) -> None:
        self._write("DELETE", path, {"scope": scope})

    def erase(self, scope: str, path: str) -> None:
        self._write("DELETE", f"{path}?erase=true", {"scope": scope})

    def _new_place(self) -> tuple[str, str]:
        place = self.random.choice(SCOPES), self.random.choice(NAMESPACES), f"key {self.count}"
        self.places[place] = None
        return place[0], path_of(*place[1:])

    def _write(self, method: str, path: str, body: Any) -> None:
        """A request under a fresh idempotency key."""
        self.count += 1
        sent = Sent(method, path, body, f"document-{self.count}")
        reply = self.api.call(method, path, body, headers={"idempotency-key": sent.key})
        assert reply.status < 300, reply.body
        self.sent.append(sent)


STORIES = (
    ("put",),
    ("put_text",),
    ("put_text", "put"),
    ("put_for_a_while",),
    ("put_for_a_while", "append", "put_for_a_while"),
    ("put_often",),
    ("put_often", "put_large", "put", "put_often"),
    ("put_large", "put_large"),
    ("append", "append", "take_off", "take_off", "append", "take_off"),
    ("put_secretly", "append", "put_openly", "append"),
    ("put_large", "append", "delete"),
    ("put_often", "append", "delete", "put", "append"),
    ("put_often", "put_large", "append", "erase"),
    ("put_large", "erase", "put_text"),
)


def path_of(namespace: tuple[str, ...], key: str) -> str:
    return "/".join(
        (PLACES[0], *(quote(quote(each, safe=""), safe="") for each in (*namespace, key)))
    )


def documents_of(api: Api, documents: Documents) -> dict[str, Any]:
    """The reply to every read of documents, by path."""
    found: dict[str, Any] = {}
    for scope, namespace, key in documents.places:
        path = f"{path_of(namespace, key)}?scope={quote(scope)}"
        found[path] = _answer(api.get(path))
        found[f"{path} verified"] = _answer(api.get(f"{path}&verify=true&history=1"))
        for name in ("items", "history"):
            found[f"{path} {name}"] = [*_pages(api, path, name)]
    for scope in SCOPES:
        found[f"namespaces {scope}"] = _answer(api.get(f"/v1/namespaces?scope={quote(scope)}"))
        for asked in ({}, {"query": "coffee in the vault"}, {"filter": {"text": {"$ne": "tea"}}}):
            found[f"search {scope} {asked}"] = [*_found(api, {"scope": scope, **asked})]
    return found


def repeats_of(api: Api, documents: Documents) -> dict[str, Any]:
    """The reply to every request that was sent before, sent again."""
    found = {}
    for each in documents.sent:
        headers = {"idempotency-key": each.key}
        reply = api.call(each.method, each.path, each.body, headers=headers)
        assert "idempotency-replayed" in reply.headers, (each, reply)
        found[each.key] = _answer(reply)
    return found


def _pages(api: Api, path: str, name: str) -> Iterator[Any]:
    following = f"{path}&{name}={PAGE}"
    while following:
        reply = _answer(api.get(following))
        yield reply
        before = reply[1].get("document", {}).get(f"next_{name}_before")
        following = before and f"{path}&{name}={PAGE}&{name}_before={before}"


def _found(api: Api, asked: Mapping[str, Any]) -> Iterator[Any]:
    cursor: dict[str, str] = {}
    while True:
        reply = api.post(PLACES[1], {"limit": 100, **asked, **cursor})
        yield _answer(reply)
        if "next_cursor" not in reply.body:
            return
        cursor = {"cursor": reply.body["next_cursor"]}


def _answer(reply: Reply) -> Any:
    """Status and body, with a digest in place of a long text; without what chance has made."""
    return reply.status, _told(reply.body)


def _told(value: Any) -> Any:
    match value:
        case dict():
            return {name: _told(each) for name, each in value.items() if name not in BY_CHANCE}
        case list():
            return [_told(each) for each in value]
        case str() if len(value) > 1_000:
            return hashlib.sha256(json.dumps(value).encode()).hexdigest()
        case _:
            return value
