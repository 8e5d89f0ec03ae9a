"""What a revision takes and what it refuses: sources, rights, relations, places, contests."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from tests.integration.conftest import NO_SCHEDULES
from tests.integration.http.test_large_values import uploaded
from tests.integration.http.test_revisions import (
    WHY,
    a_fact,
    audited,
    merge,
    observed,
    read,
    revise,
    supersede,
)
from tests.integration.http.test_routes import EVENT, SKILL
from tests.worlds.api import Api, Reply, api_with

FIELDS = {"supersede": "new_record", "fork": "forked_record", "merge": "merged_record"}
SOURCES = {"supersede": "old record", "fork": "source record", "merge": "source record"}
"""What the refusals call a record that another comes from."""
OF_KEYS = "01890a5d-ac96-8c4d-a1a5-6f5b9c3e2d10"
"""An id of the version that keys make."""
STRICT = "weighs"
"""The predicate of facts each of which replaces the one before."""

each = pytest.mark.parametrize("how", FIELDS)


@pytest.fixture(scope="module")
def local_api() -> Iterator[Api]:
    """A stack in which a predicate has a policy."""
    parameters = {"ConflictPolicies": json.dumps({STRICT: "replace"})} | NO_SCHEDULES
    with api_with(parameters) as found:
        yield found


@pytest.fixture
def still(api: Api) -> Iterator[Api]:
    """The stack with its clock frozen, and the machine's time again afterwards."""
    api.post("/_dev/clock", {"frozen": True})
    yield api
    api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()})


def advance(api: Api, seconds: float) -> None:
    assert api.post("/_dev/clock", {"advance_seconds": seconds}).status == 200


def reviser(api: Api) -> str:
    """A key of no administrator, for two scopes, up to medium."""
    scopes = ("project:alpha", "shared")
    return api.key_for(
        permissions=("ingest", "read", "revise"), scopes=scopes, max_sensitivity="medium"
    )


def a_fact_with(payload: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return a_fact(payload=a_fact()["payload"] | payload, **fields)


def ask(api: Api, how: str, *ids: str, record: Any = None, **options: Any) -> Reply:
    """Ask for a record that comes from those."""
    body = {**WHY, FIELDS[how]: record or a_fact()}
    if how == "merge":
        return api.post("/v1/records/merge", {**body, "ids": ids}, **options)
    return api.post(f"/v1/records/{ids[0]}/{how}", body, **options)


def patch(api: Api, record_id: str, key: str | None = None, **fields: Any) -> Reply:
    return api.call("PATCH", f"/v1/records/{record_id}", fields, key=key)


def contest(api: Api, record_id: str, ref: str = "", **options: Any) -> Reply:
    return revise(api, record_id, "contest", {"contesting_ref": ref} if ref else {}, **options)


def resolve(api: Api, record_id: str, resolution: str, by: str = "", **options: Any) -> Reply:
    named = {"superseded_by": by} if by else {}
    return revise(api, record_id, "resolve", {"resolution": resolution, **named}, **options)


def state(api: Api, record_id: str) -> dict[str, Any]:
    return dict(read(api, record_id)["payload"].get("revision", {}))


def relations(record: dict[str, Any]) -> list[tuple[str, str]]:
    return [(edge["predicate"], edge["target_id"]) for edge in record.get("relations", [])]


def relation(target_id: str, predicate: str = "cites") -> dict[str, Any]:
    return {"predicate": predicate, "target_id": target_id}


def skill(api: Api, **fields: Any) -> str:
    return str(api.post("/v1/records", {**SKILL, **fields}).record["id"])


def episode(api: Api) -> str:
    return str(api.post("/v1/ingest/event", EVENT).record["id"])


def retracted(api: Api, **fields: Any) -> str:
    found = observed(api, **fields)
    assert revise(api, found, "retract", {}).status == 200
    return found


@contextmanager
def unchanged(api: Api) -> Iterator[None]:
    """Require that the block changes nothing."""
    before = api.stored()
    yield
    assert api.stored() == before


def refused(reply: Reply, status: int, words: str) -> None:
    told = json.dumps(reply.body)
    assert (reply.status, words in told) == (status, True), told


# --- records that come from others ---------------------------------------------------------------


@each
def test_what_no_record_can_be_made_of_is_refused(api: Api, how: str) -> None:
    old, dead, gone = observed(api), retracted(api), observed(api)
    shared, unscoped = observed(api, scope="shared"), observed(api)
    hidden = observed(api, scope="project:beta")
    api.call("DELETE", f"/v1/records/{gone}")
    key = reviser(api)
    asked = {"type": "episodic", "payload": {"kind": "episodic", "timeline": []}}
    bare = a_fact_with({"evidence": []}, id="new")
    words = f"{how}: get {SOURCES[how]}"
    cite = [[relation(each)] for each in (hidden, "never-made")]
    many = [relation(unscoped, f"cites-{number}") for number in range(30)]
    of = partial(ask, api, how)

    with unchanged(api):
        refused(of(unscoped, key=key), 403, "PERMISSION_DENIED")
        refused(of(gone), 404, f"{words} {gone}: record not found")
        refused(of(hidden, key=key), 404, f"{words} {hidden}: record not found")
        refused(of(dead), 409, f"{how}: record {dead} is retracted")
        refused(
            of(old, record=a_fact(**asked)),
            400,
            "an episodic record is not made by revision",
        )
        refused(
            of(old, record=bare),
            400,
            f"{how}: semantic revision requires evidence: record new has no evidence",
        )
        for to in cite:
            refused(
                of(shared, record=a_fact(relations=to), key=key),
                404,
                "a relation's target: record not found",
            )
        refused(
            of(old, record=a_fact(relations=many)),
            400,
            "too many relations with those to the sources: 31",
        )
        refused(of(old, record=a_fact(id=shared)), 409, "record already exists")
        refused(of(old, record=a_fact(id=OF_KEYS)), 400, "version 8")
        for scope in ("project:alpha", "project:beta"):
            refused(
                of(shared, record=a_fact(scope=scope), key=key),
                403,
                "stays in the scope of its sources",
            )
        refused(
            of(shared, record=a_fact(sensitivity="high"), key=key),
            403,
            "highest sensitivity",
        )


@each
def test_a_record_stays_where_it_comes_from_and_is_at_least_as_sensitive(
    api: Api, how: str
) -> None:
    key = reviser(api)
    levels = [("low", "medium"), ("medium", "low"), ("medium", "public")]
    for (source, asked), scope in zip(levels, ("", "shared", ""), strict=True):
        old = observed(api, scope="shared", sensitivity=source)
        made = ask(api, how, old, record=a_fact(scope=scope, sensitivity=asked), key=key).record
        assert (made["scope"], made["sensitivity"]) == ("shared", "medium")

    secret = observed(api, scope="shared", sensitivity="high")
    moved = ask(api, how, secret, record=a_fact(scope="other", sensitivity="public")).record

    assert (moved["scope"], moved["sensitivity"]) == ("other", "public"), "an administrator may"


@each
def test_of_a_record_that_is_sent_the_server_keeps_what_is_the_senders(api: Api, how: str) -> None:
    other, old = observed(api), observed(api)
    forged = {
        "audit_log": [{"action": "create", "actor": "forger", "rationale": "forged"}],
        "created_at": "1999-01-01T00:00:00Z",
        "interpretation": {"summary": "forged"},
        "relations": [relation(other, "supersedes"), relation(other, "contested_by")],
    }
    revision = {"revision": {"status": "retracted", "superseded_by": other}}

    record = ask(api, how, old, record=a_fact_with(revision, **forged)).record

    assert "forge" not in str(record)
    assert record["created_at"] != "1999-01-01T00:00:00Z"
    assert {target for _, target in relations(record)} == {old}
    assert other not in str(record)
    entries = [record["audit_log"], api.get(f"/v1/records/{old}/audit").body["audit_log"]]
    assert [(each[-1]["actor"], each[-1]["principal"]) for each in entries] == [
        ("eval", record["audit_log"][0]["principal"])
    ] * 2


@each
def test_a_record_that_was_read_may_be_sent_back_changed(api: Api, how: str) -> None:
    new = supersede(api, observed(api)).record["id"]
    for number in range(31):
        contest(api, new, observed(api, object=number))
    sent = {name: value for name, value in read(api, new).items() if name != "id"}

    record = ask(api, how, new, record=sent).record

    assert {target for _, target in relations(record)} == {new}


@each
def test_other_relations_come_behind_those_of_the_revision(api: Api, how: str) -> None:
    cited, old = observed(api), observed(api)
    several = [relation(cited, f"cites-{number}") for number in range(28)]

    record = ask(api, how, old, record=a_fact(relations=[relation(old), *several])).record

    assert relations(record)[0][1] == old
    assert relations(record)[1:] == [
        ("cites", old),
        *((each["predicate"], cited) for each in several),
    ]


@each
def test_provenance_stands_in_for_evidence(api: Api, how: str) -> None:
    sources = {"sources": [{"kind": "observation", "ref": "seen"}]}
    bare = a_fact_with({"evidence": []}, provenance=sources)

    record = ask(api, how, observed(api), record=bare).record

    assert record["provenance"]["sources"][0]["ref"] == "seen"


@each
def test_an_upload_is_claimed_by_the_record_also_for_a_repeat(api: Api, how: str) -> None:
    value = ["x" * 200_000]
    record = a_fact_with({"object": uploaded(api, json.dumps(value).encode())})
    old, key = observed(api), {"idempotency-key": "k-1"}

    first = ask(api, how, old, record=record, headers=key)
    again = ask(api, how, old, record=record, headers=key)

    assert [each.status for each in (first, again)] == [201, 200]
    assert first.record["payload"]["object"] == again.record["payload"]["object"] == value


@each
@pytest.mark.parametrize("chosen", [{}, {"id": "mine"}], ids=["made of the key", "chosen"])
def test_a_key_is_for_one_revision_also_once_its_record_is_gone(
    still: Api, how: str, chosen: dict[str, Any]
) -> None:
    old, key = observed(still), {"idempotency-key": "k-1"}
    first = ask(still, how, old, record=a_fact(**chosen), headers=key).record
    other = ask(still, how, old, record=a_fact(confidence=0.5, **chosen), headers=key)
    repeat = ask(still, how, old, record=a_fact(**chosen), headers=key)
    still.call("DELETE", f"/v1/records/{first['id']}")
    before = still.stored()

    late = ask(still, how, old, record=a_fact(**chosen), headers=key)

    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")
    assert (repeat.status, repeat.headers["idempotency-replayed"]) == (200, "true")
    assert repeat.record == first
    assert (late.status, set(late.record)) == (200, {"id", "deleted_at"})
    assert still.stored() == before


# --- superseding, forking, merging ---------------------------------------------------------------


def test_a_chain_goes_on_from_its_newest_record_also_when_it_is_contested(api: Api) -> None:
    first = observed(api)
    second = str(supersede(api, first).record["id"])
    contest(api, second)
    third = str(supersede(api, second).record["id"])

    links = [state(api, each) for each in (first, second, third)]

    assert [(each.get("supersedes"), each.get("superseded_by")) for each in links] == [
        (None, second),
        (first, third),
        (second, None),
    ]
    assert [each["status"] for each in links] == ["retracted", "retracted", "active"]
    (source,) = [
        each for each in read(api, third)["provenance"]["sources"] if each["ref"] == second
    ]
    assert (source["kind"], source["created_by"]) == ("event", "eval")


def test_what_supersedes_is_of_the_same_type_and_only_a_fact_needs_evidence(api: Api) -> None:
    old = skill(api)
    words = "supersede: the new record must be of the type compe"
    with unchanged(api):
        refused(ask(api, "supersede", old), 400, words)
        long = ask(api, "supersede", "x" * 3_000)
        refused(long, 404, "record not found")
        assert len(long.body["detail"]) < 200, "the id is not repeated whole"

    new = ask(api, "supersede", old, record=SKILL).record

    assert new["payload"]["revision"]["supersedes"] == old
    assert state(api, old)["superseded_by"] == new["id"]


def test_a_variant_may_be_of_another_type_and_leaves_a_contest_open(api: Api) -> None:
    source = observed(api)
    contest(api, source)

    variant = ask(api, "fork", source, record=SKILL).record

    assert relations(variant) == [("derived_from", source)]
    assert variant["provenance"]["sources"] == []
    assert state(api, source)["status"] == "contested"


def test_sources_of_a_merge_count_once_and_may_be_of_several_types(api: Api) -> None:
    low, medium = (observed(api, scope="shared", sensitivity=each) for each in ("low", "medium"))
    able = skill(api, scope="shared")

    union = merge(api, medium, low, able, medium, key=reviser(api)).record

    assert relations(union) == [("derived_from", each) for each in (medium, low, able)]
    assert (union["scope"], union["sensitivity"]) == ("shared", "medium")
    words = f"merged from [{medium} {low} {able}]: update"
    assert audited(api, union["id"]) == [("create", words)]
    assert audited(api, low)[1:] == [("merge", f"merged into {union['id']}: update")]


def test_what_cannot_be_merged_leaves_all_as_they_were(api: Api) -> None:
    one, two, dead = observed(api), observed(api, object=2), retracted(api)
    there, here = observed(api, scope="project:alpha"), observed(api, scope="shared")
    ids = [observed(api, object=number) for number in range(22)]
    rich = a_fact(relations=[relation(one), relation(one, "explains")])
    placed, key = a_fact(scope="shared"), reviser(api)

    with unchanged(api):
        refused(merge(api), 400, "ids must not be empty")
        refused(merge(api, *map(str, range(23))), 400, "too many ids: 23 (max 22)")
        refused(merge(api, "x" * 129), 400, "ids.0 exceeds maximum length of 128")
        refused(merge(api, one, "no"), 404, "merge: get source record no: record not found")
        refused(merge(api, one, two, dead), 409, f"merge: record {dead} is retracted")
        refused(
            ask(api, "merge", *ids, record=rich),
            400,
            "too many relations with those to the sources: 24 (max 23)",
        )
        refused(
            ask(api, "merge", here, there, record=placed, key=key),
            403,
            "stays in the scope of its sources",
        )
        refused(merge(api, here, there), 400, "name the new record's scope")

    assert ask(api, "merge", here, there, record=placed).record["scope"] == "shared"
    rich["relations"].pop()
    assert len(ask(api, "merge", *ids, record=rich).record["relations"]) == 23


# --- retracting ----------------------------------------------------------------------------------


def test_a_retracted_record_is_read_as_before_and_touched_no_more(api: Api) -> None:
    doubtful = observed(api)
    before = read(api, doubtful)["payload"]
    contest(api, doubtful)
    revise(api, doubtful, "retract", {})

    after = read(api, doubtful)
    with unchanged(api):
        for path, body in {
            "retract": {},
            "contest": {},
            "reinforce": None,
            "penalize": {"amount": 0},
            "pin": None,
            "unpin": None,
        }.items():
            refused(
                api.post(f"/v1/records/{doubtful}/{path}", body),
                409,
                f"record {doubtful} is retracted",
            )

    state_now = after["payload"].pop("revision")
    assert (state_now["status"], after["payload"], after["salience"]) == ("retracted", before, 0)
    entry = after["audit_log"][-1]
    assert (entry["action"], entry["actor"], entry["salience_after"]) == ("delete", "eval", 0)
    assert state_now["since"] == entry["timestamp"]


def test_records_of_other_types_are_retracted_too(api: Api) -> None:
    told = {"source": "agent", "thread_id": "t-1", "state": "planning"}
    working = str(api.post("/v1/ingest/working-state", told).record["id"])

    for each in (working, skill(api)):
        assert revise(api, each, "retract", {}).record["payload"]["revision"]["status"] == (
            "retracted"
        )


# --- contests ------------------------------------------------------------------------------------


def test_a_contested_record_names_what_speaks_against_it_and_keeps_its_salience(still: Api) -> None:
    doubtful, against, seen = observed(still), observed(still, object=2), episode(still)
    before, other = read(still, doubtful), read(still, against)
    began = contest(still, doubtful).record["payload"]["revision"]["since"]
    for ref in (against, seen, against, "a letter", "a letter"):
        advance(still, 60)
        assert contest(still, doubtful, ref).status == 200

    record = read(still, doubtful)

    assert record["payload"]["revision"] == {"status": "contested", "since": began}
    assert relations(record) == [("contested_by", against), ("contested_by", seen)]
    *known, source = record["provenance"]["sources"]
    assert known == before["provenance"]["sources"]
    assert (source["kind"], source["ref"], source["created_by"]) == (
        "observation",
        "a letter",
        "eval",
    )
    assert [words for _, words in audited(still, doubtful)[1:]] == [
        *["update"] * 4,
        *["contested by a letter: update"] * 2,
    ]
    assert "salience_after" not in record["audit_log"][-1]
    assert record["salience"] == pytest.approx(before["salience"], abs=1e-3)
    assert relations(read(still, against)) == relations(other)
    assert len(audited(still, against)) == 1


@pytest.mark.parametrize("kind", ["hidden", "deleted"])
def test_a_record_that_may_not_be_seen_is_none_to_who_names_it(api: Api, kind: str) -> None:
    doubtful = observed(api, scope="shared")
    against = observed(api, scope="project:beta" if kind == "hidden" else "shared")
    if kind == "deleted":
        api.call("DELETE", f"/v1/records/{against}")

    record = contest(api, doubtful, against, key=reviser(api)).record

    assert relations(record) == []
    assert record["provenance"]["sources"][-1]["ref"] == against


def test_a_contest_is_resolved_by_keeping_or_by_retracting(api: Api) -> None:
    kept, wrong = observed(api), observed(api)
    for each in (kept, wrong):
        contest(api, each)

    one, other = resolve(api, kept, "keep").record, resolve(api, wrong, "retract").record

    assert one["payload"]["revision"] == {
        "status": "active",
        "since": one["audit_log"][-1]["timestamp"],
    }
    assert audited(api, kept)[-1] == ("revise", "contest resolved: kept: update")
    assert (other["payload"]["revision"]["status"], other["salience"]) == ("retracted", 0)
    assert audited(api, wrong)[-1][1] == "update"


@pytest.mark.parametrize("named", [True, False])
def test_a_record_is_superseded_by_the_one_named_or_the_last_that_contested_it(
    api: Api,
    named: bool,  # noqa: FBT001 - a parameter
) -> None:
    old = observed(api)
    first, last = str(supersede(api, old).record["id"]), observed(api)
    doubtful = observed(api)
    for each in (first, last):
        contest(api, doubtful, each)
    successor = first if named else last

    record = resolve(api, doubtful, "supersede", first if named else "").record

    assert record["payload"]["revision"]["superseded_by"] == successor
    assert audited(api, doubtful)[-1] == ("revise", f"superseded by {successor}: update")
    stands = read(api, successor)
    assert stands["payload"]["revision"]["supersedes"] == (old if named else doubtful)
    assert ("supersedes", doubtful) in relations(stands)
    assert audited(api, successor)[-1][1] == f"supersedes {doubtful}: update"


def test_what_spoke_in_a_contest_that_was_resolved_replaces_nothing(still: Api) -> None:
    first, *later = [observed(still, object=number) for number in range(3)]
    doubtful = observed(still)
    for against in (first, *later, first):
        contest(still, doubtful, against)
        resolve(still, doubtful, "keep")
        advance(still, 1)
    contest(still, doubtful, "a letter")
    words = "superseded_by is required"
    with unchanged(still):
        refused(resolve(still, doubtful, "supersede"), 400, words)
    resolve(still, doubtful, "keep")
    advance(still, 1)
    contest(still, doubtful, first)

    record = resolve(still, doubtful, "supersede").record

    assert record["payload"]["revision"]["superseded_by"] == first


def test_the_last_that_contested_a_record_is_known_whatever_the_clock_says(still: Api) -> None:
    still.post("/_dev/clock", {"set": "2026-01-02T03:04:05Z"})
    one, two, first, other = (observed(still, object=number) for number in range(4))
    for ref, later in ((first, 0.5), (other, 0.2), (first, 0)):
        contest(still, one, ref)
        advance(still, later)
    contest(still, two, "a letter")
    advance(still, -60)
    contest(still, two, other)

    records = [resolve(still, each, "supersede").record for each in (one, two)]

    successors = [each["payload"]["revision"]["superseded_by"] for each in records]
    assert successors == [first, other]


def test_what_contests_or_resolves_nothing_is_refused(api: Api) -> None:
    sound, dead = observed(api), observed(api)
    contest(api, dead)
    revise(api, dead, "retract", {})
    doubtful, other, able = observed(api, scope="shared"), observed(api), skill(api)
    contest(api, doubtful)
    hidden, key = observed(api, scope="project:beta"), reviser(api)

    def by(record_id: str, how: str = "supersede", **options: Any) -> Reply:
        return resolve(api, doubtful, how, record_id, **options)

    with unchanged(api):
        refused(contest(api, sound, sound), 400, "a record cannot contest itself")
        refused(contest(api, "no"), 404, "contest: get record: record not found")
        for how in ("keep", "supersede", "retract"):
            refused(resolve(api, sound, how), 409, f"resolve: record {sound} is not contested")
        refused(resolve(api, dead, "keep"), 409, f"resolve: record {dead} is retracted")
        refused(resolve(api, "no", "keep"), 404, "resolve: get record no: record not found")
        refused(
            resolve(api, doubtful, "forget"),
            400,
            "resolution must be one of: keep, supersede, retract",
        )
        refused(by("x" * 129), 400, "superseded_by exceeds maximum length of 128")
        refused(by(other, "keep"), 400, "superseded_by goes with")
        refused(by(other, "retract"), 400, "superseded_by goes with")
        refused(by(""), 400, "superseded_by is required")
        refused(by(doubtful), 400, "a record cannot supersede itself")
        refused(by(dead), 409, f"resolve: record {dead} is retracted")
        refused(by(able), 400, "is not of the type semantic")
        refused(by("no"), 404, "resolve: get superseding record no: record not found")
        refused(by(hidden, key=key), 404, "resolve: get superseding record")
        refused(by(other, key=key), 403, "PERMISSION_DENIED")


# --- another classification ----------------------------------------------------------------------


def test_what_is_asked_for_is_changed_and_the_audit_says_what(api: Api) -> None:
    record_id = observed(api, scope="shared", tags=["a"])
    before, key = read(api, record_id), reviser(api)
    tags = ["b", "c", "b"]
    patch(
        api, record_id, key, scope="project:alpha", sensitivity="medium", tags=tags, rationale="why"
    )
    changes: tuple[dict[str, Any], ...] = (
        {"scope": "project:alpha"},
        {"tags": []},
        {"tags": [], "sensitivity": "medium"},
        {"sensitivity": "public"},
        {"scope": ""},
    )
    for fields in changes:
        patch(api, record_id, **fields)

    record = read(api, record_id)

    assert [words for _, words in audited(api, record_id)[1:]] == [
        "scope changed, sensitivity low -> medium, 1 tags -> 2 tags: why",
        "classification confirmed",
        "2 tags -> 0 tags",
        "classification confirmed",
        "sensitivity medium -> public",
        "scope changed",
    ]
    assert (record["payload"], record["lifecycle"]) == (before["payload"], before["lifecycle"])


def test_episodes_and_what_is_retracted_are_classified_like_any_record(api: Api) -> None:
    seen, dead = episode(api), retracted(api)

    moved = patch(api, seen, scope="shared", tags=["a"]).record
    raised = patch(api, dead, sensitivity="high").record

    assert (moved["scope"], moved["tags"]) == ("shared", ["a"])
    assert (raised["sensitivity"], raised["salience"]) == ("high", 0)
    assert raised["payload"]["revision"]["status"] == "retracted"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "nothing is to be changed"),
        ({"rationale": "why"}, "nothing is to be changed"),
        ({"scope": None, "tags": None}, "nothing is to be changed"),
        ({"retracted": True}, "to retract a record, post to its path /retract"),
        ({"retracted": 0}, "retracted must be true or false"),
        ({"retracted": "false"}, "retracted must be true or false"),
        ({"scope": "*"}, "the scope * is reserved"),
        ({"tags": ["x" * 257]}, "tag exceeds maximum length of 256"),
        ({"payload": {}}, "payload unknown field"),
    ],
    ids=str,
)
def test_what_is_no_classification_is_refused(api: Api, fields: dict[str, Any], words: str) -> None:
    record_id = observed(api)

    with unchanged(api):
        refused(patch(api, record_id, **fields), 400, words)


def test_nobody_classifies_beyond_the_own_rights(api: Api) -> None:
    shared, unscoped = observed(api, scope="shared", sensitivity="medium"), observed(api)
    hidden = [
        observed(api, scope="project:beta"),
        observed(api, scope="shared", sensitivity="high"),
    ]
    key = reviser(api)
    beyond = [
        (unscoped, {"scope": "shared"}),
        (shared, {"scope": "project:beta"}),
        (shared, {"scope": ""}),
        (shared, {"sensitivity": "high"}),
    ]

    with unchanged(api):
        for of in hidden:
            refused(patch(api, of, key, tags=["a"]), 404, "not found")
        for of, to in beyond:
            refused(patch(api, of, key, **to), 403, "PERMISSION_DENIED")
        refused(patch(api, shared, key, sensitivity="low"), 403, "needs the permission admin")

    assert patch(api, shared, sensitivity="low").record["sensitivity"] == "low"


def test_a_retracted_record_is_taken_up_as_salient_as_a_new_one_and_moved_at_once(
    still: Api,
) -> None:
    dead = retracted(still)
    advance(still, 86_400)

    record = patch(still, dead, retracted=False, scope="shared", rationale="true").record

    entry = record["audit_log"][-1]
    assert (record["salience"], record["scope"]) == (1.0, "shared")
    assert record["payload"]["revision"] == {"status": "active", "since": entry["timestamp"]}
    assert entry["rationale"] == "no longer retracted: scope changed: true"
    assert (entry["salience_before"], entry["salience_after"]) == (0.0, 1.0)


def test_what_was_never_retracted_is_not_taken_up(api: Api) -> None:
    active, doubtful, seen = observed(api), observed(api), episode(api)
    contest(api, doubtful)

    with unchanged(api):
        for of in (active, doubtful, seen):
            refused(patch(api, of, retracted=False), 409, f"record {of} is not retracted")


@pytest.mark.parametrize("how", ["supersede", "merge"])
def test_what_was_replaced_is_taken_up_once_its_successor_is_gone_for_good(
    api: Api, how: str
) -> None:
    old = observed(api)
    new = ask(api, how, old).record["id"]
    replaced = f"it was superseded by {new}: supersede that one"
    waiting = f"its successor {new} is deleted: restore or erase that one"
    again = partial(patch, api, old, retracted=False)

    with unchanged(api):
        refused(again(), 409, replaced)
    api.call("DELETE", f"/v1/records/{new}")
    with unchanged(api):
        refused(again(), 409, waiting)
    api.call("DELETE", f"/v1/records/{new}?erase=true")

    taken_up = again().record["payload"]["revision"]
    assert (taken_up["status"], "superseded_by" in taken_up) == ("active", False)


def test_what_has_outlived_its_max_age_is_taken_up_to_stay(still: Api) -> None:
    dead = skill(still, lifecycle={"decay": {"max_age_seconds": 3_600}})
    revise(still, dead, "retract", {})
    advance(still, 5 * 3_600)

    record = patch(still, dead, retracted=False).record
    still.invoke("DecayFunction", {})

    assert (record["salience"], record["audit_log"][-1]["salience_after"]) == (1.0, 1.0)
    assert record["audit_log"][-1]["rationale"] == "no longer retracted, max_age_seconds 3600 -> 0"
    assert read(still, dead)["salience"] == 1.0


@pytest.mark.parametrize("hours", [0, 5])
def test_where_its_profile_would_be_one_too_many_it_gets_its_types_own_once_it_is_too_old(
    still: Api, hours: int
) -> None:
    fading = {"half_life_seconds": 1, "max_age_seconds": 3_600}
    dead = skill(still, lifecycle={"decay": fading})
    before = read(still, dead)["lifecycle"]["decay"]
    usual = read(still, skill(still))["lifecycle"]["decay"]
    revise(still, dead, "retract", {})
    for half_life_s in range(2, 15):
        skill(still, lifecycle={"decay": {"half_life_seconds": half_life_s}})
    advance(still, hours * 3_600)

    record = patch(still, dead, retracted=False).record

    assert record["lifecycle"]["decay"] == (usual if hours else before)


# --- places of facts -----------------------------------------------------------------------------

IN_THE_WAY = "is the active fact of this subject and predicate"


def stand(api: Api, said: str = "tea", **fields: Any) -> str:
    """A fact that replaces the one before."""
    return observed(api, predicate=STRICT, object=said, **fields)


def believed(api: Api) -> list[str]:
    """What the active facts of the strict predicate say."""
    reply = api.post("/v1/retrieve", {"subject": "user", "predicate": STRICT})
    return sorted(str(each["payload"]["object"]) for each in reply.body["records"])


A_STRICT_FACT = a_fact_with({"predicate": STRICT, "object": "milk"})


@pytest.mark.parametrize("how", ["supersede", "merge"])
def test_a_record_takes_the_place_of_what_it_replaces_and_no_other(api: Api, how: str) -> None:
    tea, elsewhere = stand(api), observed(api, subject="somebody", predicate=STRICT)
    words = f"record {tea} {IN_THE_WAY}: supersede that one"
    key = {"idempotency-key": "k-1"}
    with unchanged(api):
        refused(ask(api, how, elsewhere, record=A_STRICT_FACT), 409, words)

    made = ask(api, how, tea, record=A_STRICT_FACT, headers=key).record
    repeat = ask(api, how, tea, record=A_STRICT_FACT, headers=key)

    assert (repeat.status, repeat.record["id"]) == (200, made["id"])
    assert believed(api) == ["milk"]
    assert state(api, stand(api, "water"))["supersedes"] == made["id"]


def test_a_variant_needs_a_place_of_its_own(api: Api) -> None:
    tea = stand(api)
    morning = {"validity": {"mode": "conditional", "conditions": {"time": "morning"}}}
    apart = a_fact_with({**morning, "predicate": STRICT, "object": "coffee"})
    with unchanged(api):
        refused(ask(api, "fork", tea, record=A_STRICT_FACT), 409, f"{tea} {IN_THE_WAY}")

    assert ask(api, "fork", tea, record=apart).status == 201
    assert believed(api) == ["coffee", "tea"]


def test_a_fact_is_not_taken_up_or_restored_beside_the_one_that_stands_there_now(api: Api) -> None:
    dead, gone = stand(api), stand(api, subject="guest")
    revise(api, dead, "retract", {})
    api.call("DELETE", f"/v1/records/{gone}")
    active, other = stand(api, "coffee"), stand(api, "milk", subject="guest")
    again = partial(patch, api, dead, retracted=False)
    back = partial(api.post, f"/v1/records/{gone}/restore", None)
    with unchanged(api):
        refused(again(), 409, f"record {active} {IN_THE_WAY}")
        refused(back(), 409, f"record {other} {IN_THE_WAY}")
    revise(api, active, "retract", {})
    api.call("DELETE", f"/v1/records/{other}")

    assert [again().status, back().status] == [200, 200]
    assert believed(api) == ["tea"]
    assert state(api, stand(api, "water", subject="guest"))["supersedes"] == gone


def test_a_retracted_fact_is_restored_without_a_place(api: Api) -> None:
    tea = stand(api)
    stand(api, "coffee")
    api.call("DELETE", f"/v1/records/{tea}")

    assert api.post(f"/v1/records/{tea}/restore", None).status == 200
    assert believed(api) == ["coffee"]


def test_a_fact_moves_or_is_shown_to_more_only_where_no_other_stands(api: Api) -> None:
    here, there = stand(api, scope="here"), stand(api, scope="there")
    secret = stand(api, scope="shared", sensitivity="high")
    low = api.key_for(scopes=("*",), max_sensitivity="low")
    told = {"source": "a", "subject": "user", "predicate": STRICT, "object": "ale"}
    public = api.post("/v1/ingest/observation", {**told, "scope": "shared"}, key=low).record["id"]
    move = partial(patch, api, here, scope="there")
    show = partial(patch, api, secret, sensitivity="low")
    with unchanged(api):
        refused(move(), 409, f"record {there} {IN_THE_WAY}")
        refused(show(), 409, f"record {public} {IN_THE_WAY}")
    revise(api, public, "retract", {})

    assert [patch(api, here, scope="elsewhere").status, show().status] == [200, 200]
    assert patch(api, there, tags=["a"], sensitivity="high").status == 200
    assert "supersedes" not in state(api, stand(api, "coffee", scope="here"))
    assert state(api, stand(api, "milk", scope="shared"))["supersedes"] == secret
