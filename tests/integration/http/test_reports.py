"""What each report, outcome and full record becomes, and what of them is refused in which words."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from membrane_local.dev_options import DevOptions
from tests.integration.http.test_routes import REPORTS, SKILL
from tests.worlds.api import Api, Reply, api_over
from tests.worlds.tuning import tuned

NOW = "2026-03-01T09:00:00.25Z"
EARLIER = "2026-02-28T23:59:59.123456789Z"
ALPHA: Mapping[str, Any] = {"scopes": ("project:alpha", "shared"), "max_sensitivity": "medium"}
NO_EPISODE = "ingestion: get target record for outcome: record not found"
NO_TARGET = "a relation's target: record not found"


@pytest.fixture(autouse=True)
def _still(api: Api) -> Iterator[None]:
    """One instant, from which a test may go on; the machine's time again afterwards."""
    api.post("/_dev/clock", {"frozen": True})
    api.post("/_dev/clock", {"set": NOW})
    yield
    api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()})


def report(api: Api, kind: str, **fields: Any) -> Reply:
    return api.post(f"/v1/ingest/{kind}", {**REPORTS[kind], **fields})


def outcome(api: Api, target_id: str, status: str = "success", **fields: Any) -> Reply:
    ended = {"source": "judge", "target_record_id": target_id, "outcome_status": status}
    return api.post("/v1/ingest/outcome", {**ended, **fields})


def kept(api: Api, **fields: Any) -> Reply:
    """The reply to a full record."""
    key = fields.pop("key", None)
    return api.post("/v1/records", {**SKILL, **fields}, key=key)


def leaving_nothing(api: Api, before: Any, reply: Reply) -> tuple[int, str, Sequence[str]]:
    """Status, words and named fields of a refusal after which the table is as it was."""
    assert api.stored() == before
    fields = [each["field"] for each in reply.body.get("errors", ())]
    return reply.status, reply.body["detail"], fields


# --- what a report becomes -----------------------------------------------------------------------


def test_an_event_becomes_an_episodic_record_with_all_that_policy_gives_it(api: Api) -> None:
    made = report(api, "event", tags=["ci"], scope="project:alpha").record

    record = api.get(f"/v1/records/{made['id']}").record
    (entry,) = record.pop("audit_log")
    assert (entry["action"], entry["actor"], entry["timestamp"], entry["rationale"]) == (
        "create",
        "ingestion-service",
        NOW,
        "Ingested event from agent",
    )
    (source,) = record["provenance"]["sources"]
    assert len(source.pop("hash").removeprefix("sha256:")) == 64
    assert record == {
        "id": made["id"],
        "audit_count": 1,
        "type": "episodic",
        "sensitivity": "low",
        "confidence": 0.8,
        "salience": 1.0,
        "scope": "project:alpha",
        "tags": ["ci"],
        "created_at": NOW,
        "updated_at": NOW,
        "lifecycle": {
            "decay": {
                "curve": "exponential",
                "half_life_seconds": 3_600,
                "reinforcement_gain": 0.2,
            },
            "last_reinforced_at": NOW,
            "deletion_policy": "auto_prune",
        },
        "provenance": {
            "sources": [{"kind": "event", "ref": "evt-1", "created_by": "agent", "timestamp": NOW}],
            "created_by": "ingestion-service",
        },
        "payload": {
            "kind": "episodic",
            "timeline": [{"t": NOW, "event_kind": "build", "ref": "evt-1", "summary": "ran build"}],
        },
    }


@pytest.mark.parametrize(
    ("kind", "policy", "named"),
    [
        ("event", ("episodic", 0.8, 3_600), ("event", "evt-1")),
        ("tool-output", ("episodic", 0.9, 3_600), ("tool_call", "node")),
        ("observation", ("semantic", 0.7, 2_592_000), ("observation", "agent")),
        ("working-state", ("working", 1.0, 86_400), ("event", "t-1")),
    ],
)
def test_the_kind_of_a_report_decides_and_the_callers_time_dates_the_report_alone(
    api: Api, kind: str, policy: tuple[str, float, int], named: tuple[str, str]
) -> None:
    record = report(api, kind, timestamp=EARLIER).record

    half_life_s = record["lifecycle"]["decay"]["half_life_seconds"]
    assert (record["type"], record["confidence"], half_life_s) == policy
    (entry,) = record["audit_log"]
    assert entry["rationale"] == f"Ingested {kind.replace('-', '_')} from agent"
    ours = [record["created_at"], record["updated_at"], record["lifecycle"]["last_reinforced_at"]]
    assert [*ours, entry["timestamp"]] == [NOW] * 4
    (source,) = record["provenance"]["sources"]
    node_ids = [each["id"] for each in record["payload"].get("tool_graph", [])]
    ref = "node" if node_ids == [source["ref"]] else source["ref"]
    assert (source["kind"], ref, source["timestamp"]) == (*named, EARLIER)


def test_a_tool_output_is_an_episode_of_one_node_that_everything_refers_to(api: Api) -> None:
    given = {"args": {"pattern": "x"}, "result": [1, None], "depends_on": ["a", "b"]}
    record = report(api, "tool-output", **given).record

    ref = record["provenance"]["sources"][0]["ref"]
    assert record["payload"] == {
        "kind": "episodic",
        "timeline": [
            {"t": NOW, "event_kind": "tool_call", "ref": ref, "summary": "tool_call: bash"}
        ],
        "tool_graph": [{"id": ref, "tool": "bash", **given, "timestamp": NOW}],
    }
    longest = report(api, "tool-output", tool_name="x" * 100_000).record["payload"]
    assert len(longest["timeline"][0]["summary"]) == 100_000
    assert longest["tool_graph"][0]["tool"] == "x" * 100_000


@pytest.mark.parametrize("status", ["success", "failure", "partial"])
def test_the_status_of_a_tool_output_is_the_outcome_of_its_episode(api: Api, status: str) -> None:
    assert report(api, "tool-output", status=status).record["payload"]["outcome"] == status


@pytest.mark.parametrize("value", ["Go", None, False, 0, {"with": "milk"}], ids=str)
def test_an_observation_is_a_fact_that_holds_everywhere_with_its_evidence(
    api: Api, value: Any
) -> None:
    assert report(api, "observation", object=value).record["payload"] == {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": value,
        "validity": {"mode": "global"},
        "evidence": [{"source_type": "observation", "source_id": "agent", "timestamp": NOW}],
        "revision_policy": "replace",
    }


def test_a_working_state_is_kept_as_it_was_reported(api: Api) -> None:
    given = {
        "state": "blocked",
        "next_actions": ["ask"],
        "open_questions": ["who?"],
        "context_summary": "stuck",
        "active_constraints": [{"type": "time", "key": "t", "value": "noon", "required": True}],
    }

    payload = report(api, "working-state", **given).record["payload"]
    bare = report(api, "working-state").record["payload"]

    assert payload == {"kind": "working", "thread_id": "t-1", **given}
    assert bare == {"kind": "working", "thread_id": "t-1", "state": "planning"}


def digest(api: Api, **fields: Any) -> str:
    """Of an event with these fields."""
    kind = "tool-output" if "args" in fields else "event"
    return str(report(api, kind, **fields).record["provenance"]["sources"][0]["hash"])


@pytest.mark.parametrize(
    "absent", [None, "", "0001-01-01T00:00:00Z", "0001-01-01T01:00:00+01:00", NOW]
)
def test_a_report_without_a_time_happened_now_and_has_the_digest_of_one_of_now(
    api: Api, absent: str | None
) -> None:
    made = report(api, "event", timestamp=absent).record["provenance"]["sources"][0]

    assert (made["timestamp"], made["hash"]) == (NOW, digest(api))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"idempotency_key": "k1"}, {"idempotency_key": "k2"}, True),
        ({"timestamp": "2026-03-01T10:00:00.25+01:00"}, {}, True),
        ({"tags": [], "scope": ""}, {}, True),
        ({"args": {"a": 1, "b": 2}}, {"args": '{"b": 2, "a": 1}'}, True),
        *(
            ({}, other, False)
            for other in (
                {"source": "another"},
                {"event_kind": "error"},
                {"ref": "evt-2"},
                {"summary": "more"},
                {"timestamp": EARLIER},
                {"tags": ["a"]},
                {"scope": "team"},
                {"sensitivity": "high"},
            )
        ),
    ],
    ids=str,
)
def test_the_digest_tells_reports_apart_by_what_they_say_alone(
    api: Api, one: dict[str, Any], other: dict[str, Any], *, same: bool
) -> None:
    assert (digest(api, **one) == digest(api, **other)) is same


def test_a_record_is_made_as_the_operator_set_it(tmp_path: Path) -> None:
    settings = {
        "DefaultSensitivity": "medium",
        "EpisodicHalfLifeSeconds": "60",
        "SemanticHalfLifeSeconds": "61",
        "WorkingHalfLifeSeconds": "62",
        "MessageHalfLifeSeconds": "63",
        "DefaultInitialSalience": "0.5",
        "DefaultDeletionPolicy": "never",
        "ReinforcementGain": "0",
        "DecayCurve": "custom",
        "CustomCurve": "steps",
        "CustomCurves": '{"steps": [[0, 1], [1, 0]]}',
    }
    talk = {"thread_id": "t", "messages": [{"role": "user", "content": "Hi"}]}

    with api_over(DevOptions(store=str(tmp_path / "memory.db"), parameters=tuned(settings))) as api:
        api.functions.clock.freeze(frozen=True)
        made = [report(api, kind).record for kind in ("event", "observation", "working-state")]
        said = api.post("/v1/messages", talk).body["records"]
        named = kept(api, lifecycle={"decay": {"curve": "custom", "custom_curve": "steps"}})
        louder = report(api, "event", sensitivity="high").record

    decays = [each["lifecycle"]["decay"] for each in (*made, *said)]
    assert [each["half_life_seconds"] for each in decays] == [60, 61, 62, 63]
    steps = ("custom", "steps", 0)
    for decay in decays:
        assert (decay["curve"], decay["custom_curve"], decay["reinforcement_gain"]) == steps
    for record in made:
        assert (record["sensitivity"], record["salience"]) == ("medium", 0.5)
        assert record["lifecycle"]["deletion_policy"] == "never"
    assert named.record["lifecycle"]["decay"]["custom_curve"] == "steps"
    assert louder["sensitivity"] == "high"


# --- what a report must have ---------------------------------------------------------------------

REQUIRED = [
    ("event", "event_kind", "event kind is required for event candidates"),
    ("event", "ref", "event ref is required for event candidates"),
    ("tool-output", "tool_name", "tool name is required for tool output candidates"),
    ("observation", "subject", "subject is required for observation candidates"),
    ("observation", "predicate", "predicate is required for observation candidates"),
    ("working-state", "thread_id", "thread ID is required for working state candidates"),
    ("working-state", "state", "task state is required for working state candidates"),
    ("outcome", "target_record_id", "target record ID is required for outcome candidates"),
    ("outcome", "outcome_status", "outcome status is required for outcome candidates"),
]


@pytest.mark.parametrize(("kind", "field", "words"), REQUIRED)
def test_a_report_without_what_it_must_have_is_refused(
    api: Api, kind: str, field: str, words: str
) -> None:
    ended = {"source": "judge", "target_record_id": "any", "outcome_status": "success"}
    sent, before = REPORTS.get(kind, ended), api.stored()
    absent = {name: value for name, value in sent.items() if name != field}

    for body in (absent, {**sent, field: ""}, {**sent, field: None}):
        reply = api.post(f"/v1/ingest/{kind}", body)
        assert leaving_nothing(api, before, reply) == (400, words, [field])


def test_all_that_a_report_lacks_is_named_at_once_and_blanks_are_something(api: Api) -> None:
    before = api.stored()
    empty = report(api, "event", event_kind="", ref="")
    assert leaving_nothing(api, before, empty)[2] == ["event_kind", "ref"]

    record = report(api, "event", source=" ", event_kind="\n", ref="\t").record

    assert record["audit_log"][0]["rationale"] == "Ingested event from  "


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\0", None])
def test_a_note_without_a_text_is_refused(api: Api, text: str | None) -> None:
    before = api.stored()

    reply = report(api, "observation", predicate="noted", object=text)

    words = "object is required for a note: the text is empty"
    assert leaving_nothing(api, before, reply) == (400, words, ["object"])


# --- lifecycles ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", REPORTS)
def test_policy_fills_what_the_lifecycle_of_a_report_leaves_open_and_a_repeat_must_say_the_same(
    api: Api, kind: str
) -> None:
    usual = report(api, kind, ref="other").record if kind == "event" else None
    asked = {"decay": {"half_life_seconds": 77}, "deletion_policy": "manual_only"}

    made = report(api, kind, lifecycle=asked, idempotency_key="k")
    again = report(api, kind, lifecycle=asked, idempotency_key="k")
    asked["decay"] = {"half_life_seconds": 78}
    other = report(api, kind, lifecycle=asked, idempotency_key="k")

    lifecycle = made.record["lifecycle"]
    assert lifecycle["deletion_policy"] == "manual_only"
    assert lifecycle["decay"] == {
        "curve": "exponential",
        "half_life_seconds": 77,
        "reinforcement_gain": 0.2,
    }
    assert usual is None or usual["lifecycle"]["decay"]["half_life_seconds"] == 3_600
    assert [each.status for each in (made, again, other)] == [201, 200, 409]
    assert again.record == made.record


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize(
    ("words", "lifecycle"),
    [
        ("pinned", {"pinned": True}),
        ("deletion_policy never", {"deletion_policy": "never"}),
        ("decay.min_salience above 1", {"decay": {"min_salience": 1.5}}),
        ("decay.reinforcement_gain above 1", {"decay": {"reinforcement_gain": 2.0}}),
    ],
)
def test_what_makes_a_report_outrank_or_outlast_others_needs_revise(
    api: Api, kind: str, words: str, lifecycle: dict[str, Any]
) -> None:
    key, before = api.key_for(permissions=("ingest",)), api.stored()
    body = {**REPORTS[kind], "lifecycle": lifecycle}

    reply = api.post(f"/v1/ingest/{kind}", body, key=key)

    detail = f"lifecycle.{words} needs the permission revise"
    assert leaving_nothing(api, before, reply)[:2] == (403, detail)
    assert api.post(f"/v1/ingest/{kind}", body).status == 201


@pytest.mark.parametrize(
    ("decay", "field"),
    [
        ({"curve": "custom", "custom_curve": "gone"}, "lifecycle.decay.custom_curve"),
        ({"curve": "custom"}, "lifecycle.decay.custom_curve"),
        ({"half_life_seconds": 0}, "lifecycle.decay.half_life_seconds"),
        ({"half_life": 7}, "lifecycle.decay.half_life"),
    ],
    ids=str,
)
def test_a_lifecycle_that_is_wrong_is_refused_by_the_name_of_its_field(
    api: Api, decay: dict[str, Any], field: str
) -> None:
    before, lifecycle = api.stored(), {"decay": decay}

    for reply in (report(api, "event", lifecycle=lifecycle), kept(api, lifecycle=lifecycle)):
        status, _, fields = leaving_nothing(api, before, reply)
        assert (status, [each.removeprefix("record.") for each in fields]) == (400, [field])


def test_there_are_no_more_decay_profiles_than_a_ranking_merges(api: Api) -> None:
    talk = {"thread_id": "t", "messages": [{"role": "user", "content": "Hi"}]}
    for number in range(14):
        lifecycle = {"decay": {"half_life_seconds": 100 + number}}
        assert report(api, "event", lifecycle=lifecycle).status == 201
    before, one_more = api.stored(), {"lifecycle": {"decay": {"half_life_seconds": 99}}}

    for reply in (
        report(api, "event", **one_more),
        kept(api, type="episodic", payload={"kind": "episodic", "timeline": []}, **one_more),
        api.post("/v1/messages", {**talk, **one_more}),
    ):
        status, words, fields = leaving_nothing(api, before, reply)
        assert (status, fields) == (400, ["lifecycle.decay"])
        assert "16 decay profiles" in words
        assert "exponential:113" not in words
    assert api.post("/v1/messages", talk).status == 201


# --- full records --------------------------------------------------------------------------------

PAYLOADS: dict[str, dict[str, Any]] = {
    "episodic": {"timeline": [{"t": NOW, "event_kind": "build", "ref": "build:1"}]},
    "working": {"thread_id": "thread:1", "state": "done"},
    "semantic": {
        "subject": "s",
        "predicate": "p",
        "object": None,
        "validity": {"mode": "timeboxed", "start": NOW},
    },
    "competence": {
        "skill_name": "deploy",
        "triggers": [{"signal": "merge"}],
        "recipe": [{"step": "push"}],
        "performance": {"success_count": 3},
    },
    "plan_graph": {
        "plan_id": "plan:1",
        "version": "1",
        "nodes": [{"id": "a", "op": "x"}, {"id": "b", "op": "y"}],
        "edges": [{"from": "a", "to": "b", "kind": "data"}],
    },
    "entity": {"canonical_name": "Ada", "aliases": ["A.", {"value": "Lady", "kind": "title"}]},
}


@pytest.mark.parametrize("memory_type", PAYLOADS)
def test_a_record_of_any_type_is_kept_as_it_was_sent_and_its_lifecycle_filled(
    api: Api, memory_type: str
) -> None:
    sent = {"kind": memory_type, **PAYLOADS[memory_type]}

    made = kept(api, type=memory_type, payload=sent, confidence=0.5, salience=5, tags=["b", "a"])

    record = api.get(f"/v1/records/{made.record['id']}").record
    assert record == made.record
    assert (record["type"], record["confidence"], record["salience"], record["tags"]) == (
        memory_type,
        0.5,
        5,
        ["b", "a"],
    )
    payload = {name: value for name, value in record["payload"].items() if name in sent}
    if memory_type == "entity":
        payload["aliases"] = ["A.", *payload["aliases"][1:]]
    assert payload == sent
    half_life_s = {"episodic": 3_600, "working": 86_400}.get(memory_type, 2_592_000)
    assert record["lifecycle"] == {
        "decay": {
            "curve": "exponential",
            "half_life_seconds": half_life_s,
            "reinforcement_gain": 0.2,
        },
        "last_reinforced_at": NOW,
        "deletion_policy": "auto_prune",
    }
    assert record["provenance"]["created_by"] == "ingestion-service"


def test_a_record_that_a_reply_had_is_accepted_again_without_what_is_ours(api: Api) -> None:
    lifecycle = {"pinned": True, "decay": {"min_salience": 0.25, "reinforcement_gain": 0}}
    source = {"kind": "artifact", "ref": "a", "created_by": "b", "timestamp": NOW}
    provenance = {"created_by": "somebody", "sources": [{**source, "hash": "forged"}]}
    first = kept(api, lifecycle=lifecycle, provenance=provenance).record
    api.post("/_dev/clock", {"advance_seconds": 86_400})
    sent = {name: value for name, value in first.items() if name != "id"}

    forged = {"audit_log": [{"forged": True}], "interpretation": {"forged": True}}
    again = api.post("/v1/records", {**sent, **forged, "created_at": "then"}).record

    (entry,) = again["audit_log"]
    assert entry["rationale"].startswith("Ingested record from ")
    assert again["id"] != first["id"]
    assert again["created_at"] == again["updated_at"] == entry["timestamp"] != first["created_at"]
    assert again["lifecycle"] == {**first["lifecycle"], "last_reinforced_at": again["created_at"]}
    assert again["payload"] == first["payload"]
    for provenance in (first["provenance"], again["provenance"]):
        assert provenance["created_by"] == "somebody"
        (kept_source,) = provenance["sources"]
        assert kept_source.pop("hash").startswith("sha256:")
        assert kept_source == source
    assert "interpretation" not in again


@pytest.mark.parametrize("record_id", ["a", "x" * 128, "A.b_c:d-9"])
def test_a_chosen_id_is_kept(api: Api, record_id: str) -> None:
    assert kept(api, id=record_id).record["id"] == record_id


@pytest.mark.parametrize("spell", [str, str.upper, lambda keyed: keyed.replace("-", "")])
def test_an_id_of_the_kind_that_keys_make_is_refused(api: Api, spell: Any) -> None:
    keyed = report(api, "event", idempotency_key="k").record["id"]
    api.call("DELETE", f"/v1/records/{keyed}?erase=true")
    before = api.stored()

    reply = kept(api, id=spell(keyed))

    assert reply.status == 400
    assert "version 8" in str(reply.body)
    assert api.stored() == before


def test_an_id_is_taken_by_a_record_of_any_scope_until_its_tombstone_expires(api: Api) -> None:
    kept(api, id="taken", scope="project:beta")
    taken = kept(api, id="taken", key=api.key_for(**ALPHA))
    assert (taken.status, taken.body["code"]) == (409, "ALREADY_EXISTS")
    api.call("DELETE", "/v1/records/taken")

    api.post("/_dev/clock", {"advance_seconds": 400 * 86_400})
    assert kept(api, id="taken").status == 409
    api.post("/_dev/clock", {"advance_seconds": 1})
    assert len(kept(api, id="taken").record["audit_log"]) == 1


def relation(target_id: str, predicate: str = "cites", **fields: Any) -> dict[str, Any]:
    return {"predicate": predicate, "target_id": target_id, **fields}


def test_a_relation_is_dated_now_and_weighs_1_unless_it_says_otherwise(api: Api) -> None:
    kept(api, id="target")
    sent = [
        relation("target", created_at="1999-01-01T00:00:00Z"),
        relation("target", "blocks", weight=0.25),
        relation("target", "weighs", weight=0),
        relation("target", "tips", weight=1e-200),
    ]

    relations = kept(api, relations=sent).record["relations"]

    assert [each["weight"] for each in relations][:3] == [1, 0.25, 1]
    assert relations[3].get("weight", 0) < 1e-100
    assert {each["created_at"] for each in relations} == {NOW}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": "semantic"}, "payload kind must match memory type"),
        ({"relations": [relation("target"), relation("target", weight=0.5)]}, "is given twice"),
        ({"id": "self", "relations": [relation("self")]}, "a record cannot relate to itself"),
    ],
    ids=["another type", "relation twice", "relation to itself"],
)
def test_a_full_record_that_contradicts_itself_is_refused(
    api: Api, fields: dict[str, Any], words: str
) -> None:
    kept(api, id="target")
    before = api.stored()

    status, detail, _ = leaving_nothing(api, before, kept(api, **fields))

    assert status == 400
    assert words in detail


def test_a_target_is_one_that_the_caller_sees_in_any_scope(api: Api) -> None:
    for name, scope, sensitivity in (
        ("shared", "shared", "low"),
        ("unscoped", "", "low"),
        ("far", "project:beta", "low"),
        ("secret", "shared", "high"),
        ("gone", "shared", "low"),
    ):
        kept(api, id=name, scope=scope, sensitivity=sensitivity)
    api.call("DELETE", "/v1/records/gone")
    key = api.key_for(**ALPHA)

    seen = kept(api, key=key, relations=[relation("shared"), relation("unscoped")])
    before = api.stored()

    assert seen.record["scope"] == "project:alpha"
    for target_id in ("far", "secret", "gone", "never-made", "no/id", "x" * 129):
        reply = kept(api, key=key, relations=[relation(target_id)])
        assert leaving_nothing(api, before, reply)[:2] == (404, NO_TARGET), target_id


# --- outcomes ------------------------------------------------------------------------------------


def test_an_outcome_changes_payload_provenance_and_audit_and_nothing_else(api: Api) -> None:
    made = report(api, "event", tags=["ci"], scope="project:alpha").record
    api.post("/_dev/clock", {"advance_seconds": 3_600})
    later = "2026-03-01T10:00:00.25Z"

    record = outcome(api, made["id"], "failure", reason="the disk was full", timestamp=EARLIER)

    told = record.record
    assert told == api.get(f"/v1/records/{made['id']}").record
    assert told["payload"] == {
        **made["payload"],
        "outcome": "failure",
        "outcome_reason": "the disk was full",
    }
    *sources, evidence = told["provenance"]["sources"]
    assert sources == made["provenance"]["sources"]
    assert (evidence["kind"], evidence["ref"], evidence["created_by"], evidence["timestamp"]) == (
        "outcome",
        f"outcome:{made['id']}:failure",
        "judge",
        EARLIER,
    )
    entry = told["audit_log"][-1]
    assert (entry["action"], entry["actor"], entry["rationale"], entry["timestamp"]) == (
        "revise",
        "judge",
        "Outcome recorded: failure: the disk was full",
        later,
    )
    assert (told["updated_at"], told["salience"]) == (later, pytest.approx(0.5))
    changed = {"payload", "provenance", "audit_log", "audit_count", "updated_at", "salience"}
    assert all(told[name] == made[name] for name in made.keys() - changed)


def test_of_several_outcomes_the_newest_stands_and_all_are_remembered(api: Api) -> None:
    target_id = report(api, "tool-output").record["id"]
    statuses = ["failure", "partial", "success", "success"]

    outcome(api, target_id, statuses[0], reason="why")
    *_, record = [outcome(api, target_id, status).record for status in statuses[1:]]

    assert (record["payload"]["outcome"], len(record["payload"]["tool_graph"])) == ("success", 1)
    assert "outcome_reason" not in record["payload"]
    told = [each["ref"].rpartition(":")[2] for each in record["provenance"]["sources"][1:]]
    assert told == statuses
    trail = api.get(f"/v1/records/{target_id}/audit?verify=true").body
    assert (trail["verified"], len(trail["audit_log"])) == (True, 5)


def test_only_an_episode_that_is_there_has_an_outcome(api: Api) -> None:
    others = [report(api, "working-state").record["id"], kept(api).record["id"]]
    deleted = report(api, "event").record["id"]
    api.call("DELETE", f"/v1/records/{deleted}")
    before = api.stored()

    for target_id in others:
        status, words, _ = leaving_nothing(api, before, outcome(api, target_id))
        assert (status, words) == (409, f"ingestion: target record {target_id} is not episodic")
    for target_id in (deleted, "never-made", "no/id", " ", "x" * 129, "é", "a\n"):
        status, words, _ = leaving_nothing(api, before, outcome(api, target_id))
        assert (status, words) == (404, NO_EPISODE), target_id
