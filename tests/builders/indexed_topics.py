"""Topics as the store has them, without anybody who wrote them, to be indexed."""

from dataclasses import replace
from typing import Any

from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.vector_rules import index_version
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.salience import fading_lifecycle
from membrane.domain.topics.searched import is_found
from membrane.domain.topics.topic import Topic
from membrane.usecases.search.indexing.changes import ChangedSource
from tests.fakes.clock import MORNING
from tests.fakes.topics import FakeTopics

BORN_S = epoch_seconds(MORNING)


def held(topics: FakeTopics, topic_id: str = "topic-1", **changes: Any) -> Topic:
    """A topic that the store has; the next version of the one that it has."""
    before = topics.topics.get(topic_id)
    usual: dict[str, Any] = {
        "id": topic_id,
        "scope": "team",
        "sensitivity": Sensitivity.LOW,
        "title": f"Crane {topic_id}",
        "base": Anchor(1.0, BORN_S, BORN_S),
        "lifecycle": fading_lifecycle(3_600),
        "created_at": rfc3339(MORNING),
        "updated_at": rfc3339(MORNING),
    }
    first = Topic(**usual) if before is None else before
    after = replace(first, **changes, version=first.version + 1)
    topics.topics[topic_id] = after
    if before is not None and is_found(before) and not is_found(after):
        topics.ended[topic_id] = index_version(after.base.born_s, after.version)
    return after


def told(topic: Topic, *scopes: str) -> ChangedSource:
    """What the stream tells of the topic; `scopes` are others in which it was."""
    return ChangedSource(topic.id, (topic.scope, *scopes))
