"""Everything that a memory answers to readers, for a comparison of two stacks."""

from collections.abc import Sequence
from typing import Any

from tests.builders.random_memories import SCOPES, THREADS, Sent
from tests.worlds.api import Api
from tests.worlds.archiving import settle

TASKS = ("python cache timeout", "what runs on the server?")
TYPES = ("episodic", "working", "semantic", "competence", "plan_graph", "entity")
FIELDS_OF_TOPICS = tuple(
    f"/fields/{name}?with_history=true&archived=true"
    for name in ("likes", "is", "n", "manual", "g", "g.deep")
)
BY_CHANCE = frozenset({"receipt_id", "next_cursor", "request_id"})
"""Fields of replies that are random, or sealed under the key of a stack."""
OF_SWEEPS = frozenset({"hash", "previous_hash", "salt"})
"""Fields of audit entries that follow from a random salt."""


def records_of(api: Api, ids: Sequence[str]) -> dict[str, Any]:
    """The reply to every read of single records, by path."""
    paths = [
        f"/v1/records/{record_id}{rest}"
        for record_id in ids
        for rest in ("", "?resolve=latest", "/audit?verify=true", "/versions")
    ]
    return {path: answer(api, "GET", path) for path in paths}


def topics_of(api: Api, ids: Sequence[str]) -> dict[str, Any]:
    """The reply to every read of topics, by path."""
    paths = [
        f"/v1/topics/{topic_id}{rest}"
        for topic_id in ids
        for rest in ("", "?as_of=2026-11-24T08:00:00Z", *FIELDS_OF_TOPICS)
    ]
    for scope in SCOPES:
        paths += [f"{path}?scope={scope}&limit=50" for path in ("/v1/topics", "/v1/graph")]
        paths.append(f"/v1/reason/actions?scope={scope}")
    paths.append("/v1/system-context")
    return {path: answer(api, "GET", path) for path in paths}


def past_of(api: Api, ids: Sequence[str], instant: str) -> dict[str, Any]:
    """The reply to every read of single records as of an instant."""
    paths = [f"/v1/records/{record_id}?as_of={instant}" for record_id in ids]
    return {path: answer(api, "GET", path) for path in paths}


def lists_of(api: Api) -> dict[str, Any]:
    """The reply to every list, thread and retrieval without a task."""
    found = {}
    for scope in SCOPES:
        for kind in TYPES:
            path = f"/v1/records?scope={scope}&type={kind}&limit=50"
            found[path] = answer(api, "GET", path)
        for thread in THREADS:
            path = f"/v1/threads/{thread}?scope={scope}"
            found[path] = answer(api, "GET", path)
    for limit in (5, 100):
        asked = {"limit": limit}
        found[f"retrieve {limit}"] = answer(api, "POST", "/v1/retrieve", asked)
    return found


def metrics_of(api: Api) -> Any:
    """The reply to the metrics of all scopes."""
    return answer(api, "GET", "/v1/metrics")


def found_for_tasks(api: Api) -> dict[str, Any]:
    """The reply to every retrieval for a task, once the index has caught up."""
    assert api.get("/_dev/queues?wait").status == 200
    records = {
        task: answer(api, "POST", "/v1/retrieve", {"task_descriptor": task, "limit": 20})
        for task in TASKS
    }
    return records | {f"topics for {task}": queried(api, task) for task in TASKS}


def queried(api: Api, task: str) -> Any:
    """The reply to a query of topics, once the salience that the query adds is counted."""
    found = answer(api, "POST", "/v1/query", {"q": task})
    assert api.get("/_dev/queues?wait").status == 200
    return found


def repeats_of(api: Api, sent: Sequence[Sent]) -> list[Any]:
    """The reply to every request that is sent again under the same key.

    Once the stack has done what follows: a query is no write, and adds to the salience again.
    """
    replies = [
        answer(api, each.method, each.path, each.body, headers={"idempotency-key": each.key})
        for each in sent
    ]
    settle(api)
    return replies


def answer(api: Api, method: str, path: str, body: Any = None, **options: Any) -> Any:
    """Status and body of a reply, without fields that two equal stacks fill differently."""
    reply = api.call(method, path, body, **options)
    assert reply.status < 500, (path, reply.body)
    return reply.status, without(reply.body, BY_CHANCE)


def without(value: Any, names: frozenset[str]) -> Any:
    """The JSON value without the fields of these names, at any depth."""
    if isinstance(value, dict):
        return {name: without(each, names) for name, each in value.items() if name not in names}
    if isinstance(value, (list, tuple)):
        return [without(each, names) for each in value]
    return value
