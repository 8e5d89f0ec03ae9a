"""An entity that was exported and restored is found by its names, as in the first memory."""

from typing import Any

from tests.worlds.api import Api
from tests.worlds.archiving import Pair, exported, lines_in, restored

SCOPE = "project:alpha"
TEXTS = (
    "Orion talks to @robert about the rollout",
    "Vega and Bobby wait for Orion",
    {"subject": "Orion", "predicate": "runs on", "object": "Vega"},
)


def entity(api: Api, name: str, **fields: Any) -> str:
    payload = {"kind": "entity", "canonical_name": name, "primary_type": "Service", **fields}
    record = {"type": "entity", "sensitivity": "low", "scope": SCOPE, "payload": payload}
    return str(api.post("/v1/records", record).record["id"])


def captured(api: Api, content: Any) -> dict[str, Any]:
    asked = {"source": "agent", "source_kind": "event", "scope": SCOPE, "content": content}
    reply = api.post("/v1/capture", asked)
    assert reply.status == 201, reply.body
    return dict(reply.body)


def live(api: Api) -> None:
    """Entities of one name, merged, replaced, deleted and retracted, and captures of some."""
    first = entity(api, "Orion", aliases=[{"value": "Orion Belt"}])
    assert api.post("/_dev/clock", {"advance_seconds": 1}).status == 200
    entity(api, "Orion")
    robert, bob = entity(api, "Robert"), entity(api, "Bobby", aliases=[{"value": "Bob"}])
    for path, body in (
        (f"/v1/entities/{robert}/merge", {"entity_ids": [bob]}),
        (f"/v1/records/{entity(api, 'Gone')}/retract", {}),
    ):
        assert api.post(path, body).status == 200
    assert api.call("DELETE", f"/v1/records/{entity(api, 'Deleted')}").status == 204
    for text in TEXTS:
        reply = captured(api, text)
        assert first in str(reply["edges"])


def seen(api: Api) -> Any:
    """The lists of entities, and what captures find."""
    listed = api.get(f"/v1/entities?scope={SCOPE}")
    assert listed.status == 200, listed.body
    found = []
    for content in (*TEXTS, "Bob met Gone and Deleted near Orion Belt"):
        mentions = captured(api, content)["primary_record"]["interpretation"]["mentions"]
        found.append({each["surface"]: each.get("canonical_entity_id") for each in mentions})
    return listed.body["entities"], found


def known(answer: Any, ids: set[str]) -> Any:
    """The answer with a word in place of each id that only one of the stacks knows."""
    entities, found = answer
    return entities, [
        {surface: each if each in ids else "new" for surface, each in mentions.items()}
        for mentions in found
    ]


def test_restored_entities_are_listed_and_found_as_in_the_first_memory(pair: Pair) -> None:
    live(pair.source)
    pair.level_clocks()
    content = exported(pair.source)

    result = restored(pair.target, content)

    assert (result["status"], result["refused"]) == ("done", 0), result
    ids = {line["record"]["id"] for line in lines_in(content) if line.get("kind") == "record"}
    assert known(seen(pair.target), ids) == known(seen(pair.source), ids)


def test_a_second_restore_changes_no_name(pair: Pair) -> None:
    live(pair.source)
    pair.level_clocks()
    content = exported(pair.source)
    restored(pair.target, content, "first.ndjson")
    before = names_in(pair.target)

    again = restored(pair.target, content, "second.ndjson")

    assert again["refused"] == 0
    assert names_in(pair.target) == before != {}


def names_in(api: Api) -> dict[str, Any]:
    return {place: item for place, item in api.stored().items() if place.startswith("names#")}
