"""The endpoint of MCP: transport, messages, versions, and the features that clients are offered."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane_local.http_messages import Request
from tests.worlds.api import Api
from tests.worlds.depth import examples

CURRENT = "2026-07-28"
BEFORE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
PREFIX = "io.modelcontextprotocol/"
VERSION, CLIENT, CAPABILITIES = (
    f"{PREFIX}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities")
)
META: dict[str, Any] = {
    VERSION: CURRENT,
    CLIENT: {"name": "test", "version": "1"},
    CAPABILITIES: {},
}
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
METRICS = "membrane://metrics"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def result(self) -> Any:
        assert self.json.keys() == {"jsonrpc", "id", "result"}, self.body
        return self.json["result"]

    @property
    def error(self) -> Any:
        assert self.json.keys() - {"id"} == {"jsonrpc", "error"}, self.body
        return self.json["error"]

    @property
    def refusal(self) -> tuple[int, int]:
        """The HTTP status and the code of the error."""
        return self.status, self.error["code"]


def send(
    api: Api,
    body: bytes | str,
    headers: Mapping[str, str] | None = None,
    *,
    verb: str = "POST",
    query: str = "",
    key: str | None = None,
) -> Answer:
    """The answer to a request with any body; the empty key sends none."""
    sent = {"host": "127.0.0.1", **(headers or {})}
    if key != "":
        sent["authorization"] = f"Bearer {key or api.secret}"
    content = body if isinstance(body, bytes) else body.encode(errors="surrogatepass")
    response = api.application.answer(Request(verb, "/mcp", query, sent, content))
    return Answer(response.status, response.headers, response.body.decode())


def ask(
    api: Api,
    method: str,
    params: Mapping[str, Any] | None = None,
    headers: Mapping[str, str | None] | None = None,
    *,
    meta: Any = None,
    **options: Any,
) -> Answer:
    """The answer to a request of the current version; a header of None is left out."""
    params = params or {}
    own = {
        "mcp-protocol-version": CURRENT,
        "mcp-method": method,
        "mcp-name": params.get(NAMED_BY.get(method, "")),
    }
    every = {**own, **(headers or {})}
    sent = {name: value for name, value in every.items() if isinstance(value, str)}
    whole = {"_meta": META if meta is None else meta, **params}
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": whole}
    return send(api, json.dumps(message), sent, **options)


def ask_as_before(
    api: Api,
    method: str,
    params: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> Answer:
    """The answer to a request of a client that has initialized."""
    message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": params or {}}
    old = {"mcp-protocol-version": BEFORE[0]}
    return send(api, json.dumps(message), old if headers is None else headers, **options)


def call(api: Api, tool: str, key: str | None = None, **arguments: Any) -> dict[str, Any]:
    """The result of a call of a tool."""
    params = {"name": tool, "arguments": arguments}
    return dict(ask(api, "tools/call", params, key=key).result)


# --- transport ---


@pytest.mark.parametrize("origin", ["https://evil.example", "null", ""])
def test_a_web_page_is_refused_before_anything_else(api: Api, origin: str) -> None:
    for key in (None, "", "unknown"):
        reply = send(api, "not JSON", {"origin": origin}, key=key)
        assert reply.refusal == (403, -32600)


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_messages_are_sent_by_post_alone(api: Api, verb: str) -> None:
    reply = send(api, b"", {"accept": "text/event-stream"}, verb=verb)

    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "body", ["{", "", b"\xff", "\ud800", '{"a": 1, "a": 2}', "NaN", "1e999", "[" * 100_000]
)
def test_a_body_that_is_not_strict_json_is_a_parse_error_without_id(
    api: Api, body: bytes | str
) -> None:
    reply = send(api, body)

    assert (reply.refusal, "id" in reply.json) == ((400, -32700), False)


@pytest.mark.parametrize(
    ("accept", "status", "sent"),
    [
        ("application/json", 200, "application/json"),
        ("application/*;q=0.5", 200, "application/json"),
        ("text/html, Application/JSON", 200, "application/json"),
        ("*/*", 200, "application/json"),
        ("text/event-stream", 200, "text/event-stream"),
        ("text/html", 406, "application/json"),
    ],
)
def test_a_client_gets_json_or_one_event_as_it_takes(
    api: Api, accept: str, status: int, sent: str
) -> None:
    reply = ask(api, "tools/list", headers={"accept": accept})

    assert (reply.status, reply.headers["content-type"]) == (status, sent)
    if sent == "text/event-stream":
        (event,) = [
            json.loads(each.split("data: ")[1]) for each in reply.body.split("\n\n") if each
        ]
        assert event["id"] == 7


def test_a_reply_is_one_line_of_json_with_every_character(api: Api) -> None:
    said = "été\n\u2028été"
    fact = {"subject": "Ada", "predicate": "says", "object": said}
    made = call(api, "remember", **fact)["structuredContent"]["id"]

    read = ask(api, "resources/read", {"uri": f"membrane://records/{made}"})

    assert "\n" not in read.body
    shown = json.loads(read.result["contents"][0]["text"])["record"]
    assert shown["payload"]["object"] == said


# --- messages ---

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ([PING], "batches"),
        ([], "batches"),
        ("ping", "object"),
        (None, "object"),
        ({**PING, "jsonrpc": "1.0"}, "jsonrpc"),
        ({**PING, "jsonrpc": 2.0}, "jsonrpc"),
        ({"jsonrpc": "2.0", "id": 1}, "method"),
        ({**PING, "method": ["ping"]}, "method"),
        ({**PING, "params": []}, "params"),
        ({**PING, "id": None}, "id"),
        ({**PING, "id": True}, "id"),
        ({**PING, "id": 1.5}, "id"),
        ({"jsonrpc": "2.0", "method": "tools/call"}, "id"),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, "method"),
    ],
)
def test_any_other_json_is_an_invalid_request(api: Api, message: Any, names: str) -> None:
    reply = send(api, json.dumps(message))

    assert reply.refusal == (400, -32600)
    assert names in reply.error["message"]


@pytest.mark.parametrize("request_id", [0, -1, "", "a", 2**70, "été"])
def test_the_answer_has_the_id_of_the_request(api: Api, request_id: str | int) -> None:
    for message in (PING, {**PING, "params": []}):
        assert send(api, json.dumps({**message, "id": request_id})).json["id"] == request_id


@pytest.mark.parametrize("version", ["", CURRENT, "2025-06-18"])
@pytest.mark.parametrize("name", ["initialized", "cancelled", "unheard-of"])
def test_a_notification_is_accepted_without_a_body(api: Api, version: str, name: str) -> None:
    headers = {"mcp-protocol-version": version} if version else {}

    reply = send(api, f'{{"jsonrpc": "2.0", "method": "notifications/{name}"}}', headers)

    assert (reply.status, reply.body) == (202, "")


def test_arguments_may_be_as_deep_and_large_as_in_the_http_api(api: Api) -> None:
    def nested(levels: int) -> dict[str, Any]:
        value = json.loads('{"a":' * levels + "1" + "}" * levels)
        return {"name": "recall", "arguments": value}

    large = {"name": "recall", "arguments": {"query": "word " * 1_000_000}}
    assert ask(api, "tools/call", nested(64)).result["isError"] is True
    assert ask(api, "tools/call", nested(65)).refusal == (400, -32700)
    assert ask(api, "tools/call", large).result["isError"] is True


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
METHODS = (
    *("initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list"),
    *("resources/templates/list", "resources/read", "prompts/list", "prompts/get"),
    *("completion/complete", "unheard/of"),
)
FIELDS = (
    *("name", "uri", "arguments", "cursor", "ref", "argument", "context", "protocolVersion"),
    *("inputResponses", "requestState", "_meta"),
)


def test_no_body_no_params_and_no_headers_break_the_server(api: Api) -> None:
    @settings(max_examples=examples(300))
    @given(body=st.text() | JSON.map(json.dumps))
    def send_body(body: str) -> None:
        assert send(api, body).status in (202, 400)

    @settings(max_examples=examples(300))
    @given(
        method=st.sampled_from(METHODS),
        params=st.dictionaries(
            st.sampled_from(FIELDS), JSON | st.sampled_from(["recall", METRICS])
        ),
        has_meta=st.booleans(),
        version=st.sampled_from([CURRENT, *BEFORE, "1900-01-01", ""]),
        name=st.sampled_from(["recall", METRICS, "=?base64?cmVjYWxs?=", "=?base64?é?="]),
    )
    def ask_anything(
        method: str, params: dict[str, Any], *, has_meta: bool, version: str, name: str
    ) -> None:
        whole = {**params, **({"_meta": META} if has_meta else {})}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": whole}
        headers = {"mcp-protocol-version": version, "mcp-method": method, "mcp-name": name}
        reply = send(api, json.dumps(message), headers)
        assert reply.status in (200, 400, 404)
        assert reply.json["id"] == 1
        assert ("result" in reply.json) != ("error" in reply.json)

    send_body()
    ask_anything()


# --- the current version ---

LISTED = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")


def test_discovery_describes_the_server(api: Api) -> None:
    result = ask(api, "server/discover").result

    assert result["supportedVersions"] == [CURRENT, *BEFORE]
    assert result["capabilities"].keys() == {"tools", "resources", "prompts", "completions"}
    assert "recall" in result["instructions"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        *((each, {}) for each in ("server/discover", *LISTED)),
        ("tools/call", {"name": "recall"}),
        ("resources/read", {"uri": METRICS}),
        ("prompts/get", {"name": "recall_first", "arguments": {"task": "tea"}}),
    ],
)
def test_a_result_is_complete_and_says_who_answers_and_how_long_it_may_be_kept(
    api: Api, method: str, params: Any
) -> None:
    result = ask(api, method, params).result

    assert result["resultType"] == "complete"
    assert result["_meta"].keys() == {"io.modelcontextprotocol/serverInfo"}
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]
    if method in ("tools/call", "prompts/get"):
        assert "ttlMs" not in result
    else:
        assert (result["ttlMs"] >= 0, result["cacheScope"]) == (True, "private")


@pytest.mark.parametrize("missing", [VERSION, CAPABILITIES, CLIENT])
def test_metadata_has_a_version_and_capabilities(api: Api, missing: str) -> None:
    reply = ask(api, "tools/list", meta={name: META[name] for name in META if name != missing})

    if missing == CLIENT:
        assert reply.status == 200
    else:
        assert reply.refusal == (400, -32602)
        assert missing in reply.error["message"]


@pytest.mark.parametrize("meta", ["text", 5, [1], {**META, CAPABILITIES: []}])
def test_metadata_of_a_wrong_type_is_refused(api: Api, meta: Any) -> None:
    assert ask(api, "tools/list", meta=meta).refusal == (400, -32602)


def test_a_header_without_metadata_is_not_enough(api: Api) -> None:
    message = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    headers = {"mcp-protocol-version": CURRENT, "mcp-method": "tools/list"}

    assert send(api, message, headers).refusal == (400, -32602)


def test_an_unknown_version_is_refused_with_the_known_versions(api: Api) -> None:
    asked = "1900-01-01"

    now = ask(
        api, "tools/list", headers={"mcp-protocol-version": asked}, meta={**META, VERSION: asked}
    )
    before = ask_as_before(api, "ping", headers={"mcp-protocol-version": "2024-10-07"})

    assert now.refusal == before.refusal == (400, -32022)
    assert now.error["data"] == {"supported": [CURRENT, *BEFORE], "requested": asked}


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-protocol-version": None},
        {"mcp-protocol-version": "2025-11-25"},
        {"mcp-protocol-version": f"{CURRENT},{CURRENT}"},
        {"mcp-method": None},
        {"mcp-method": "TOOLS/CALL"},
        {"mcp-method": "tools/list"},
        {"mcp-name": None},
        {"mcp-name": ""},
        {"mcp-name": "Recall"},
        {"mcp-name": "recall,recall"},
        {"mcp-name": "=?base64?cmVjYWxs?"},
        {"mcp-name": "=?base64?cm!VjYWxs?="},
        {"mcp-name": "=?base64?/w==?="},
        {"mcp-name": "=?base64?é?="},
    ],
)
def test_a_header_that_is_missing_or_differs_from_the_body_is_refused(
    api: Api, headers: dict[str, str | None]
) -> None:
    reply = ask(api, "tools/call", {"name": "recall"}, headers)

    assert (reply.refusal, reply.json["id"]) == ((400, -32020), 7)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/read", {"uri": METRICS}),
        ("prompts/get", {"name": "recall_first", "arguments": {"task": "tea"}}),
        ("tools/call", {"name": "recall"}),
    ],
)
def test_the_name_is_compared_may_be_encoded_and_may_have_white_space_around(
    api: Api, method: str, params: Any
) -> None:
    name = params[NAMED_BY[method]]
    encoded = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
    spaced = {"mcp-protocol-version": f" {CURRENT}\t", "mcp-name": f"\t{name} "}

    assert ask(api, method, params, {"mcp-name": encoded}).status == 200
    assert ask(api, method, params, spaced).status == 200
    assert ask(api, method, params, {"mcp-name": "other"}).refusal == (400, -32020)


def test_an_encoded_name_keeps_its_white_space(api: Api) -> None:
    encoded = f"=?base64?{base64.b64encode(b' padded ').decode()}?="

    reply = ask(api, "tools/call", {"name": " padded "}, {"mcp-name": encoded})

    assert reply.refusal == (200, -32602)
    assert "no tool of this name" in reply.error["message"]


@pytest.mark.parametrize(
    "method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unheard/of", ""]
)
def test_a_method_of_older_versions_and_an_unknown_method_do_not_exist(
    api: Api, method: str
) -> None:
    assert ask(api, method).refusal == (404, -32601)


# --- the versions before ---


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [*((each, each) for each in BEFORE), *((each, BEFORE[0]) for each in (CURRENT, "x", ""))],
)
def test_the_handshake_agrees_to_a_known_version_and_opens_no_session(
    api: Api, asked: str, agreed: str
) -> None:
    reply = ask_as_before(api, "initialize", {"protocolVersion": asked, "capabilities": {}}, {})

    assert "mcp-session-id" not in reply.headers
    assert reply.result.keys() == {
        *("protocolVersion", "serverInfo", "capabilities", "instructions")
    }
    assert reply.result["protocolVersion"] == agreed


@pytest.mark.parametrize("params", [{}, {"protocolVersion": 1}])
def test_a_handshake_without_version_is_refused(api: Api, params: dict[str, Any]) -> None:
    reply = ask_as_before(api, "initialize", params, {})

    assert reply.refusal == (200, -32602)
    assert "params.protocolVersion" in reply.error["message"]


@pytest.mark.parametrize("version", [*BEFORE, ""])
def test_requests_of_every_version_are_answered_as_of_then(api: Api, version: str) -> None:
    headers = {"mcp-protocol-version": version} if version else {}
    other = {**headers, "mcp-session-id": "x", "last-event-id": "1"}  # of another server

    assert ask_as_before(api, "ping", headers=other).result == {}
    assert ask_as_before(api, "tools/list", headers=headers).result.keys() == {"tools"}
    read = ask_as_before(api, "resources/read", {"uri": METRICS}, headers)
    assert read.result.keys() == {"contents"}


@pytest.mark.parametrize("method", ["server/discover", "logging/setLevel", "resources/subscribe"])
def test_an_unknown_method_was_an_error_in_a_sound_reply(api: Api, method: str) -> None:
    assert ask_as_before(api, method).refusal == (200, -32601)


@pytest.mark.parametrize(
    "uri",
    [
        *("membrane://records/absent", "membrane://records/", "membrane://records/a/b/c"),
        *("membrane://metrics/all", "membrane://records/a?scope=b", "membrane://records/a#b"),
        *("file:///etc/passwd", "membrane:", "records/a", "http://[", "membrane://entities/absent"),
    ],
)
def test_an_address_of_nothing_is_not_found_in_the_code_of_the_version(api: Api, uri: str) -> None:
    for reply, code in (
        (ask_as_before(api, "resources/read", {"uri": uri}), -32002),
        (ask(api, "resources/read", {"uri": uri}), -32602),
    ):
        assert (reply.refusal, reply.error["data"]) == ((200, code), {"uri": uri})


# --- features ---


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("tools/call", {"name": "absent"}, "name"),
        ("tools/call", {"name": ["recall"]}, "params.name"),
        ("tools/call", {}, "params.name"),
        ("tools/call", {"name": "recall", "inputResponses": {"n": 1}}, "params.inputResponses.n"),
        ("tools/call", {"name": "recall", "requestState": {}}, "params.requestState"),
        ("tools/list", {"cursor": "1"}, "params.cursor"),
        ("prompts/list", {"cursor": "1"}, "params.cursor"),
        ("resources/templates/list", {"cursor": "1"}, "params.cursor"),
        ("resources/list", {"cursor": 1}, "params.cursor"),
        ("resources/read", {"uri": 1}, "params.uri"),
        ("prompts/get", {"name": "absent"}, "params.name"),
        (
            "prompts/get",
            {"name": "recall_first", "arguments": {"task": 1}},
            "params.arguments.task",
        ),
        ("completion/complete", {}, "params.ref.type"),
        ("completion/complete", {"ref": []}, "params.ref"),
        ("completion/complete", {"ref": {"type": "ref/tool"}}, "params.ref.type"),
        ("completion/complete", {"ref": {"type": "ref/prompt"}}, "params.ref.name"),
        ("completion/complete", {"ref": {"type": "ref/resource"}}, "params.ref.uri"),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "n"}},
            "params.argument.value",
        ),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "p"},
                "argument": {"name": "n", "value": "v"},
                "context": {"arguments": {"a": 1}},
            },
            "params.context.arguments.a",
        ),
    ],
)
def test_params_that_do_not_fit_are_refused_by_the_name_of_the_field(
    api: Api, method: str, params: Any, field: str
) -> None:
    error = ask(api, method, params).error

    assert error["code"] == -32602
    assert field in error["message"].split()


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [("", "recall", 8), ("profile=search", "search", 2), ("profile=memstate", "memory_", 26)],
)
def test_the_profile_in_the_address_decides_the_tools(
    api: Api, query: str, first: str, count: int
) -> None:
    key = api.key_for(permissions=("read", "ingest", "revise"))

    tools = ask(api, "tools/list", query=query, key=key).result["tools"]

    assert (len(tools), tools[0]["name"][: len(first)]) == (count, first)


def test_an_unknown_profile_is_refused_with_the_known_ones(api: Api) -> None:
    reply = ask(api, "tools/list", query="profile=letta")

    assert reply.status == 400
    assert "profile must be one of: agent, search, memstate" in reply.body


def test_a_tool_that_the_key_may_not_call_does_not_exist_for_the_key(api: Api) -> None:
    key = api.key_for(permissions=("read",))

    names = [each["name"] for each in ask(api, "tools/list", key=key).result["tools"]]
    over_http = api.post("/v1/tools/forget", {"arguments": {"ids": ["a"]}}, key=key)

    assert names == ["recall", "read", "about", "working_state"]
    assert ask(api, "tools/call", {"name": "forget"}, key=key).error["code"] == -32602
    assert over_http.status == 404


def test_a_tool_answers_by_text_and_structured_content_and_refuses_by_text(api: Api) -> None:
    kept = call(api, "remember", text="Alice likes tea")
    found = call(api, "recall", query="tea")
    refused = call(api, "recall", limit=0, zz=1)
    absent = call(api, "forget", ids=["memory-9"])

    (memory,) = found["structuredContent"]["memories"]
    assert memory["id"] == kept["structuredContent"]["id"]
    assert "Alice likes tea" in found["content"][0]["text"]
    assert "isError" not in found
    assert refused["content"][0]["text"].split("\n") == ["limit must be >= 1", "zz unknown field"]
    assert "record not found" in absent["content"][0]["text"]
    for each in (refused, absent):
        assert (each["isError"], "structuredContent" in each) == (True, False)


def test_a_user_beside_the_arguments_leaves_the_keys_other_calls_reading_the_write(
    api: Api,
) -> None:
    api.post("/_dev/stream", {"paused": True})  # nothing is indexed
    key = api.key_for(scopes=("app:*",), user_prefix="app:")
    asked = {"arguments": {"text": "Alice likes tea"}, "user": "ann"}

    made = api.post("/v1/tools/remember", asked, key=key).body["result"]
    recall = {"arguments": {"query": "tea"}}
    found = [
        api.post("/v1/tools/recall", {**recall, **user}, key=key).body["result"]["memories"]
        for user in ({}, {"user": "ann"}, {"user": "bob"})
    ]

    assert made["scope"] == "app:ann"
    assert [[each["id"] for each in each_of] for each_of in found] == [[made["id"]]] * 2 + [[]]


def resource(api: Api, uri: str, key: str | None = None) -> dict[str, Any]:
    result = ask(api, "resources/read", {"uri": f"membrane://{uri}"}, key=key).result
    (content,) = result["contents"]
    assert content["mimeType"] == "application/json"
    return dict(json.loads(content["text"]))


def test_every_kind_of_resource_answers_as_its_route_does(api: Api) -> None:
    note = call(api, "remember", text="Alice likes tea")["structuredContent"]["id"]
    call(api, "working_state", thread_id="thread/1", state="done")
    call(api, "memory_create_topic", title="Alice", topic_id="alice")
    api.functions.clock.freeze(frozen=True)

    for uri in (
        *(f"records/{note}", f"records/{note}/audit", f"records/{note}/history"),
        *(f"threads/{quote('thread/1', safe='')}/state", "metrics"),
    ):
        path = uri.replace("/history", "/versions")
        assert resource(api, uri) == api.get(f"/v1/{path}").body
    assert resource(api, "topics/alice")
    listed = ask(api, "resources/list").result["resources"]
    templates = ask(api, "resources/templates/list").result["resourceTemplates"]
    assert METRICS in [each["uri"] for each in listed]
    assert {each["uriTemplate"].split("/")[2] for each in templates} >= {"records", "topics"}


def test_a_large_resource_fits_the_payload_of_a_reply_by_a_link(api: Api) -> None:
    """The text of a resource is escaped twice: every quote takes four bytes."""
    shown = []
    for letter in ('"', "a"):
        quoted = [letter * 50_000] * 20
        made = call(api, "remember", subject="Alice", predicate="says", object=quoted)[
            "structuredContent"
        ]["id"]
        shown.append(json.dumps(resource(api, f"records/{made}")))

    assert ["$blob" in each for each in shown] == [True, False]


def test_resources_and_completions_are_those_of_the_user(api: Api) -> None:
    key = api.key_for(scopes=("app:*",), user_prefix="app:", user_required=True)
    note = call(api, "remember", key, text="I like tea", user="ann")["structuredContent"]["id"]
    call(api, "memory_create_topic", key, title="Alice", topic_id="topic-1", user="ann")

    def read(user: str) -> Answer:
        return ask(api, "resources/read", {"uri": f"membrane://records/{note}{user}"}, key=key)

    assert resource(api, f"records/{note}?user=ann", key)["record"]["scope"] == "app:ann"
    assert read("?user=bob").error["code"] == -32602
    assert "user is required" in read("").error["message"]
    for more, ids in (
        ({"context": {"arguments": {"user": "ann"}}}, ["topic-1"]),
        ({"context": {"arguments": {"user": "bob"}}}, []),
        ({}, []),
    ):
        assert completion(api, "topics", "al", key, **more)["values"] == ids


def test_a_key_that_may_not_read_has_no_resources(api: Api) -> None:
    key = api.key_for(permissions=("ingest",))

    assert ask(api, "resources/list", key=key).result["resources"] == []
    assert ask(api, "resources/templates/list", key=key).result["resourceTemplates"] == []
    refused = ask(api, "resources/read", {"uri": METRICS}, key=key).error
    assert (refused["data"]["code"], "read is required" in refused["message"]) == (
        "PERMISSION_DENIED",
        True,
    )


def test_a_prompt_has_the_task_in_place_and_needs_one(api: Api) -> None:
    task = {"name": "recall_first", "arguments": {"task": "make tea"}}

    prompt = ask(api, "prompts/get", task).result

    assert "Then do the task: make tea." in prompt["messages"][0]["content"]["text"]
    error = ask(api, "prompts/get", {"name": "end_of_task"}).error
    assert "arguments.task is required" in error["message"]
    names = [each["name"] for each in ask(api, "prompts/list").result["prompts"]]
    assert {"recall_first", "end_of_task"} <= {*names}


def completion(
    api: Api, kind: str, value: str, key: str | None = None, **more: Any
) -> dict[str, Any]:
    reference = {"type": "ref/resource", "uri": f"membrane://{kind}/{{id}}"}
    params = {"ref": reference, "argument": {"name": "id", "value": value}, **more}
    return dict(ask(api, "completion/complete", params, key=key).result["completion"])


def test_ids_are_completed_by_the_beginning_of_a_name_among_the_first_topics(api: Api) -> None:
    call(api, "memory_create_topic", title="Alice", topic_id="topic-1")

    assert completion(api, "topics", "al")["values"] == ["topic-1"]
    assert completion(api, "entities", "al")["values"] == []
    assert completion(api, "records", "al")["values"] == []
    prompt = {"type": "ref/prompt", "name": "recall_first", "uri": []}
    params = {"ref": prompt, "argument": {"name": "task", "value": "al"}}
    assert ask(api, "completion/complete", params).result["completion"]["values"] == []
    for number in range(101):
        call(api, "memory_create_topic", title=f"Topic {number}")
    many, none = completion(api, "topics", "topic"), completion(api, "topics", "absent")
    assert "total" not in many
    assert (len(many["values"]), many["hasMore"]) == (100, True)
    assert (len(none["values"]), none["hasMore"]) == (0, True)


# --- who is answered ---


def at_the_gateway(route: str, path: str, **headers: str) -> dict[str, Any]:
    """An event as API Gateway sends it, at the domain api.example."""
    return {
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"host": "evil.example", **headers},
        "body": json.dumps(PING),
        "requestContext": {
            "domainName": "api.example",
            "stage": "$default",
            "http": {"method": route.split(" ", maxsplit=1)[0]},
        },
    }


@pytest.mark.parametrize(
    ("stage", "key", "proto", "base"),
    [
        ("", "", "", "https://api.example"),
        ("/prod", "", "", "https://api.example/prod"),
        ("", "unknown", "http", "http://api.example"),
        ("", "unknown", "x", "https://api.example"),
    ],
)
def test_without_a_live_key_a_client_learns_how_to_authenticate_at_the_own_address(
    api: Api, stage: str, key: str, proto: str, base: str
) -> None:
    sent = {"x-forwarded-proto": proto} if proto else {}
    bearer = {"authorization": f"Bearer {key}"} if key else {}
    well_known = f"{stage}/.well-known/oauth-protected-resource"

    refused = api.invoke(
        "McpFunction", at_the_gateway("POST /mcp", f"{stage}/mcp", **sent, **bearer)
    )
    route = "GET /.well-known/oauth-protected-resource/mcp"
    document = api.invoke("McpFunction", at_the_gateway(route, f"{well_known}/mcp", **sent))

    assert refused["statusCode"] == 401
    assert json.loads(refused["body"])["code"] == "UNAUTHENTICATED"
    challenge = refused["headers"]["www-authenticate"]
    metadata = f"{base}/.well-known/oauth-protected-resource/mcp"
    assert challenge.startswith(f'Bearer resource_metadata="{metadata}"')
    assert ('error="invalid_token"' in challenge) is bool(key)
    assert json.loads(document["body"]) == {
        "resource": f"{base}/mcp",
        "bearer_methods_supported": ["header"],
        "resource_name": "Membrane",
    }


def test_operators_hear_of_calls_and_reads_under_the_names_of_the_routes(api: Api) -> None:
    note = call(api, "remember", text="Alice likes tea")["structuredContent"]["id"]
    told: list[tuple[str, str]] = []

    def report(rpc: str, code: str, fault: Exception | None = None) -> None:
        told.append((rpc, code if fault is None else repr(fault)))

    api.serve(report=report)
    call(api, "recall", query="tea")
    ask(api, "resources/read", {"uri": f"membrane://records/{note}"})

    assert [each for each in told if each[0] != "Index"] == [
        ("CallTool", "OK"),
        ("RetrieveByID", "OK"),
    ]
