"""The ways to make and change each kind of memory, as requests."""

import hashlib
import json
from typing import Any
from urllib.parse import quote

from tests.compare.sides import OWNER, Side

LARGE = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(1_500))
"""Text of over 32 KB when compressed, so that the document that holds it lies in the bucket."""
TEAM = {"source": "agent", "scope": "team"}
HOUR_S = 3_600


def succeed(side: Side, path: str, body: Any, method: str = "POST") -> Any:
    """The reply to a request that succeeds on both sides, since later requests need its ids."""
    reply = side.ask(method, path, body)
    if side.steps[-1].status >= 300:
        raise AssertionError(f"{method} {path}: {reply}")
    return reply


def observe(side: Side, subject: str, predicate: str, said: str, **fields: Any) -> str:
    """The id of the record of an observation."""
    fact = {**TEAM, "subject": subject, "predicate": predicate, "object": said, **fields}
    return str(succeed(side, "/v1/ingest/observation", fact)["record"]["id"])


def a_fact(name: str, said: str = "much", **fields: Any) -> dict[str, Any]:
    """A full record with evidence."""
    seen = {"source_type": "message", "source_id": "m", "timestamp": "2026-11-20T08:00:00Z"}
    payload: dict[str, Any] = {"kind": "semantic", "subject": name, "predicate": "says"}
    payload |= {"object": said, "validity": {"mode": "global"}, "evidence": [seen]}
    record = {"id": name, "type": "semantic", "sensitivity": "low", "scope": "team"}
    return {**record, "payload": payload, **fields}


def an_entity(name: str, called: str, **fields: Any) -> dict[str, Any]:
    payload = {"kind": "entity", "canonical_name": called, "aliases": [f"{called} again"]}
    record = {"id": name, "type": "entity", "sensitivity": "low", "scope": "team"}
    return {**record, "payload": payload, **fields}


def upload(side: Side, value: Any) -> dict[str, str]:
    """A claim of the value."""
    content = json.dumps(value).encode()
    declared = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    opened = succeed(side, "/v1/uploads", declared)
    side.follow("PUT", opened["url"], content, opened["headers"])
    return {"$upload": opened["upload_id"]}


def ingest(side: Side) -> None:
    """Reports of each kind: small, large, repeated, uploaded, with a lifecycle, in a batch."""
    bodies: dict[str, dict[str, Any]] = {
        "event": {"event_kind": "build", "ref": "1", "summary": "The build of parser failed"},
        "tool-output": {"tool_name": "bash", "args": {"n": 1}, "result": {"exit_code": 0}},
        "observation": {"subject": "Ada", "predicate": "likes", "object": "green tea"},
        "working-state": {"thread_id": "1", "state": "planning", "context_summary": "Tests"},
    }
    texts = {"event": "summary", "tool-output": "result", "observation": "object"}
    for kind, body in bodies.items():
        path, told = f"/v1/ingest/{kind}", {**TEAM, **body, "tags": ["sample", kind]}
        succeed(side, path, told)
        for _ in range(2):
            succeed(side, path, {**told, "idempotency_key": f"once-{kind}"})
        side.ask("POST", path, {**told, "tags": [], "idempotency_key": f"once-{kind}"})
        decay = {"half_life_seconds": 77, "curve": "linear"}
        succeed(side, path, {**told, "sensitivity": "high", "lifecycle": {"decay": decay}})
        succeed(side, path, {**told, texts.get(kind, "context_summary"): LARGE, "scope": ""})
    succeed(
        side, "/v1/ingest/tool-output", {**bodies["tool-output"], "result": upload(side, LARGE)}
    )
    record = succeed(side, "/v1/ingest/event", {**TEAM, **bodies["event"]})["record"]["id"]
    for n in range(20):  # more audit entries than an item holds
        outcome = {"target_record_id": record, "outcome_status": ("success", "failure")[n % 2]}
        succeed(side, "/v1/ingest/outcome", {"source": f"judge-{n}", **outcome})
    said = [{"role": "user", "content": "Where is Ada?"}, {"role": "assistant", "content": "Here"}]
    for content in ("", LARGE):
        messages = [*said, {"role": "user", "content": f"Thanks {content}"}]
        succeed(side, "/v1/messages", {"thread_id": "talk", "scope": "team", "messages": messages})
    items = [
        {"rpc": "IngestEvent", **TEAM, **bodies["event"], "ref": "2"},
        {"rpc": "IngestObservation", **TEAM, **bodies["observation"], "object": ""},
        {"rpc": "IngestOutcome", "target_record_id": "none", "outcome_status": "success"},
        {"rpc": "IngestRecord", "record": a_fact("in-a-batch")},
        {"rpc": "CaptureMemory", "source": "a", "source_kind": "event", "content": {"ref": "3"}},
    ]
    succeed(side, "/v1/ingest/batch", {"items": items})
    for kind in ("event", "tool_output", "observation", "working_state"):
        seen = {"subject": "Ana", "predicate": "is", "object": "in", "thread_id": "talk"}
        seen |= {"tool_name": "who", "state": "planning", "ref": "4"}
        seen |= {"text": f"Ana owns billing, says {kind}"}
        asked = {"source": "agent", "source_kind": kind, "content": seen, "scope": "team"}
        side.ask("POST", "/v1/capture", {**asked, "reason_to_remember": "ownership"})
    for predicate in ("is said to be", "weighs", "forks", "is"):
        for said_of in ("much", "little", "much"):
            observe(side, "stone", predicate, said_of)
    text = "".join(json.dumps(line) + "\n" for line in [*items, {"rpc": "Nothing"}])
    side.ask("PUT", "/_dev/imports/lines.ndjson", text, key=OWNER)
    side.ask("GET", "/_dev/imports/lines.ndjson", key=OWNER)


def revise(side: Side) -> None:
    """Each revision of a record, and each change of its salience; deleted, restored, erased."""
    for name in ("one", "two", "three", "four", "five"):
        relations = [{"predicate": "about", "target_id": "one"}] if name != "one" else []
        succeed(side, "/v1/records", {"record": a_fact(name, relations=relations)})
    for change in ("reinforce", "penalize", "pin", "reinforce", "unpin"):
        body = {"amount": 0.25, "rationale": "why"} if change == "penalize" else {"actor": "me"}
        succeed(side, f"/v1/records/one/{change}", body)
    for n in range(18):  # more audit entries than an item holds
        succeed(
            side, "/v1/records/one/penalize", {"amount": 0.01, "rationale": f"{n}{LARGE[: n * 99]}"}
        )
    succeed(side, "/v1/records/one/lifecycle", {"decay": {"half_life_seconds": 75}}, "PATCH")
    new = {"new_record": a_fact("one-too", LARGE), "rationale": "better"}
    succeed(side, "/v1/records/one/supersede", new)
    succeed(side, "/v1/records/two/fork", {"forked_record": a_fact("two-too")})
    merge = {"ids": ["one-too", "two-too"], "merged_record": a_fact("union")}
    succeed(side, "/v1/records/merge", merge)
    succeed(side, "/v1/records/three/contest", {"contesting_ref": "four"})
    succeed(side, "/v1/records/three/resolve", {"resolution": "keep"})
    succeed(side, "/v1/records/four", {"scope": "elsewhere", "tags": ["moved"]}, "PATCH")
    succeed(side, "/v1/records/four/retract", {"rationale": "no"})
    succeed(side, "/v1/records/four", {"retracted": False}, "PATCH")
    succeed(side, "/v1/records/five", None, "DELETE")
    succeed(side, "/v1/records/five/restore", {})
    succeed(side, "/v1/records/five?erase=true", None, "DELETE")
    succeed(side, "/v1/records", {"record": a_fact("deleted")})
    succeed(side, "/v1/records/deleted", None, "DELETE")
    fades = {"decay": {"half_life_seconds": 60}}
    succeed(side, "/v1/records", {"record": a_fact("fades", lifecycle=fades)})


def entities(side: Side) -> None:
    """Entities that are merged, split, renamed, moved and mentioned."""
    for name, called in (("bob", "Bob"), ("robert", "Robert"), ("sue", "Sue Smith")):
        succeed(side, "/v1/records", {"record": an_entity(name, called)})
    observe(side, "Bob", "knows", "Sue Smith")
    succeed(side, "/v1/entities/robert/merge", {"entity_ids": ["bob"]})
    for place in ("bob", "robert", "robert/mentions", "robert/mentions?limit=1"):
        side.ask("GET", f"/v1/entities/{place}")
    succeed(side, "/v1/entities/robert/split", {"entity_id": "bob"})
    succeed(side, "/v1/records/sue/supersede", {"new_record": an_entity("susan", "Susan Smith")})
    succeed(side, "/v1/records/robert", {"scope": "elsewhere"}, "PATCH")


def topics(side: Side) -> None:
    """Topics that grow, nest, promote, link, fold, and are told of by observations."""
    for name in ("service", "team", "twin", "twin-too"):
        title = name.removesuffix("-too")
        succeed(side, "/v1/topics", {"topic_id": name, "title": title, "summary": f"A {title}"})
    many = [{"name": f"field {n}", "value": n} for n in range(120)]
    told: dict[str, Any] = {"title": "service", "fields": [*many, {"name": "text", "value": LARGE}]}
    told |= {"edges": [{"to_topic_id": "team", "kind": "owned_by"}], "suggest_similar": True}
    for _ in range(2):
        succeed(side, "/v1/ingest", told)
    for n in range(6):
        succeed(side, "/v1/topics/service/fields", {"field_name": "n", "value": n})
    succeed(side, "/v1/topics/service/fields/n/ref", {"ref_topic_id": "team"}, "PUT")
    succeed(side, "/v1/topics/service/relationships", {"to_topic_id": "team", "kind": "runs"})
    succeed(side, "/v1/topics/team", {"summary": "People of the service"}, "PATCH")
    side.ask("GET", "/v1/topics/service/fields/n?archived=true")
    succeed(side, "/v1/topics/service/nest-fields", {"field_names": ["n"], "nest_key": "g"})
    succeed(side, "/v1/topics/service/unnest-fields", {"nest_key": "g"})
    child = {"field_names": ["n"], "child_title": "child", "child_topic_id": "child"}
    succeed(side, "/v1/topics/service/promote-nested", child)
    succeed(side, "/v1/topics/service/undo-nested", {"child_topic_id": "child"})
    runs = "/v1/topics/service/relationships?to_topic_id=team&kind=runs"
    succeed(side, runs, None, "DELETE")
    succeed(side, f"/v1/topics/service/fields/{quote('field 1')}", None, "DELETE")
    succeed(side, "/v1/topics/team", None, "DELETE")
    succeed(side, "/v1/topics/team/restore", {})
    succeed(side, "/v1/reason", {"dry_run": True})
    succeed(side, "/v1/reason", {"dry_run": False})
    for number in range(4):
        observe(side, "Grace", "likes", f"tea {number}")
    succeed(side, "/v1/topics", {"topic_id": "gone", "title": "gone"})
    succeed(side, "/v1/topics/gone?erase=true", None, "DELETE")


def documents(side: Side) -> None:
    """Keyed documents with versions, lists, conditions, claims, batches and an end."""
    ada, chat = "/v1/documents/users/ada/note", "/v1/documents/chats/42"
    for number in range(6):
        value = {"text": f"{number}{LARGE * 2 if number % 2 else ''}", "n": number}
        body = {"value": value, "operation_id": f"edition-{number}", "ttl_seconds": 9_000}
        succeed(side, ada, body, "PUT")
    succeed(side, "/v1/documents/logs/build", {"value": upload(side, LARGE * 2)}, "PUT")
    succeed(side, "/v1/documents/users/bob/tea", {"value": "Bob drinks tea", "index": True}, "PUT")
    side.ask("PUT", ada, {"value": 1}, headers={"if-match": '"3"'})
    side.ask("PUT", ada, {"value": 1}, headers={"if-none-match": "*"})
    for item in ("one", "two", "three"):
        succeed(side, f"{chat}/items", {"items": [item, {"long": LARGE[:9_000]}]})
    side.ask("GET", f"{ada}?history=9&verify=true")
    side.ask("GET", f"{chat}?items=2")
    succeed(side, f"{chat}?items=1", None, "DELETE")
    operations: list[Any] = [
        {"op": "put", "namespace": ["users", "eve"], "key": "x", "value": {"tags": ["a", "b"]}},
        {"op": "get", "namespace": ["users", "bob"], "key": "tea"},
        {"op": "search", "namespace_prefix": ["users"], "query": "who drinks"},
        {"op": "delete", "namespace": ["users", "eve"], "key": "x"},
        {"op": "namespaces"},
        {"op": "get", "namespace": ["users", "eve"], "key": "x"},
    ]
    succeed(side, "/v1/documents/batch", {"operations": operations})
    side.ask("GET", "/v1/document-operations?operation_id=edition-5")
    succeed(side, f"{ada}?erase=true", None, "DELETE")


def agents(side: Side) -> None:
    """Tools, called by name, over MCP and by the model of a conversation."""

    def call(tool: str, **arguments: Any) -> Any:
        return succeed(side, f"/v1/tools/{tool}", {"arguments": arguments})["result"]

    for said in ("much", "little"):
        call("remember", subject="lamp", predicate="is said to be", object=said)
    call("remember", text="The region is eu-central-1.")
    for state in ("planning", "done"):
        call("working_state", thread_id="of-agents", state=state, summary="Deploying")
    call("working_state", thread_id="of-agents")
    found = call("recall", query="lamp", limit=20)
    ids = [each["id"] for each in found["memories"] if each["type"] == "semantic"]
    call("recall", subject="lamp")
    call("about", name="Sue Smith")
    worked = call("record_outcome", status="success", task="done", receipt_id=found["receipt_id"])
    call("record_outcome", status="failure", record_id=worked["id"], used_ids=ids[:1])
    corrected = call("correct", id=ids[0], object="new")["id"]
    call("read", id=corrected, history=True)
    call("forget", ids=[corrected])
    call("memory_create_topic", topic_id="ada", title="Ada", summary="A person")
    for city in ("Rome", "Paris"):
        call("memory_append_field", topic_id="ada", field_name="city", value=city)
    call("memory_get_topic", topic_id="ada")
    for command in ('/recall {"query": "tea"}', "Where is Ada?", "Ada likes chess."):
        for profile in ("agent", "memstate"):
            messages = [{"role": "user", "content": command}]
            succeed(side, "/v1/chat", {"messages": messages, "profile": profile})


def learn(side: Side) -> None:
    """Threads that become traces, skills and plans, and the credit of what was used."""
    for number in range(3):
        work = {**TEAM, "thread_id": f"release-{number}"}
        for step, tool in enumerate(("test", "build", "deploy")):
            output = {"tool_name": tool, "args": {"n": step}, "result": "ok", "status": "success"}
            succeed(side, "/v1/ingest/tool-output", {**work, **output})
        state = {"state": "done", "context_summary": "Release the service", "status": "success"}
        side.ask("POST", "/v1/ingest/working-state", {**work, **state})
    asked = {"scope": "team", "quiet_minutes": 0}
    succeed(side, "/v1/consolidate", asked)
    succeed(side, "/v1/consolidate", {**asked, "dry_run": False})
    side.advance(HOUR_S)
    side.invoke("ConsolidateFunction", {"membrane-consolidate": {}})
    side.ask("GET", "/v1/consolidations?scope=team&limit=2")
    found = succeed(side, "/v1/retrieve", {"task_descriptor": "release the service", "limit": 3})
    side.ask("GET", f"/v1/receipts/{found['receipt_id']}")
    used = [each["id"] for each in found["records"]]
    episode = succeed(side, "/v1/ingest/event", {**TEAM, "event_kind": "run", "ref": "9"})["record"]
    outcome = {"source": "ci", "target_record_id": episode["id"], "outcome_status": "success"}
    credit = {"receipt_id": found["receipt_id"], "used_ids": used}
    side.ask("POST", "/v1/ingest/outcome", {**outcome, **credit})


def study(side: Side) -> None:
    """A document studied in three editions, and removed; a study without tokens, given up."""
    document = ""
    for number in range(3):
        text = f"## Safety\n\nGrace said {number}.\n\n## Care\n\nOil every {number} days."
        job = study_text(side, "manual", text=text, with_model=number == 2)
        document = side.ask("GET", f"/v1/studies/{job}")["document_id"]
    for dry_run in (True, False):
        succeed(side, "/v1/studies/remove", {"document_id": document, "dry_run": dry_run})

    long = "\n\n".join(f"## Part {n}\n\n{LARGE[n * 900 : (n + 1) * 900]}" for n in range(12))
    waiting = study_text(side, "long", text=long, with_model=True)
    failed = {"study": {"id": waiting, "attempt": 1}, "failure": {"Error": "States.Timeout"}}
    side.invoke("StudyFunction", failed)
    for act in ("resume", "cancel"):
        succeed(side, f"/v1/studies/{waiting}/{act}", None)
        side.ask("GET", f"/v1/studies/{waiting}")


def study_text(side: Side, source: str, *, text: str = "", with_model: bool = False) -> str:
    """The id of a study, which is done unless the tokens of the day are used up."""
    told = {"title": source, "source": source, "document": f"# {source}\n\n{text}\n"}
    job = succeed(side, "/v1/studies", {**told, "scope": "team", "with_model": with_model})
    side.ask("GET", f"/v1/studies/{job['id']}")
    return str(job["id"])


ALL = (ingest, revise, entities, topics, documents, agents, learn, study)
