"""What keeps topics apart that are one: what they would be together has to be a topic still."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.appending import MAX_FIELDS
from membrane.domain.topics.large_values import MAX_CURRENT_BYTES
from membrane.domain.topics.reasoning.duplicates import Duplicate, Ground
from membrane.domain.topics.reasoning.merging import obstacle
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.salience import fading_lifecycle
from membrane.domain.topics.topic import Field, Topic
from tests.builders.stored_topics import revision
from tests.fakes.clock import MORNING


def topic(topic_id: str, fields: dict[str, Any]) -> Topic:
    """A topic with these values."""
    now = rfc3339(MORNING)
    return Topic(
        id=topic_id,
        scope="",
        sensitivity=Sensitivity.LOW,
        title="Ada",
        base=Anchor(1.0, 0.0, 0.0),
        lifecycle=fading_lifecycle(3_600),
        created_at=now,
        updated_at=now,
        fields={
            name: Field(type=FieldType.JSON, current=said(value)) for name, value in fields.items()
        },
    )


def said(value: Any) -> Revision:
    """A revision of that value."""
    return replace(revision(), value=value)


def hindrance(ours: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    """Of two topics with these fields."""
    duplicate = Duplicate(topic("a", ours), topic("b", theirs), Ground.TITLE, 1.0)
    return obstacle(duplicate, 1)


@pytest.mark.parametrize(("more", "is_merged"), [(0, True), (1, False)])
def test_two_have_as_many_fields_as_one_may_have(more: int, *, is_merged: bool) -> None:
    ours = dict.fromkeys(map(str, range(MAX_FIELDS)))
    theirs = dict.fromkeys(map(str, range(MAX_FIELDS // 2, MAX_FIELDS + more)))

    found = hindrance(ours, theirs)

    assert (found is None) is is_merged
    assert found in {None, f"a topic has {MAX_FIELDS} fields at most"}


def test_the_values_of_two_take_as_many_bytes_as_those_of_one_may() -> None:
    large = {str(number): "x" * 100_000 for number in range(MAX_CURRENT_BYTES // 200_000)}

    assert hindrance(large, {"more": 1}) is None
    assert hindrance(large, {**large, "more": "x" * 200_000}) == (
        f"the values of a topic take {MAX_CURRENT_BYTES} bytes at most"
    )
