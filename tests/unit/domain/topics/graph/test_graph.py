"""What links topics, once aliases are followed."""

from dataclasses import replace

from membrane.domain.topics.graph.graph import Link, LinkType, edge_links, own_ids, reference_links
from membrane.domain.topics.topic import Edge
from tests.builders.records import NOW_TEXT
from tests.unit.domain.topics.test_rendering import a_field, a_topic

SEEN = {each: each for each in ("a", "b", "c")}


def edge(from_id: str, to_id: str, kind: str = "knows") -> Edge:
    """An edge that holds."""
    return Edge(from_id=from_id, to_id=to_id, kind=kind, created_at=NOW_TEXT, principal="key")


def link(from_id: str, to_id: str, kind: str = "knows") -> Link:
    """What is shown of it."""
    return Link(from_id, to_id, kind, LinkType.RELATED)


def test_edges_are_shown_in_order_whichever_way_they_came() -> None:
    edges = [edge("b", "a"), edge("a", "c"), edge("a", "b", "likes"), edge("a", "b")]

    expected = [link("a", "b"), link("a", "b", "likes"), link("a", "c"), link("b", "a")]
    assert edge_links(edges, SEEN) == expected
    assert edge_links(edges[::-1], SEEN) == expected


def test_removed_edges_and_those_of_what_is_not_seen_are_left_out() -> None:
    removed = replace(edge("a", "b"), removed_at=NOW_TEXT)

    assert edge_links([removed, edge("a", "hidden"), edge("hidden", "b")], SEEN) == []


def test_the_same_edge_of_two_that_were_merged_is_shown_once() -> None:
    ends = {**SEEN, "old": "a"}

    assert edge_links([edge("old", "b"), edge("a", "b")], ends) == [link("a", "b")]


def test_a_loop_is_shown_where_it_was_made_and_not_where_it_came_of_a_merge() -> None:
    ends = {**SEEN, "old": "a"}

    assert edge_links([edge("a", "old"), edge("b", "b")], ends) == [link("b", "b")]


def test_references_lead_to_the_end_of_aliases() -> None:
    fields = {
        "boss": a_field("x", ref_topic_id="old"),
        "gone": a_field("x", ref_topic_id="b", deleted_at=NOW_TEXT),
        "far": a_field("x", ref_topic_id="b", is_detached=True),
        "secret": a_field("x", ref_topic_id="hidden"),
        "none": a_field("x"),
    }
    topic = a_topic(id="a", fields=fields)

    links = reference_links([topic], {**SEEN, "old": "c"})

    assert links == [Link("a", "c", "field:boss", LinkType.FIELD_REF)]


def test_a_topic_has_the_edges_of_what_it_absorbed() -> None:
    assert own_ids(a_topic(id="a", absorbed=("b", "c"))) == ("a", "b", "c")
