"""Agents whose threads are learned from, over the routes and functions of a stack."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

from tests.worlds.api import Api

TOOLS = ("run_tests", "build", "deploy")
TEAM = "team"
LISTS = ("traces", "skills", "plans", "grown", "unmatched")
DAY_S = 86_400
SECOND = timedelta(seconds=1)


def triple(subject: str, value: Any, predicate: str = "owned_by") -> dict[str, Any]:
    """A part of a result that states a fact."""
    return {"subject": subject, "predicate": predicate, "object": value}


@dataclass(frozen=True, slots=True)
class Learner:
    """Reports of agents, and what comes of the reports; nothing is learned by itself."""

    api: Api
    numbers: Any = field(default_factory=count)

    def event(self, thread: str, summary: str, **fields: Any) -> str:
        """The id of an event that sets a task."""
        task = {"event_kind": "task", "ref": f"{thread}/task", "summary": summary}
        return self._reported("event", {**task, "thread_id": thread, **fields})

    def call(self, thread: str, tool: str, args: Any, result: Any, **fields: Any) -> str:
        """The id of a tool call."""
        asked = {"tool_name": tool, "thread_id": thread, "args": args, "result": result}
        return self._reported("tool-output", {**asked, **fields})

    def end(self, record_id: str, status: str = "success", **fields: Any) -> None:
        """Report the outcome of a thread by one of its records."""
        asked = {"target_record_id": record_id, "outcome_status": status, "source": "agent"}
        assert self.api.post("/v1/ingest/outcome", {**asked, **fields}).status == 200

    def release(
        self, thread: str, status: str = "success", word: str = "", **fields: Any
    ) -> list[str]:
        """The ids of a task and three calls; `word` stands in the task and in the values."""
        word = word or f"1.{next(self.numbers)}"
        image = f"parser-{word}"
        steps = [
            self.event(thread, f"Release the parser version {word}", **fields),
            self.call(thread, "run_tests", {"suite": "unit"}, {"passed": 412}, **fields),
            self.call(thread, "build", {"tag": word}, {"image": image}, **fields),
            self.call(thread, "deploy", {"image": image}, {"ok": True}, **fields),
        ]
        self.end(steps[-1], status)
        return steps

    def _reported(self, kind: str, asked: dict[str, Any]) -> str:
        self.api.functions.clock.advance(SECOND)  # steps are in the order of time
        usual = {"source": "agent", "scope": TEAM, "sensitivity": "low"}
        reply = self.api.post(f"/v1/ingest/{kind}", {**usual, **asked})
        return str(reply.record["id"])

    def later(self, seconds: float = 3_600) -> None:
        assert self.api.post("/_dev/clock", {"advance_seconds": seconds}).status == 200

    def run(self) -> dict[str, int]:
        """What the schedule's run makes in all scopes, once every thread is quiet."""
        self.later()
        done = self.api.invoke("ConsolidateFunction", {"membrane-consolidate": {}})
        assert done["failed"] == 0
        return dict(done)

    def made(self, scope: str = TEAM, key: str | None = None, **asked: Any) -> dict[str, Any]:
        """What a caller's run makes in the scope, at once."""
        body = {"scope": scope, "dry_run": False, "quiet_minutes": 0, **asked}
        reply = self.api.post("/v1/consolidate", body, key=key)
        assert reply.status == 200, reply.body
        assert reply.body["failed"] == 0
        return dict(reply.body)

    def skill(self, *threads: str, **fields: Any) -> str:
        """The id of the skill of a release in each thread."""
        for each in threads:
            self.release(each, **fields)
        (skill,) = self.made(fields.get("scope", TEAM))["skills"]
        return str(skill["id"])

    def record(self, record_id: str) -> dict[str, Any]:
        return self.api.get(f"/v1/records/{record_id}").record

    def lasting(self, record_id: str) -> dict[str, Any]:
        """The record without the salience, which fades."""
        return {**self.record(record_id), "salience": 0}

    def sources(self, record_id: str) -> list[str]:
        """The ids of the evidence of a trace, a skill or a plan."""
        return [each["ref"] for each in self.record(record_id)["provenance"]["sources"]]

    def counts(self, skill_id: str) -> tuple[int, int]:
        """The successes and failures of a skill."""
        found = self.record(skill_id)["payload"]["performance"]
        return found.get("success_count", 0), found.get("failure_count", 0)

    def status(self, record_id: str) -> str:
        """`gone`, `retracted` or `active`."""
        reply = self.api.get(f"/v1/records/{record_id}")
        if reply.status == 404:
            return "gone"
        revision = reply.record["payload"].get("revision", {})
        return str(revision.get("status", "active"))

    def facts(self, scope: str = TEAM) -> list[dict[str, Any]]:
        path = f"/v1/records?scope={scope}&type=semantic&limit=100"
        return list(self.api.get(path).body["records"])

    def listed(self, scope: str = TEAM) -> list[dict[str, Any]]:
        """The consolidations of a scope."""
        path = f"/v1/consolidations?scope={scope}&limit=100"
        return list(self.api.get(path).body["consolidations"])

    def delete(self, record_id: str, key: str | None = None, *, erase: bool = False) -> None:
        path = f"/v1/records/{record_id}{'?erase=true' if erase else ''}"
        assert self.api.call("DELETE", path, key=key).status == 204

    def fade(self, record_ids: Sequence[str]) -> None:
        """Let the sweep remove the records."""
        asked = {"decay": {"half_life_seconds": 71, "max_age_seconds": 1_000}}
        for each in record_ids:
            assert self.api.call("PATCH", f"/v1/records/{each}/lifecycle", asked).status == 200
        self.later(DAY_S)
        assert self.api.invoke("DecayFunction", {})["failed"] == 0
        assert {self.status(each) for each in record_ids} == {"gone"}
