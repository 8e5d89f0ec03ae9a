"""What is deleted in one of two topics does not come back when they become one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.appending import FieldWrite, appended
from membrane.domain.topics.making import Circumstances, founded, unborn
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.reasoning.duplicates import Duplicate, Ground
from membrane.domain.topics.reasoning.merging import merged
from membrane.domain.topics.topic import Topic

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)


def during(token: str, *, minutes: int = 0) -> Circumstances:
    """The circumstances of an attempt."""
    return Circumstances(NOW + timedelta(minutes=minutes), "ada", "0" * 32, token, TopicPolicy())


def topic(topic_id: str, *, minutes: int) -> Topic:
    """A topic with a field that says its id, and was written then."""
    draft = unborn(topic_id, "", Sensitivity.LOW, title="Ada", during=during(topic_id))
    made = founded(draft, during(topic_id))
    writes = [FieldWrite(name="city", value=topic_id)]
    return replace(made, fields=appended(made, writes, during(topic_id, minutes=minutes)).fields)


@pytest.mark.parametrize(("deleted", "living"), [("keeper", "other"), ("other", "keeper")])
def test_the_value_that_is_current_is_that_of_the_living_field(deleted: str, living: str) -> None:
    both = {living: topic(living, minutes=0), deleted: topic(deleted, minutes=5)}
    gone = replace(both[deleted].fields["city"], deleted_at="2026-03-01T09:06:00Z")
    both[deleted] = replace(both[deleted], fields={"city": gone})
    duplicate = Duplicate(both["keeper"], both["other"], Ground.TITLE, 1.0)

    keeper, _ = merged(duplicate, during("merge", minutes=9))

    field = keeper.fields["city"]
    assert field.current is not None
    assert (field.current.value, field.deleted_at, field.history_length) == (living, None, 2)
