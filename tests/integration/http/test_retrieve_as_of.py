"""What was believed of a fact at an instant: the records of then, ranked and gated as of then."""

from typing import Any

import pytest

from tests.worlds.api import Api
from tests.worlds.recall import (
    advance,
    change,
    delete,
    fact,
    ids,
    keep,
    pages,
    receipt,
    retrieved,
    settle,
    stalled,
)


def at(hours: float) -> str:
    """So many hours after noon; before noon for less than none."""
    seconds = round(43_200 + hours * 3_600)
    day, rest = divmod(seconds, 86_400)
    return f"2026-03-{1 + day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"


def believed(api: Api, hours: float, key: str | None = None, **asked: Any) -> Any:
    """What was believed then of what the user likes."""
    usual = {"subject": "user", "predicate": "likes", "as_of": at(hours)}
    return retrieved(api, key, **{**usual, **asked})


def those(api: Api, hours: float, key: str | None = None, **asked: Any) -> list[str]:
    return ids(believed(api, hours, key, **asked))


def later(api: Api, record_id: str, deed: str, hours: float = 1, **body: Any) -> None:
    """Change the record, so many hours later."""
    advance(api, hours=hours)
    change(api, record_id, deed, **body)
    settle(api)


def reader(api: Api, level: str, scope: str = "*") -> str:
    return api.key_for(permissions=("read",), scopes=(scope,), max_sensitivity=level)


def test_what_was_superseded_merged_or_retracted_since_counted_then(still: Api) -> None:
    keep(still, fact("tea"), fact("mate", salience=0.5), fact("water", salience=0.25))
    later(still, "tea", "supersede", new_record=fact("coffee"), rationale="changed")
    advance(still, hours=1)
    asked = {"ids": ["coffee", "mate"], "merged_record": fact("both"), "rationale": "one thing"}
    assert still.post("/v1/records/merge", asked).status == 201
    later(still, "water", "retract")
    later(still, "water", "reclassify", retracted=False)

    assert [those(still, hours) for hours in (-0.01, 0, 0.99, 1, 2, 3, 4)] == [
        [],
        ["tea", "mate", "water"],
        ["tea", "mate", "water"],
        ["coffee", "mate", "water"],
        ["both", "water"],
        ["both"],
        ["water", "both"],
    ]
    assert "water" in those(still, 3, include_retracted=True)
    shown = believed(still, 0.5)["records"][0]
    assert "revision" not in shown["payload"]
    assert [entry["action"] for entry in shown["audit_log"]] == ["create"]


def test_salience_order_lifecycle_and_status_are_those_of_then(still: Api) -> None:
    hourly = {"decay": {"half_life_seconds": 3_600}}
    keep(still, fact("fleeting", lifecycle=hourly))
    keep(still, fact("lasting", salience=0.6, lifecycle={"pinned": True}))
    advance(still, hours=3)
    change(still, "lasting", "penalize", amount=0.5)
    change(still, "fleeting", "contest")
    asked = {"decay": {"half_life_seconds": 9_000_000}}
    assert still.call("PATCH", "/v1/records/fleeting/lifecycle", asked).status == 200

    middle = believed(still, 1)["records"]

    assert those(still, 0) == those(still, 3) == ["fleeting", "lasting"]
    assert [(each["id"], each["salience"]) for each in middle] == [
        ("lasting", 0.6),
        ("fleeting", 0.5),
    ]
    assert middle[1]["lifecycle"]["decay"]["half_life_seconds"] == 3_600
    assert "revision" not in middle[1]["payload"]
    assert believed(still, 3)["records"][0]["payload"]["revision"]["status"] == "contested"
    assert those(still, 1, min_salience=0.55) == ["lasting"]
    assert those(still, 1, memory_types=["episodic"]) == []


def test_a_fact_counts_where_its_window_was_open_and_it_was_not_deleted(still: Api) -> None:
    window = {"mode": "timeboxed", "start": at(2), "end": at(4)}
    keep(still, fact("open", payload={"validity": window}), fact("gone", salience=0.5))
    keep(still, fact("back", salience=0.25))
    advance(still, hours=1)
    delete(still, "back")
    advance(still, hours=8)
    change(still, "back", "restore")
    delete(still, "gone")

    assert [those(still, hours) for hours in (0.5, 2, 3.9, 4, 9)] == [
        ["back"],
        ["open"],
        ["open"],
        [],
        ["back"],
    ]


def test_pages_go_on_as_of_the_same_instant_whatever_was_written_since(still: Api) -> None:
    keep(still, *(fact(f"r{number}", salience=(9 - number) / 10) for number in range(7)))
    advance(still, hours=1)
    for number in range(7):
        change(still, f"r{number}", "retract")
        keep(still, fact(f"new{number}"))

    bodies = pages(still, limit=3, subject="user", predicate="likes", as_of=at(0.5))

    assert [ids(each) for each in bodies] == [["r0", "r1", "r2"], ["r3", "r4", "r5"], ["r6"]]


def test_a_record_that_moved_since_is_found_by_who_may_see_both_places(still: Api) -> None:
    keep(still, fact("tea", scope="project:alpha"), fact("mate", scope="project:beta"))
    later(still, "tea", "reclassify", scope="project:beta")
    later(still, "mate", "reclassify", hours=0, scope="project:alpha")
    alpha = reader(still, "low", "project:alpha")

    assert set(those(still, 0.5)) == {"tea", "mate"}
    assert those(still, 0.5, alpha) == []
    assert those(still, 1, alpha) == ["mate"]


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ("high", "low", (1, 0)),
        ("low", "high", (1, 0)),
        ("high", "hyper", (0, 1)),
        ("hyper", "low", (0, 1)),
        ("medium", "low", (0, 0)),
    ],
)
def test_what_was_out_of_reach_then_or_is_now_stays_so_and_is_counted_as_of_then(
    still: Api, then: str, now: str, told: tuple[int, int]
) -> None:
    keep(still, fact("tea", sensitivity=then))
    later(still, "tea", "reclassify", sensitivity=now)

    answer = believed(still, 0.5, reader(still, "high"), trust={"max_sensitivity": "low"})

    explained = receipt(still, answer)
    assert ids(answer) == those(still, 0.5, reader(still, "low")) == []
    assert (explained["withheld"], explained["hidden"]) == told
    assert explained["query"]["as_of"] == at(0.5)
    assert those(still, 0.5) == ["tea"]


def test_a_record_that_a_token_names_is_one_of_then_too_and_then_had_no_usefulness(
    still: Api,
) -> None:
    with stalled(still):
        keep(still, fact("tea"))
        event = {"source": "ci", "event_kind": "build", "ref": "b-1"}
        episode = still.post("/v1/ingest/event", event).record["id"]
        advance(still, hours=1)
        told = {"source": "ci", "target_record_id": episode, "outcome_status": "success"}
        assert still.post("/v1/ingest/outcome", {**told, "used_ids": ["tea"]}).status == 200
        token = change(still, "tea", "retract").body["consistency_token"]

        (shown,) = believed(still, 0.5, consistency_tokens=[token])["records"]

    assert shown["id"] == "tea"
    assert "usefulness" not in shown
    assert still.get("/v1/records/tea").record["usefulness"]["used"] == 1
