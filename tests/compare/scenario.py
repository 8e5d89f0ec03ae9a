"""Every way to make and change everything, as requests: the same for both sides."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.compare import ways
from tests.compare.sides import EVERYTHING, OWNER, Side
from tests.compare.views import export, look_at_everything
from tests.compare.ways import LARGE, TEAM, a_fact, observe, study_text, succeed
from tests.event_files import content_of, names_in_order, path_of

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
DAY_S = 86_400
SENT = ("accept", "content-type", "idempotency-key", "mcp-")
"""Beginnings of the headers of the sample events that are sent."""


def run(side: Side) -> None:
    """Ask for everything, and look at everything between the parts."""
    side.secret = key(side, EVERYTHING)
    for way in ways.ALL:
        way(side)
    samples(side)
    look_at_everything(side)
    refusals(side)
    erase(side)
    age(side)
    look_at_everything(side)
    restore(side, export(side, {}))
    look_at_everything(side)


def key(side: Side, principal: Mapping[str, Any]) -> str:
    return str(side.ask("POST", "/_dev/keys", principal, key=OWNER)["secret"])


def samples(side: Side) -> None:
    """Every event of tests/events: over HTTP, else as an invocation of the event's function.

    A request with a key that makes repeats harmless is repeated.
    """
    task = {"task_descriptor": "Which tests are still to be run?"}
    real = {
        "sample-receipt": succeed(side, "/v1/retrieve", task)["receipt_id"],
        "sample-erasure": succeed(
            side, "/v1/erasures", {"scope": "none", "reason": "r", "dry_run": False}
        )["id"],
        "sample-study": study_text(side, "sampled"),
        "stopped-study": study_text(side, "stopped"),
    }
    for kind, name in (("imports", "import_lines_bus"), ("restores", "restore_bus")):
        lines = path_of(name).with_suffix(".ndjson").read_bytes()
        side.ask("PUT", f"/_dev/{kind}/sample.ndjson", lines, key=OWNER)
    for name in names_in_order():
        text = json.dumps(content_of(name))
        for planned, found in real.items():
            text = text.replace(planned, found)
        event = json.loads(text)
        if "rawPath" not in event or name == "authorizer_http":
            side.invoke(function_of(name), event)
            continue
        path = "?".join(filter(None, (event["rawPath"], event["rawQueryString"])))
        headers = {each: text for each, text in event["headers"].items() if each.startswith(SENT)}
        method = event["requestContext"]["http"]["method"]
        for _ in range(2 if "idempotency-key" in headers else 1):
            side.ask(method, path, event.get("body"), headers=headers)


@cache
def function_of(name: str) -> str:
    """The logical id of the function that an event of tests/events is for."""
    folders = [each.name for each in FUNCTIONS.iterdir() if name.startswith(f"{each.name}_")]
    return "".join(map(str.title, max(folders, key=len).split("_"))) + "Function"


def refusals(side: Side) -> None:
    """Requests that are refused: by form, by permission, by scope, by state."""
    reader = {**EVERYTHING, "actor_id": "reader", "permissions": ["read"]}
    narrow = key(side, {**reader, "scopes": ["team"], "max_sensitivity": "low"})
    writer = key(side, {**EVERYTHING, "permissions": ["ingest", "read"], "scopes": ["team"]})
    fact = {"source": "me", "subject": "s", "predicate": "is", "object": "o"}
    requests: tuple[tuple[str, str, Any], ...] = (
        ("GET", "/v1/records", None),
        ("GET", "/v1/records/one", None),
        ("GET", "/v1/records/robert", None),
        ("GET", "/v1/metrics", None),
        ("GET", "/v1/topics/service", None),
        ("POST", "/v1/retrieve", {"task_descriptor": "tea", "trust": {"scopes": ["team"]}}),
        ("POST", "/v1/ingest/observation", {**fact, "scope": "team"}),
        ("POST", "/v1/ingest/observation", {**fact, "scope": "elsewhere"}),
        ("POST", "/v1/ingest/observation", {**fact, "user": "ada"}),
        ("POST", "/v1/retrieve", {"task_descriptor": "who is", "user": "ada"}),
        ("GET", "/v1/records?user=ada", None),
        ("POST", "/v1/records/two/pin", {}),
        ("DELETE", "/v1/records/two?erase=true", None),
        ("POST", "/v1/exports", {"scope": "team"}),
        ("POST", "/v1/erasures", {"scope": "team", "reason": "r"}),
        ("PUT", "/v1/documents/users/bob/tea", {"value": 2}),
        ("POST", "/v1/topics", {"title": "t", "scope": "team"}),
        ("PUT", "/v1/system-context", {"system_role": "r", "runtime_context": "c"}),
        ("POST", "/v1/tools/forget", {"arguments": {"ids": ["two"]}}),
    )
    users = {**EVERYTHING, "user_prefix": "user:", "user_required": True}
    for secret in ("nobody's", narrow, writer, key(side, users)):
        for method, path, body in requests:
            side.ask(method, path, body, key=secret)
    requests = (
        ("POST", "/v1/ingest/event", {"source": "me"}),
        ("POST", "/v1/ingest/event", "{"),
        ("POST", "/v1/ingest/event", {**TEAM, "event_kind": "b", "ref": "1", "more": 1}),
        ("POST", "/v1/records", {"record": a_fact("two", "changed")}),
        ("POST", "/v1/records/none/pin", {}),
        ("POST", "/v1/records/one/supersede", {"new_record": a_fact("late")}),
        ("POST", "/v1/records/deleted/pin", {}),
        ("POST", "/v1/records/five/restore", {}),
        ("POST", "/v1/entities/robert/split", {"entity_id": "sue"}),
        ("POST", "/v1/topics", {"topic_id": "service", "title": "again"}),
        ("POST", "/v1/topics/none/fields", {"field_name": "n", "value": 1}),
        ("GET", "/v1/records?cursor=none", None),
        ("GET", "/v1/records?limit=-1", None),
        ("GET", "/v1/nothing", None),
        ("GET", "/v1/erasures/none", None),
        ("GET", "/v1/documents/users/none/x", None),
        ("POST", "/v1/tools/none", {"arguments": {}}),
        ("POST", "/v1/uploads", {"size": 10**9, "sha256": "0" * 64}),
    )
    for method, path, body in requests:
        side.ask(method, path, body)


def erase(side: Side) -> None:
    """A scope, a subject and single ids, each listed first, with a certificate in the end."""
    for n in range(3):
        observe(side, "Ada Leaving", "likes", f"{n}", scope="leaving")
    succeed(side, "/v1/topics", {"topic_id": "left", "title": "left", "scope": "leaving"})
    succeed(side, "/v1/documents/left/x", {"value": LARGE, "scope": "leaving"}, "PUT")
    targets = ({"scope": "leaving"}, {"subject": "Grace", "scope": "team"}, {"ids": ["union"]})
    for target in targets:
        for dry_run in (True, False):
            asked = {**target, "reason": "asked for", "dry_run": dry_run}
            job = succeed(side, "/v1/erasures", asked)["id"]
            side.advance(ways.HOUR_S)
            side.invoke("EraseFunction", {"membrane-erase": {}})
            for view in ("", "/certificate"):
                side.ask("GET", f"/v1/erasures/{job}{view}")


def age(side: Side) -> None:
    """Let memories fade, be swept, forgotten and collected; anchor, verify and index anew."""
    observe(side, "oak", "is", "old")
    for seconds in (3_600, DAY_S, 31 * DAY_S, 401 * DAY_S):
        side.advance(seconds)
        for job in ("Decay", "CollectBlobs", "Anchor"):
            side.invoke(f"{job}Function", {})
        side.invoke("ReasonFunction", {"membrane-reason": {}})
        side.invoke("VerifyFunction", {"membrane-verify": {"after": None, "repair": True}})
        side.ask("GET", "/v1/metrics")
        observe(side, "oak", "is", f"older than {seconds}")
        succeed(side, "/v1/ingest/event", {**TEAM, "event_kind": "later", "ref": f"{seconds}"})
    side.invoke("IndexFunction", {"membrane-reindex": {"again": True}})


def restore(side: Side, content: str) -> None:
    """The exported memory in the emptied table."""
    side.ask("POST", "/_dev/reset", key=OWNER)
    for name in ("first", "second"):
        side.ask("PUT", f"/_dev/restores/{name}.ndjson", content, key=OWNER)
        side.ask("GET", f"/_dev/restores/{name}.ndjson", key=OWNER)
