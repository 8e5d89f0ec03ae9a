"""What a topic names of others is told to whoever may see those."""

from typing import Any

import pytest

from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.revisions import LINKS_TOPIC, FieldType, Revision
from membrane.domain.topics.showing.naming import linked_by, named_in, seen_event, seen_revision


def event(kind: str, detail: dict[str, Any]) -> TopicEvent:
    """An event of that kind."""
    return TopicEvent(EventKind(kind), "", detail, "ana", "", "", "", "")


def shown(kind: str, detail: dict[str, Any], *seen: str) -> dict[str, Any] | None:
    """The detail for a reader who sees these topics; None where the event is not told."""
    told = seen_event(event(kind, detail), seen, ())
    return None if told is None else told.detail


DETAILS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"child_topic_id": "t1", "moved_fields": ["a"], "relationship_kind": "has"},
        {"child_topic_id": None, "moved_fields": ["a"]},
    ),
    (
        {"parent_topic_id": "t1", "fields": ["a"], "relationship_kind": "has"},
        {"parent_topic_id": None, "fields": ["a"]},
    ),
    (
        {"topic_id": "t1", "fields": ["a"], "agreement": 1.0, "similarity": 0.9},
        {"topic_id": None},
    ),
]
"""Details that name a topic, and what is told of it where that may not be seen."""


@pytest.mark.parametrize(("detail", "expected"), DETAILS)
def test_a_topic_that_is_not_seen_is_null_and_nothing_else_tells_of_it(
    detail: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert list(named_in(detail)) == ["t1"]
    assert shown("merged", detail) == expected
    assert shown("merged", detail, "t1") == detail


LINKS: list[tuple[str, dict[str, Any]]] = [
    ("edge_added", {"to_topic_id": "t1", "kind": "funds"}),
    ("edge_removed", {"to_topic_id": "t1", "kind": "funds"}),
    ("ref", {"field": "boss", "ref_topic_id": "t1"}),
    ("ref", {"field": "boss", "ref_topic_id": None, "former_topic_id": "t1"}),
    ("edge_added", {"edges": [{"to_topic_id": "t1", "kind": "k"}]}),
    ("ref", {"refs": [{"field": "boss", "ref_topic_id": "t1"}]}),
]


@pytest.mark.parametrize(("kind", "detail"), LINKS)
def test_a_link_to_a_topic_that_is_not_seen_leaves_no_event(
    kind: str, detail: dict[str, Any]
) -> None:
    assert shown(kind, detail) is None
    assert shown(kind, detail, "t1") == detail


def test_of_several_links_those_are_told_whose_ends_are_seen_and_nobody_counts_the_others() -> None:
    edges = [{"to_topic_id": "t1", "kind": "k"}, {"to_topic_id": "t2", "kind": "k"}]

    assert shown("edge_added", {"edges": edges, "count": 200}, "t2") == {"edges": edges[1:]}


def test_a_reference_that_was_moved_tells_nothing_of_where_it_was() -> None:
    moved = {"field": "boss", "ref_topic_id": "t2", "former_topic_id": "t1"}

    assert shown("ref", moved, "t2") == {"field": "boss", "ref_topic_id": "t2"}
    assert shown("ref", moved, "t1") is None


def test_a_record_is_named_as_evidence_to_whoever_sees_it() -> None:
    told = event("fields", {"fields": ["a"], "evidence": "r1"})

    assert seen_event(told, (), ()) == event("fields", {"fields": ["a"]})
    assert seen_event(told, (), ("r1",)) == told


@pytest.mark.parametrize("detail", [{}, {"fields": ["a"]}, {"field": "a", "ref_topic_id": None}])
def test_what_names_no_topic_stays_as_it_is(detail: dict[str, Any]) -> None:
    assert list(named_in(detail)) == []
    assert shown("ref", detail) == detail


@pytest.mark.parametrize("ref", ["t1", None])
def test_the_reason_of_a_link_is_told_to_whoever_sees_the_topic(ref: str | None) -> None:
    usual: dict[str, Any] = {
        "value": "x",
        "field_type": FieldType.STRING,
        "valid_from": "",
        "recorded_at": "",
    }
    given: dict[str, Any] = {"id": "r", "order": 0, "provenance": "api", "why_changed": "t1"}
    link = Revision(**usual, **given, operation=LINKS_TOPIC, ref_topic_id=ref)
    other = Revision(**usual, **given, ref_topic_id=ref)

    assert list(linked_by([link, other])) == ([] if ref is None else [ref])
    assert seen_revision(link, ()).why_changed is None
    assert seen_revision(link, ("t1",)).why_changed == (None if ref is None else "t1")
    assert seen_revision(other, ()) is other
