"""A random memory, made by every operation on records and topics over HTTP."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

from membrane_local.http_messages import Request
from tests.worlds.api import Api, Reply

SCOPES = ("", "team:a", "team:b", "Ünïcødé/日本")
SUBJECTS = ("user", "server", "auth module")
PREDICATES = ("likes", "runs on", "is")
WORDS = ("python", "rust", "linux", "retries", "cache", "login", "timeout", "blue", "green")
THREADS = ("t-1", "t-2")


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that was sent under an idempotency key, to be repeated later."""

    method: str
    path: str
    body: Any
    key: str


@dataclass(slots=True)
class Memory:
    """The story of one memory: the ids of its records, and the requests that a repeat may send."""

    api: Api
    random: Random
    ids: list[str] = field(default_factory=list)
    topic_ids: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    """The requests that succeeded: a refused request may succeed later."""
    count: int = 0
    """The number of requests so far."""

    def act(self, name: str) -> None:
        """Send one request of the named kind; a refusal by a rule of the service is fine."""
        ACTIONS[name](self)

    def send(self, method: str, path: str, body: Any) -> Reply:
        """A request under a fresh idempotency key."""
        self.count += 1
        key = f"key-{self.count}"
        reply = self.api.call(method, path, body, headers={"idempotency-key": key})
        assert reply.status < 500, reply.body
        if reply.status < 300:
            self.sent.append(Sent(method, path, body, key))
            self._note(reply.body)
        return reply

    def some_id(self) -> str:
        return self.random.choice(self.ids) if self.ids else "nobody"

    def some_topic(self) -> str:
        return self.random.choice(self.topic_ids) if self.topic_ids else "nothing"

    def words(self) -> str:
        return " ".join(self.random.choices(WORDS, k=4)) + f" {self.count}"

    def scope(self) -> dict[str, str]:
        chosen = self.random.choice(SCOPES)
        return {"scope": chosen} if chosen else {}

    def why(self) -> dict[str, str]:
        return {"actor": "tester", "rationale": self.words()}

    def fact(self, **payload: Any) -> dict[str, Any]:
        """A full semantic record with evidence."""
        evidence = {
            "source_type": "observation",
            "source_id": "agent",
            "timestamp": "2026-01-01T00:00:00Z",
        }
        return {
            "type": "semantic",
            "sensitivity": self.random.choice(["low", "medium", "hyper"]),
            "tags": self.random.sample(WORDS, 2),
            "payload": {
                "kind": "semantic",
                "subject": self.random.choice(SUBJECTS),
                "predicate": self.random.choice(PREDICATES),
                "object": self.words(),
                "validity": {"mode": "global"},
                "evidence": [evidence],
                **payload,
            },
        }

    def large_text(self) -> str:
        """A text of so many bytes that the value is stored in the bucket."""
        seed = str(self.count).encode()
        digests = (hashlib.sha256(seed + bytes([n % 256, n // 256])).hexdigest() for n in range(9))
        return "".join(digests) * (1 + 131_072 // (9 * 64))

    def upload(self, value: Any) -> dict[str, str]:
        """The claim of a value that was uploaded."""
        content = json.dumps(value).encode()
        declared = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        opened = self.api.post("/v1/uploads", declared)
        assert opened.status == 201, opened.body
        url = urlsplit(opened.body["url"])
        headers = {"host": url.netloc, **opened.body["headers"]}
        request = Request("PUT", url.path, url.query, headers, content)
        assert self.api.application.answer(request).status == 200
        return {"$upload": opened.body["upload_id"]}

    def _note(self, body: Any) -> None:
        """Remember the ids of the records and topics in a reply."""
        if isinstance(body, dict):
            found = [body.get("record"), *body.get("records", [])]
            found += [each.get("record") for each in body.get("results", [])]
            for record in found:
                if isinstance(record, dict) and record["id"] not in self.ids:
                    self.ids.append(record["id"])
            for name in ("topic_id", "child_topic_id"):
                topic_id = body.get(name)
                if isinstance(topic_id, str) and topic_id not in self.topic_ids:
                    self.topic_ids.append(topic_id)


def _event(memory: Memory) -> None:
    body: dict[str, Any] = {"source": "agent", "event_kind": "build", **memory.scope()}
    decay = {"half_life_seconds": memory.random.choice([3600, 999_999])}
    body |= {"ref": memory.words(), "summary": memory.words(), "lifecycle": {"decay": decay}}
    memory.send("POST", "/v1/ingest/event", body)


def _tool_output(memory: Memory) -> None:
    body = {"source": "agent", "tool_name": "bash", "result": {"out": memory.words()}}
    memory.send("POST", "/v1/ingest/tool-output", body | memory.scope())


def _large_value(memory: Memory) -> None:
    value = memory.upload({"out": memory.large_text()})
    body = {"source": "agent", "tool_name": "cat", "result": value, **memory.scope()}
    memory.send("POST", "/v1/ingest/tool-output", body)


def _large_document(memory: Memory) -> None:
    text = memory.large_text()[:90_000]
    body = {"source": "agent", "event_kind": "log", "ref": memory.words(), "summary": text}
    memory.send("POST", "/v1/ingest/event", body)


def _observation(memory: Memory) -> None:
    fact = memory.fact()["payload"]
    said = {name: fact[name] for name in ("subject", "predicate", "object")}
    memory.send("POST", "/v1/ingest/observation", {"source": "agent", **said, **memory.scope()})


def _working_state(memory: Memory) -> None:
    thread = memory.random.choice(THREADS)
    state = {"thread_id": thread, "state": "planning", "context_summary": memory.words()}
    memory.send("POST", "/v1/ingest/working-state", {"source": "agent", **state})


def _messages(memory: Memory) -> None:
    talk = [
        {"role": "user", "content": memory.words()},
        {"role": "assistant", "content": memory.words()},
    ]
    body = {"thread_id": memory.random.choice(THREADS), "messages": talk, **memory.scope()}
    memory.send("POST", "/v1/messages", body)


def _outcome(memory: Memory) -> None:
    body = {"source": "judge", "target_record_id": memory.some_id(), "outcome_status": "success"}
    memory.send("POST", "/v1/ingest/outcome", body)


def _full_record(memory: Memory) -> None:
    record = memory.fact() | memory.scope()
    if memory.random.random() < 0.5:
        record["id"] = f"chosen-{memory.count}"
    if memory.ids:
        record["relations"] = [{"predicate": "about", "target_id": memory.some_id()}]
    if memory.random.random() < 0.3:
        record["lifecycle"] = {"decay": {"half_life_seconds": 77_777}}
    memory.send("POST", "/v1/records", {"record": record})


def _skill(memory: Memory) -> None:
    payload = {
        "kind": "competence",
        "skill_name": memory.words(),
        "triggers": [{"signal": memory.words()}],
        "recipe": [{"step": memory.words()}],
    }
    record = {"type": "competence", "sensitivity": "low", "payload": payload, **memory.scope()}
    memory.send("POST", "/v1/records", {"record": record})


def _entity(memory: Memory) -> None:
    payload = {"kind": "entity", "canonical_name": memory.words()}
    record = {"type": "entity", "sensitivity": "low", "payload": payload, **memory.scope()}
    memory.send("POST", "/v1/records", {"record": record})


def _change(how: str, **fields: Any) -> Callable[[Memory], None]:
    def send(memory: Memory) -> None:
        path = f"/v1/records/{memory.some_id()}/{how}"
        memory.send("POST", path, memory.why() | fields)

    return send


def _supersede(memory: Memory) -> None:
    body = {"new_record": memory.fact(), **memory.why()}
    memory.send("POST", f"/v1/records/{memory.some_id()}/supersede", body)


def _fork(memory: Memory) -> None:
    body = {"forked_record": memory.fact(), **memory.why()}
    memory.send("POST", f"/v1/records/{memory.some_id()}/fork", body)


def _merge(memory: Memory) -> None:
    ids = sorted({memory.some_id(), memory.some_id()})
    body = {"ids": ids, "merged_record": memory.fact(), **memory.why()}
    memory.send("POST", "/v1/records/merge", body)


def _contest(memory: Memory) -> None:
    body = {"contesting_ref": memory.some_id(), **memory.why()}
    memory.send("POST", f"/v1/records/{memory.some_id()}/contest", body)


def _reclassify(memory: Memory) -> None:
    changes: tuple[Mapping[str, Any], ...] = (
        {"tags": memory.random.sample(WORDS, 3)},
        {"sensitivity": "high"},
        {"scope": "team:b"},
        {"retracted": False},
    )
    body = {**memory.random.choice(changes), **memory.why()}
    memory.send("PATCH", f"/v1/records/{memory.some_id()}", body)


def _change_lifecycle(memory: Memory) -> None:
    body = {"deletion_policy": memory.random.choice(["manual_only", "never", "auto_prune"])}
    memory.send("PATCH", f"/v1/records/{memory.some_id()}/lifecycle", body | memory.why())


def _delete(memory: Memory) -> None:
    memory.send("DELETE", f"/v1/records/{memory.some_id()}", memory.why())


def _erase(memory: Memory) -> None:
    memory.send("DELETE", f"/v1/records/{memory.some_id()}?erase=true", memory.why())


def _sweep(memory: Memory) -> None:
    memory.api.post("/_dev/clock", {"advance_seconds": memory.random.choice([60, 9_000, 90_000])})
    memory.api.invoke("DecayFunction", {})


def _long_trail(memory: Memory) -> None:
    """So many changes that audit entries and versions leave the record's own item."""
    target = memory.some_id()
    for number in range(20):
        tags = {"tags": [f"tag-{number}"], **memory.why()}
        memory.send("PATCH", f"/v1/records/{target}", tags)


def _new_topic(memory: Memory) -> None:
    body = {
        "title": memory.random.choice([*SUBJECTS, memory.words()]),
        "summary": memory.words(),
        "sensitivity": memory.random.choice(["low", "hyper"]),
        **memory.scope(),
    }
    if memory.random.random() < 0.5:
        body["topic_id"] = f"topic-{memory.count}"
    memory.send("POST", "/v1/topics", body)


def _told_topic(memory: Memory) -> None:
    """A placed observation with fields and an edge."""
    told: dict[str, Any] = {
        "title": memory.random.choice(SUBJECTS),
        "fields": [{"name": name, "value": memory.words()} for name in PREDICATES],
        **memory.scope(),
    }
    if memory.topic_ids:
        told["edges"] = [{"to_topic_id": memory.some_topic(), "kind": "near"}]
    memory.send("POST", "/v1/ingest", told)


def _append_field(memory: Memory) -> None:
    name = memory.random.choice([*PREDICATES, "manual", "g.deep"])
    body = {"field_name": name, "value": memory.words(), "why_changed": memory.words()}
    if memory.random.random() < 0.3:
        body["valid_from"] = "2026-01-01T00:00:00Z"
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/fields", body)


def _large_field(memory: Memory) -> None:
    text = memory.large_text()
    halves = [text[:90_000], text[90_000:180_000]]
    body = {"field_name": "manual", "value": halves}
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/fields", body)


def _long_history(memory: Memory) -> None:
    """So many changes that audit events leave the topic's own item."""
    topic_id = memory.some_topic()
    for number in range(20):
        body = {"field_name": "n", "value": number}
        memory.send("POST", f"/v1/topics/{topic_id}/fields", body)


def _change_topic(memory: Memory) -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"title": memory.words()},
        {"summary": memory.words()},
        {"sensitivity": "high"},
        {"salience": 0.5},
        {"archived": True},
        {"archived": False},
    )
    path = f"/v1/topics/{memory.some_topic()}"
    memory.send("PATCH", path, memory.random.choice(changes))


def _relate_topics(memory: Memory) -> None:
    body = {"to_topic_id": memory.some_topic(), "kind": memory.random.choice(["is", "runs"])}
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/relationships", body)


def _unrelate_topics(memory: Memory) -> None:
    query = f"to_topic_id={memory.some_topic()}&kind={memory.random.choice(['is', 'near'])}"
    memory.send("DELETE", f"/v1/topics/{memory.some_topic()}/relationships?{query}", None)


def _delete_field(memory: Memory) -> None:
    name = memory.random.choice(["likes", "is", "n"])
    memory.send("DELETE", f"/v1/topics/{memory.some_topic()}/fields/{name}", None)


def _refer(memory: Memory) -> None:
    body = {"ref_topic_id": memory.some_topic()}
    memory.send("PUT", f"/v1/topics/{memory.some_topic()}/fields/is/ref", body)


def _nest(memory: Memory) -> None:
    body = {"field_names": ["likes"], "nest_key": "g"}
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/nest-fields", body)


def _unnest(memory: Memory) -> None:
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/unnest-fields", {"nest_key": "g"})


def _promote(memory: Memory) -> None:
    body = {"field_names": ["likes"], "child_title": memory.words()}
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/promote-nested", body)


def _undo_promotion(memory: Memory) -> None:
    body = {"child_topic_id": memory.some_topic()}
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/undo-nested", body)


def _delete_topic(memory: Memory) -> None:
    memory.send("DELETE", f"/v1/topics/{memory.some_topic()}", None)


def _restore_topic(memory: Memory) -> None:
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/restore", {})


def _erase_topic(memory: Memory) -> None:
    fields = [{"name": "is", "value": memory.words()}]
    told = {"title": memory.words(), "placement": "new_topic", "fields": fields}
    topic_id = memory.send("POST", "/v1/ingest", told).body["topic_id"]
    memory.send("DELETE", f"/v1/topics/{topic_id}?erase=true", None)


def _reason(memory: Memory) -> None:
    """Merge duplicates once the index has caught up."""
    assert memory.api.get("/_dev/queues?wait").status == 200
    memory.send("POST", "/v1/reason", {"dry_run": False})


def _unmerge(memory: Memory) -> None:
    memory.send("POST", f"/v1/topics/{memory.some_topic()}/unmerge", {})


def _forget_topics(memory: Memory) -> None:
    """A step of the ladder: histories move into archives, topics fade.

    Receipts may expire meanwhile, and a repeat without a receipt is a new request.
    """
    memory.sent.clear()
    memory.api.post("/_dev/clock", {"advance_seconds": memory.random.choice([40, 200]) * 86_400})
    memory.api.invoke("ReasonFunction", {"membrane-reason": {}})
    assert memory.api.get("/_dev/queues?wait").status == 200


def _query_topics(memory: Memory) -> None:
    """A read that raises the salience of the topics found."""
    memory.send("POST", "/v1/query", {"q": memory.random.choice(WORDS)})
    assert memory.api.get("/_dev/queues?wait").status == 200


def _system_context(memory: Memory) -> None:
    body = {"system_role": memory.words(), "runtime_context": memory.words()}
    memory.send("PUT", "/v1/system-context", body)


OF_TOPICS: Mapping[str, Callable[[Memory], None]] = {
    "new topic": _new_topic,
    "told topic": _told_topic,
    "field": _append_field,
    "large field": _large_field,
    "long history": _long_history,
    "change topic": _change_topic,
    "relate topics": _relate_topics,
    "unrelate topics": _unrelate_topics,
    "delete field": _delete_field,
    "refer": _refer,
    "nest": _nest,
    "unnest": _unnest,
    "promote": _promote,
    "undo promotion": _undo_promotion,
    "delete topic": _delete_topic,
    "restore topic": _restore_topic,
    "erase topic": _erase_topic,
    "reason": _reason,
    "unmerge": _unmerge,
    "forget topics": _forget_topics,
    "query topics": _query_topics,
    "system context": _system_context,
}
"""Every operation that makes, changes or ends topics."""

ACTIONS: Mapping[str, Callable[[Memory], None]] = {
    **OF_TOPICS,
    "event": _event,
    "tool output": _tool_output,
    "large value": _large_value,
    "large document": _large_document,
    "observation": _observation,
    "working state": _working_state,
    "messages": _messages,
    "outcome": _outcome,
    "full record": _full_record,
    "skill": _skill,
    "entity": _entity,
    "reinforce": _change("reinforce"),
    "penalize": _change("penalize", amount=0.1),
    "pin": _change("pin"),
    "unpin": _change("unpin"),
    "retract": _change("retract"),
    "resolve": _change("resolve", resolution="keep"),
    "restore": _change("restore"),
    "supersede": _supersede,
    "fork": _fork,
    "merge": _merge,
    "contest": _contest,
    "reclassify": _reclassify,
    "change lifecycle": _change_lifecycle,
    "delete": _delete,
    "erase": _erase,
    "sweep": _sweep,
    "long trail": _long_trail,
}
"""Every operation that makes, changes or ends records or topics."""
