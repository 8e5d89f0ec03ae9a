"""`membrane mcp` between a client on pipes and a server of `/mcp`, with real processes."""

import base64
import json
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from membrane_cli.cli import UNREAD
from membrane_cli.mcp.command import MAX_LINE_BYTES
from tests.e2e.bridge import (
    MODERN,
    Bridge,
    Reply,
    Script,
    bridge,
    request_line,
    result,
    scripted_server,
)

KEY = "a-key-that-nobody-prints"


@pytest.fixture(scope="module")
def running() -> Iterator[Script]:
    with scripted_server() as script:
        yield script


@pytest.fixture
def server(running: Script) -> Script:
    """The server, which has received nothing and answers each request with an empty result."""
    running.answer = result
    running.received.clear()
    return running


@pytest.fixture(scope="module")
def relay(running: Script, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridge]:
    """The bridge of the tests that leave a bridge as the tests found it."""
    home = tmp_path_factory.mktemp("home")
    with bridge("--url", running.url, home=home, MEMBRANE_API_KEY=KEY) as started:
        yield started


@pytest.fixture
def client(server: Script, tmp_path: Path) -> Iterator[Bridge]:
    """A bridge of the test's own."""
    with bridge("--url", server.url, home=tmp_path, MEMBRANE_API_KEY=KEY) as started:
        yield started


def test_a_request_reaches_the_server_unchanged_and_the_answer_comes_back(
    server: Script, relay: Bridge
) -> None:
    line = b' {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {"n": 1.50}} '

    answer = relay.ask(line)

    (received,) = server.received
    assert answer == {"jsonrpc": "2.0", "id": "a", "result": {}}
    assert (received.path, received.content) == ("/mcp", line.strip())
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["accept"] == "application/json, text/event-stream"


def test_half_an_emoji_is_replaced_before_the_server_would_refuse_the_message(
    server: Script, relay: Bridge
) -> None:
    relay.ask(request_line(1, "tools/call", name="remember", arguments={"text": "Tea \ud83c!"}))
    relay.ask(request_line(2, "tools/call", name="remember", arguments={"text": "\U0001f375"}))

    texts = [json.loads(each.content)["params"]["arguments"]["text"] for each in server.received]
    assert texts == ["Tea \ufffd!", "\U0001f375"]


def test_half_an_emoji_in_the_json_text_of_an_argument_is_replaced(
    server: Script, client: Bridge
) -> None:
    tags = r'["\ud83d", "\ud83c\udf75", "\\ud83d"]'
    whole = r'["\ufffd", "\ud83c\udf75", "\\ud83d"]'
    path = r"[todo] open C:\work\udacity\ud83d\notes"  # no JSON
    for text, sent in ((path, tags), (r"C:\ud83d", [tags]), (r'["a" \ud83d', ['"C:\\ud83d"'])):
        mark = b"" if server.received else b"\xef\xbb\xbf"
        arguments = {"text": text, "tags": sent}
        client.ask(mark + request_line(1, "tools/call", name="remember", arguments=arguments))

    texts = [json.loads(each.content)["params"]["arguments"] for each in server.received]
    assert [each["tags"] for each in texts] == [whole, [whole], ['"C:\\ud83d"']]
    assert [each["text"] for each in texts] == [path, r"C:\ud83d", r'["a" \ud83d']


def test_the_headers_of_a_client_of_2026_07_28_come_from_the_body(
    server: Script, relay: Bridge
) -> None:
    relay.ask(request_line(1, "tools/call", name="recall", **MODERN))
    relay.ask(request_line(2, "resources/read", uri="membrane://records/1", **MODERN))
    relay.ask(request_line(3, **MODERN))

    names = ("mcp-protocol-version", "mcp-method", "mcp-name")
    assert [[each.headers.get(name) for name in names] for each in server.received] == [
        ["2026-07-28", "tools/call", "recall"],
        ["2026-07-28", "resources/read", "membrane://records/1"],
        ["2026-07-28", "tools/list", None],
    ]


@pytest.mark.parametrize("name", ["caf\u00e9", "a\r\nX-Evil: 1", " a", "", "=?base64?eA==?="])
def test_a_name_that_no_header_carries_is_encoded(server: Script, relay: Bridge, name: str) -> None:
    relay.ask(request_line(1, "tools/call", name=name, **MODERN))

    (received,) = server.received
    encoded = received.headers["mcp-name"].removeprefix("=?base64?").removesuffix("?=")
    assert base64.b64decode(encoded).decode() == name
    assert "x-evil" not in received.headers


def test_an_older_client_gets_the_header_of_the_version_that_initialize_agreed_on(
    server: Script, client: Bridge
) -> None:
    server.answer = lambda body: result(body, protocolVersion="2025-06-18")

    client.ask(request_line(1, "initialize", protocolVersion="2025-11-25"))
    client.ask(request_line(2))

    initialize, later = (each.headers for each in server.received)
    assert "mcp-protocol-version" not in initialize
    assert later["mcp-protocol-version"] == "2025-06-18"
    assert "mcp-method" not in later


def test_a_slow_call_does_not_hold_up_the_next(server: Script, relay: Bridge) -> None:
    second_is_answered = threading.Event()

    def answer(body: Any) -> Reply:
        assert body["id"] == 2 or second_is_answered.wait(60)
        return result(body)

    server.answer = answer

    first = relay.ask(request_line(1), request_line(2))
    second_is_answered.set()

    assert (first["id"], relay.read()["id"]) == (2, 1)


def test_answers_of_many_calls_are_whole_lines(server: Script, client: Bridge) -> None:
    server.answer = lambda body: result(body, text="\u2028\n" * 50_000)

    client.send(*(request_line(each) for each in range(40)))
    answers, warnings, code = client.end()

    assert sorted(each["id"] for each in answers) == list(range(40))
    assert (warnings, code) == ("", 0)


def test_a_notification_gets_no_answer(server: Script, client: Bridge) -> None:
    server.answer = lambda body: result(body) if "id" in body else Reply(b"", 202)

    client.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    client.send(b'{"jsonrpc": "2.0", "id": 7, "result": {}}')
    answers, warnings, _ = client.end()

    assert len(server.received) == 2
    assert (answers, warnings) == ([], "")


def test_a_refused_notification_is_told_on_standard_error_alone(
    server: Script, client: Bridge
) -> None:
    server.answer = lambda _: Reply(b"no", 500)

    client.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    answers, warnings, _ = client.end()

    assert answers == []
    assert warnings == f"membrane mcp: notifications/initialized: {server.url} answers 500\n"


def test_the_messages_of_an_event_stream_become_lines(server: Script, relay: Bridge) -> None:
    server.answer = lambda _: Reply(
        b': hello\r\n\r\nevent: message\r\ndata: {"jsonrpc": "2.0", "method": "x/y"}\r\n\r\n'
        b'data: {"jsonrpc": "2.0", "id": 8, "result": {}}\n\n'
        b'data: {"jsonrpc": "2.0",\ndata:  "id": 9, "result": {"n": 1}}',
        content_type="text/event-stream; charset=utf-8",
    )

    note, response = relay.ask(request_line(9)), relay.read()

    assert note == {"jsonrpc": "2.0", "method": "x/y"}
    assert response == {"jsonrpc": "2.0", "id": 9, "result": {"n": 1}}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(b'{"message": "Unauthorized"}', 401), "MEMBRANE_API_KEY"),
        (Reply(b'{"message": "Forbidden"}', 403), "refuses the key: Forbidden"),
        (Reply(b'{"message": "Not Found"}', 404), "has no /mcp"),
        (Reply(b'{"detail": "too large", "code": "TOO_LARGE"}', 413), "answers 413: too large"),
        (Reply(b"<html>", 502, "text/html"), "answers 502"),
        (Reply(b"<html>", 200, "text/html"), "is that a stack's API?"),
        (Reply(b"", 202), "is that a stack's API?"),
        (Reply(b"[1]"), "is that a stack's API?"),
        (Reply(b'{"jsonrpc": "2.0", "id": 8, "result": {}}'), "is that a stack's API?"),
        (Reply(b'{"jsonrpc": "2.0", "id": true, "result": {}}'), "is that a stack's API?"),
        (Reply(b'{"jsonrpc": "2.0", "id": 1, "result": NaN}'), "is that a stack's API?"),
        (Reply(b"[" * 200_000), "is that a stack's API?"),
        (Reply(b"data: x\n\n", 200, "text/event-stream"), "is that a stack's API?"),
        (Reply(b"\xff\xfe", 200), "is that a stack's API?"),
    ],
    ids=(
        *("no key", "forbidden", "no route", "too large", "a page of a proxy"),
        *("a page", "accepted", "a list", "a foreign id", "an id of another type"),
        *("no number", "deep", "no event", "no text"),
    ),
)
def test_an_answer_that_is_no_response_becomes_an_error_with_a_sentence(
    server: Script, relay: Bridge, reply: Reply, words: str
) -> None:
    server.answer = lambda _: reply

    answer = relay.ask(request_line(1))

    assert (answer["id"], answer["error"]["code"]) == (1, -32000)
    assert answer["error"]["data"] == {"status": reply.status}
    assert words in answer["error"]["message"]
    assert server.url in answer["error"]["message"]


def test_a_json_rpc_error_of_the_server_is_relayed_with_the_id_of_the_request(
    server: Script, relay: Bridge
) -> None:
    error = {"code": -32020, "message": "the headers differ from the body"}
    server.answer = lambda _: Reply(
        json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode(), 400
    )

    assert relay.ask(request_line(1)) == {"jsonrpc": "2.0", "id": 1, "error": error}


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: Script, tmp_path: Path
) -> None:
    proxied = {"http_proxy": "http://127.0.0.1:9", "no_proxy": "", "NO_PROXY": ""}

    with bridge("--url", server.url, home=tmp_path, **proxied) as client:
        assert client.ask(request_line(1))["result"] == {}


@pytest.mark.parametrize(
    ("reply", "is_of_proxy"),
    [
        (Reply(b"", 407), True),
        (Reply(b"<html>", 403, "text/html"), True),
        (Reply(b'{"message": "Forbidden"}', 403), False),
    ],
)
def test_an_answer_that_a_proxy_may_have_made_names_the_proxy(
    server: Script, tmp_path: Path, reply: Reply, *, is_of_proxy: bool
) -> None:
    server.answer = lambda _: reply
    proxied = {"http_proxy": server.url, "no_proxy": "", "NO_PROXY": ""}

    with bridge("--url", "http://memory.example", home=tmp_path, **proxied) as client:
        message = client.ask(request_line(1))["error"]["message"]
        client.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        _, warnings, _ = client.end()

    named = f"(the environment names the proxy {server.url})"
    assert (named in message, named in warnings) == (is_of_proxy, is_of_proxy)


def test_a_redirect_is_not_followed_and_takes_no_key_along(server: Script, relay: Bridge) -> None:
    with scripted_server() as elsewhere:
        server.answer = lambda _: Reply(b"", 307, headers={"location": f"{elsewhere.url}/mcp"})

        answer = relay.ask(request_line(1))

        assert "answers 307" in answer["error"]["message"]
        assert elsewhere.received == []


def test_a_stack_that_is_down_is_told_to_each_request_and_the_bridge_goes_on(
    tmp_path: Path,
) -> None:
    with bridge("--url", "http://127.0.0.1:9", home=tmp_path) as client:
        first, second = client.ask(request_line(1)), client.ask(request_line(2))

    assert (first["id"], second["id"]) == (1, 2)
    assert "nobody answers at http://127.0.0.1:9" in first["error"]["message"]
    assert "MEMBRANE_URL" in first["error"]["message"]


def test_a_server_that_does_not_answer_in_time_is_told(server: Script, tmp_path: Path) -> None:
    ended = threading.Event()

    def answer(body: Any) -> Reply:
        ended.wait(60)
        return result(body)

    server.answer = answer

    with bridge("--url", server.url, "--timeout", "0.2", home=tmp_path) as client:
        message = client.ask(request_line(1))["error"]["message"]
    ended.set()

    assert message == f"no answer came from {server.url}"


def test_an_answer_that_comes_byte_by_byte_is_waited_for_no_longer(
    server: Script, tmp_path: Path
) -> None:
    ended = threading.Event()
    server.answer = lambda body: replace(result(body), drips=ended)

    with bridge("--url", server.url, "--timeout", "1", home=tmp_path) as client:
        message = client.ask(request_line(1))["error"]["message"]
    ended.set()

    assert message == f"no answer came from {server.url}"


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 200_000, -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": NaN}', -32700, None),
        (b"1" * 5_000, -32700, None),
        (b"[]", -32600, None),
        (b'"text"', -32600, None),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 5}', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": 5, "method": 1}', -32600, 5),
        (b'{"id": 5, "method": "ping"}', -32600, 5),
        (b"x" * (MAX_LINE_BYTES + 2), -32600, None),
    ],
    ids=(
        *("half an object", "no UTF-8", "deep", "no number", "a number of 5,000 digits"),
        *("a batch", "a text", "a null id", "a boolean id", "nothing asked", "a method of digits"),
        *("no version", "a line over the limit"),
    ),
)
def test_a_malformed_line_is_refused_and_the_next_line_is_relayed(
    server: Script, relay: Bridge, line: bytes, code: int, request_id: Any
) -> None:
    refusal = relay.ask(line)
    answer = relay.ask(b"", b"\r", request_line(2))

    assert (refusal["error"]["code"], refusal["id"]) == (code, request_id)
    assert answer["id"] == 2
    assert len(server.received) == 1


def test_a_large_request_is_relayed(server: Script, relay: Bridge) -> None:
    answer = relay.ask(request_line(1, "tools/call", text="x" * 8_000_000))

    assert answer["id"] == 1
    assert len(server.received[0].content) > 8_000_000


def test_the_end_of_input_waits_for_the_calls_in_flight(server: Script, client: Bridge) -> None:
    reached, ended = threading.Event(), threading.Event()

    def answer(body: Any) -> Reply:
        reached.set()
        assert ended.wait(60)
        return result(body)

    server.answer = answer
    client.send(request_line(1))
    assert client.process.stdin
    client.process.stdin.close()
    client.process.stdin = None
    assert reached.wait(60)

    assert client.process.poll() is None
    ended.set()

    answers, warnings, code = client.end()
    assert ([each["id"] for each in answers], warnings, code) == ([1], "", 0)


def test_sigterm_ends_the_bridge_amid_a_call_without_a_word(server: Script, client: Bridge) -> None:
    reached, ended = threading.Event(), threading.Event()

    def answer(body: Any) -> Reply:
        reached.set()
        ended.wait(60)
        return result(body)

    server.answer = answer
    client.send(request_line(1))
    assert reached.wait(60)

    client.process.send_signal(signal.SIGTERM)
    ending = client.end()
    ended.set()

    assert ending == ([], "", -signal.SIGTERM)


def test_a_client_that_no_longer_reads_ends_the_bridge_without_a_word(
    client: Bridge,
) -> None:
    assert client.process.stdout
    client.process.stdout.close()
    client.process.stdout = None

    client.send(b"{")
    _, warnings, code = client.end()

    assert (warnings, code) == ("", UNREAD)


def test_a_profile_is_named_in_the_address(server: Script, tmp_path: Path) -> None:
    with bridge("--url", f"{server.url}/", "--profile", "memstate", home=tmp_path) as client:
        client.ask(request_line(1))

    assert server.received[0].path == "/mcp?profile=memstate"


def test_the_connection_file_of_the_user_names_the_stack(server: Script, tmp_path: Path) -> None:
    file = tmp_path / ".config" / "membrane" / "connection.json"
    file.parent.mkdir(parents=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps({"url": server.url, "api_key": KEY}))

    with bridge(home=tmp_path) as client:
        client.ask(request_line(1))
    file.chmod(0o644)
    with bridge(home=tmp_path) as client:
        _, warnings, code = client.end()

    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert code == 1
    assert warnings == f"membrane mcp: {file}: other users can read the key; run chmod 600 {file}\n"
