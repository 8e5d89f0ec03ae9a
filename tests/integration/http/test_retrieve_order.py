"""What a retrieval answers with, in which order, page after page."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.worlds.api import Api
from tests.worlds.recall import (
    NOON,
    about,
    advance,
    change,
    delete,
    fact,
    found,
    ids,
    keep,
    keep_together,
    pages,
    parts,
    payload_is_shown,
    receipt,
    retrieved,
    settle,
    skill,
    stalled,
    turn,
)

TASKS = ["", "Who likes tea?"]
HOURLY = {"decay": {"half_life_seconds": 3_600}}
PINNED = {"pinned": True}
BACKSLASHES = "\\" * 100_000
"""Twice as long in JSON, and again in the payload of a reply."""


def reader(api: Api, *scopes: str, level: str = "low", actor_id: str = "reader") -> str:
    """A key that reads these scopes up to that level."""
    permissions = ("read",)
    return api.key_for(
        actor_id=actor_id, permissions=permissions, scopes=scopes, max_sensitivity=level
    )


def state(thread_id: str, text: str, **fields: Any) -> dict[str, Any]:
    """A full record of a working state."""
    payload = {"kind": "working", "thread_id": thread_id, "state": "done", "context_summary": text}
    return {"type": "working", "sensitivity": "low", "payload": payload | fields}


# --- Order --------------------------------------------------------------------------------------


def test_the_most_salient_of_now_comes_first_whatever_its_scope_and_type(still: Api) -> None:
    keep(still, fact("b", lifecycle=PINNED, salience=0.3), skill("strong", salience=0.9))
    keep(still, fact("a", lifecycle=PINNED, salience=0.3, scope="shared"))
    keep(still, fact("fleeting", lifecycle=HOURLY), fact("lasting", salience=0.5, lifecycle=PINNED))
    settle(still)
    at_first = found(still)

    advance(still, hours=3)
    keep(still, fact("new", lifecycle=PINNED, salience=0.3))
    after = retrieved(still)

    assert at_first == ["fleeting", "strong", "lasting", "a", "b"]
    assert ids(after) == ["strong", "lasting", "new", "a", "b", "fleeting"]
    assert after["records"][-1]["salience"] == 0.125
    change(still, "fleeting", "reinforce")
    change(still, "strong", "penalize", amount=0.8)
    assert found(still)[1] == "fleeting"
    assert found(still)[-1] == "strong"


def test_all_pages_are_as_of_the_first_and_the_limit_may_change(still: Api) -> None:
    keep(still, fact("first", lifecycle=PINNED), fact("fleeting", salience=0.9, lifecycle=HOURLY))
    keep(still, fact("lasting", salience=0.8, lifecycle=PINNED))

    page = retrieved(still, limit=1)
    advance(still, hours=5)
    further = retrieved(still, limit=5, cursor=page["next_cursor"])

    assert ids(page, further) == ["first", "fleeting", "lasting"]
    assert [each["salience"] for each in further["records"]] == [0.9 / 32, 0.8]
    assert "next_cursor" not in further


@pytest.mark.parametrize(
    "asked",
    [
        {"memory_types": ["semantic"]},
        {"trust": {"scopes": ["shared"]}},
        {"min_salience": 0.1},
        {"task_descriptor": "tea"},
        {"view": "brief"},
        {},
    ],
    ids=str,
)
def test_a_cursor_is_good_for_its_request_and_principal_alone(
    api: Api, asked: dict[str, Any]
) -> None:
    keep(api, fact("a"), fact("b"))
    cursor = retrieved(api, limit=1)["next_cursor"]

    key = None if asked else reader(api, "*")
    reply = api.post("/v1/retrieve", {**asked, "cursor": cursor}, key=key)

    assert (reply.status, "belongs to another request" in reply.body["detail"]) == (400, True)


@pytest.mark.parametrize("cursor", ["x", "AAAA", "=", "é", "A" * 16_384])
def test_what_is_no_cursor_is_refused(api: Api, cursor: str) -> None:
    reply = api.post("/v1/retrieve", {"cursor": cursor})

    assert (reply.status, "cursor" in reply.body["detail"]) == (400, True)


@pytest.mark.parametrize("task", TASKS)
def test_no_record_is_given_twice_or_lost_however_the_pages_fall(api: Api, task: str) -> None:
    indexed = keep_together(api, [fact(f"r{number}") for number in range(12)])
    settle(api)
    with stalled(api):
        unknown = keep_together(api, [about(f"s{number}", "x") for number in range(11)])

        for limit in (1, 5, 12, 23):
            page_ids = ids(*pages(api, limit=limit, task_descriptor=task, min_score=0.0))
            assert sorted(page_ids) == sorted(indexed + unknown)
            if task:
                assert set(page_ids[:12]) == set(indexed)
        assert len(found(api, limit=0, task_descriptor=task)) == 10


def test_more_than_a_hundred_for_a_task_come_in_pages_of_a_hundred(api: Api) -> None:
    keep_together(api, [fact(f"r{number}") for number in range(110)])
    settle(api)

    bodies = pages(api, task_descriptor="tea", min_score=0.0, limit=10_000)

    assert [len(each["records"]) for each in bodies] == [100, 10]
    assert len(set(ids(*bodies))) == 110
    assert len(found(api, limit=10_000)) == 110


def test_a_page_ends_before_it_is_more_than_a_reply_carries(api: Api) -> None:
    keep(api, *(state(f"t{n}", BACKSLASHES, next_actions=[BACKSLASHES]) for n in range(9)))

    bodies = pages(api, memory_types=["working"])
    brief = retrieved(api, memory_types=["working"], view="brief")

    assert [len(each["records"]) for each in bodies] == [7, 2]
    assert len(brief["records"]) == 9
    assert {len(each["text"]) for each in brief["records"]} == {2_000}


def test_facts_of_a_subject_and_predicate_come_by_salience_and_in_pages(
    still: Api,
) -> None:
    for number in range(21):
        advance(still, seconds=1)
        keep(still, fact(f"r{number}", salience=(number % 7 + 1) / 10))
    keep(still, fact("other", payload={"predicate": "hates"}))

    bodies = pages(still, subject="user", predicate="likes", limit=8)

    assert sorted(ids(*bodies)) == sorted(f"r{number}" for number in range(21))
    shown = [each["salience"] for body in bodies for each in body["records"]]
    assert shown == sorted(shown, reverse=True)


# --- Trust --------------------------------------------------------------------------------------


def test_a_record_one_level_above_is_redacted_and_a_request_narrows_and_widens_nothing(
    still: Api,
) -> None:
    keep_together(
        still,
        [
            fact(f"{scope or 'none'}.{level}", scope=scope, sensitivity=level)
            for scope in ("shared", "project:beta", "")
            for level in ("public", "low", "medium", "high", "hyper")
        ],
    )
    settle(still)
    low, high = reader(still, "shared"), reader(still, "shared", level="high")
    wide = {"max_sensitivity": "high", "scopes": ["*"]}

    plain = retrieved(still, low, limit=20)
    narrowed = retrieved(
        still, high, trust={"max_sensitivity": "public", "scopes": ["shared", "project:beta"]}
    )
    beyond = retrieved(still, low, limit=20, trust={"scopes": ["project:beta"]})

    assert payload_is_shown(plain["records"]) == {
        f"{scope}.{level}": level != "medium"
        for scope in ("shared", "none")
        for level in ("public", "low", "medium")
    }
    assert payload_is_shown(narrowed["records"]) == {
        f"{scope}.{level}": level == "public"
        for scope in ("shared", "none")
        for level in ("public", "low")
    }
    assert ids(beyond) == [each for each in ids(plain) if each.startswith("none")]
    assert retrieved(still, low, limit=20, trust=wide)["records"] == plain["records"]
    assert len(found(still, limit=20)) == 15


def test_who_covers_or_names_too_many_scopes_is_asked_to_name_fewer(api: Api) -> None:
    keep_together(api, [fact(f"r{number}", scope=f"s{number}") for number in range(51)])
    settle(api)
    scopes = [f"s{number}" for number in range(51)]

    for trust in ({}, {"scopes": scopes}):
        reply = api.post("/v1/retrieve", {"trust": trust})
        assert reply.status == 400
        assert "50 scopes at most: name them in trust.scopes" in reply.body["detail"]
    listed = api.get("/v1/records")
    assert (listed.status, "or in the query as scope" in listed.body["detail"]) == (400, True)
    assert found(api, trust={"scopes": ["s7"]}) == ids(api.get("/v1/records?scope=s7").body)
    assert len(found(api, trust={"scopes": scopes[1:]}, limit=60)) == 50


@pytest.mark.parametrize("task", TASKS)
def test_a_record_is_judged_as_it_is_and_not_as_the_index_has_it(api: Api, task: str) -> None:
    keep(api, fact("raised", scope="shared"), fact("moved", scope="shared"), fact("gone"))
    settle(api)
    key = reader(api, "shared")

    with stalled(api):
        change(api, "raised", "reclassify", sensitivity="hyper")
        change(api, "moved", "reclassify", scope="project:beta")
        delete(api, "gone")

        assert found(api, key, task_descriptor=task) == []


def test_what_a_receipt_counts_as_kept_back_tells_no_guesser_anything(api: Api) -> None:
    keep(api, fact("secret", sensitivity="high", scope="shared"))
    keep(api, fact("above", sensitivity="hyper", scope="shared"))
    narrow: dict[str, Any] = {"trust": {"max_sensitivity": "low"}, "predicate": "likes"}
    medium, high = (reader(api, "shared", level=level) for level in ("medium", "high"))

    guesses = [retrieved(api, medium, subject=each, **narrow) for each in ("user", "somebody")]
    of_high = retrieved(api, high, subject="user", **narrow)
    by_salience = retrieved(api, high, trust=narrow["trust"])

    assert [receipt(api, each)["withheld"] for each in guesses] == [0, 0]
    for body in (of_high, by_salience):
        told = receipt(api, body)
        assert (body["records"], told["withheld"], told["hidden"]) == ([], 1, 1)


# --- Filters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_filters_hold_with_and_without_a_task(still: Api, task: str) -> None:
    keep(still, fact("a", tags=["x", "y"], salience=0.9))
    keep(still, fact("b", tags=["x"], payload={"subject": "somebody"}, salience=0.5))
    advance(still, hours=1)
    keep(still, fact("c", tags=["x"], salience=0.4), skill("s", salience=0.3))
    settle(still)
    cut = "2026-03-01T12:30:00Z"

    def those(**filters: Any) -> str:
        return "".join(sorted(found(still, task_descriptor=task, min_score=0.0, **filters)))

    assert those(tags=["x"]) == "abc"
    assert those(tags=["x", "y"]) == "a"
    assert those(subject="somebody") == "b"
    assert those(subject="user", predicate="likes") == "ac"
    assert those(created_before=cut) == "ab"
    assert those(created_after=cut, memory_types=["semantic"]) == "c"
    assert those(created_after="2026-03-01T13:00:00.000000001Z") == ""
    assert those(memory_types=["competence", "competence"]) == "s"
    assert those(min_salience=0.45) == "ab"
    assert those(subject="User", predicate="Likes") == "ac"
    assert those(thread_id="t") == those(subject="users") == ""


def test_a_thread_has_its_states_its_events_and_the_messages_of_that_very_name(api: Api) -> None:
    refs = ("talk:turn-7", "talk", "talk/7", "talks:turn-7", "my talk:turn-7", "talké")
    keep(api, *(turn(f"e{n}", "so", ref=ref) for n, ref in enumerate(refs)))
    (told,) = keep(api, state("talk", "now"))
    keep(api, state("talk-2", "now"))
    for thread_id in ("talk", "talk-2"):
        body = {"thread_id": thread_id, "messages": [{"role": "user", "content": "hello"}]}
        assert api.post("/v1/messages", body).status == 201
    settle(api)

    shown = retrieved(api, thread_id="talk", limit=20)["records"]

    messages = [each["id"] for each in shown if ":user" in str(each["payload"])]
    assert len(messages) == 1
    assert {each["id"] for each in shown} - {*messages} == {told, "e0", "e1", "e2"}
    assert found(api, thread_id="talk", memory_types=["working"]) == [told]


@pytest.mark.parametrize("task", ["", "How was the linker cache repaired?"])
def test_how_an_episode_ended_is_a_filter_and_its_reason_is_found(api: Api, task: str) -> None:
    for status in ("success", "failure", "partial", None):
        call = {"source": "ci", "tool_name": "linker", "args": {"cache": status}}
        record_id = api.post("/v1/ingest/tool-output", call).record["id"]
        if status:
            ended = {"source": "ci", "target_record_id": record_id, "outcome_status": status}
            told = {**ended, "reason": f"the certificate of {status}"}
            assert api.post("/v1/ingest/outcome", told).status == 200
    settle(api)

    def ends(outcome: Any) -> list[str]:
        shown = retrieved(api, task_descriptor=task, outcome=outcome)["records"]
        return sorted(str(each["payload"].get("outcome")) for each in shown)

    assert ends("success") == ["success"]
    assert ends(["failure", "partial"]) == ["failure", "partial"]
    assert len(ends("")) == 4
    (best,) = retrieved(api, task_descriptor="Which certificate of failure?", limit=1)["records"]
    assert best["payload"]["outcome"] == "failure"


@pytest.mark.parametrize("task", TASKS)
def test_a_fact_comes_back_while_it_holds(still: Api, task: str) -> None:
    window = {"mode": "timeboxed", "start": "2026-03-01T13:00:00Z", "end": "2026-03-01T14:00:00Z"}
    keep(still, fact("brief", payload={"validity": window}))
    settle(still)
    seen = []

    for seconds in (0, 3_600, 3_599.999999, 0.000001):
        advance(still, seconds=seconds)
        seen.append(found(still, task_descriptor=task, include_retracted=True))

    assert seen == [[], ["brief"], ["brief"], []]


def test_filters_into_content_show_no_redacted_record_and_others_do(api: Api) -> None:
    keep(api, fact("taken-back", scope="shared", sensitivity="medium", tags=["a"]))
    keep(api, fact("secret", scope="shared", sensitivity="medium", tags=["a"]))
    change(api, "taken-back", "retract")
    key = reader(api, "shared")

    for filters in ({}, {"tags": ["a"]}, {"created_after": "2026-01-01T00:00:00Z"}):
        assert found(api, key, include_retracted=True, **filters) == ["secret"]
    for filters in ({"subject": "user"}, {"predicate": "likes"}, {"tags": ["b"]}):
        assert found(api, key, **filters) == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"limit": -1}, "limit must be between 0 and 10000"),
        ({"limit": 10_001}, "limit must be between 0 and 10000"),
        ({"outcome": ["success", "lost"]}, "outcome[1] must be one of: success, failure, partial"),
        ({"min_salience": -0.1}, "min_salience must be non-negative and finite"),
        ({"memory_types": ["semantic", "x"]}, "memory_types[1] must be one of: episodic, working"),
        ({"trust": {"max_sensitivity": "LOW"}}, "trust.max_sensitivity must be one of: public"),
        ({"view": "short"}, "view must be one of: full, brief, prompt"),
        ({"max_tokens": 0}, "max_tokens must be >= 1"),
        ({"max_tokens": 20_001}, "max_tokens must be <= 20000"),
        *(({"min_score": each}, "min_score") for each in (-0.1, 1.1, "0.5", True)),
        ({"subject": "a", "as_of": NOON}, "as_of needs a subject and a predicate"),
        ({"predicate": "a", "as_of": NOON}, "as_of needs a subject and a predicate"),
        (
            {"subject": "a", "predicate": "b", "as_of": "2999-01-01T00:00:00Z"},
            "as_of lies in the future",
        ),
        (
            {"subject": "a", "predicate": "b", "as_of": NOON, "task_descriptor": "c"},
            "as_of does not go with a task_descriptor",
        ),
    ],
    ids=str,
)
def test_a_refusal_names_the_field_and_the_limit(
    api: Api, asked: dict[str, Any], message: str
) -> None:
    reply = api.post("/v1/retrieve", asked)

    assert (reply.status, message in reply.body["detail"]) == (400, True), reply.body


# --- Tokens -------------------------------------------------------------------------------------


def test_a_token_shows_a_write_at_once_in_its_place_and_once(api: Api) -> None:
    keep(api, about("old", "the linker is fine", salience=0.9), fact("faint", salience=0.1))
    settle(api)
    with stalled(api):
        made = api.post("/v1/records", about("new", "the linker cache was broken", salience=0.5))
        altered = change(api, "old", "penalize", amount=0.85)
        tokens = [each.body["consistency_token"] for each in (made, altered)]
        task: dict[str, Any] = {"task_descriptor": "linker cache", "limit": 1}

        assert found(api, **task) == ["old"]
        assert found(api, **task, consistency_tokens=tokens) == ["new"]
        first = retrieved(api, limit=1, consistency_tokens=tokens)
        rest = retrieved(api, limit=5, cursor=first["next_cursor"])
        assert ids(first, rest) == ["new", "faint", "old"]
        assert found(api, memory_types=["working"], consistency_tokens=tokens) == []


@pytest.mark.parametrize("task", TASKS)
def test_a_token_of_what_may_not_be_seen_changes_nothing(api: Api, task: str) -> None:
    records = [fact("seen", scope="shared"), fact("elsewhere", scope="project:beta")]
    records.append(fact("above", scope="shared", sensitivity="hyper"))
    written = [api.post("/v1/records", each) for each in records]
    tokens = [each.body["consistency_token"] for each in written]
    settle(api)
    key = reader(api, "shared")

    plain = retrieved(api, key, task_descriptor=task)
    named = retrieved(api, key, task_descriptor=task, consistency_tokens=tokens)

    assert ids(named) == ids(plain) == ["seen"]
    one, other = (receipt(api, each) for each in (plain, named))
    for name in ("withheld", "hidden", "considered"):
        assert one[name] == other[name]


# --- Tasks and scores ---------------------------------------------------------------------------


def test_what_fits_comes_before_what_is_more_salient_and_of_equals_the_more_salient(
    still: Api,
) -> None:
    keep(still, about("unrelated", "the office has a new lamp", salience=1.0))
    keep(still, about("faint", "the linker cache was broken", salience=0.2))
    keep(still, about("strong", "the linker cache was broken", salience=0.7))
    settle(still)
    task = "Why does the linker fail?"

    whole = retrieved(still, task_descriptor=task, min_score=0.0)
    change(still, "strong", "contest")
    contested = retrieved(still, task_descriptor=task, min_score=0.0)

    assert ids(whole) == ["strong", "faint", "unrelated"]
    assert found(still, task_descriptor=" \n") == ["unrelated", "strong", "faint"]
    assert list(whole["scores"]) == ids(whole)[: len(whole["scores"])]
    assert contested["scores"]["strong"] < whole["scores"]["strong"]


def test_turns_of_a_conversation_lend_to_those_around_and_none_outranks_an_equal_text(
    still: Api,
) -> None:
    keep(still, turn("asked", "Where shall we go for the holiday this year?", ref="s:1"))
    keep(still, turn("told", "Lisbon, I have always wanted to see it.", ref="s:2"))
    rain = "It rains a lot these days."
    keep(still, *(turn(f"other{n}", rain, ref=f"o{n}:9") for n in range(5)))
    task = "The harbour crane failed on Monday"
    near = ("The harbour crane, did it fail?", "On Monday it was the crane", "Which crane?")
    keep(still, turn("equal", task, ref="elsewhere:9"))
    keep(still, *(turn(f"near{n}", text, ref=f"talk:{n}") for n, text in enumerate(near)))
    settle(still)

    where = found(still, task_descriptor="Where do they go for the holiday?", limit=2)

    assert where == ["asked", "told"]
    assert found(still, task_descriptor=task)[0] == "equal"


def test_a_floor_leaves_out_and_counts_what_scores_less_and_holds_on_every_page(api: Api) -> None:
    keep(api, about("whole", "the linker cache"), about("none", "Marta waters the plants"))
    keep(api, about("part", "a cache of the shop beside the old harbour"))
    settle(api)
    task = {"task_descriptor": "the linker cache"}
    scores = retrieved(api, **task, min_score=0.0)["scores"]
    floor = (scores["whole"] + scores["part"]) / 2

    answer = retrieved(api, **task, min_score=floor)

    assert ids(answer) == ["whole"]
    assert receipt(api, answer)["left_out"] == 2
    assert set(found(api, **task, min_score=0.0)) == {"whole", "part", "none"}
    change(api, "part", "retract")
    settle(api)
    assert found(api, **task, min_score=0.1) == ["whole"]
    assert set(found(api, **task, min_score=floor, include_retracted=True)) >= {"whole", "part"}


def test_redacted_records_take_no_part_in_a_search_and_make_no_word_common(api: Api) -> None:
    keep(api, about("open", "the linker is fine", scope="shared", salience=0.3))
    keep(api, about("b", "a cache for the office", scope="shared", salience=0.2))
    settle(api)
    key = reader(api, "shared")
    before = retrieved(api, key, task_descriptor="linker cache", min_score=0.0)

    levels = ("medium", "hyper", "hyper", "hyper")
    secrets = [
        about(f"s{n}", "linker cache", scope="shared", sensitivity=level)
        for n, level in enumerate(levels)
    ]
    keep(api, *secrets)
    settle(api)
    after = retrieved(api, key, task_descriptor="linker cache", min_score=0.0)

    assert parts(receipt(api, after)).keys() == {"open", "b"}
    assert ids(after) == [*ids(before), "s0"]
    assert after["records"][-1]["payload"] is None
    assert after["scores"] == pytest.approx(before["scores"], abs=1e-3)


def test_the_selection_is_among_all_that_was_found_and_seen_in_full(api: Api) -> None:
    used = "2026-03-01T00:00:00Z"
    for n in range(4):
        performance = {"success_count": n, "last_used_at": used}
        keep(api, skill(f"k{n}", f"fix build {n}", payload={"performance": performance}))
    trigger = {"triggers": [{"signal": "deploy to staging"}]}
    keep(api, skill("staging", "other", payload=trigger), skill("secret", sensitivity="medium"))
    settle(api)

    whole = retrieved(api, task_descriptor="fix build", limit=1)
    staging = retrieved(api, task_descriptor="deploy the release to staging")
    told = retrieved(api, reader(api, "*"), memory_types=["competence"], view="prompt")

    assert whole["selection"]["selected"][:4] == ["k3", "k2", "k1", "k0"]
    assert len(whole["records"]) == 1
    assert staging["selection"]["selected"][0] == "staging"
    assert staging["selection"]["reasons"][0]["trigger"] == "deploy to staging"
    assert set(told["selection"]["selected"]) == {"k0", "k1", "k2", "k3", "staging"}


def test_a_receipt_has_the_query_the_trust_and_the_parts_of_each_score(still: Api) -> None:
    keep(still, about("fitting", "the linker cache was broken", scope="shared", salience=0.5))
    keep(still, about("high", "the linker cache", scope="shared", sensitivity="high"))
    keep(still, about("hyper", "the linker cache", scope="shared", sensitivity="hyper"))
    settle(still)
    key = reader(still, "shared", level="high", actor_id="asker")
    trust = {"max_sensitivity": "low", "scopes": ["shared", "elsewhere"]}

    answer = retrieved(still, key, task_descriptor="linker cache", trust=trust, min_score=0.0)

    own = receipt(still, answer, key)
    (candidate,) = own.pop("candidates")
    assert own == {
        "id": answer["receipt_id"],
        "principal": "asker",
        "asked_at": NOON,
        "query": {"task_descriptor": "linker cache", "min_score": 0.0},
        "trust": {"max_sensitivity": "low", "scopes": ["shared"]},
        "returned": 1,
        "considered": 1,
        "left_out": 0,
        "withheld": 1,
    }
    assert candidate["id"] == "fitting"
    assert candidate["score"] == answer["scores"]["fitting"]
    assert (candidate["parts"]["salience"], candidate["parts"]["lexical"]) == (0.5, 1.0)
    assert receipt(still, answer)["hidden"] == 1
    advance(still, days=6, hours=23)
    assert receipt(still, answer, key)
    advance(still, hours=1)
    absent = [f"/v1/receipts/{each}" for each in (answer["receipt_id"], "unknown", "x" * 500)]
    assert {still.get(each).body["detail"] for each in absent} == {"receipt not found"}


# --- Views --------------------------------------------------------------------------------------


@pytest.fixture
def told(still: Api) -> Api:
    """Facts of falling salience, and one that a low reader sees redacted."""
    for number in range(7):
        salience, who = (9 - number) / 10, {"subject": f"user {number}"}
        keep(still, fact(f"r{number}", salience=salience, scope="shared", payload=who))
    keep(still, fact("above", salience=0.85, scope="shared", sensitivity="medium"))
    return settle(still)


@pytest.mark.parametrize("task", TASKS)
def test_a_brief_reply_has_the_same_records_scores_and_pages(told: Api, task: str) -> None:
    key = reader(told, "shared")
    asked: dict[str, Any] = {"task_descriptor": task, "limit": 3}

    whole, brief = pages(told, key, **asked), pages(told, key, **asked, view="brief")

    assert [ids(each) for each in brief] == [ids(each) for each in whole]
    assert [each.get("scores") for each in brief] == [each.get("scores") for each in whole]
    for body in brief:
        for record in body["records"]:
            assert record["score"] == body.get("scores", {}).get(record["id"])
            assert (record["text"] is None) == (record["id"] == "above") == (record["who"] is None)
    assert [each for body in brief for each in body["records"] if each["id"] == "r0"] == [
        {
            "id": "r0",
            "type": "semantic",
            "text": "user 0 likes tea",
            "score": (brief[0].get("scores") or {}).get("r0"),
            "salience": 0.9,
            "when": NOON,
            "who": "local",
            "scope": "shared",
            "tags": [],
        }
    ]


@pytest.mark.parametrize("task", TASKS)
def test_the_pages_of_a_prompt_tell_every_record_that_is_seen_in_full(told: Api, task: str) -> None:
    key = reader(told, "shared")

    bodies = pages(told, key, task_descriptor=task, view="prompt", limit=2)

    prompts = [each["prompt"] for each in bodies]
    assert sorted(each for one in prompts for each in one["ids"]) == [f"r{n}" for n in range(7)]
    assert not any("records" in each for each in bodies)
    assert '- 2026-03-01, local: "user 0 likes tea" [r0]' in "".join(
        each["text"] for each in prompts
    )


def test_a_prompt_ends_within_its_tokens_and_the_receipt_counts_what_it_tells(told: Api) -> None:
    key, counts = reader(told, "shared"), []

    for max_tokens in (20, 75, 100, 1_000):
        answer = retrieved(told, key, view="prompt", max_tokens=max_tokens)
        assert answer["prompt"]["tokens"] <= max_tokens
        explained = receipt(told, answer)
        assert explained["returned"] == len(answer["prompt"]["ids"])
        assert explained["query"]["view"] == "prompt"
        counts.append(explained["returned"])
    first = retrieved(told, limit=2, view="prompt")
    further: dict[str, Any] = {
        "limit": 2,
        "cursor": first["next_cursor"],
        "view": "prompt",
        "max_tokens": 2_000,
    }

    assert counts == [0, 1, 2, 7]
    assert len(retrieved(told, **further)["prompt"]["ids"]) == 2


def test_what_an_episode_told_is_dated_when_it_happened(api: Api) -> None:
    event = {"source": "ci", "event_kind": "build", "ref": "b-1", "summary": "The build failed"}
    api.post("/v1/ingest/event", {**event, "timestamp": "2026-02-03T04:05:06Z"})

    (brief,) = retrieved(api, view="brief")["records"]
    prompt = retrieved(api, view="prompt")["prompt"]["text"]

    assert (brief["when"], brief["text"]) == ("2026-02-03T04:05:06Z", "The build failed")
    assert '\n- 2026-02-03, ci: "The build failed" [' in prompt


# --- Threads and states -------------------------------------------------------------------------


def thread(api: Api, key: str | None = None, query: str = "") -> Any:
    reply = api.get(f"/v1/threads/talk/state{query}", key=key)
    assert reply.status == 200, reply.body
    return reply.body


def test_a_thread_goes_through_every_scope_that_is_seen_in_full(still: Api) -> None:
    made = []
    placed = [{"scope": "shared"}, {"scope": "project:beta"}, {"scope": "project:gamma"}]
    for place in (*placed, {}, {"scope": "shared", "sensitivity": "medium"}):
        made += keep(still, {**state("talk", "so"), **place})
        advance(still, seconds=1)
    key = reader(still, "shared", "project:beta")

    body = thread(still, key)

    assert [body["record"]["id"], *(each["id"] for each in body["earlier"])] == [
        made[3],
        made[1],
        made[0],
    ]
    narrowed = still.get("/v1/threads/talk/state?scope=shared&limit=1", key=key)
    assert narrowed.record["id"] in (made[0], made[3])
    assert still.get("/v1/threads/unknown/state", key=key).body["detail"] == "thread not found"


@pytest.mark.parametrize("limit", [1, 5, 60])
def test_pages_of_a_thread_go_on_where_the_one_before_ended(still: Api, limit: int) -> None:
    made = []
    for number in range(11):
        made += keep(still, *(state("talk", f"{number}.{n}") for n in range(2)))
        advance(still, seconds=1)
    keep(still, {**state("talk", "secret"), "sensitivity": "hyper"})
    key = reader(still, "*")

    body = thread(still, key, f"?limit={limit}")
    latest, earlier = body["record"]["id"], [each["id"] for each in body["earlier"]]
    cursor = ""
    while "next_cursor" in body:
        cursor = body["next_cursor"]
        body = thread(still, key, f"?limit={limit}&cursor={quote(cursor)}")
        assert body["record"]["id"] == latest
        earlier += [each["id"] for each in body["earlier"]]

    assert sorted([latest, *earlier]) == sorted(made)
    assert latest in made[-2:]
    if limit < 5:
        other = still.get(f"/v1/threads/other/state?cursor={quote(cursor)}", key=key)
        assert (other.status, "another request" in other.body["detail"]) == (400, True)


def test_states_that_fit_no_reply_together_come_one_by_one(still: Api) -> None:
    made = []
    for text in ("a", "b", "c"):
        made += keep(still, state("talk", text, next_actions=[BACKSLASHES] * 8))
        advance(still, seconds=1)

    bodies = [thread(still)]
    while "next_cursor" in bodies[-1]:
        bodies.append(thread(still, query=f"?cursor={quote(bodies[-1]['next_cursor'])}"))

    assert [[each["id"] for each in body["earlier"]] for body in bodies] == [
        [],
        [made[1]],
        [made[0]],
    ]
    assert [body["record"]["id"] for body in bodies] == [made[2]] * 3
    assert [body["record"]["payload"] is None for body in bodies] == [False, True, True]


def test_removed_records_are_listed_without_content_by_the_time_of_removal(still: Api) -> None:
    for name in ("a", "b", "c"):
        keep(still, fact(name, scope="shared", payload={"subject": name}))
    keep(still, fact("d", scope="project:beta", payload={"subject": "d"}))
    keep(still, fact("secret", scope="shared", sensitivity="high", payload={"subject": "e"}))
    key = reader(still, "shared")
    settle(still)
    for name in ("b", "d", "secret", "a"):
        delete(still, name)
        advance(still, seconds=60)

    def listed(query: str, of: str | None = None) -> list[str]:
        reply = still.get(f"/v1/records?state={query}", key=of)
        assert reply.status == 200, reply.body
        return ids(reply.body)

    (row, _) = still.get("/v1/records?state=deleted", key=key).body["records"]
    assert row == {
        "id": "a",
        "type": "semantic",
        "scope": "shared",
        "sensitivity": "low",
        "deleted_at": "2026-03-01T12:03:00Z",
        "reason": "deleted",
        "restorable_until": "2026-03-31T12:03:00Z",
        "expires_at": "2027-04-05T12:03:00Z",
    }
    assert listed("deleted") == ["a", "secret", "d", "b"]
    assert listed("deleted", key) == ["a", "b"]
    assert listed("deleted&scope=project:beta") == ["d"]
    assert listed("deleted&type=episodic") == listed("deleted&scope=project:beta", key) == []
    first = still.get("/v1/records?state=deleted&limit=3").body
    assert listed(f"deleted&limit=3&cursor={quote(first['next_cursor'])}") == ["b"]
    other = still.get(f"/v1/records?state=pruned&limit=3&cursor={quote(first['next_cursor'])}")
    assert (other.status, "belongs to another request" in other.body["detail"]) == (400, True)
    change(still, "c", "retract")
    assert listed("retracted") == ["c"]
    change(still, "a", "restore")
    delete(still, "b", erase=True)
    assert listed("deleted") == ["secret", "d"]
    advance(still, days=401)
    assert listed("deleted") == []


def test_pruned_records_are_listed_apart_and_lose_their_content_after_a_while(still: Api) -> None:
    keep(still, fact("faded"), fact("deleted", payload={"subject": "other"}))
    delete(still, "deleted")
    advance(still, days=390)
    still.invoke("DecayFunction", {})

    (pruned,) = still.get("/v1/records?state=pruned").body["records"]
    (gone,) = still.get("/v1/records?state=deleted").body["records"]

    assert (pruned["id"], pruned["reason"]) == ("faded", "salience fell to 0.001")
    assert (gone["id"], gone["restorable_until"]) == ("deleted", None)
