"""What a capture keeps, names, refers to and states, and what stays out of its sight."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders.hostile_contents import REFERENCES, contents
from tests.integration.conftest import NO_SCHEDULES, stilled
from tests.integration.http.test_large_values import uploaded
from tests.worlds.api import Api, Reply, api_with
from tests.worlds.depth import examples

ALPHA = "project:alpha"
LOW = {"scope": ALPHA, "sensitivity": "low"}
OWNS = {"subject": "Orchid", "predicate": "owned_by", "object": "Team Lumo"}
STATE = {"thread_id": "t", "state": "blocked", "next_actions": ["ask Ana"], "summary": "Waiting"}
POLICIES = {"host": "replace", "keeps": "keep", "forks": "fork", "contests": "contest"}
SECRET = "SECRET-hyper-agent"
DAY_S = 86_400


@pytest.fixture(scope="module")
def stack() -> Iterator[Api]:
    with api_with({"ConflictPolicies": json.dumps(POLICIES), **NO_SCHEDULES}) as api:
        yield api


@pytest.fixture
def api(stack: Api) -> Api:
    """A stack with policies of conflicts, an empty store, and a standing clock."""
    return stilled(stack)


def later(api: Api, seconds: float) -> None:
    assert api.post("/_dev/clock", {"advance_seconds": seconds}).status == 200


def capture(api: Api, content: Any, key: str | None = None, once: str = "", **fields: Any) -> Reply:
    """The reply to a capture, under an idempotency key if `once` is one."""
    usual = {"source": "agent", "source_kind": "event", "scope": ALPHA, "sensitivity": "low"}
    headers = {"idempotency-key": once} if once else {}
    body = {**usual, "content": content, **fields}
    return api.post("/v1/capture", body, key=key, headers=headers)


def captured(api: Api, content: Any, **fields: Any) -> Any:
    """The body of the reply."""
    reply = capture(api, content, **fields)
    assert reply.status in (200, 201), reply.body
    return reply.body


def stated(api: Api, content: Any = OWNS, **fields: Any) -> Any:
    """The body of the reply to a capture that states a fact."""
    return captured(api, content, source_kind="observation", **fields)


def named(body: Any) -> dict[str, str | None]:
    """The entity of each surface."""
    found = body["primary_record"]["interpretation"].get("mentions", [])
    return {each["surface"]: each.get("canonical_entity_id") for each in found}


def made(body: Any, kind: str = "entity") -> list[Any]:
    return [each for each in body["created_records"] if each["type"] == kind]


def fact_of(body: Any) -> Any:
    (found,) = made(body, "semantic")
    return found


def entity(api: Api, name: str, *aliases: str, **fields: Any) -> str:
    """The id of a new entity."""
    payload = {
        "kind": "entity",
        "canonical_name": name,
        "primary_type": "Person",
        "aliases": [{"value": each} for each in aliases],
    }
    record = {"type": "entity", "sensitivity": "low", "scope": ALPHA, "payload": payload}
    return str(api.post("/v1/records", {**record, **fields}).record["id"])


def observed(api: Api, fact: Any, **fields: Any) -> str:
    asked = {"source": "agent", "scope": ALPHA, "sensitivity": "low", **fact, **fields}
    return str(api.post("/v1/ingest/observation", asked).record["id"])


def read(api: Api, record_id: str) -> Any:
    return api.get(f"/v1/records/{record_id}").record


def delete(api: Api, record_id: str) -> None:
    assert api.call("DELETE", f"/v1/records/{record_id}").status == 204


def evidence(api: Api, record_id: str) -> list[str]:
    return [each["source_id"] for each in read(api, record_id)["payload"]["evidence"]]


def actions(api: Api, record_id: str) -> list[str]:
    return [each["action"] for each in read(api, record_id)["audit_log"]]


# --- the evidence --------------------------------------------------------------------------------


def test_an_event_keeps_content_context_and_reason(api: Api) -> None:
    content = {"ref": "evt-1", "text": "Remember Orchid", "project": "Orchid"}
    reason = {"summary": "Orchid", "reason_to_remember": "jargon"}

    payload = captured(api, content, context={"t": 1}, **reason)["primary_record"]["payload"]

    event = payload["timeline"][0]
    assert (event["event_kind"], event["ref"], event["summary"]) == ("event", "evt-1", "Orchid")
    assert payload["environment"]["context"] == {
        "capture_content": content,
        "capture_context": {"t": 1},
        "reason_to_remember": "jargon",
    }


@pytest.mark.parametrize(
    ("content", "summary"), [({"text": "the text", "n": 1}, "the text"), ({"n": 1}, '{"n":1}')]
)
def test_the_summary_is_the_first_that_says_something(api: Api, content: Any, summary: str) -> None:
    told = {"": summary, "why": "why"}

    for reason, expected in told.items():
        body = captured(api, content, summary=" ", reason_to_remember=reason)
        assert body["primary_record"]["payload"]["timeline"][0]["summary"] == expected


@pytest.mark.parametrize(
    ("args", "kept"), [({"p": 1}, {}), (["-r"], {"args": ["-r"]}), ("x", {"args": "x"})]
)
def test_a_tool_output_keeps_its_result_and_arguments_once(api: Api, args: Any, kept: Any) -> None:
    content = {"tool_name": "grep", "args": args, "result": "3 hits", "note": "quick"}

    body = captured(api, content, source_kind="tool_output")

    payload = body["primary_record"]["payload"]
    call, context = payload["tool_graph"][0], payload["environment"]["context"]
    assert call["result"] == "3 hits"
    assert call.get("args", {}) == (args if isinstance(args, dict) else {})
    assert context["capture_content"] == {"tool_name": "grep", "note": "quick", **kept}
    (tool,) = body["primary_record"]["interpretation"]["mentions"]
    assert (tool["surface"], tool["entity_kind"]) == ("grep", "tool")


@pytest.mark.parametrize(
    ("fields", "context", "lacking"),
    [
        ({"project": "Orchid", "blockers": [{"n": 7}]}, {"host": "a9"}, ("project", "blockers")),
        ({"thread": "other"}, None, ("thread",)),
        ({"context_summary": 7}, ["a9"], ("context_summary",)),
        ({}, False, ()),
    ],
)
def test_a_working_state_keeps_what_its_fields_lack(
    api: Api, fields: Any, context: Any, lacking: Sequence[str]
) -> None:
    body = captured(api, {**STATE, **fields}, source_kind="working_state", context=context)

    kept = body["primary_record"]["payload"]["environment"]["context"]
    assert kept["capture_content"] == {name: fields[name] for name in lacking}
    assert kept["capture_context"] == context


def test_a_working_state_within_its_fields_has_no_environment(api: Api) -> None:
    content = {**STATE, "next_actions": [" run ", "Run", "", "stop"]}

    payload = captured(api, content, source_kind="working_state")["primary_record"]["payload"]

    assert "environment" not in payload
    assert (payload["next_actions"], payload["context_summary"]) == (["run", "stop"], "Waiting")


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize(
    ("content", "kind", "field"),
    [
        ({**STATE, "active_constraints": [{"value": ...}]}, "working_state", "active_constraints"),
        ({**STATE, "active_constraints": ...}, "working_state", "active_constraints"),
        ({"tool": "psql", "args": ...}, "tool_output", "args"),
        ({"tool": "psql", "result": ...}, "tool_output", "result"),
        ({**OWNS, "object": ...}, "observation", "object"),
        ({"text": "x", "fact": {**OWNS, "object": ...}}, "observation", "fact.object"),
    ],
)
def test_a_reference_inside_the_content_is_refused_by_field(
    api: Api, content: Any, kind: str, field: str, reference: Any
) -> None:
    refused = capture(api, placed(content, reference), source_kind=kind)

    assert refused.status == 400
    (error,) = refused.body["errors"]
    assert error["field"].startswith(f"content.{field}")


def placed(content: Any, value: Any) -> Any:
    """The content with the value in place of the ellipsis."""
    match content:
        case dict():
            return {name: placed(each, value) for name, each in content.items()}
        case list():
            return [placed(each, value) for each in content]
        case _:
            return value if content is ... else content


@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    contents,
    contents,
    st.sampled_from(["event", "observation", "working_state", "tool_output", "x", ""]),
    st.sampled_from(["", "semantic", "working"]),
)
def test_any_content_is_stored_as_replied_or_refused(
    api: Api, content: Any, context: Any, source_kind: str, proposed_type: str
) -> None:
    kinds = {"source_kind": source_kind, "proposed_type": proposed_type}

    reply = capture(api, content, context=context, **kinds)

    assert reply.status in (201, 400, 404), reply.body
    if reply.status == 201:
        for each in (reply.body["primary_record"], *reply.body["created_records"]):
            assert read(api, each["id"]) == each


@pytest.mark.parametrize("name", ["\ud800", "a\udfffb"])
def test_a_lone_surrogate_is_refused_before_anything_is_stored(api: Api, name: str) -> None:
    before = api.stored()

    assert capture(api, {"project": name}).status == 400
    assert api.stored() == before


def test_content_and_context_of_megabytes_come_back_from_the_bucket(api: Api) -> None:
    content, context = {"project": "Orchid", "log": "x" * 3_000_000}, ["y" * 2_000_000]
    claims = [uploaded(api, json.dumps(each).encode()) for each in (content, context)]

    body = captured(api, claims[0], context=claims[1])

    assert list(named(body)) == ["Orchid"]
    kept = read(api, body["primary_record"]["id"])["payload"]["environment"]["context"]
    assert (kept["capture_content"], kept["capture_context"]) == (content, context)


# --- entities ------------------------------------------------------------------------------------


def test_a_new_name_becomes_an_entity_with_scope_and_sensitivity(api: Api) -> None:
    body = captured(api, {"text": "x", "project": "Orchid"}, sensitivity="medium")

    (found,) = made(body)
    assert (found["payload"]["canonical_name"], found["payload"]["types"]) == (
        "Orchid",
        ["Project"],
    )
    assert (found["scope"], found["sensitivity"]) == (ALPHA, "medium")
    reason = "Created canonical entity during capture resolution"
    assert found["audit_log"][0]["rationale"] == reason
    assert named(captured(api, {"user": "ORCHID"}, sensitivity="medium")) == {"ORCHID": found["id"]}


@pytest.mark.parametrize(
    ("names", "content", "expected"),
    [
        (("Robert|Bob",), "bob's laptop, ROBERT is away", {"bob": "Robert", "ROBERT": "Robert"}),
        (("Orion", "Orion Belt"), "the Orion Belt deploy", {"Orion Belt": "Orion Belt"}),
        (("Ann",), "Annual planning is annoying", {}),
        (("team", "lumo"), "Team Lumo met", {"Team": "team", "Lumo": "lumo"}),
        (("#12",), "PR #12 is open", {"#12": "#12"}),
        ((), "PR #12 is open", {"#12": None}),
    ],
)
def test_a_known_name_leads_to_the_entity(
    api: Api, names: Sequence[str], content: str, expected: dict[str, str | None]
) -> None:
    ids = {each.split("|")[0]: entity(api, *each.split("|")) for each in names}

    body = captured(api, content)

    assert named(body) == {surface: name and ids[name] for surface, name in expected.items()}
    assert body["created_records"] == []


@pytest.mark.parametrize(
    ("content", "fields", "surfaces"),
    [
        (
            {"text": "`deploy()` broke src/app.py", "project": "Orchid"},
            {},
            ["Orchid", "deploy", "src/app.py"],
        ),
        ({"text": 'the "Orchid" plan', "project": "orchid", "user": "ORCHID"}, {}, ["orchid"]),
        ("nothing", {"context": {"text": "src/app.py"}, "summary": "src/app.py"}, []),
        ({"n": 1}, {"reason_to_remember": "src/app.py"}, []),
        ({"n": 1}, {"summary": "src/app.py"}, ["src/app.py"]),
        (
            {"thread_id": "t", "state": "done", "next_actions": ["ask @ann", "fix OPS-1"]},
            {"source_kind": "working_state"},
            ["@ann", "OPS-1"],
        ),
        (
            {"fact": {"subject": "oracle", "predicate": "reads", "object": "src/rates.py"}},
            {"proposed_type": "semantic"},
            ["oracle", "src/rates.py"],
        ),
        ("PR #12 of acme/mill is open", {}, ["acme/mill#12"]),
        ({"project": ["a", "A", " a ", 7, None, {"x": 1}]}, {}, ["a"]),
        ({"project": "@ @"}, {}, []),
        ("see `@@` there", {}, []),
        ({"project": "a\u0000b\u001b[2J"}, {}, ["a\u0000b\u001b[2J"]),
        ({"project": "\u202eEvil\u202c"}, {}, ["\u202eEvil\u202c"]),
        ({"project": "\U0001f600" * 256}, {}, ["\U0001f600" * 256]),
        ({"project": "\ufdfa" * 256}, {}, []),
        ({"project": "x" * 257}, {}, []),
        ({"project": "__proto__", "__proto__": {"project": "x"}}, {}, ["__proto__"]),
    ],
)
def test_names_are_read_where_the_capture_speaks_and_are_found_again(
    api: Api, content: Any, fields: Any, surfaces: list[str]
) -> None:
    first, second = (captured(api, content, **fields) for _ in range(2))

    assert list(named(first)) == surfaces
    assert all(named(first).values())
    assert named(second) == named(first)
    assert made(second) == []


def test_the_scope_comes_before_the_unscoped_and_low_before_high(api: Api) -> None:
    order = [{"scope": ""}, {"sensitivity": "high"}, {}]

    for fields in order:
        bob = entity(api, "Bob", **fields)
        assert named(captured(api, "Bob", sensitivity="high")) == {"Bob": bob}


@pytest.mark.parametrize("hidden", [{"sensitivity": "high"}, {"scope": "project:beta"}])
def test_a_hidden_entity_neither_shows_nor_hinders(api: Api, hidden: Any) -> None:
    orchid, falcon = entity(api, "Orchid", **hidden), entity(api, "Project Falcon")
    entity(api, "Project Falcon Delta", **hidden)

    body = captured(api, {"project": "Orchid", "text": "the Project Falcon Delta review"})

    (own,) = made(body)
    assert named(body) == {"Orchid": own["id"], "Project Falcon": falcon}
    assert orchid not in str(body)


@pytest.mark.parametrize(
    ("method", "end", "body"),
    [
        ("DELETE", "", None),
        ("POST", "/retract", {}),
        ("PATCH", "", {"sensitivity": "high"}),
    ],
)
def test_an_entity_that_went_or_moved_makes_room_for_another(
    api: Api, method: str, end: str, body: Any
) -> None:
    falcon, delta = entity(api, "Project Falcon"), entity(api, "Project Falcon Delta")
    assert api.call(method, f"/v1/records/{delta}{end}", body).status < 300

    assert named(captured(api, "the Project Falcon Delta review")) == {"Project Falcon": falcon}
    (own,) = made(captured(api, {"project": "Project Falcon Delta"}))
    assert named(captured(api, "about Project Falcon Delta")) == {
        "Project Falcon Delta": own["id"],
    }
    assert actions(api, falcon) == ["create"]


def test_a_mention_is_a_use_of_the_entity_once_a_day_and_changes_no_name(api: Api) -> None:
    bob, shared = entity(api, "Bob"), entity(api, "Ada", scope="")
    before = read(api, bob)
    ingester = api.key_for(permissions=("ingest",), scopes=(ALPHA,), max_sensitivity="low")
    assert capture(api, {"person": "Bob", "user": "BOB"}, key=ingester).status == 201
    assert read(api, bob) == before
    later(api, 20 * DAY_S)

    body = capture(api, "Bob and Ada", key=ingester).body
    assert named(body) == {"Bob": bob, "Ada": shared}
    assert actions(api, shared) == ["create"], "a key that may not write an unscoped record"
    for _ in range(3):
        captured(api, "Bob and Ada again")

    assert actions(api, bob) == actions(api, shared) == ["create", "reinforce"]
    assert read(api, bob)["payload"] == before["payload"]


def test_every_name_of_a_new_entity_leads_to_it_and_a_capture_keeps_few_aliases(api: Api) -> None:
    text = " ".join(f"https://github.com/acme/shop{number}" for number in range(9))

    first = captured(api, {"text": text})

    aliases = [each["payload"].get("aliases", []) for each in made(first)]
    assert [len(each) for each in aliases] == [1] * 4 + [0] * 5
    later_body = captured(api, {"repository": "acme/shop0"})
    assert named(later_body) == {"acme/shop0": made(first)[0]["id"]}


def test_tickets_of_two_repositories_with_one_number_are_two_entities(api: Api) -> None:
    mill, web = (named(captured(api, f"PR #12 of {each}")) for each in ("acme/mill", "acme/web"))

    assert mill["acme/mill#12"] != web["acme/web#12"]
    assert named(captured(api, "see acme/web#12")) == web


def test_an_entity_of_thirty_aliases_is_found_by_its_first_terms(api: Api) -> None:
    aliases = [f"bobby {number}" for number in range(30)]
    bob = entity(api, "Bob", *aliases)

    found = named(captured(api, {"person": [aliases[18], aliases[19]]}))

    assert found[aliases[18]] == bob
    assert found[aliases[19]] not in (None, bob)


def test_where_names_have_no_room_the_capture_has_a_mention_without_an_entity(api: Api) -> None:
    known = entity(api, "Orion Nebula")
    others = [f"orion {number}" for number in range(499)]
    for start in range(0, len(others), 16):
        captured(api, {"entities": others[start : start + 16]})

    body = captured(api, {"entities": ["orion last", "lyra", "orion nebula"]})

    found = named(body)
    assert (found["orion last"], found["orion nebula"]) == (None, known)
    assert found["lyra"]
    assert body["primary_record"]["interpretation"]["status"] == "tentative"


def test_a_capture_has_few_mentions_of_many(api: Api) -> None:
    names = [f"name{number}" for number in range(120)]
    for each in names[:40]:
        entity(api, each)

    known = captured(api, {"text": " ".join(names), "entities": names[:40]})
    new = captured(api, {f"entity_{number}": f"n{number}" for number in range(10_000)})

    assert (len(named(known)), made(known)) == (16, [])
    assert len(named(new)) == 16


def test_the_largest_capture_fits_a_transaction(api: Api) -> None:
    long = "x" * 240
    refs = [f"ref-{n}" for n in range(12)]
    for each in refs:
        captured(api, {"ref": each})
    for year in range(2000, 2004):
        window = {"start": f"{year}-01-01T00:00:00Z", "end": f"{year + 1}-01-01T00:00:00Z"}
        observed(api, {"subject": long, "predicate": "host", "object": f"{year}"}, **window)
    subject = entity(api, long)
    later(api, 20 * DAY_S)
    content = {
        "fact": {"subject": long, "predicate": "host", "object": "ale"},
        "entities": [f"orion-{number:03} {long}"[:256] for number in range(12)],
        "refs": refs[:8],
        "text": " ".join([*refs[8:], *(f"https://github.com/o{n}/{long[:80]}" for n in range(4))]),
        "log": "y" * 200_000,
    }
    lifecycle = {"decay": {"half_life_seconds": 77_777}}

    body = stated(api, uploaded(api, json.dumps(content).encode()), lifecycle=lifecycle)

    relations = body["primary_record"]["relations"]
    assert len(relations) == 16 + 12 + 1
    assert subject in {each["target_id"] for each in body["edges"]}
    assert read(api, fact_of(body)["id"])["payload"]["revision"]["supersedes"]


# --- references ----------------------------------------------------------------------------------


def test_references_lead_to_records_by_id_and_by_ref(api: Api) -> None:
    build = captured(api, {"ref": "build-7"})["primary_record"]["id"]
    content = {"refs": ["build-7", build, "unknown:1"], "ref": "evt-1", "text": "(build-7), 12:30"}

    body = captured(api, content, context={"reply_to": build, "preferences": "evt-2"})

    found = body["primary_record"]["interpretation"]["reference_candidates"]
    own = body["primary_record"]["id"]
    targets = {each["ref"]: each.get("target_record_id") for each in found}
    assert targets == {"build-7": build, build: build, "unknown:1": None, "evt-1": own}
    assert body["primary_record"]["interpretation"]["status"] == "tentative"
    relations = body["primary_record"]["relations"]
    assert [(each["predicate"], each["target_id"]) for each in relations] == [
        ("references_record", build),
    ]


@pytest.mark.parametrize("hidden", [{"scope": "project:beta"}, {"sensitivity": "high"}])
def test_a_record_out_of_sight_is_not_referred_to(api: Api, hidden: Any) -> None:
    seen = captured(api, {"ref": "build:7"}, **hidden)["primary_record"]["id"]

    for ref in ("build:7", seen):
        body = captured(api, {"source_ref": ref})
        (found,) = body["primary_record"]["interpretation"]["reference_candidates"]
        assert not found.get("resolved")


# --- facts ---------------------------------------------------------------------------------------


def test_an_observation_states_a_fact_with_evidence_and_links_and_an_event_none(api: Api) -> None:
    lumo = entity(api, "Lumo", "Team Lumo")

    assert made(captured(api, OWNS), "semantic") == []
    body = stated(api, {**OWNS, "subject": "Iris"})
    proposed = captured(api, {**OWNS, "subject": "Rosa"}, proposed_type="semantic")

    primary, fact = body["primary_record"]["id"], fact_of(body)
    (iris,) = made(body)
    assert (fact["payload"]["subject"], fact["payload"]["object"]) == ("Iris", "Lumo")
    assert [each["source_id"] for each in fact["payload"]["evidence"]] == [primary]
    edges = {(each["source_id"], each["predicate"], each["target_id"]) for each in body["edges"]}
    assert edges >= {
        (primary, "derived_semantic", fact["id"]),
        (fact["id"], "subject_entity", iris["id"]),
        (fact["id"], "object_entity", lumo),
    }
    assert len(edges) == 10
    assert fact_of(proposed)["payload"]["subject"] == "Rosa"
    assert made(stated(api, {**OWNS, "subject": "@"})) == []


def test_equal_facts_are_one_with_two_pieces_of_evidence_and_the_links_that_it_lacked(
    api: Api,
) -> None:
    owned = {"subject": "box", "predicate": "owned_by", "object": "zelda"}
    known = observed(api, owned)
    first = stated(api, owned)
    zelda = captured(api, {"person": "zelda"})["created_records"][0]["id"]
    second = stated(api, owned)

    assert made(first, "semantic") == made(second, "semantic") == []
    sources = [each["primary_record"]["id"] for each in (first, second)]
    assert evidence(api, known)[1:] == sources
    relations = [(each["predicate"], each["target_id"]) for each in read(api, known)["relations"]]
    assert relations == [("subject_entity", named(first)["box"]), ("object_entity", zelda)]
    page = api.get(f"/v1/entities/{zelda}").body
    assert [each["record"]["id"] for each in page["facts"]] == [known]


def test_a_contradiction_follows_the_policy_also_under_an_alias(api: Api) -> None:
    entity(api, "Payments", "pay-svc")
    hosted = {"subject": "pay-svc", "predicate": "host"}
    seen = observed(api, {**hosted, "object": "x1"})

    assert made(stated(api, {**hosted, "object": "x1"}), "semantic") == []
    other = fact_of(stated(api, {**hosted, "object": "x2"}))

    assert other["payload"]["subject"] == "Payments"
    assert other["payload"]["revision"]["supersedes"] == seen
    assert read(api, seen)["salience"] == 0.0


def test_a_capture_supersedes_more_facts_than_its_transaction_changes(api: Api) -> None:
    many = {"subject": "many", "predicate": "host"}
    several = [observed(api, {**many, "object": n}, sensitivity="low") for n in range(2)]
    for year in range(2000, 2007):
        window = {"start": f"{year}-01-01T00:00:00Z", "end": f"{year + 1}-01-01T00:00:00Z"}
        several.append(observed(api, {**many, "object": year}, **window))

    body = stated(api, {**many, "object": "new"})

    statuses = [read(api, each)["payload"]["revision"]["status"] for each in several]
    assert statuses == ["retracted"] * 9
    assert fact_of(body)["payload"]["object"] == "new"


def test_where_a_fact_has_no_room_reports_are_refused_and_a_capture_is_stored_without_the_fact(
    api: Api,
) -> None:
    kept = {"subject": "Orchid", "predicate": "owned_by"}
    lines = [
        {"rpc": "IngestObservation", "source": "a", **LOW, **kept, "object": f"{n}"}
        for n in range(1_000)
    ]
    results: list[Any] = []
    for start in range(0, 1_000, 50):
        later(api, 60)
        reply = api.post("/v1/ingest/batch", {"items": lines[start : start + 50]})
        results += reply.body["results"]
    assert {each["status"] for each in results} == {201}
    report = {"source": "a", **LOW, **kept, "object": "another"}

    full = [
        api.post("/v1/ingest/observation", {**report, "on_conflict": "fork"}),
        api.post("/v1/ingest/observation", {**report, "on_conflict": "contest"}),
    ]
    body = stated(api, {**kept, "object": "one more"})

    assert {(each.status, each.body["code"]) for each in full} == {(409, "FAILED_PRECONDITION")}
    assert {each.body["detail"].rpartition(": ")[2] for each in full} == {
        "retract some of them first"
    }
    assert [each["type"] for each in body["created_records"]] == ["entity"]
    interpretation = body["primary_record"]["interpretation"]
    assert interpretation["status"] == "tentative"
    assert interpretation["relation_candidates"] == [{"predicate": "derived_semantic"}]
    for each in results[:2]:
        gone = api.post(f"/v1/records/{each['record']['id']}/retract", {"rationale": "old"})
        assert gone.status == 200
    forked = api.post("/v1/ingest/observation", {**report, "on_conflict": "fork"})
    assert forked.status == 201


@pytest.mark.parametrize("predicate", POLICIES)
def test_facts_of_other_levels_stay_as_they_are(api: Api, predicate: str) -> None:
    fact = {**OWNS, "predicate": predicate}
    low = fact_of(stated(api, fact))["id"]
    before = read(api, low)

    bodies = [stated(api, fact, sensitivity="hyper", source=SECRET) for _ in range(2)]

    high = fact_of(bodies[0])
    assert made(bodies[1], "semantic") == []
    assert read(api, low) == before
    assert high["sensitivity"] == "hyper"
    assert evidence(api, high["id"]) == [each["primary_record"]["id"] for each in bodies]
    held = read(api, high["id"])
    assert fact_of(stated(api, {**fact, "object": "Orca"}))["sensitivity"] == "low"
    assert read(api, high["id"]) == held


# --- once ----------------------------------------------------------------------------------------


def test_a_repeat_shows_what_is_left_of_a_capture(api: Api) -> None:
    first = stated(api, once="k")["primary_record"]["id"]
    stored = api.stored()
    assert stated(api, once="k")["primary_record"]["id"] == first
    assert api.stored() == stored
    delete(api, first)

    again = stated(api, once="k")

    assert again["primary_record"]["id"] == first
    assert "deleted_at" in again["primary_record"]


def test_a_key_is_free_again_while_what_the_first_capture_made_is_not(api: Api) -> None:
    content = {**OWNS, "entities": ["Orchid 1", "Orchid 2"]}
    first = stated(api, content, once="k")
    captured(api, OWNS, source_kind="observation")
    delete(api, first["primary_record"]["id"])
    later(api, DAY_S)
    gone = named(first)["Orchid 2"]
    assert gone is not None
    delete(api, gone)
    left = api.get(f"/v1/records/{first['primary_record']['id']}").status
    assert left == 404
    for _ in range(200):
        later(api, DAY_S)
        if f"record#{first['primary_record']['id']} record" not in api.stored():
            break
    assert f"record#{gone} record" in api.stored()

    again = stated(api, content, once="k")

    assert again["primary_record"]["id"] == first["primary_record"]["id"]
    assert named(again)["Orchid 2"] is None
    assert again["primary_record"]["interpretation"]["status"] == "tentative"
    assert stated(api, content, once="k")["primary_record"] == again["primary_record"]


# --- rights --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields", [{"scope": "project:beta"}, {"sensitivity": "high"}, {"lifecycle": {"pinned": True}}]
)
def test_a_capture_stays_within_the_rights_of_the_key(api: Api, fields: Any) -> None:
    key = api.key_for(permissions=("ingest",), scopes=(ALPHA,), max_sensitivity="low")
    before = api.stored()

    assert capture(api, "x", key=key, **fields).status == 403
    assert api.stored() == before


NAMES = ("Orchid", "Atlas", "Bob")
SLOW = {"decay": {"half_life_seconds": 2_592_000}}
"""Nothing fades away entirely before the reader reads."""

TOLD = st.lists(
    st.fixed_dictionaries(
        {
            "subject": st.sampled_from(NAMES),
            "object": st.sampled_from(("ok", "Orchid", "Bob")),
            "text": st.sampled_from(["", "met Bob", "Atlas and `Orchid`"]),
            "kind": st.sampled_from(["observation", "event"]),
            "level": st.sampled_from(["low", "high", "hyper"]),
            "scope": st.sampled_from(["", "alpha"]),
            "later_s": st.sampled_from([60, 2 * DAY_S]),
        }
    ),
    min_size=2,
    max_size=8,
)


def tell(api: Api, number: int, told: Any) -> Any:
    """Capture under a key of the number, so that the ids are the same in each memory."""
    fact = {"subject": told["subject"], "predicate": "likes", "object": told["object"]}
    return captured(
        api,
        {**fact, "text": told["text"], "ref": f"told-{number}"},
        once=f"told-{number}",
        source_kind=told["kind"],
        source="agent" if told["level"] == "low" else SECRET,
        sensitivity=told["level"],
        scope=told["scope"],
        lifecycle=SLOW,
    )


def shown(api: Api, several: Sequence[Any], *, hidden: bool) -> str:
    """All that a reader of low records is told, without random ids, salts and chained hashes."""
    stilled(api).post("/_dev/clock", {"set": "2027-03-01T09:00:00Z"})
    reader = api.key_for(permissions=("read",), max_sensitivity="low")
    seen: list[Any] = []
    for number, each in enumerate(several):
        later(api, each["later_s"])
        if hidden or each["level"] == "low":
            body = tell(api, number, each)
            body.pop("consistency_tokens")
            seen += [body] if each["level"] == "low" else []
    api.post("/_dev/stream", {"paused": False})
    assert api.get("/_dev/queues?wait").status == 200
    later(api, 30 * DAY_S - sum(each["later_s"] for each in several))
    for scope in ("", "alpha"):
        page = api.get(f"/v1/records?scope={scope}&limit=100", key=reader).body
        listed = sorted(page["records"], key=lambda each: str(each["id"]))
        seen += listed
        for each in listed:
            if each["type"] == "entity":
                seen += [
                    api.get(f"/v1/entities/{each['id']}{end}", key=reader).body
                    for end in ("", "/mentions")
                ]
    for task in NAMES:
        asked = {"task_descriptor": task, "max_hops": 2}
        graph = api.post("/v1/retrieve/graph", asked, key=reader).body
        seen += [[each["record"]["id"] for each in graph["nodes"]], graph["edges"]]
    return re.sub(r'"(hash|previous_hash|salt|next_cursor)": "[^"]*"', "", json.dumps(seen))


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(TOLD)
def test_hidden_captures_change_nothing_that_the_reader_sees(api: Api, told: Any) -> None:
    everything = shown(api, told, hidden=True)

    assert everything == shown(api, told, hidden=False)
    assert SECRET not in everything
