"""Answers of MemState's tools about large topics: within the budget, and nothing is lost."""

import json
from typing import Any

import pytest

from tests.worlds.agents import Keeper


def compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


LONG = "".join(f"{number} and " for number in range(5_000))
WIDE = "\u4e16\u754c" * 4_000


@pytest.mark.parametrize("text", [LONG, WIDE, " " * 50_000 + "end"], ids=["long", "wide", "blank"])
def test_a_long_summary_is_cut_with_a_mark_and_read_on(keeper: Keeper, text: str) -> None:
    ada = keeper.topic("Ada")
    keeper.do("memory_update_topic", topic_id=ada, summary=text)

    shown = keeper.do("memory_get_topic", topic_id=ada)

    summary = shown["topic"]["summary"]
    kept = len(summary.rpartition("…")[0])
    assert summary == f"{text[:kept]}… {len(text) - kept} more from offset {kept}"
    assert "memory_get_topic again with path" in shown["cut"]
    rest = keeper.do("memory_get_topic", topic_id=ada, path="/topic/summary", offset=kept)
    assert rest["part"] == text[kept : kept + len(rest["part"])]
    assert rest["length"] == len(text)
    assert "".join(keeper.read_on("memory_get_topic", "/topic/summary", topic_id=ada)) == text


@pytest.mark.parametrize(
    "value",
    [LONG, [LONG[:100]] * 200, {f"key {number}": number for number in range(2_000)}],
    ids=["text", "list", "object"],
)
def test_a_long_value_is_cut_and_read_on_as_text(keeper: Keeper, value: Any) -> None:
    ada = keeper.topic("Ada", note=value)
    asked = {"topic_id": ada, "field_name": "note"}

    shown = keeper.do("memory_get_field", **asked)["field"]["value"]

    text = value if isinstance(value, str) else compact_json(value)
    assert text.startswith(shown.partition("…")[0])
    assert "more from offset" in shown
    assert "".join(keeper.read_on("memory_get_field", "/field/value", **asked)) == text


def test_a_value_in_the_bucket_is_marked_with_its_size_and_read_on(keeper: Keeper) -> None:
    value = ["word " * 20] * 2_000
    text = compact_json(value)
    ada = keeper.topic("Ada", book=value)

    shown = keeper.do("memory_get_topic", topic_id=ada)["topic"]["fields"]["book"]
    rest = keeper.do(
        "memory_get_topic", topic_id=ada, path="/topic/fields/book/value", offset=150_000
    )

    assert shown["value"] == f"… {len(text)} bytes more from offset 0"
    assert rest["part"] == text[150_000 : 150_000 + len(rest["part"])]
    assert rest["length"] == len(text)


def test_a_long_history_is_cut_and_read_on(keeper: Keeper) -> None:
    ada = keeper.topic("Ada")
    for number in range(60):
        keeper.append(ada, "count", number, why_changed=f"reason {number}")
    asked = {"topic_id": ada, "field_name": "count"}

    shown = keeper.do("memory_get_field_history", **asked)["field"]

    assert shown["history_count"] == 60
    assert "more from offset" in shown["history"][-1]
    parts = keeper.read_on("memory_get_field_history", "/field/history", **asked)
    assert [each["value"] for part in parts for each in part] == list(range(59, -1, -1))
    whole = keeper.do("memory_get_field_history", **asked, path="/field/history/7/why_changed")
    assert whole["part"] == "reason 52"


def test_many_fields_are_cut_and_read_on(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", **{f"field/{number:03}": number for number in range(110)})

    for tool, path in (
        ("memory_get_topic", "/topic/fields"),
        ("memory_get_topic_schema", "/fields"),
    ):
        shown = keeper.do(tool, topic_id=ada)
        fields = shown["topic"]["fields"] if "topic" in shown else shown["fields"]
        parts = keeper.read_on(tool, path, topic_id=ada)
        assert "more from offset" in fields["…"]
        assert [name for part in parts for name in part] == [f"field/{n:03}" for n in range(110)]
    one = keeper.do("memory_get_topic", topic_id=ada, path="/topic/fields/field~1007/value")
    assert one["part"] == "7"


@pytest.mark.parametrize(
    "path", ["/topic/absent", "/topic/fields/city/history/9", "/topic/title/0", "/", "/topic/-1"]
)
def test_a_path_that_leads_nowhere_is_refused(keeper: Keeper, path: str) -> None:
    ada = keeper.topic("Ada", city="London")

    refusal = keeper.refusal("memory_get_topic", topic_id=ada, path=path)

    assert refusal["error"].startswith("path leads nowhere")


def test_a_page_has_topics_with_long_texts_cut_and_the_hint_where_to_read_on(
    keeper: Keeper,
) -> None:
    made = sorted(keeper.topic(f"Topic {number}", note=LONG) for number in range(6))
    for topic_id in made:
        keeper.do("memory_update_topic", topic_id=topic_id, summary=LONG, title="t" * 900)

    for tool in (
        "memory_list_topics",
        "memory_topics_schema_page",
        "memory_graph_snapshot",
        "memory_reorganize_merge_topics",
    ):
        pages = keeper.pages(tool)
        assert all("memory_get_topic" in each["cut"] for each in pages)


def test_a_topic_with_more_edges_than_a_page_shows_them_all(keeper: Keeper) -> None:
    hub = keeper.topic("Hub", **{f"f{number}": LONG[:300] for number in range(20)})
    for number in range(24):
        keeper.relate(hub, hub, f"{WIDE[:200]}{number}")

    pages = keeper.pages("memory_graph_snapshot")

    assert [each["id"] for page in pages for each in page["data"]["nodes"]] == [hub]
    assert sum(len(page["data"]["edges"]) for page in pages) == 24
    assert len(pages) > 2


def test_a_long_error_is_cut(keeper: Keeper) -> None:
    name = WIDE[:900]
    ada = keeper.topic("Ada")

    refusal = keeper.refusal(
        "memory_nest_fields_in_topic",
        topic_id=ada,
        field_names=[name, "\U0001f600" * 1_000],
        nest_key="x",
    )
    emoji = keeper.refusal(
        "memory_nest_fields_in_topic",
        topic_id=ada,
        field_names=["\U0001f600" * 1_000],
        nest_key="x",
    )

    assert refusal["error"] == f"field not found: {name}"
    assert emoji["error"].endswith("\U0001f600…")


def test_names_without_room_are_counted(keeper: Keeper) -> None:
    names = [f"{'n' * 200}{number}" for number in range(40)]
    ada = keeper.topic("Ada", **dict.fromkeys(names, 1))

    nested = keeper.do(
        "memory_nest_fields_in_topic", topic_id=ada, field_names=names, nest_key="all"
    )
    absent = keeper.do("memory_delete_field", topic_id=ada, field_name=WIDE)

    assert "more from offset" in nested["moved_fields"][-1]
    assert "cut" in nested
    assert absent["existed"] is False
