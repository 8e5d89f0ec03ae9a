"""All that can be read of a memory, without a change of the memory."""

import json
from typing import Any
from urllib.parse import quote, urlencode

from tests.compare.sides import OWNER, Side

QUESTIONS = ("What does Ada like?", "release the service", "who owns billing", "stone weighs")


def look_at_everything(side: Side) -> None:
    """Lists page by page, each memory with its past, answers to questions, and checks."""
    ids = list[str]()
    for state in ("", "deleted"):
        for kind in ("", "semantic") if not state else ("",):
            query = {"limit": "40", "type": kind, "state": state}
            listed = pages(side, "/v1/records", {n: text for n, text in query.items() if text})
            ids += [each["id"] for page in listed for each in page["records"]]
    for each in dict.fromkeys([*ids, "one", "three", "five", "sample-fact", "union", "fades"]):
        place = f"/v1/records/{quote(each, safe='')}"
        for view in ("", "/versions", "/audit?verify=true"):
            side.ask("GET", f"{place}{view}")
    listed = pages(side, "/v1/topics", {"limit": "20", "include_archived": "true"})
    for each in (each for page in listed for each in page["topics"]):
        side.ask("GET", f"/v1/topics/{each['id']}")
        side.ask("GET", f"/v1/graph?topic_id={each['id']}&depth=2")
    for path in (
        *("/v1/entities?q=s", "/v1/entities/sue", "/v1/entities/bob/mentions", "/v1/namespaces"),
        *("/v1/metrics", "/v1/metrics?scope=team", "/v1/reason/actions", "/v1/system-context"),
        *("/v1/graph", "/v1/consolidations", "/v1/threads/of-agents/state", "/v1/exports"),
        *("/v1/topics/service/fields/n?archived=true", "/v1/tools"),
    ):
        side.ask("GET", path)
    side.ask("GET", "/_dev/queues", key=OWNER)
    side.ask("POST", "/v1/documents/search", {"query": "tea", "limit": 50})
    side.ask("POST", "/v1/documents/search", {"limit": 50})
    for question in QUESTIONS:
        task = {"task_descriptor": question}
        found = side.ask("POST", "/v1/retrieve", {**task, "limit": 5})
        if "next_cursor" in found:
            side.ask("POST", "/v1/retrieve", {**task, "limit": 5, "cursor": found["next_cursor"]})
        side.ask("POST", "/v1/retrieve/graph", {**task, "max_hops": 2})
        side.ask("POST", "/v1/query", {"q": question, "explain": True})
    side.ask("POST", "/v1/retrieve", {"limit": 40})
    side.ask("POST", "/v1/retrieve", {"subject": "Ada", "predicate": "likes"})
    side.ask("POST", "/v1/decay/preview", {"trust": {"scopes": ["team"]}})
    side.invoke("VerifyFunction", {"membrane-verify": {"after": None, "repair": False}})
    export(side, {})
    export(side, {"scope": "team"})


def pages(side: Side, path: str, query: dict[str, str]) -> list[Any]:
    """Every page of a list."""
    found = [side.ask("GET", f"{path}?{urlencode(query)}")]
    while cursor := found[-1].get("next_cursor"):
        found.append(side.ask("GET", f"{path}?{urlencode({**query, 'cursor': cursor})}"))
    return found


def export(side: Side, asked: dict[str, str]) -> str:
    """The lines of an export, which are compared line by line."""
    job = side.ask("POST", "/v1/exports", asked)["export"]["id"]
    done = side.ask("GET", f"/v1/exports/{job}")
    lines = [line for part in done["parts"] for line in side.follow("GET", part["url"])]
    return "".join(json.dumps(line) + "\n" for line in lines)
