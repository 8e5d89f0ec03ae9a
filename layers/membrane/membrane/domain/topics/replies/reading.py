"""Replies to reads of topics: one topic, lists, the graph, the system context."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Timestamp
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.replies import PageReply, with_shape
from membrane.domain.language.values import JsonValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.graph.graph import LinkType
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.salience import TopicSalience
from membrane.domain.topics.topic import TopicStatus


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
    """The record that the value was taken from; empty without one, and for a hidden record."""


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


class ContextChange(TypedDict):
    """A change of the system context."""

    at: Timestamp
    """When the context changed."""
    by: str
    """Who changed the context."""


class SystemContext(TypedDict):
    """The system context: what every agent learns of the role and of the surroundings."""

    key: Literal["global"]
    """Always `global`: one context serves all scopes."""
    system_role: str
    """The role of the agents."""
    runtime_context: str
    """The surroundings of the agents."""
    created_at: Timestamp
    """When the context was first written."""
    updated_at: Timestamp
    """When the context last changed."""
    updated_by: str
    """Who changed the context last."""
    changes: list[ContextChange]
    """The latest changes, the oldest first."""


class SystemContextReply(TypedDict):
    """The system context, if configured."""

    configured: bool
    """Whether there is a system context."""
    system_context: SystemContext | None
    """The system context; null where none is configured."""
