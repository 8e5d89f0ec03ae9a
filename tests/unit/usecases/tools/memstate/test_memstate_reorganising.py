"""MemState's planners and study tools."""

import pytest

from membrane.domain.tools.memstate.reorganising import GUIDELINES, Operation
from tests.worlds.memstate_tools import Keeper


@pytest.mark.parametrize("operation", Operation)
def test_a_planner_shows_structure_and_guidelines_and_changes_nothing(
    keeper: Keeper, operation: Operation
) -> None:
    rome = keeper.topic("Rome")
    ada = keeper.topic("Ada", home="Rome")
    keeper.append(ada, "home", "Rome", ref_topic_id=rome)
    keeper.relate(ada, rome, "lives_in")
    keeper.do("memory_update_topic", topic_id=rome, archived=True, summary="a city")
    before = keeper.do("memory_graph_snapshot")

    plan = keeper.do(f"memory_reorganize_{operation}", criteria="  tidy up ")

    assert plan == {
        "ok": True,
        "tool": f"memory_reorganize_{operation}",
        "operation": operation,
        "criteria": "tidy up",
        "guidelines": GUIDELINES[operation],
        "metrics": {"topic_count": 2, "related_edge_count": 1},
        "topics_schema_snapshot": {
            "topics": [
                {
                    "id": rome,
                    "title": "Rome",
                    "topic_kind": "",
                    "archived": True,
                    "salience": 1.0,
                    "fields": {},
                },
                {
                    "id": ada,
                    "title": "Ada",
                    "topic_kind": "",
                    "archived": False,
                    "salience": 1.0,
                    "fields": {
                        "home": {"field_type": "string", "ref_topic_id": rome, "salience": 1.0}
                    },
                },
            ],
            "edges": [{"from": ada, "to": rome, "kind": "lives_in", "edge_type": "related"}],
        },
        "total": 2,
        "has_more": False,
        "next_offset": None,
    }
    assert keeper.do("memory_graph_snapshot") == before


def test_a_planner_shows_the_whole_structure_page_by_page(keeper: Keeper) -> None:
    made = sorted(keeper.topic(f"Topic {number}", note=number) for number in range(40))
    for other in made[1:]:
        keeper.relate(made[0], other)

    pages = keeper.pages("memory_reorganize_connect_topics", criteria="all " * 500)

    snapshots = [each["topics_schema_snapshot"] for each in pages]
    assert [each["id"] for one in snapshots for each in one["topics"]] == made
    assert [each["to"] for one in snapshots for each in one["edges"]] == made[1:]
    assert {each["metrics"]["related_edge_count"] for each in pages} == {39}


def test_edges_of_many_topics_are_counted_in_part(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.tools.memstate.reorganising.MOST_COUNTED", 2)
    made = sorted(keeper.topic(f"Topic {number}") for number in range(3))
    for other in made:
        keeper.relate(other, made[0])

    metrics = keeper.do("memory_reorganize_split_topics")["metrics"]

    assert metrics == {"topic_count": 3, "related_edge_count": 2, "counted_topics": 2}


def test_no_study_session_has_no_units(keeper: Keeper) -> None:
    shown = keeper.do("study_unit_catalog")

    assert shown["catalog"] == {}
    assert "No study session" in shown["note"]


@pytest.mark.parametrize("kind", ["", "  ", None])
def test_the_graph_of_a_session_needs_a_session(keeper: Keeper, kind: str | None) -> None:
    assert keeper.refusal("study_graph_snapshot", study_topic_kind=kind) == {
        "error": "study_graph_snapshot is only available in Study phase A"
    }


def test_the_graph_of_a_session_has_the_topics_of_the_kind_and_edges_among_them(
    keeper: Keeper,
) -> None:
    one, two = (
        keeper.do("memory_create_topic", title=title, topic_kind="study:1")["topic_id"]
        for title in ("One", "Two")
    )
    other = keeper.topic("Other")
    for start, end in ((one, two), (one, other), (other, one)):
        keeper.relate(start, end)

    shown = keeper.do("study_graph_snapshot", study_topic_kind="study:1")

    assert [each["id"] for each in shown["data"]["nodes"]] == [one, two]
    assert [(each["from"], each["to"]) for each in shown["data"]["edges"]] == [(one, two)]
    assert shown["total"] == 2
