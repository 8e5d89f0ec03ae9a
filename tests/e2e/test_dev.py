"""`membrane dev` as a user and an attacker meet it: over a socket."""

import http.client
import json
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.e2e.stack import MEMBRANE, Stack, dev
from tests.worlds.dynoxide_server import run_server

EVENT = {"source": "agent", "event_kind": "build", "ref": "evt-1"}


def test_it_says_where_it_answers_and_with_which_key(stack: Stack) -> None:
    assert stack.url.startswith("http://127.0.0.1:")
    assert stack.secret == "local-key"
    assert stack.call("GET", "/health") == (200, {"status": "ok"})


def test_it_prints_the_lines_that_lead_the_commands_of_another_terminal_to_it() -> None:
    with subprocess.Popen(
        [MEMBRANE, "dev", "--port", "0", "--api-key", "local key"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        lines = [(process.stdout or StringIO()).readline().rstrip() for _ in range(6)]
        process.kill()

    url = lines[-1].removeprefix("membrane dev: ready on ")
    assert lines[2].startswith(f"membrane dev: {url}/docs shows the API")
    assert lines[3:5] == [f"export MEMBRANE_URL={url}", "export MEMBRANE_API_KEY='local key'"]


def test_64_clients_at_once_are_all_served(stack: Stack) -> None:
    def report(index: int) -> tuple[int, Any]:
        return stack.call("POST", "/v1/ingest/event", {**EVENT, "ref": f"evt-{index}"})

    with ThreadPoolExecutor(64) as clients:
        replies = list(clients.map(report, range(256)))

    assert [status for status, _ in replies] == [201] * 256
    assert len({body["record"]["id"] for _, body in replies}) == 256


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\xff\xfe\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/ingest/event HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n",
        b"POST /v1/ingest/event HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X-Header: y\r\n" * 20_000 + b"\r\n",
    ],
    ids=["bytes", "no target", "version", "length", "chunk", "long target", "many headers"],
)
def test_a_malformed_request_harms_nobody(stack: Stack, garbage: bytes) -> None:
    with socket.create_connection(stack.address, timeout=10) as client:
        try:
            client.sendall(garbage)
            client.recv(1)
        except (ConnectionError, TimeoutError):
            pass  # it may hang up on such a client

    assert stack.call("GET", "/health")[0] == 200


def test_a_client_that_leaves_in_the_middle_harms_nobody(stack: Stack) -> None:
    for _ in range(30):
        with socket.create_connection(stack.address) as client:
            client.sendall(
                b"POST /v1/ingest/event HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
            )
    for _ in range(30):
        body = json.dumps(EVENT).encode()
        with socket.create_connection(stack.address) as client:
            client.sendall(
                b"POST /v1/ingest/event HTTP/1.1\r\nHost: x\r\n"
                + f"Authorization: Bearer {stack.secret}\r\n".encode()
                + f"Content-Length: {len(body)}\r\n\r\n".encode()
                + body
            )

    assert stack.call("GET", "/health")[0] == 200


def test_a_body_over_the_limit_is_read_to_its_end_and_refused(stack: Stack) -> None:
    host, port = stack.address
    client = http.client.HTTPConnection(host, port, timeout=60)

    client.request(
        "POST", "/v1/ingest/event", b"x" * 12_000_000, {"authorization": f"Bearer {stack.secret}"}
    )
    reply = client.getresponse()

    assert reply.status == 413
    assert json.loads(reply.read())["code"] == "INVALID_ARGUMENT"
    client.request("GET", "/health")
    assert client.getresponse().status == 200
    client.close()


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"advance_seconds": "1"},
        {"advance_seconds": True},
        {"advance_seconds": 1e300},
        {"set": "yesterday"},
        {"set": "9999-12-31T23:59:59Z"},
        {"set": "1969-12-31T23:59:59Z"},
        {"frozen": 1},
        {"frozen": True, "set": "2030-01-01T00:00:00Z"},
        [],
    ],
)
def test_a_clock_that_cannot_be_set_so_is_400(stack: Stack, asked: Any) -> None:
    before = stack.call("POST", "/_dev/clock", {"frozen": True})[1]

    status, body = stack.call("POST", "/_dev/clock", asked)

    assert (status, body["code"]) == (400, "INVALID_ARGUMENT")
    assert stack.call("GET", "/_dev/clock")[1] == before


def test_reset_empties_the_store_and_keeps_keys_and_clock(stack: Stack) -> None:
    stack.call("POST", "/_dev/clock", {"frozen": True})
    _, clock = stack.call("POST", "/_dev/clock", {"set": "2030-01-01T00:00:00Z"})
    _, body = stack.call("POST", "/v1/ingest/event", EVENT)

    status, _ = stack.call("POST", "/_dev/reset")

    assert status == 200
    assert stack.call("GET", f"/v1/records/{body['record']['id']}")[0] == 404
    assert stack.call("GET", "/_dev/clock")[1] == clock


def test_resets_among_requests_break_nothing(stack: Stack) -> None:
    def act(index: int) -> int:
        if index % 10 == 0:
            return stack.call("POST", "/_dev/reset")[0]
        return stack.call("POST", "/v1/ingest/event", EVENT)[0]

    with ThreadPoolExecutor(16) as clients:
        statuses = set(clients.map(act, range(100)))

    assert statuses == {200, 201}


def test_what_is_only_for_development_needs_the_key_and_this_machine(stack: Stack) -> None:
    assert stack.call("POST", "/_dev/reset", authorization="Bearer wrong")[0] == 403
    assert stack.call("POST", "/_dev/reset", host="memory.example.com")[0] == 403
    assert stack.call("POST", "/_dev/reset", host="[")[0] == 403
    assert stack.call("POST", "/_dev/reset", origin="https://evil.example.com")[0] == 403
    _, key = stack.call(
        "POST",
        "/_dev/keys",
        {"actor_id": "a", "permissions": ["ingest"], "scopes": ["*"], "max_sensitivity": "low"},
    )
    weak = {"authorization": f"Bearer {key['secret']}"}
    status, refused = stack.call("POST", "/_dev/reset", **weak)
    assert (status, "a key for all scopes" in refused["message"]) == (403, True)


def test_without_keys_everybody_may_do_everything() -> None:
    with dev("--no-auth") as stack:
        status, body = stack.call("POST", "/v1/ingest/event", EVENT, authorization="")

        assert status == 201
        assert body["record"]["audit_log"][0]["principal"] == "local"
        assert stack.call("POST", "/_dev/reset", authorization="")[0] == 200
        foreign = {"authorization": "", "origin": "https://evil.example.com"}
        assert stack.call("POST", "/_dev/reset", **foreign)[0] == 403


def test_keys_are_made_listed_and_revoked_by_command(stack: Stack) -> None:
    place = ["--url", stack.url, "--api-key", stack.secret]
    create = [MEMBRANE, "keys", "create", *place, "--actor", "bot", "--permission", "ingest"]

    made = subprocess.run(
        [*create, "--scope", "project:alpha"], capture_output=True, text=True, check=True
    )
    secret = made.stdout.splitlines()[-1]
    key_id = made.stdout.split()[2].rstrip(",")
    with_key = {"authorization": f"Bearer {secret}"}

    assert stack.call("POST", "/v1/ingest/event", EVENT, **with_key)[0] == 201
    assert stack.call("GET", "/v1/records/x", **with_key)[0] == 403
    listed = subprocess.run(
        [MEMBRANE, "keys", "list", *place], capture_output=True, text=True, check=True
    )
    assert "bot" in listed.stdout
    assert secret not in listed.stdout
    subprocess.run([MEMBRANE, "keys", "revoke", key_id, *place], check=True)
    assert stack.call("POST", "/v1/ingest/event", EVENT, **with_key)[0] == 403


def test_keys_of_a_deployed_table_are_made_with_the_operators_own_access(tmp_path: Path) -> None:
    with run_server(None) as endpoint, dev("--store", endpoint, "--blobs", str(tmp_path)) as stack:
        place = ["--table", TABLE, "--endpoint-url", endpoint]
        made = subprocess.run(
            [MEMBRANE, "keys", "create", *place, "--actor", "bot", "--permission", "ingest",
             "--scope", "*", "--expires-in-days", "1"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        with_key = {"authorization": f"Bearer {made.stdout.splitlines()[-1]}"}

        before = stack.call("POST", "/v1/ingest/event", EVENT, **with_key)[0]
        stack.call("POST", "/_dev/clock", {"advance_seconds": 86_401})
        after = stack.call("POST", "/v1/ingest/event", EVENT, **with_key)[0]

    assert (before, after) == (201, 403)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["keys", "revoke", "nope", "--url", "http://127.0.0.1:1"], "nobody answers"),
        (
            ["keys", "list", "--table", "absent", "--endpoint-url", "http://127.0.0.1:1"],
            "did not answer",
        ),
    ],
)
def test_a_command_that_cannot_be_done_says_why(arguments: list[str], complaint: str) -> None:
    ended = subprocess.run([MEMBRANE, *arguments], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert complaint in ended.stderr
    assert "Traceback" not in ended.stderr
