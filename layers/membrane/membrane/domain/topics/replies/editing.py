"""Replies to changes of topics, fields, links and the system context, and to reasoning."""

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Timestamp
from membrane.domain.language.json_text import Body
from membrane.domain.language.replies import ChangeReply, Done, PageReply, with_shape
from membrane.domain.topics.placing.apply_observation import FieldDecision
from membrane.domain.topics.placing.observations import Placement as PlacementWord


class ChangedTopic(ChangeReply):
    """A topic that was made or changed."""

    topic_id: str
    """The id of the topic."""


class DeletedTopic(ChangeReply):
    """A topic that was deleted."""

    deleted: str
    """The id of the topic."""


class TopicLinked(Done):
    """A link or a reference that was changed."""


class AppendedField(ChangeReply):
    """A new revision of a field."""

    version_id: str
    """The id of the revision."""


class DeletedField(ChangeReply):
    """A field that was deleted."""

    deleted: str
    """The name of the field, or of a group of fields."""


class Grouping(Done):
    """A change to a group of fields."""

    topic_id: str
    """The id of the topic."""
    nest_key: str
    """The name of the group."""


class NestedFields(Grouping):
    """Fields that are shown as a group from now on."""

    moved_fields: list[str]
    """The names of the fields in the group."""


class UnnestedFields(Grouping):
    """Fields that are shown without their group again."""

    restored_fields: list[str]
    """The names of the fields."""


class PromotedFields(Done):
    """Fields that are a topic of their own from now on."""

    child_topic_id: str
    """The id of the new topic."""
    moved_fields: list[str]
    """The names of the fields."""
    relationship_kind: str
    """The kind of the link from the parent to the child."""
    parent_link_field: str | None
    """The field of the parent that refers to the child; null without such a field."""


class UndonePromotion(Done):
    """Fields that are back in the parent; the child is deleted."""

    parent_topic_id: str
    """The id of the parent."""
    restored_fields: list[str]
    """The names of the fields that are back."""
    removed_ref_fields: list[str]
    """The fields of the parent that referred to the child and were removed."""
    deleted_child_topic_id: str
    """The id of the child."""


class UnmergedTopic(ChangeReply):
    """A topic that was taken out of a merge."""

    topic_id: str
    """The id of the topic."""
    unmerged_from: str
    """The id of the topic that kept both until now."""


class ActionScores(TypedDict, total=False):
    agreement: float
    """The share of common fields with equal values, of a merge."""
    similarity: float
    """The similarity of the two topics, of a merge by meaning."""
    salience: float
    """The salience of the topic, of a step of the ladder."""


class PlannedAction(ActionScores):
    """Something that reasoning would do with topics."""

    action: str
    """The action in one line: `merged:<id>->:<id>:<title>`, `archived:<id>`, ..."""
    why: str
    """The reason."""
    topics: list[str]
    """The ids of the topics: of a merge, the alias and the kept topic."""
    title: str
    """The title of the first topic."""


class TopicAction(PlannedAction):
    """Something that reasoning did with topics, or would do."""

    principal: NotRequired[str]
    """On whose behalf the action was taken; absent for a planned action."""
    at: NotRequired[Timestamp]
    """When the action was taken; absent for a planned action."""


class ScopeActions(PageReply):
    scope: str
    """The scope of the topics."""
    actions: list[Annotated[Body, with_shape(TopicAction)]]
    """The actions."""


class ActionList(ScopeActions):
    """A page of the action log, the newest action first."""


class ReasoningReply(ScopeActions):
    """What reasoning did in a scope, or would do."""

    dry_run: bool
    """Whether the actions are planned alone."""
    planned: Count
    """The number of actions in the reply."""
    complete: bool
    """Whether the call went through the whole scope."""


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
