"""The reply to an ingest of a topic."""

from typing import Literal

from typing_extensions import TypedDict

from membrane.domain.language.replies import ChangeReply
from membrane.domain.topics.placing.apply_observation import FieldDecision
from membrane.domain.topics.placing.observations import Placement as PlacementWord

Decision = Literal[PlacementWord.NEW_TOPIC, PlacementWord.EXTEND_TOPIC, PlacementWord.VERSION_FIELD]
ResolvedBy = Literal["request", "topic_id", "title", "content", "similarity"]


class Placement(TypedDict):
    """Where an ingest was placed, by what, and what became of the fields."""

    decision: Decision
    """Whether the ingest made a topic, extended one, or added a revision to one field."""
    resolved_by: ResolvedBy | None
    """What led to the topic; null where no topic was found."""
    score: float | None
    """The similarity to the topic; null unless the similarity decided."""
    fields: dict[str, FieldDecision]
    """By field: new, another revision, or unchanged."""


class IngestedTopic(ChangeReply):
    """What an ingest wrote, and where."""

    topic_id: str
    """The id of the topic."""
    applied: list[str]
    """The changes in order, in the words of MemState: `field:<name>`, ..."""
    version_ids: dict[str, str]
    """By field the id of the new revision."""
    similar_topic_ids: list[str]
    """Ids of similar topics; empty unless `suggest_similar` asked."""
    placement: Placement
    """How the service found the topic."""
