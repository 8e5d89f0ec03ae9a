"""What is deleted in one of two topics does not come back when they become one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.appending import FieldWrite, append_writes
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.reasoning.duplicates import Duplicate, Ground
from membrane.domain.topics.reasoning.merging import merge_duplicates
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext, first_version, unwritten_topic

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


def context(token: str, *, minutes: int = 0) -> ChangeContext:
    """The circumstances of an attempt."""
    return ChangeContext(NOW + timedelta(minutes=minutes), "ada", "0" * 32, token, TopicPolicy())


def topic(topic_id: str, *, minutes: int) -> Topic:
    """A topic with a field that says its id, and was written then."""
    draft = unwritten_topic(topic_id, "", Sensitivity.LOW, title="Ada", context=context(topic_id))
    made = first_version(draft, context(topic_id))
    writes = [FieldWrite(name="city", value=topic_id)]
    return replace(
        made, fields=append_writes(made, writes, context(topic_id, minutes=minutes)).fields
    )


@pytest.mark.parametrize(("deleted", "living"), [("keeper", "other"), ("other", "keeper")])
def test_the_value_that_is_current_is_that_of_the_living_field(deleted: str, living: str) -> None:
    both = {living: topic(living, minutes=0), deleted: topic(deleted, minutes=5)}
    gone = replace(both[deleted].fields["city"], deleted_at="2026-03-01T09:06:00Z")
    both[deleted] = replace(both[deleted], fields={"city": gone})
    duplicate = Duplicate(both["keeper"], both["other"], Ground.TITLE, 1.0)

    keeper, _ = merge_duplicates(duplicate, context("merge", minutes=9))

    field = keeper.fields["city"]
    assert field.current is not None
    assert (field.current.value, field.deleted_at, field.history_length) == (living, None, 2)
