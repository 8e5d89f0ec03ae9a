"""MemState's tools that read topics."""

from typing import Any

import pytest

from tests.worlds.agents import Keeper


def test_a_list_has_the_heads_of_topics_by_id(keeper: Keeper) -> None:
    ada, rome = keeper.topic("Ada"), keeper.topic("Rome")
    keeper.do("memory_update_topic", topic_id=rome, summary="a city", topic_kind="place")

    shown = keeper.do("memory_list_topics")

    assert shown == {
        "ok": True,
        "topics": [
            {"id": ada, "title": "Ada", "summary": "", "topic_kind": "", "archived": False},
            {
                "id": rome,
                "title": "Rome",
                "summary": "a city",
                "topic_kind": "place",
                "archived": False,
            },
        ],
        "topic_ids": [ada, rome],
        "total": 2,
        "has_more": False,
        "next_offset": None,
    }


def test_archived_topics_are_listed_on_request(keeper: Keeper) -> None:
    ada = keeper.topic("Ada")
    keeper.do("memory_update_topic", topic_id=ada, archived="yes")

    assert keeper.do("memory_list_topics")["topic_ids"] == []
    assert keeper.do("memory_list_topics", include_archived="true")["topic_ids"] == [ada]
    assert keeper.do("memory_topics_schema_page")["total"] == 0
    assert keeper.do("memory_topics_schema_page", include_archived=1)["total"] == 1


def test_all_topics_are_listed_page_by_page(keeper: Keeper) -> None:
    made = sorted(keeper.topic(f"Topic {number}") for number in range(60))

    pages = keeper.pages("memory_list_topics")

    assert [each for page in pages for each in page["topic_ids"]] == made
    assert {page["total"] for page in pages} == {60}


def test_a_page_of_schemas_has_fields_without_values(keeper: Keeper) -> None:
    rome = keeper.topic("Rome")
    ada = keeper.topic("Ada", age=36, phone="1")
    keeper.append(ada, "home", "Rome", ref_topic_id=rome)
    keeper.nest(ada, "contact", "phone")

    shown = keeper.do("memory_topics_schema_page", limit="1")

    assert shown["topics"] == [
        {
            "id": ada,
            "title": "Ada",
            "topic_kind": "",
            "archived": False,
            "salience": 1.0,
            "fields": {
                "age": {"field_type": "int", "ref_topic_id": None, "salience": 1.0},
                "contact": {
                    "field_type": "json",
                    "ref_topic_id": None,
                    "salience": 1.0,
                    "nested_field_names": ["phone"],
                },
                "home": {"field_type": "string", "ref_topic_id": rome, "salience": 1.0},
            },
            "field_count": 3,
        }
    ]
    assert (shown["offset"], shown["limit"], shown["total"]) == (0, 1, 2)
    assert (shown["has_more"], shown["next_offset"]) == (True, 1)


@pytest.mark.parametrize(
    ("asked", "limit"), [(0, 15), (-3, 1), (1, 1), (50, 50), (400, 50), ("", 15)]
)
def test_the_limit_of_a_page_is_kept_within_1_and_50(
    keeper: Keeper, asked: object, limit: int
) -> None:
    assert keeper.do("memory_topics_schema_page", limit=asked)["limit"] == limit


def test_a_page_of_schemas_goes_on_at_the_next_offset(keeper: Keeper) -> None:
    made = sorted(keeper.topic(f"Topic {number}") for number in range(5))

    first = keeper.do("memory_topics_schema_page", limit=2)
    pages = keeper.pages("memory_topics_schema_page", limit=2)

    assert (first["has_more"], first["next_offset"]) == (True, 2)
    assert [each["id"] for page in pages for each in page["topics"]] == made


def test_a_page_of_schemas_may_be_of_one_kind(keeper: Keeper) -> None:
    keeper.topic("Rome")
    ada = keeper.do("memory_create_topic", title="Ada", topic_kind="person")["topic_id"]

    shown = keeper.do("memory_topics_schema_page", topic_kind="person")

    assert [each["id"] for each in shown["topics"]] == [ada]
    assert shown["total"] == 1


def test_a_schema_has_the_asked_detail(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", city="London", phone="1")
    keeper.append(ada, "city", "Ockham", why_changed="moved")
    keeper.nest(ada, "contact", "phone")

    minimal = keeper.do("memory_get_topic_schema", topic_id=ada, detail="everything")
    current = keeper.do("memory_get_topic_schema", topic_id=ada, detail="current")
    history = keeper.do("memory_get_topic_schema", topic_id=ada, detail="history")

    city = {"field_type": "string", "ref_topic_id": None, "salience": 1.0}
    assert minimal["detail"] == "minimal"
    assert minimal["fields"]["city"] == city
    assert minimal["fields"]["contact"]["nested_field_names"] == ["phone"]
    assert current["fields"]["city"] == {**city, "value": "Ockham"}
    assert current["fields"]["contact"]["nested_fields_current"] == {"phone": "1"}
    revisions = history["fields"]["city"]["history"]
    assert [each["value"] for each in revisions] == ["Ockham", "London"]
    assert revisions[0]["why_changed"] == "moved"


def test_a_topic_has_values_histories_and_audit_trail(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", city="London")
    version_id = keeper.append(ada, "city", "Ockham", why_changed="moved")

    topic = keeper.shown(ada)

    assert list(topic) == [
        "id",
        "title",
        "summary",
        "topic_kind",
        "salience",
        "failed_salience",
        "archived",
        "fields",
        "topic_history",
        "created_at",
        "updated_at",
    ]
    city = topic["fields"]["city"]
    assert (city["value"], city["history_count"]) == ("Ockham", 2)
    assert city["history"][0] == {
        "id": version_id,
        "valid_from": "2026-03-01T09:00:00.25Z",
        "value": "Ockham",
        "why_changed": "moved",
        "impact_expected": None,
        "provenance": "llm",
        "operation": None,
    }
    assert topic["topic_history"][0]["kind"] == "created"
    assert topic["topic_history"][-1]["why"] == "moved"


def test_a_bundle_in_a_topic_has_the_whole_inner_fields(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", phone="1")
    keeper.append(ada, "phone", "2")
    keeper.nest(ada, "contact", "phone")

    bundle = keeper.shown(ada)["fields"]["contact"]

    phone = bundle["value"]["fields"]["phone"]
    assert bundle["value"]["_memstate_nested"] is True
    assert [each["value"] for each in phone["history"]] == ["2", "1"]
    assert [each["operation"] for each in bundle["history"]] == ["nested_fields_in_topic"]


def test_a_field_is_read_with_or_without_the_history(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", city="London")
    keeper.append(ada, "city", "Ockham")
    asked = {"topic_id": ada, "field_name": "city"}

    whole = keeper.do("memory_get_field", **asked)
    short = keeper.do("memory_get_field", **asked, with_history="off")

    assert {name: whole[name] for name in asked} == asked
    assert short["field"] == {
        "field_type": "string",
        "ref_topic_id": None,
        "salience": 1.0,
        "value": "Ockham",
    }
    assert [each["value"] for each in whole["field"]["history"]] == ["Ockham", "London"]
    assert whole["field"]["history_count"] == 2
    assert keeper.do("memory_get_field_history", **asked)["field"] == whole["field"]


def test_a_field_in_a_bundle_is_found_by_the_bundle_by_its_name_and_by_the_whole_name(
    keeper: Keeper,
) -> None:
    ada = keeper.topic("Ada", phone="1")
    keeper.nest(ada, "contact", "phone")
    inside = {"nest_key": "contact", "nested_field_name": "phone"}

    named = keeper.do(
        "memory_get_field", topic_id=ada, field_name="contact", nested_field_name="phone"
    )
    searched = keeper.do("memory_get_field", topic_id=ada, field_name="phone")
    whole = keeper.do("memory_get_field", topic_id=ada, field_name="contact.phone")

    assert named == {"ok": True, **inside, "field": named["field"]}
    assert searched == {
        **named,
        "topic_id": ada,
        "field_name": "phone",
    }
    assert whole["field"] == named["field"]
    assert named["field"]["value"] == "1"


def test_the_graph_has_nodes_edges_and_references(keeper: Keeper) -> None:
    ada, rome = keeper.topic("Ada", phone="1"), keeper.topic("Rome")
    keeper.relate(ada, rome, "lives_in")
    keeper.do("memory_set_field_ref", topic_id=ada, field_name="home", ref_topic_id=rome)
    keeper.nest(ada, "contact", "phone")

    shown = keeper.do("memory_graph_snapshot")

    first = shown["data"]["nodes"][0]
    assert first["id"] == ada
    assert first["fields"] == [
        {
            "name": "contact",
            "field_type": "json",
            "ref_topic_id": None,
            "current_value": {"_memstate_nested": True},
            "history_len": 1,
            "nested_fields": [
                {"name": "phone", "field_type": "string", "current_value": "1", "history_len": 1}
            ],
        },
        {
            "name": "home",
            "field_type": "string",
            "ref_topic_id": rome,
            "current_value": None,
            "history_len": 0,
        },
    ]
    assert shown["data"]["edges"] == [
        {"from": ada, "to": rome, "kind": "lives_in", "edge_type": "related"},
        {"from": ada, "to": rome, "kind": "field:home", "edge_type": "field_ref"},
    ]


def test_the_whole_graph_comes_page_by_page_each_node_and_edge_once(keeper: Keeper) -> None:
    made = sorted(keeper.topic(f"Topic {number}", note="n" * 300) for number in range(22))
    hub = made[3]
    for other in made:
        keeper.relate(other, hub, "near")
        keeper.relate(hub, other, "far")

    pages = keeper.pages("memory_graph_snapshot")

    nodes = [each["id"] for page in pages for each in page["data"]["nodes"]]
    edges = [
        (each["from"], each["kind"], each["to"]) for page in pages for each in page["data"]["edges"]
    ]
    assert nodes == made
    assert len(edges) == len(set(edges)) == 44
    assert any("next_edge_offset" in page for page in pages)
    for page in pages:
        shown = {each["id"]: each["community"] for each in page["data"]["nodes"]}
        ends = {each[end] for each in page["data"]["edges"] for end in ("from", "to")}
        connected = shown.keys() & ends if hub in shown else set()
        assert len(set(shown.values())) == len(shown) - max(0, len(connected) - 1)


def test_reading_changes_no_salience(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", city="London")
    before = keeper.api.get(f"/v1/topics/{ada}").body

    for tool in ("memory_get_topic", "memory_get_topic_schema"):
        keeper.do(tool, topic_id=ada)
    keeper.do("memory_get_field", topic_id=ada, field_name="city")
    keeper.do("memory_graph_snapshot")

    assert keeper.api.get(f"/v1/topics/{ada}").body == before


@pytest.mark.parametrize("tool", ["memory_get_topic", "memory_get_topic_schema"])
def test_a_topic_is_asked_by_the_id_of_a_visible_topic(keeper: Keeper, tool: str) -> None:
    other = keeper.with_key(scopes=("team:b",))
    hidden = other.call("memory_create_topic", title="Hidden")["topic_id"]

    assert keeper.refusal(tool) == {"error": "topic_id required"}
    assert keeper.refusal(tool, topic_id=None) == {"error": "topic_id required"}
    assert keeper.refusal(tool, topic_id="absent") == {"error": "topic not found"}
    assert keeper.refusal(tool, topic_id=hidden) == {"error": "topic not found"}


@pytest.mark.parametrize("tool", ["memory_get_field", "memory_get_field_history"])
def test_a_field_is_refused_in_memstates_words(keeper: Keeper, tool: str) -> None:
    ada = keeper.topic("Ada", city="London", phone="1")
    keeper.nest(ada, "contact", "phone")

    def error(field_name: str, nested: str = "", topic_id: str = ada) -> object:
        asked = {"topic_id": topic_id, "field_name": field_name, "nested_field_name": nested}
        return keeper.refusal(tool, **asked)["error"]

    assert error("") == "topic_id and field_name required"
    assert error("city", topic_id="") == "topic_id and field_name required"
    assert error("absent") == "field not found"
    assert error("city", topic_id="absent") == "field not found"
    assert error("absent", "phone") == "field not found"
    assert error("city", "phone") == "field is not a nested bundle"
    assert error("contact", "absent") == "nested field not found"


def test_a_page_of_a_list_reads_each_topic_once(keeper: Keeper) -> None:
    """A page for each of two scopes, and one batch of topics; the stack may read besides."""
    for number in range(10):
        keeper.topic(f"Topic {number}")
    keeper.api.post("/_dev/clock", {"set": "2026-03-01T10:00:00Z"})
    assert keeper.api.get("/_dev/queues?wait").status == 200
    sent: list[str] = []

    def note(model: Any, **_: object) -> None:
        sent.append(model.name)

    events = keeper.api.functions.store.dynamodb.meta.events
    events.register("before-call.dynamodb", note)
    try:
        keeper.do("memory_list_topics")
    finally:
        events.unregister("before-call.dynamodb", note)

    assert sent.count("BatchGetItem") == 1
    assert sent.count("Query") <= 4
