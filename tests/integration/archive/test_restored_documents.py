"""Keyed documents of a restored memory answer as in the first memory, and are found by meaning."""

from typing import Any

from tests.worlds.api import Api
from tests.worlds.archiving import Pair, exported, lines_in, restored

TEAM = "team:a"
PATHS = ("users/ada/profile", "notes/tea", "notes/zinc", "chats/42", "notes/gone", "notes/erased")
SHOWN = f"scope={TEAM}&history=100&items=100&verify=true"


def sent(api: Api, method: str, path: str, body: Any = None, **options: Any) -> Any:
    reply = api.call(method, f"/v1/documents/{path}", body, **options)
    assert reply.status == 200, reply.body
    return reply.body


def live(api: Api) -> None:
    """Documents with history, large values, lists, and what deletions and erasures leave."""
    for number in range(8):
        value = {"edition": number, "text": "x" * (200_000 if number % 3 == 0 else 500)}
        sent(api, "PUT", PATHS[0], {"value": value, "scope": TEAM, "rationale": f"no. {number}"})
    for path, text in ((PATHS[1], "Boil the kettle"), (PATHS[2], "Order zinc")):
        sent(api, "PUT", path, {"value": {"text": text}, "index": True, "scope": TEAM})
    for items in (["one", {"two": 2}], ["three"], ["four"]):
        sent(api, "POST", f"{PATHS[3]}/items", {"items": items, "scope": TEAM})
    sent(api, "DELETE", f"{PATHS[3]}?items=1&scope={TEAM}")
    for path, query in ((PATHS[4], ""), (PATHS[5], "&erase=true")):
        sent(api, "PUT", path, {"value": "secret", "scope": TEAM})
        sent(api, "DELETE", f"{path}?scope={TEAM}{query}")


def seen(api: Api) -> Any:
    shown = [sent(api, "GET", f"{path}?{SHOWN}") for path in PATHS]
    search = {"namespace_prefix": ["notes"], "query": "hot water", "scope": TEAM}
    found = sent(api, "POST", "search", search)
    assert found["documents"][0]["key"] == "tea"
    return _without_links(shown), found["documents"]


def _without_links(shown: Any) -> Any:
    """Links to large values are signed anew for each reply."""
    for each in shown:
        for version in (each["document"], *each["document"]["history"]):
            blob = version.get("value", {}) if isinstance(version.get("value"), dict) else {}
            blob.get("$blob", {}).pop("url", None)
    return shown


def test_restored_documents_answer_as_before(pair: Pair) -> None:
    live(pair.source)

    result = pair.move()

    assert (result["status"], result["refused"]) == ("done", 0), result
    assert seen(pair.target) == seen(pair.source)
    for api in (pair.source, pair.target):
        sent(api, "PUT", PATHS[0], {"value": "newer", "scope": TEAM, "expected_version": 8})
        sent(api, "POST", f"{PATHS[3]}/items", {"items": ["new"], "scope": TEAM})
    assert seen(pair.target) == seen(pair.source)


def test_an_export_of_a_scope_holds_the_documents_of_the_scope(pair: Pair) -> None:
    live(pair.source)
    sent(pair.source, "PUT", "notes/other", {"value": "elsewhere", "scope": "team:b"})

    lines = lines_in(exported(pair.source, {"scope": TEAM}))
    again = restored(pair.target, exported(pair.source, {"scope": TEAM}))
    twice = restored(pair.target, exported(pair.source, {"scope": TEAM}), "twice.ndjson")

    kept = [line["document"]["key"] for line in lines if line.get("kind") == "keyed_document"]
    assert sorted(kept) == sorted(path.rpartition("/")[2] for path in PATHS)
    assert (again["refused"], twice["refused"]) == (0, 0), (again, twice)
    assert pair.target.get("/v1/documents/notes/other?scope=team:b").status == 404
