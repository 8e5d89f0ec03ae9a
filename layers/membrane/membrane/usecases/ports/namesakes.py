"""The topics of entities, for functions that read records and rarely need topics."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from membrane.domain.access.trust import Trust
from membrane.domain.records.stored import StoredRecord


class NamedTopic(NamedTuple):
    """A topic that refers to an entity."""

    topic_id: str
    title: str
    entity_id: str


TopicsOfEntities = Callable[[Sequence[StoredRecord], Trust], Sequence[NamedTopic]]
"""The visible topics that refer to the entities; may raise ResourceExhausted or Unavailable."""
