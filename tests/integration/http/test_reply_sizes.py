"""Records about as large as a reply: refused before the write, or readable on every route."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.builders.requests import standing
from tests.builders.stored_records import formerly_tagged
from tests.builders.whole_payloads import WHOLE
from tests.worlds.agreed import MAX_REPLY_BYTES, reply_bytes
from tests.worlds.depth import cases
from tests.worlds.edge import Answered, Edge

ROOM = cases((*range(-440, -240, 20), 0, 1), (0, 1))
"""Bytes by which a record is larger than MAX_REPLY_BYTES, without its audit."""

GROWTH = cases((16_000, 16_300, 16_384, 16_500), (16_384, 16_500))
"""The same of a record that was changed."""

FACT = {**WHOLE["semantic"], "validity": {"mode": "global"}}
PAYLOADS = {**WHOLE, "semantic": FACT}
FILLERS = 62
TEXT = "x" * 100_000


def sources(filler: int) -> list[dict[str, Any]]:
    """Provenance of nearly as many bytes as a reply carries."""
    texts = [*[TEXT] * FILLERS, "y" * filler]
    return [{"kind": "event", "ref": each} for each in texts]


def a_record(kind: str, filler: int, **fields: Any) -> dict[str, Any]:
    """A full record with much provenance."""
    return {
        "type": kind,
        "sensitivity": "low",
        "payload": PAYLOADS[kind],
        "provenance": {"sources": sources(filler)},
        **fields,
    }


def bytes_of(edge: Edge, record_id: str) -> int:
    """Bytes of a stored record in a reply, without its audit."""
    record = edge.ask("GET /v1/records/{id}", path={"id": record_id}).body["record"]
    shown = {name: value for name, value in record.items() if name != "audit_count"}
    return reply_bytes({**shown, "audit_log": []})


@cache
def filler_for(size: int, made: Callable[[Edge, int], Answered]) -> int:
    """The filler with which the record that `made` makes takes MAX_REPLY_BYTES and `size` more."""
    edge = Edge()
    reply = made(edge, 1_000)
    record = reply.body["results"][0]["record"] if "results" in reply.body else reply.body["record"]
    return 1_000 + MAX_REPLY_BYTES + size - bytes_of(edge, record["id"])


def require_refused_or_readable(edge: Edge, reply: Answered, before: object) -> None:
    """Either nothing was written, or every route goes on answering 200."""
    if reply.status == 413:
        assert edge.memory.records.everything() == before
    else:
        assert reply.status < 300, reply.body
    for record_id in list(edge.memory.records.places):
        if edge.memory.records.load(record_id) is not None:
            require_readable(edge, record_id)


def require_readable(edge: Edge, record_id: str) -> None:
    """Every route that may show the record answers 200, and names the record."""
    path = {"id": record_id}
    trail = edge.pages("GET /v1/records/{id}/audit", path=path)
    if trail[0]["deleted_at"] is None:
        shown = edge.ask("GET /v1/records/{id}", path=path)
        assert shown.status == 200
        payload = shown.body["record"]["payload"]
        is_told = payload.get("revision", {}).get("status") != "retracted"
        assert (record_id in ids(edge.pages("GET /v1/records"))) == is_told
        assert (record_id in ids(edge.pages("POST /v1/retrieve", {}))) == is_told
        assert edge.pages("GET /v1/records/{id}/versions", path=path)
        if payload["kind"] == "working":
            thread = {"thread_id": payload["thread_id"]}
            assert edge.pages("GET /v1/threads/{thread_id}/state", path=thread)


def ids(pages: list[dict[str, Any]]) -> set[str]:
    """Of the records on the pages."""
    return {each["id"] for page in pages for each in page["records"]}


@cache  # whoever asks for the same has the same, whose filler is known
def full(kind: str) -> Callable[[Edge, int], Answered]:
    return lambda edge, filler: edge.ask("POST /v1/records", a_record(kind, filler))


def in_a_batch(edge: Edge, filler: int) -> Answered:
    item = {"rpc": "IngestRecord", "record": a_record("semantic", filler)}
    reply = edge.ask("POST /v1/ingest/batch", {"items": [item]})
    return Answered(reply.body["results"][0]["status"], reply.body)


def working_state(edge: Edge, filler: int) -> Answered:
    texts = [*[TEXT] * FILLERS, "y" * filler]
    asked = {"source": "a", "thread_id": "t", "state": "planning", "next_actions": texts}
    return edge.ask("POST /v1/ingest/working-state", asked)


def of_another(verb: str) -> Callable[[Edge, int], Answered]:
    """A record as large, which comes from a small one."""

    def made(edge: Edge, filler: int) -> Answered:
        small = edge.ask("POST /v1/records", {**a_record("semantic", 0), "provenance": {}})
        source, key = small.body["record"]["id"], {"supersede": "new", "fork": "forked"}.get(verb)
        record = a_record("semantic", filler)
        if key is None:
            asked = {"ids": [source], "merged_record": record}
            return edge.ask("POST /v1/records/merge", asked)
        route = f"POST /v1/records/{{id}}/{verb}"
        return edge.ask(route, {f"{key}_record": record}, path={"id": source})

    return made


MAKING: dict[str, Callable[[Edge, int], Answered]] = {
    **{kind: full(kind) for kind in WHOLE},
    "batch item": in_a_batch,
    "working state": working_state,
    **{verb: of_another(verb) for verb in ("supersede", "fork", "merge")},
}


@pytest.mark.parametrize("made", MAKING.values(), ids=MAKING)
def test_whoever_is_refused_for_a_records_size_wrote_nothing(
    made: Callable[[Edge, int], Answered],
) -> None:
    exact = filler_for(0, made)
    statuses = set()
    for size in ROOM:
        edge = Edge()
        before = edge.memory.records.everything()

        reply = made(edge, exact + size)

        statuses.add(reply.status)
        if reply.status != 413 or made not in COMING_FROM_OTHERS:
            require_refused_or_readable(edge, reply, before)
    assert statuses == {201, 413}


COMING_FROM_OTHERS = tuple(MAKING[verb] for verb in ("supersede", "fork", "merge"))


def posted(route: str, body: dict[str, Any] | None = None) -> Callable[[Edge, str], Answered]:
    return lambda edge, record_id: edge.ask(route, body or {}, path={"id": record_id})


def restored(edge: Edge, record_id: str) -> Answered:
    posted("DELETE /v1/records/{id}")(edge, record_id)
    return posted("POST /v1/records/{id}/restore")(edge, record_id)


def kept(edge: Edge, record_id: str) -> Answered:
    posted("POST /v1/records/{id}/contest", {"contesting_ref": "a doubt"})(edge, record_id)
    return posted("POST /v1/records/{id}/resolve", {"resolution": "keep"})(edge, record_id)


def observed(value: Any, policy: str) -> Callable[[Edge, str], Answered]:
    """The large fact observed again, or another one in its place."""

    def ask(edge: Edge, record_id: str) -> Answered:
        shown = edge.ask("GET /v1/records/{id}", path={"id": record_id})
        fact = shown.body["record"]["payload"]
        said = {name: fact[name] for name in ("subject", "predicate")}
        asked = {"source": "a", "object": value or fact["object"], "on_conflict": policy, **said}
        return edge.ask("POST /v1/ingest/observation", asked)

    return ask


REASON = {"actor": "a", "rationale": "z" * 300}
CHANGES: dict[str, Callable[[Edge, str], Answered]] = {
    "reinforce": posted("POST /v1/records/{id}/reinforce", REASON),
    "penalize": posted("POST /v1/records/{id}/penalize", {"amount": 0.1, **REASON}),
    "pin": posted("POST /v1/records/{id}/pin", REASON),
    "lifecycle": posted(
        "PATCH /v1/records/{id}/lifecycle", {"decay": {"half_life_seconds": 86_401}}
    ),
    "reclassify": posted("PATCH /v1/records/{id}", {"sensitivity": "hyper"}),
    "retract": posted("POST /v1/records/{id}/retract", REASON),
    "contest": posted("POST /v1/records/{id}/contest", {"contesting_ref": "d" * 128}),
    "keep": kept,
    "restore": restored,
    "observe again": observed(None, "replace"),
    "observe otherwise": observed("something else", "replace"),
    "observe and contest": observed("something else", "contest"),
    "observe and fork": observed("something else", "fork"),
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("size", cases((-440, 0), (0,)))
def test_a_change_of_a_record_as_large_as_a_reply_is_made_and_the_record_read(
    changed: Callable[[Edge, str], Answered], size: int
) -> None:
    edge, made = Edge(), full("semantic")
    record_id = made(edge, filler_for(size, made)).body["record"]["id"]

    reply = changed(edge, record_id)

    assert reply.status < 300, reply.body
    require_refused_or_readable(edge, reply, None)


@pytest.mark.parametrize("size", GROWTH)
def test_an_outcome_for_which_there_is_no_room_leaves_nothing(size: int) -> None:
    edge = Edge()
    made = full("episodic")
    record_id = made(edge, filler_for(0, made)).body["record"]["id"]
    before = edge.memory.records.everything()

    def completed(source: str) -> Answered:
        asked = {"source": source, "target_record_id": record_id, "outcome_status": "success"}
        return edge.ask("POST /v1/ingest/outcome", asked)

    reply = completed("s" * (size - 250))

    require_refused_or_readable(edge, reply, before)
    assert reply.status == (413 if size > 16_384 else 200)


def test_a_page_gets_past_a_record_that_it_cannot_carry() -> None:
    edge, made = Edge(), full("semantic")
    large = made(edge, filler_for(0, made)).body["record"]["id"]
    for salience in (2.0, 0.5):
        record = a_record("semantic", 0, salience=salience)
        assert edge.ask("POST /v1/records", {**record, "provenance": {}}).status == 201

    listed = edge.pages("GET /v1/records")
    asked = edge.pages("POST /v1/retrieve", {})

    for pages in (listed, asked):
        (short,) = (each for page in pages for each in page["records"] if each["id"] == large)
        assert short["type"] == "semantic"
        assert MAX_REPLY_BYTES <= short["size"] < MAX_REPLY_BYTES + 100
        assert short["link"] == f"/v1/records/{large}"
        assert len(ids(pages)) == 3


def test_a_trail_of_long_texts_freezes_no_record() -> None:
    edge = Edge()
    fact = {**a_record("semantic", 0), "provenance": {}}
    record_id = edge.ask("POST /v1/records", fact).body["record"]["id"]
    reason = {"actor": "\x01" * 100_000, "rationale": "\x02" * 100_000}
    for _ in range(8):
        assert posted("POST /v1/records/{id}/reinforce", reason)(edge, record_id).status == 200

    for name in ("reinforce", "penalize", "pin", "reclassify", "restore", "observe otherwise"):
        reply = CHANGES[name](edge, record_id)

        assert reply.status < 300, (name, reply.body)
        require_readable(edge, record_id)
    newest = edge.ask("GET /v1/records/{id}", path={"id": record_id}).body["record"]
    assert newest["audit_count"] > len(newest["audit_log"]) > 0
    assert newest["audit_log"][-1]["rationale"].startswith("superseded by")


def test_a_version_that_no_page_can_carry_is_told_in_short() -> None:
    edge = Edge()
    fact = {**a_record("semantic", 0), "provenance": {}}
    record_id = edge.ask("POST /v1/records", fact).body["record"]["id"]
    posted("POST /v1/records/{id}/pin", REASON)(edge, record_id)
    held = standing(record_id, edge.memory.records)
    tags = [TEXT] * (FILLERS + 1)
    edge.memory.records.places[record_id] = formerly_tagged(held, tags)

    pages = edge.pages("GET /v1/records/{id}/versions", path={"id": record_id})

    (first,), (second,) = (page["versions"] for page in pages)
    assert first["changes"] == []
    assert not {"changes", "rationale"} & second.keys()
    assert second["size"] > MAX_REPLY_BYTES
    link = f"/v1/records/{record_id}?as_of={second['valid_from']}"
    assert (second["link"], second["action"]) == (link, "revise")
