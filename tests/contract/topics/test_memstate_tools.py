"""MemState's tools over real stores: what was written is read, by pages, and what a page costs."""

from functools import partial

import pytest

from membrane.domain.language.json_text import compact_json
from tests.fakes.tool_world import tooled
from tests.worlds.memstate_tools import Keeper
from tests.worlds.metering import Cost, meter
from tests.worlds.stores import Store
from tests.worlds.threads import at_once


def keeper_over(store: Store) -> Keeper:
    """A keeper whose topics are in the store."""
    return Keeper(
        tooled(
            topics=store.topics,
            records=store.records,
            names=store.names,
            ranks=store.ranks,
            due=store.due,
            recent_writes=store.recent_writes,
            now=store.clock,
        )
    )


@pytest.fixture
def keeper(store: Store) -> Keeper:
    """Over each store."""
    return keeper_over(store)


def test_what_was_written_is_read_in_the_next_call(keeper: Keeper) -> None:
    rome = keeper.topic("Rome")
    ada = keeper.topic("Ada", phone="1", city="London")
    keeper.append(ada, "city", "Rome", ref_topic_id=rome, why_changed="moved")
    keeper.relate(ada, rome, "lives_in")
    keeper.do(
        "memory_nest_fields_in_topic", topic_id=ada, field_names=["phone"], nest_key="contact"
    )
    keeper.do("memory_update_topic", topic_id=rome, archived=True)

    listed = keeper.do("memory_list_topics")
    city = keeper.do("memory_get_field_history", topic_id=ada, field_name="city")["field"]
    phone = keeper.do("memory_get_field", topic_id=ada, field_name="phone")["field"]
    edges = keeper.do("memory_graph_snapshot")["data"]["edges"]

    assert listed["topic_ids"] == [ada]
    assert [each["value"] for each in city["history"]] == ["Rome", "London"]
    assert (city["ref_topic_id"], phone["value"]) == (rome, "1")
    assert [(each["from"], each["to"], each["kind"]) for each in edges] == [
        (ada, rome, "lives_in"),
        (ada, rome, "field:city"),
    ]


def test_a_promotion_is_undone_and_a_topic_deleted(keeper: Keeper) -> None:
    ada = keeper.topic("Ada", phone="1")
    keeper.do(
        "memory_promote_fields_to_nested_topic",
        parent_topic_id=ada,
        field_names=["phone"],
        child_title="Contact",
        child_topic_id="contact",
        child_topic_kind="card",
    )
    child = keeper.do("memory_get_topic", topic_id="contact")["topic"]
    keeper.do("memory_undo_promote_nested_topic", parent_topic_id=ada, child_topic_id="contact")
    phone = keeper.do("memory_get_field", topic_id=ada, field_name="phone")["field"]
    keeper.do("memory_delete_topic", topic_id=ada)

    assert (child["topic_kind"], phone["value"]) == ("card", "1")
    assert keeper.do("memory_list_topics", include_archived=True)["topic_ids"] == []


def test_a_value_in_the_bucket_is_read_part_by_part(keeper: Keeper) -> None:
    value = ["word " * 20] * 1_500
    text = compact_json(value)
    ada = keeper.topic("Ada", book=value)

    part = keeper.do(
        "memory_get_field",
        topic_id=ada,
        field_name="book",
        path="/field/value",
        offset=len(text) - 100,
    )

    assert (part["part"], part["next_offset"]) == (text[-100:], None)


def test_appends_at_once_all_stay(table: Store) -> None:
    """Not on moto, which does not lock an item between condition and update."""
    keeper = keeper_over(table)
    ada = keeper.topic("Ada")

    at_once([partial(keeper.append, ada, "count", number) for number in range(8)])

    history = keeper.do(
        "memory_get_field_history", topic_id=ada, field_name="count", path="/field/history"
    )
    assert history["length"] == 8


def test_a_page_of_a_list_reads_each_topic_once(table: Store) -> None:
    """A page for each of two scopes, one batch of topics, and the recent writes of the key."""
    keeper = keeper_over(table)
    for number in range(10):
        keeper.topic(f"Topic {number}")
    table.clock.advance(seconds=3_600)

    spent = meter(table.client)
    keeper.do("memory_list_topics")

    assert spent.within(Cost(requests=4, read_units=12))
