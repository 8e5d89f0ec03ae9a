"""Two local stacks: the memory of the first is exported and restored into the second."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from membrane_local.dev_options import DevOptions
from membrane_local.http_messages import Request
from tests.integration.conftest import NO_SCHEDULES
from tests.worlds.api import Api, Reply, api_over

DEV = "/_dev/"

BEGINNING = "2026-11-24T08:00:00Z"
"""The instant at which the clocks of a pair stop."""

MAX_WAITS = 60
"""Waits for the stack; each ends with the work, or after the patience of the stack."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The stack with the memory, and an empty stack."""

    source: Api
    target: Api

    def start_afresh(self) -> None:
        """Empty both stacks, and stop both clocks at the same instant."""
        for api in (self.source, self.target):
            api.application.reset()
            moved = api.post(f"{DEV}clock", {"frozen": True})
            assert moved.status == 200, moved.body
            moved = api.post(f"{DEV}clock", {"set": BEGINNING})
            assert moved.status == 200, moved.body

    def level_clocks(self) -> None:
        """Set the second clock to the instant of the first."""
        now = self.source.get(f"{DEV}clock").body["now"]
        assert self.target.post(f"{DEV}clock", {"set": now}).status == 200

    def advance(self, seconds: int) -> None:
        """Move both clocks."""
        for api in (self.source, self.target):
            assert api.post(f"{DEV}clock", {"advance_seconds": seconds}).status == 200

    def move(self) -> dict[str, Any]:
        """Export everything, restore everything, and give the result of the restore."""
        return restored(self.target, exported(self.source))


def file_of(first: dict[str, Any], *others: dict[str, Any]) -> bytes:
    """The whole file of the lines: the last one has their counts and digest."""
    lines = [line_of(each) for each in (first, *others)]
    digest = bytes(32)
    for line in lines:
        digest = hashlib.sha256(digest + line).digest()
    counts = dict(sorted(Counter(each["kind"] for each in others).items()))
    end = {"format": "membrane-export-end", "lines": len(lines), "counts": counts}
    return b"".join(line + b"\n" for line in (*lines, line_of(end | {"sha256": digest.hex()})))


def line_of(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def exported(api: Api, asked: Any = None, **options: Any) -> bytes:
    """The file of an export of the settled stack, downloaded part by part from the links."""
    settle(api)
    created = api.post("/v1/exports", asked or {}, **options)
    assert created.status == 202, created.body
    settle(api)
    user = f"?user={asked['user']}" if asked and "user" in asked else ""
    reply = api.get(f"/v1/exports/{created.body['export']['id']}{user}", **options)
    assert reply.status == 200, reply.body
    assert reply.body["export"]["state"] == "done", reply.body
    return b"".join(downloaded(api, part["url"]) for part in reply.body["parts"])


def downloaded(api: Api, url: str) -> bytes:
    """The object behind a signed link."""
    parts = urlsplit(url)
    request = Request("GET", parts.path, parts.query, {"host": parts.netloc}, b"")
    response = api.application.answer(request)
    assert response.status == 200, response.body
    return response.body


def restored(api: Api, content: bytes, name: str = "all.ndjson") -> dict[str, Any]:
    """The result of the restore of a file."""
    put = put_restore(api, content, name)
    assert put.status == 202, put.body
    settle(api)
    result = api.get(f"{DEV}restores/{name}")
    assert result.status == 200, result.body
    return dict(result.body)


def put_restore(api: Api, content: bytes, name: str = "all.ndjson") -> Reply:
    """Put the file into the bucket, as an operator does."""
    headers = {"host": "127.0.0.1", "authorization": f"Bearer {api.secret}"}
    path = f"{DEV}restores/{name}"
    request = Request("PUT", path, "", headers, b"", BytesIO(content))
    response = api.application.answer(request)
    return Reply(response.status, response.headers, json.loads(response.body))


def settle(api: Api) -> None:
    """Wait until the stack has done all background work, however large the memory is."""
    replies = (api.get(f"{DEV}queues?wait") for _ in range(MAX_WAITS))
    assert any(reply.status == 200 for reply in replies)


def lines_in(content: bytes) -> Sequence[dict[str, Any]]:
    """The lines of a file, parsed."""
    return [json.loads(line) for line in content.splitlines()]


@contextmanager
def two_stacks(folder: Path) -> Iterator[Pair]:
    """Two stacks with an identical configuration."""
    options = [
        DevOptions(store=str(folder / name / "memory.db"), parameters=NO_SCHEDULES)
        for name in ("source", "target")
    ]
    for option in options:
        Path(str(option.store)).parent.mkdir()
    with api_over(options[0]) as source, api_over(options[1]) as target:
        yield Pair(source, target)
