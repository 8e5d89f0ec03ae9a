"""A client of the routes of topics, with one key."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from tests.worlds.api import Api, Reply

SOON_S = 60
"""Longer than changes of a scope are gathered before it is reasoned about."""

DAY_S = 86_400


def field(name: str, value: Any = "", **more: Any) -> dict[str, Any]:
    """What is told of one field."""
    return {"name": name, "value": value, **more}


def values(shown: dict[str, Any]) -> list[Any]:
    """Of a field, the newest first."""
    return [each["value"] for each in shown["history"]]


def named(candidate: dict[str, Any]) -> list[str]:
    """The fields of a candidate, in order."""
    return [each["name"] for each in candidate["fields"]]


@dataclass(frozen=True, slots=True)
class Topics:
    """What the routes answer; the replies of edits without their consistency tokens."""

    api: Api
    key: str | None = None

    def of(self, *scopes: str, ceiling: str = "medium", **rights: Any) -> "Topics":
        """The same with a key for these scopes."""
        key = self.api.key_for(scopes=scopes, max_sensitivity=ceiling, **rights)
        return replace(self, key=key)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """The reply to a request of the path below `/v1`."""
        return self.api.call(method, f"/v1/{path}", body, key=self.key, headers=headers)

    def do(self, method: str, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
        """What a request that is taken is told."""
        reply = self.call(method, path, body, **headers)
        assert reply.status == 200, reply.body
        return {name: each for name, each in reply.body.items() if name != "consistency_token"}

    def refusal(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """The status and the detail of a refusal, which changes nothing."""
        with self.unchanged():
            reply = self.call(method, path, body)
        assert reply.status >= 400, reply.body
        return reply.status, reply.body["detail"]

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """The block leaves the table as it was."""
        before = self.api.stored()
        yield
        assert self.api.stored() == before

    # --- editing ---

    def make(self, title: str = "Ada", fields: dict[str, Any] | None = None, **body: Any) -> str:
        """The id of a new topic with these fields."""
        made = self.do("POST", "topics", {"title": title, **body})["topic_id"]
        for name, value in (fields or {}).items():
            self.append(made, name, value)
        return str(made)

    def append(self, topic_id: str, name: str, value: Any, **more: Any) -> str:
        """The version id of one revision more."""
        body = {"field_name": name, "value": value, **more}
        return str(self.do("POST", f"topics/{topic_id}/fields", body)["version_id"])

    def change(self, topic_id: str, **body: Any) -> None:
        self.do("PATCH", f"topics/{topic_id}", body)

    def delete(self, topic_id: str, *, name: str | None = None, erase: bool = False) -> None:
        """Delete a topic, or one of its fields."""
        rest = "" if name is None else f"/fields/{quote(name, safe='')}"
        self.do("DELETE", f"topics/{topic_id}{rest}{'?erase=true' if erase else ''}")

    def relate(self, from_id: str, kind: str, to_id: str) -> None:
        body = {"to_topic_id": to_id, "kind": kind}
        self.do("POST", f"topics/{from_id}/relationships", body)

    def part(self, from_id: str, kind: str, to_id: str) -> None:
        query = urlencode({"to_topic_id": to_id, "kind": kind})
        self.do("DELETE", f"topics/{from_id}/relationships?{query}")

    def point(self, topic_id: str, name: str, at: str | None) -> None:
        """Let a field refer to a topic, or to none."""
        path = f"topics/{topic_id}/fields/{quote(name, safe='')}/ref"
        self.do("PUT", path, {"ref_topic_id": at})

    def nest(self, topic_id: str, key: str, *names: str) -> dict[str, Any]:
        body = {"field_names": names, "nest_key": key}
        return self.do("POST", f"topics/{topic_id}/nest-fields", body)

    def tell(self, *fields: dict[str, Any], **body: Any) -> dict[str, Any]:
        """Tell of something; without a placement the service finds where it belongs."""
        return self.do("POST", "ingest", {"fields": fields, **body})

    # --- reading ---

    def read(self, topic_id: str, **query: str) -> dict[str, Any]:
        return self.do("GET", f"topics/{topic_id}?{urlencode(query)}")

    def field(self, topic_id: str, name: str, **query: str) -> dict[str, Any]:
        """One field of a topic."""
        path = f"topics/{topic_id}/fields/{quote(name, safe='')}"
        return self.do("GET", f"{path}?{urlencode(query)}")

    def values(self, topic_id: str, name: str) -> list[Any]:
        """All values of a field, archived ones too, the newest first."""
        return values(self.field(topic_id, name, archived="true"))

    def kinds(self, topic_id: str) -> list[str]:
        """What happened to a topic, the first thing first."""
        return [each["kind"] for each in self.read(topic_id)["topic_history"]]

    def last(self, topic_id: str) -> dict[str, Any]:
        """What happened to a topic last."""
        return dict(self.read(topic_id)["topic_history"][-1])

    def listed(self, **query: str) -> list[str]:
        """Ids of the topics of a page, in order."""
        return list(self.do("GET", f"topics?{urlencode(query)}")["topic_ids"])

    def graph(self, **query: str) -> dict[str, Any]:
        return self.do("GET", f"graph?{urlencode(query)}")

    def ask(self, q: str = "", **body: Any) -> list[dict[str, Any]]:
        """The candidates of a query that changes nothing."""
        return list(self.do("POST", "query", {"q": q, "reinforce": False, **body})["candidates"])

    def found(self, q: str = "", **body: Any) -> list[str]:
        """Their ids."""
        return [each["topic_id"] for each in self.ask(q, **body)]

    def one(self, q: str = "", **body: Any) -> dict[str, Any]:
        """The only candidate."""
        (candidate,) = self.ask(q, **body)
        return candidate

    # --- what happens by itself ---

    def settle(self) -> None:
        """Wait until what was written is in the search index."""
        assert self.api.get("/_dev/queues?wait").status == 200

    def freeze(self) -> None:
        """Let time stand still, but for `wait`."""
        assert self.api.post("/_dev/clock", {"frozen": True}).status == 200

    def now(self) -> str:
        """The present instant as the service writes it: without zeros behind the fraction."""
        utc = self.api.functions.clock.now().isoformat(timespec="microseconds").split("+")[0]
        return f"{utc.rstrip('0').rstrip('.')}Z"

    def wait(self, seconds: float = SOON_S) -> None:
        """Let so much time pass, and what is due by then be done."""
        self.settle()
        assert self.api.post("/_dev/clock", {"advance_seconds": seconds}).status == 200
        self.settle()

    def reason(self, scope: str = "", *, dry_run: bool = False, **body: Any) -> dict[str, Any]:
        """Have a scope reasoned about, in as many calls as it takes."""
        asked = {"scope": scope, "dry_run": dry_run, **body}
        told = self.do("POST", "reason", asked)
        while not told["complete"]:
            more = self.do("POST", "reason", {**asked, "cursor": told["next_cursor"]})
            actions = [*told["actions"], *more["actions"]]
            told = {**more, "actions": actions, "planned": len(actions)}
        return told

    def actions(self, **query: str) -> list[dict[str, Any]]:
        """A page of the log of what was done by itself."""
        return list(self.do("GET", f"reason/actions?{urlencode(query)}")["actions"])

    def schedule(self) -> None:
        """What the schedule has done."""
        self.api.invoke("ReasonFunction", {"membrane-reason": {}})
        self.settle()
