"""Topics, and replies with topics. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from membrane_client.value import Linked, Page, Value
from membrane_client.values import words


class FieldSummary(Value):
    name: str  # The name of the field or of the group
    field_type: words.FieldType | str  # The type of the values
    current_value: Linked[Any]  # The current value
    history_len: int  # The number of revisions
    ref_topic_id: str | None  # The topic that the field refers to
    nested_fields: Sequence["FieldSummary"]  # The fields of a group; absent for a single field


class TopicNode(Value):
    id: str  # The id of the topic
    label: str  # The beginning of the title, else the id
    title: str  # The title
    summary: str  # The summary
    topic_kind: str  # The kind
    archived: bool  # Whether the topic is archived
    salience: float  # The salience as of now
    scope: str  # The scope; empty for an unscoped topic
    sensitivity: words.Sensitivity | str  # The sensitivity
    fields: Sequence[FieldSummary]  # The fields and groups, detached ones left out
    community: int  # The number of the group of nodes that the edges of the reply connect, from 0
    entity_id: str | None  # The entity of the same name and type that the key shows
    is_cut: bool = False  # Values, fields or the end of the summary are missing for want of room


class TopicEdge(Value):
    from_: str  # The topic at the beginning
    to: str  # The topic at the end
    kind: str  # The kind; `field:<name>` for the reference of a field
    edge_type: str  # A link between topics, or the reference of a field


class TopicGraph(Page[TopicNode], of="nodes"):
    nodes: Sequence[TopicNode]  # The topics
    edges: Sequence[TopicEdge]  # Links between topics, and references of fields to topics
    truncated: bool  # Whether the service examined a part of the links alone, or shows a part alone


class ChangedTopic(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    topic_id: str  # The id of the topic


class Placement(Value):
    decision: str  # Whether the ingest made a topic, extended one, or added a revision to one field
    resolved_by: str | None  # What led to the topic; null where no topic was found
    score: float | None  # The similarity to the topic; null unless the similarity decided
    fields: Mapping[str, str]  # By field: new, another revision, or unchanged


class IngestedTopic(ChangedTopic):
    applied: Sequence[str]  # The changes in order, in the words of MemState: `field:<name>`, ..
    version_ids: Mapping[str, str]  # By field the id of the new revision
    similar_topic_ids: Sequence[str]  # Ids of similar topics; empty unless `suggest_similar` asked
    placement: Placement  # How the service found the topic


class TopicNeighbour(Value):
    id: str  # The id of the neighbour
    title: str  # The title of the neighbour
    kind: str  # The kind of the link; `field:<name>` where a field refers to the neighbour
    direction: str


class BundledRevision(Value):
    id: str  # The id of the revision
    value: Linked[Any]  # The value, any JSON; a link where the reply has no room for a large value
    valid_from: datetime  # The instant from which the value holds
    provenance: str  # The origin of the value, in the words of the caller
    why_changed: str | None  # Why the value changed
    impact_expected: str | None  # The expected effect of the change; null where nobody said


class BundledField(Value):
    name: str  # The name of the field or of the group
    field_type: words.FieldType | str  # The type of the values
    ref_topic_id: str | None  # The topic that the field refers to
    current: BundledRevision  # The current revision
    history: Sequence[BundledRevision]  # The revisions, the newest first


class TopicBundle(Value):
    fields_cut: bool = False  # Fields are missing for want of room; absent where none is
    topic_id: str  # The id of the topic
    title: str  # The title
    summary: str | None  # The summary; null where empty
    topic_kind: str | None  # The kind; null where empty
    salience: float  # The salience before this query added to the salience
    failed_salience: float  # Always 0: a field that clients of MemState expect
    neighbors: Sequence[TopicNeighbour]  # The linked topics, with the stage `structural`
    neighbors_truncated: bool  # Whether the topic has more neighbours
    fields: Sequence[BundledField]  # The fields, with the stages `structural` and `temporal`
    similarity: float | None  # How well the topic answers the question
    entity_id: str | None
    history_limit: int | None  # Some histories of the topic were not read; absent where all were
    explanation: Mapping[str, Any]  # The parts of similarity and salience


class FoundTopics(Value):
    query: str  # The question
    candidates: Sequence[TopicBundle]  # The topics, the best first
    summary_text: str  # A line for each of the first topics
    history_limit: int | None  # The number of revisions that histories were cut to


class TopicAction(Value):
    agreement: float | None  # The share of common fields with equal values, of a merge
    similarity: float | None  # The similarity of the two topics, of a merge by meaning
    salience: float | None  # The salience of the topic, of a step of the ladder
    action: str  # The action in one line: `merged:<id>->:<id>:<title>`, `archived:<id>`, ..
    why: str  # The reason
    topics: Sequence[str]  # The ids of the topics: of a merge, the alias and the kept topic
    title: str  # The title of the first topic
    principal: str | None  # On whose behalf the action was taken; absent for a planned action
    at: datetime | None  # When the action was taken; absent for a planned action


class ReasoningReply(Value):
    next_cursor: str | None  # Where the next page begins; absent on the last page
    scope: str  # The scope of the topics
    actions: Sequence[TopicAction]  # The actions
    dry_run: bool  # Whether the actions are planned alone
    planned: int  # The number of actions in the reply
    complete: bool  # Whether the call went through the whole scope


class ActionList(Page[TopicAction], of="actions"):
    scope: str  # The scope of the topics
    actions: Sequence[TopicAction]  # The actions


class ContextChange(Value):
    at: datetime  # When the context changed
    by: str  # Who changed the context


class SystemContext(Value):
    key: str  # Always `global`: one context serves all scopes
    system_role: str  # The role of the agents
    runtime_context: str  # The surroundings of the agents
    created_at: datetime  # When the context was first written
    updated_at: datetime  # When the context last changed
    updated_by: str  # Who changed the context last
    changes: Sequence[ContextChange]  # The latest changes, the oldest first


class SystemContextReply(Value):
    configured: bool  # Whether there is a system context
    system_context: SystemContext | None  # The system context; null where none is configured


class TopicEntry(Value):
    id: str  # The id of the topic
    title: str  # The title
    kind: str  # The kind
    salience: float  # The salience as of now
    archived: bool  # Whether the topic is archived


class TopicList(Page[TopicEntry], of="topics"):
    topic_ids: Sequence[str]  # The ids of the topics, in order
    topics: Sequence[TopicEntry]  # The topics, in the same order


class DeletedTopic(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    deleted: str  # The id of the topic


class TopicAccess(Value):
    at: datetime  # When the topic was read
    principal: str  # Who read the topic
    fields: Sequence[str]  # The names of the fields that the reader asked for


class TopicEvent(Value):
    ts: datetime  # When the event happened
    kind: str  # What happened
    detail: Mapping[str, Any]  # The details; the id of a hidden topic is null
    principal: str  # On whose behalf the event happened
    why: str  # The reason; empty where nobody said


class TopicRevision(BundledRevision):
    operation: str | None  # The operation that made the revision, such as `nested_topic_link`
    recorded_at: datetime  # When the revision was written
    principal: str  # Who wrote the revision, as authenticated
    evidence: str  # In former exports, the record that gave the value


class TopicField(Value):
    fields_cut: bool = False  # Fields are missing for want of room; absent where none is
    field_type: words.FieldType | str  # The type of the values
    ref_topic_id: str | None  # The topic that the field refers to
    history: Sequence[TopicRevision]  # The revisions, the newest first
    history_length: int  # The number of all revisions, archived ones included
    salience: float | None  # The salience of the field; absent for a group
    detached: bool = False  # Whether the field left the working set; absent for a group


class TopicReply(Value):
    id: str  # The id of the topic
    asked_id: str | None
    entity_id: str | None  # The entity of the same name and type that the key shows
    title: str  # The title
    summary: str  # The summary
    topic_kind: str  # The kind
    salience: float  # The salience as of now: the sum of `salience_parts`
    failed_salience: float  # Always 0: a field that clients of MemState expect
    salience_parts: Mapping[str, Any]  # The parts of the salience
    archived: bool  # Whether the topic is archived
    status: str  # The status of the topic
    scope: str  # The scope; empty for an unscoped topic
    sensitivity: words.Sensitivity | str  # The sensitivity
    absorbed: Sequence[str]  # Ids of topics that were merged into the topic
    created_at: datetime  # When the topic was made
    updated_at: datetime  # When the topic last changed
    access_trail: Sequence[TopicAccess]  # The latest reads, the oldest first
    topic_history: Sequence[TopicEvent]  # The audit trail, the oldest event first
    topic_history_cut: bool = False  # Older events are missing for want of room
    fields_cut: bool = False  # Fields are missing for want of room; absent where none is
    fields: Mapping[str, TopicField]  # The fields and groups, by name


class AppendedField(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    version_id: str  # The id of the revision


class DeletedField(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    deleted: str  # The name of the field, or of a group of fields


class TopicLinked(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    ok: bool  # The change is made


class NestedFields(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    ok: bool  # The change is made
    topic_id: str  # The id of the topic
    nest_key: str  # The name of the group
    moved_fields: Sequence[str]  # The names of the fields in the group


class PromotedFields(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    ok: bool  # The change is made
    child_topic_id: str  # The id of the new topic
    moved_fields: Sequence[str]  # The names of the fields
    relationship_kind: str  # The kind of the link from the parent to the child
    parent_link_field: str | None  # The field of the parent that refers to the child


class UndonePromotion(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    ok: bool  # The change is made
    parent_topic_id: str  # The id of the parent
    restored_fields: Sequence[str]  # The names of the fields that are back
    removed_ref_fields: Sequence[str]
    deleted_child_topic_id: str  # The id of the child


class UnmergedTopic(ChangedTopic):
    unmerged_from: str  # The id of the topic that kept both until now


class UnnestedFields(Value):
    consistency_token: str  # A retrieval with the token sees the write before the index does
    ok: bool  # The change is made
    topic_id: str  # The id of the topic
    nest_key: str  # The name of the group
    restored_fields: Sequence[str]  # The names of the fields
