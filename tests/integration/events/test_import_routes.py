"""Objects that are put into the local bucket over HTTP, as the server hands them on."""

import asyncio
import json
import tempfile
from collections.abc import Mapping, MutableMapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from membrane_local.http import server
from tests.worlds.agreed import import_progress
from tests.worlds.api import Api

HOST = "127.0.0.1:8765"
PATH = "/_dev/imports/all.ndjson"
LINE = b'{"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": "1"}\n'

Message = MutableMapping[str, Any]


def headers_of(key: str | None, host: str) -> dict[str, str]:
    """Of a request to a host, with a key or without one."""
    return {"host": host} if key is None else {"host": host, "authorization": f"Bearer {key}"}


def put(
    api: Api,
    *chunks: bytes,
    path: str = PATH,
    headers: Mapping[str, str] | None = None,
    then: str = "http.request",
) -> tuple[int, Any]:
    """Status and body of the reply to an object that comes in pieces."""
    pieces: list[Message] = [
        {"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks
    ]
    pieces.append({"type": then, "body": b"", "more_body": False})
    given = headers or headers_of(api.secret, HOST)
    scope: Message = {
        "type": "http",
        "method": "PUT",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"wait",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return pieces.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(api.application(scope, receive, send))
    assert pieces == []
    return (sent[0]["status"], json.loads(sent[1]["body"])) if sent else (0, None)


@pytest.fixture
def no_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine that has no place for a body."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))


def test_an_object_comes_together_from_its_pieces(api: Api) -> None:
    status, body = put(api, LINE[:10], LINE[10:], LINE)

    assert (status, body["size"]) == (202, 2 * len(LINE))
    assert api.get(PATH).body["lines"] == 2


def test_an_object_may_take_longer_than_any_other_response(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "TIMEOUT_S", 0)

    status, _ = put(api, LINE)

    assert status == 202
    assert api.get(PATH).body["status"] == "done"


def test_half_an_object_is_none(api: Api) -> None:
    assert put(api, LINE, LINE[:10], then="http.disconnect") == (0, None)

    assert api.get(PATH).status == 404
    assert api.functions.store.imports.find("imports/all.ndjson") is None


@pytest.mark.usefixtures("no_disk")
@pytest.mark.parametrize(
    ("key", "host", "status"),
    [("wrong", HOST, 403), (None, HOST, 401), ("the owner's", "rebound.example", 403)],
)
def test_what_nobody_may_send_is_not_kept_for_a_moment(
    api: Api, key: str | None, host: str, status: int
) -> None:
    headers = headers_of(api.secret if key == "the owner's" else key, host)

    assert put(api, LINE * 1_000, LINE, headers=headers)[0] == status


@pytest.mark.usefixtures("no_disk")
def test_what_may_be_sent_is_kept_on_disk(api: Api) -> None:
    with pytest.raises(FileNotFoundError):
        put(api)


def test_the_longest_name_has_room_for_the_parts_of_a_result(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 2)
    path = f"/_dev/imports/{'x' * 150}"

    put(api, b"{}\n" * 3, path=path)

    assert api.get(path).body["status"] == "done"
    assert len(api.get(f"{path}?part=1").body["refusals"]) == 2


@pytest.mark.parametrize("part", ["0", "2", "-1", "%C2%B2", "%D9%A1", "one", "9" * 5_000, "../x"])
def test_a_part_that_there_is_not_is_not_found(
    api: Api, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_progress, "REFUSALS_A_PART", 2)
    put(api, b"{}\n" * 3)

    assert api.get(f"{PATH}?part=1").status == 200
    assert api.get(f"{PATH}?part={part}").status == 404


def test_a_clock_that_was_set_back_loses_no_object(api: Api) -> None:
    key, imports = "imports/all.ndjson", api.functions.store.imports
    imports.receive(key, BytesIO(LINE))
    found = imports.find(key)
    assert found is not None
    told = {"key": key, "etag": found.etag, "sequencer": "F" * 16}
    late = {"time": "2026-01-01T00:00:00Z", "detail": {"object": told}}
    assert api.invoke("ImportLinesFunction", late)["created"] == 1

    puts = [put(api, LINE * lines)[1] for lines in (2, 3)]

    assert "F" * 16 < puts[0]["sequencer"] < puts[1]["sequencer"]
    result = api.get(PATH).body
    assert (result["put"], result["lines"]) == (puts[1]["sequencer"], 3)
