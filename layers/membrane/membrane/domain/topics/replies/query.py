"""The reply to a query of topics."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from membrane.domain.language.fields import Count
from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.graph.graph import Direction
from membrane.domain.topics.replies.reading import FieldsCut, ShownRevision
from membrane.domain.topics.revisions import FieldType


class TopicNeighbour(TypedDict):
    """A topic that is linked with a found topic."""

    id: str
    """The id of the neighbour."""
    title: str
    """The title of the neighbour."""
    kind: str
    """The kind of the link; `field:<name>` where a field refers to the neighbour."""
    direction: Direction
    """Whether the link leads to the neighbour (`out`) or comes from the neighbour (`in`)."""


class BundledRevision(ShownRevision):
    """A revision of a found field."""


class BundledField(TypedDict):
    """A field of a found topic, or a group of fields."""

    name: str
    """The name of the field or of the group."""
    field_type: FieldType
    """The type of the values."""
    ref_topic_id: str | None
    """The topic that the field refers to; null without a reference or for a hidden topic."""
    current: BundledRevision
    """The current revision."""
    history: list[BundledRevision]
    """The revisions, the newest first; empty where `history_limit` is 0."""


class TopicBundle(FieldsCut):
    """A found topic, as much as the stages of the query show."""

    topic_id: str
    """The id of the topic."""
    title: str
    """The title."""
    summary: str | None
    """The summary; null where empty."""
    topic_kind: str | None
    """The kind; null where empty."""
    salience: float
    """The salience before this query added to the salience."""
    failed_salience: float
    """Always 0: a field that clients of MemState expect."""
    neighbors: list[TopicNeighbour]
    """The linked topics, with the stage `structural`."""
    neighbors_truncated: bool
    """Whether the topic has more neighbours."""
    fields: list[BundledField]
    """The fields, with the stages `structural` and `temporal`."""
    similarity: float | None
    """How well the topic answers the question; null where the search did not find the topic."""
    entity_id: NotRequired[str]
    """The entity of the same name and type that the key shows, with the stage `structural`; absent
    without one."""
    history_limit: NotRequired[Literal[1]]
    """Some histories of the topic were not read; absent where all were."""
    explanation: NotRequired[JsonObject]
    """The parts of similarity and salience; absent unless `explain` asked."""


class FoundTopics(TypedDict):
    """The topics that answer a query."""

    query: str
    """The question."""
    candidates: list[TopicBundle]
    """The topics, the best first."""
    summary_text: str
    """A line for each of the first topics."""
    history_limit: NotRequired[Count]
    """The number of revisions that histories were cut to; 0 where each value is given once, as
    `current`. Absent where no history was cut."""
