"""Whether search finds a topic, and whether a change affects the search index.

Separate from the rendering, so that functions that only write or remove do not load the rendering.
"""

from collections.abc import Iterator
from typing import Any

from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Topic, TopicStatus


def is_found(topic: Topic) -> bool:
    return topic.status is TopicStatus.ACTIVE


def changes_search(before: Topic | None, after: Topic) -> bool:
    """Whether the search index or the reasoning must be updated after the change."""
    return before is None or _search_state(before) != _search_state(after)


def loses_vector(before: Topic, after: Topic) -> bool:
    """Whether a change ends the vector: search no longer finds the topic, or it was erased.

    A late writer may have read an erased topic before an earlier end of the vector.
    """
    if is_found(after):
        return False
    return is_found(before) or (
        after.status is TopicStatus.ERASED and before.status is not TopicStatus.ERASED
    )


def working_set(topic: Topic) -> Iterator[tuple[str, Revision]]:
    """The current revisions of fields neither deleted nor detached, by name."""
    for name, field in topic.living_fields.items():
        if field.current is not None and not field.is_detached:
            yield name, field.current


def _search_state(topic: Topic) -> tuple[Any, ...]:
    """All inputs of the topic's vector and index entry."""
    own = (topic.status, topic.scope, topic.sensitivity, topic.title, topic.kind, topic.summary)
    return *own, dict(working_set(topic))
