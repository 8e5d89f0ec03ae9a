"""Requests that edit topics; shapes and defaults are compatible with MemState.

Some required fields have an empty default here: the domain refuses the empty value with a message
of its own.
"""

from typing import Annotated

from pydantic import Field

from membrane.domain.language import fields, requests
from membrane.domain.language.cursors import Cursor
from membrane.domain.topics.appending import KEEP, RefChange
from membrane.domain.topics.requests.ingest import FieldName, FieldTypeWord, Kind, Title, TopicValue
from membrane.domain.topics.system_context import MAX_CHARACTERS
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.versions import USUAL_SALIENCE

USUAL_RELATION = "has_detail"
"""Kind of the edge from a topic to the topic made of its fields."""

MAX_HISTORY = 10_000

MaxHistory = Annotated[int, Field(ge=1, le=MAX_HISTORY)]
"""Revisions that a client of MemState wants a field to keep. Accepted without effect: the
operator's `TopicMaxHistory` says how many revisions stay in the table, and older revisions are
archived."""

TopicId = Annotated[str, Field(max_length=fields.MAX_ID_CHARACTERS)]
"""Id of a topic."""

ContextText = Annotated[str, Field(max_length=MAX_CHARACTERS)]

OptionalNewId = Annotated[fields.RecordId | None, requests.OPTIONAL]

FieldNames = Annotated[tuple[Title, ...], fields.LIST]
"""Names of fields; blank names and repeats are dropped later."""


class CreateTopic(requests.Request):
    """Create a topic without fields."""

    title: Title = UNTITLED
    """Title, at most 1,000 characters. Blank: `untitled`."""
    summary: fields.Text = ""
    """Summary of the topic."""
    topic_kind: Kind = ""
    """Kind of the topic in the caller's words, at most 256 characters."""
    salience: fields.Salience = USUAL_SALIENCE
    """Salience of the topic; above 1 needs the permission `revise`."""
    topic_id: OptionalNewId = None
    """Id of the new topic: 1 to 128 of the characters `A-Z a-z 0-9 . _ : -`. An id in use is
    refused with 409, a UUID of version 8 with 400. Absent or empty: the server makes an id."""
    scope: requests.OptionalScope = None
    """Scope of the topic, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key
    that is no prefix, unscoped under a key for all scopes."""
    sensitivity: requests.OptionalSensitivity = None
    """Sensitivity of the topic, at most the highest sensitivity of the key. Absent or empty: the
    deployment's `DefaultSensitivity`."""


class TopicEdit(requests.Request):
    """A change of one topic."""

    id: requests.FromPath[str]
    """Id of the topic. The id of a merged topic leads to the topic of the merge."""


class ChangeTopic(TopicEdit):
    """Change title, summary, kind, salience or sensitivity of a topic; archive or revive the topic.

    Absent and null fields stay. A topic stays in the scope of its creation.
    """

    title: Title | None = None
    """New title, at most 1,000 characters; empty: `untitled`. Absent: unchanged."""
    summary: fields.Text | None = None
    """New summary; empty: no summary. Absent: unchanged."""
    topic_kind: Kind | None = None
    """New kind, at most 256 characters; empty: no kind. Absent: unchanged."""
    salience: fields.Salience | None = None
    """Salience from now on, 0 or more. Absent: unchanged."""
    archived: bool | None = None
    """`true`: take the topic out of retrieval. `false`: revive an archived topic. Absent:
    unchanged."""
    sensitivity: fields.SensitivityWord | None = None
    """New sensitivity. A lower sensitivity needs `admin`. Absent: unchanged."""


class DeleteTopic(TopicEdit):
    """Delete a topic, hidden until it is restored; with `erase` remove the content for good."""

    erase: requests.FromQuery[bool] = False
    """Remove title, summary, fields with all revisions, edges, reads and the free text of the audit
    trail for good, also of a deleted topic. Topics merged into the topic are erased, too. The id of
    a merged topic erases that topic alone, out of the topic of the merge. Needs the permission
    `admin`. A query parameter."""
    why: fields.Text = ""
    """Reason, kept in the audit trail."""


class RestoreTopic(TopicEdit):
    """Restore a deleted topic."""


class AddRelationship(TopicEdit):
    """Add an edge from a topic to another topic."""

    to_topic_id: TopicId
    """Id of the topic at the far end."""
    kind: Kind
    """Meaning of the edge; at most 256 characters, may be empty."""


class RemoveRelationship(TopicEdit):
    """Remove an edge; a query of the past still shows the edge."""

    to_topic_id: requests.FromQuery[TopicId]
    """Id of the topic at the far end."""
    kind: requests.FromQuery[Kind]
    """Meaning of the edge, exactly as added; may be empty."""


class AppendField(TopicEdit):
    """Append a revision to a field.

    An absent reference stays; null or an empty text clears the reference.
    """

    keeps_null = frozenset({"value", "ref_topic_id"})

    field_name: FieldName
    """Name of the field, 1 to 256 characters without control characters. A nested field has the
    name `<group>.<name>`."""
    value: TopicValue = ""
    """New value: any JSON value of the field's type, or null; without `$upload` and `$blob`.
    Absent: the empty text."""
    field_type: FieldTypeWord | None = None
    """Type of the field: `string`, `int`, `float`, `bool`, `date`, `datetime`, `list` or `json`.
    Absent: the type of the field; for a new field the type of the value."""
    ref_topic_id: TopicId | None = None
    """Id of the topic that the field refers to. null or empty: no reference any more. Absent: the
    reference stays."""
    why_changed: fields.Text | None = None
    """Reason for the new value, kept with the revision."""
    impact_expected: fields.Text | None = None
    """Expected effect of the new value, kept with the revision."""
    provenance: fields.Text = "ui"
    """Origin of the value in the caller's words, kept with the revision."""
    valid_from: requests.OptionalTimestamp = None
    """Instant from which the value holds, in RFC 3339, not in the future. Absent or empty: now."""
    max_history: MaxHistory = 500
    """Accepted without effect: the operator's `TopicMaxHistory` applies."""

    @property
    def ref(self) -> RefChange:
        """The change of the reference."""
        return (self.ref_topic_id or None) if "ref_topic_id" in self.model_fields_set else KEEP


class DeleteField(TopicEdit):
    """Delete a field, or a group with all nested fields; the histories stay."""

    name: requests.FromPath[str]
    """Whole name of the field, or name of a group."""


class SetFieldRef(TopicEdit):
    """Let a field refer to a topic, or clear the reference."""

    name: requests.FromPath[FieldName]
    """Whole name of the field, 1 to 256 characters without control characters. A new field is made
    without a value."""
    ref_topic_id: Annotated[TopicId | None, requests.OPTIONAL] = None
    """Id of the topic to refer to. Absent, null or empty: the reference is cleared."""


class NestFields(TopicEdit):
    """Group fields under one name."""

    field_names: FieldNames = ()
    """Names of the fields to group. Required; blank names and repeats are dropped."""
    nest_key: Annotated[str, Field(max_length=1_000)] = ""
    """Name of the group. Required; neither an existing field nor a grouped one. The fields get the
    names `<nest_key>.<name>`, of at most 256 characters."""
    provenance: fields.Text = "ui"
    """Origin of the grouping in the caller's words, kept with the group."""


class UnnestFields(TopicEdit):
    """Dissolve a group: the nested fields get their own names back."""

    nest_key: str = ""
    """Name of the group. Required."""


class PromoteFields(TopicEdit):
    """Move fields of a topic into a new topic, related to the first topic by an edge."""

    field_names: FieldNames = ()
    """Names of the fields and groups to move. Required; blank names and repeats are dropped."""
    child_title: Title = ""
    """Title of the new topic, at most 1,000 characters. Required."""
    child_summary: fields.Text = ""
    """Summary of the new topic."""
    child_topic_id: OptionalNewId = None
    """Id of the new topic: 1 to 128 of the characters `A-Z a-z 0-9 . _ : -`. An id in use is
    refused with 409, a UUID of version 8 with 400. Absent or empty: the server makes an id."""
    relationship_kind: Kind = USUAL_RELATION
    """Kind of the edge from the topic to the new topic, at most 256 characters, not blank."""
    parent_link_field: Annotated[FieldName | None, requests.OPTIONAL] = None
    """Name of a new field of the topic that refers to the new topic; no existing field and no moved
    one. Absent or empty: no such field."""
    provenance: fields.Text = "ui"
    """Origin of the link in the caller's words, kept with the field `parent_link_field`."""
    max_history: MaxHistory = 500
    """Accepted without effect: the operator's `TopicMaxHistory` applies."""


class UndoPromotion(TopicEdit):
    """Move the fields of a promoted topic back, and delete the promoted topic."""

    child_topic_id: TopicId = ""
    """Id of the promoted topic. Required."""
    relationship_kind: Kind | None = None
    """Kind of the edge that the promotion made. Absent: the only kind between both topics; required
    where several edges exist."""


class UnmergeTopic(TopicEdit):
    """Undo the newest merge of a topic: the merged topic becomes a topic of its own again.

    `id` is the id of the merged topic, not of the topic that absorbed the merged topic. After an
    older merge, 409 names the newer merge to undo first.
    """

    why: fields.Text = ""
    """Reason, kept in the audit trail."""


class Reason(requests.Request):
    """Plan, or carry out, merges and forgetting steps in a scope.

    One call takes at most about 15 seconds, or 500 actions; `next_cursor` continues.
    """

    scope: requests.OptionalScope = None
    """Scope to reason about. Absent or empty: the first scope of the key that is no prefix,
    unscoped under a key for all scopes."""
    dry_run: bool = True
    """`true`: show the plan. `false`: carry out the plan."""
    cursor: Annotated[Cursor | None, requests.OPTIONAL] = None
    """The `next_cursor` of an earlier call of the same request. Absent or empty: begin anew."""


class ChangeSystemContext(requests.Request):
    """Set the description of the agents' role and surroundings."""

    system_role: ContextText
    """Role of the agents; not blank, at most 30,000 characters."""
    runtime_context: ContextText
    """Surroundings of the agents, such as systems and tools; not blank, at most 30,000 characters.
    """
