"""What a topic names of others is told to whoever may see those."""

from typing import Any

import pytest

from membrane.domain.topics.field_types import FieldType
from membrane.domain.topics.revisions import LINKS_TOPIC, Revision
from membrane.domain.topics.showing.naming import linked_by, named_in, seen_detail, seen_revision

DETAILS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"to_topic_id": "t1", "kind": "funds"}, {"to_topic_id": None}),
    ({"field": "boss", "ref_topic_id": "t1"}, {"field": "boss", "ref_topic_id": None}),
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
    (
        {"edges": [{"to_topic_id": "t1", "kind": "k"}], "count": 200},
        {"edges": [{"to_topic_id": None}], "count": 200},
    ),
]
"""Details that name a topic, and what is told of it where that may not be seen."""


@pytest.mark.parametrize(("detail", "expected"), DETAILS)
def test_a_topic_that_is_not_seen_is_null_and_nothing_else_tells_of_it(
    detail: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert list(named_in(detail)) == ["t1"]
    assert seen_detail(detail, ()) == expected
    assert seen_detail(detail, ("t1",)) == detail


@pytest.mark.parametrize("detail", [{}, {"fields": ["a"]}, {"field": "a", "ref_topic_id": None}])
def test_what_names_no_topic_stays_as_it_is(detail: dict[str, Any]) -> None:
    assert list(named_in(detail)) == []
    assert seen_detail(detail, ()) == detail


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
