"""Replies to reads and queries of topics: one topic, lists, the graph, what answers a question."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Timestamp
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.replies import PageReply, with_shape
from membrane.domain.language.values import JsonValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.salience import TopicSalience
from membrane.domain.topics.topic import Direction, FieldType, LinkType, TopicStatus


class FieldsCut(TypedDict, total=False):
    fields_cut: Literal[True]
    """Fields are missing for want of room; absent where none is."""


class ShownRevision(TypedDict):
    id: str
    """The id of the revision."""
    value: JsonValue
    """The value, any JSON; a link where the reply has no room for a large value."""
    valid_from: Timestamp
    """The instant from which the value holds."""
    provenance: str
    """The origin of the value, in the words of the caller."""
    why_changed: str | None
    """Why the value changed; null where nobody said, or the reason names a hidden topic."""
    impact_expected: str | None
    """The expected effect of the change; null where nobody said."""


class TopicRevision(ShownRevision):
    """A revision of a field."""

    operation: str | None
    """The operation that made the revision, such as `nested_topic_link`; null for a write."""
    recorded_at: Timestamp
    """When the revision was written."""
    principal: str
    """Who wrote the revision, as authenticated."""
    evidence: str
    """In former exports, the record that gave the value; empty without one, or for a hidden one."""


class TopicField(FieldsCut):
    """A field of a topic, or a group of fields."""

    field_type: FieldType
    """The type of the values."""
    ref_topic_id: str | None
    """The topic that the field refers to; null without a reference or for a hidden topic."""
    history: list[TopicRevision]
    """The revisions, the newest first."""
    history_length: Count
    """The number of all revisions, archived ones included."""
    salience: NotRequired[float]
    """The salience of the field; absent for a group."""
    detached: NotRequired[bool]
    """Whether the field left the working set; absent for a group."""


class TopicEvent(TypedDict):
    """An entry of the audit trail of a topic."""

    ts: Timestamp
    """When the event happened."""
    kind: EventKind
    """What happened."""
    detail: JsonObject
    """The details; the id of a hidden topic is null."""
    principal: str
    """On whose behalf the event happened."""
    why: str
    """The reason; empty where nobody said."""


class TopicReading(TypedDict):
    """A read that reinforced a topic."""

    at: Timestamp
    """When the topic was read."""
    principal: str
    """Who read the topic."""
    fields: list[str]
    """The names of the fields that the reader asked for."""


class TopicTrail(TypedDict):
    topic_history: list[TopicEvent]
    """The audit trail, the oldest event first."""
    topic_history_cut: NotRequired[Literal[True]]
    """Older events are missing for want of room; absent where none is."""


class TopicHead(TypedDict):
    id: str
    """The id of the topic."""
    asked_id: NotRequired[str]
    """The id of the request, where the topic of the request was merged into this topic."""
    entity_id: NotRequired[str]
    """The entity of the same name and type that the key shows; absent without one."""
    title: str
    """The title."""
    summary: str
    """The summary."""
    topic_kind: str
    """The kind."""
    salience: float
    """The salience as of now: the sum of `salience_parts`."""
    failed_salience: float
    """Always 0: a field that clients of MemState expect."""
    salience_parts: Annotated[JsonObject, with_shape(TopicSalience)]
    """The parts of the salience."""
    archived: bool
    """Whether the topic is archived."""
    status: TopicStatus
    """The status of the topic."""
    scope: str
    """The scope; empty for an unscoped topic."""
    sensitivity: Sensitivity
    """The sensitivity."""
    absorbed: list[str]
    """Ids of topics that were merged into the topic."""
    created_at: Timestamp
    """When the topic was made."""
    updated_at: Timestamp
    """When the topic last changed."""
    access_trail: list[TopicReading]
    """The latest reads, the oldest first."""


class TopicReply(TopicHead, TopicTrail, FieldsCut):
    """A topic with fields and audit trail."""

    fields: dict[str, TopicField]
    """The fields and groups, by name."""


class ListedTopic(TypedDict):
    """A topic of a list."""

    id: str
    """The id of the topic."""
    title: str
    """The title."""
    kind: str
    """The kind."""
    salience: float
    """The salience as of now."""
    archived: bool
    """Whether the topic is archived."""


class TopicList(PageReply):
    """A page of topics, by salience."""

    topic_ids: list[str]
    """The ids of the topics, in order."""
    topics: list[ListedTopic]
    """The topics, in the same order."""


class FieldSummary(TypedDict):
    """A field of a node, or a group of fields."""

    name: str
    """The name of the field or of the group."""
    field_type: FieldType
    """The type of the values."""
    current_value: JsonValue
    """The current value; null without a value, or without room for the value."""
    history_len: Count
    """The number of revisions."""
    ref_topic_id: NotRequired[str | None]
    """The topic that the field refers to; null without a reference or for a hidden topic."""
    nested_fields: NotRequired[list["FieldSummary"]]
    """The fields of a group; absent for a single field."""


class TopicNode(TypedDict):
    """A topic of the graph."""

    id: str
    """The id of the topic."""
    label: str
    """The beginning of the title, else the id."""
    title: str
    """The title."""
    summary: str
    """The summary."""
    topic_kind: str
    """The kind."""
    archived: bool
    """Whether the topic is archived."""
    salience: float
    """The salience as of now."""
    scope: str
    """The scope; empty for an unscoped topic."""
    sensitivity: Sensitivity
    """The sensitivity."""
    fields: list[FieldSummary]
    """The fields and groups, detached ones left out."""
    community: int
    """The number of the group of nodes that the edges of the reply connect, from 0."""
    entity_id: NotRequired[str]
    """The entity of the same name and type that the key shows; absent without one."""
    is_cut: NotRequired[Literal[True]]
    """Values, fields or the end of the summary are missing for want of room; absent where none
    is."""


TopicEdge = TypedDict(
    "TopicEdge",
    {
        "from": Annotated[str, Field(description="The topic at the beginning.")],
        "to": Annotated[str, Field(description="The topic at the end.")],
        "kind": Annotated[
            str, Field(description="The kind; `field:<name>` for the reference of a field.")
        ],
        "edge_type": Annotated[
            LinkType, Field(description="A link between topics, or the reference of a field.")
        ],
    },
)
"""A link of the graph; no class, since `from` is a keyword."""
TopicEdge.__doc__ = "A link between two topics, or the reference of a field to a topic."


class TopicGraph(PageReply):
    """A part of the graph of topics."""

    nodes: list[TopicNode]
    """The topics."""
    edges: list[TopicEdge]
    """Links between topics, and references of fields to topics."""
    truncated: bool
    """Whether the service examined a part of the links alone, or shows a part alone."""


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
