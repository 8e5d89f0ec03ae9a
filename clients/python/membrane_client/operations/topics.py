"""Topics: knowledge of a thing, in named fields with histories. Written by `make openapi`."""

from collections.abc import Sequence
from typing import Any, Unpack

from membrane_client.core.api import Api
from membrane_client.core.parameters import Json, Texts, Time
from membrane_client.core.protocol import Steps
from membrane_client.core.sync_and_async import listing, operation
from membrane_client.operations.parameters import Caller, Listing, Reach, TopicChange, Write
from membrane_client.values.topics import (
    ActionList,
    AppendedField,
    ChangedTopic,
    DeletedField,
    DeletedTopic,
    FoundTopics,
    IngestedTopic,
    NestedFields,
    PromotedFields,
    ReasoningReply,
    SystemContextReply,
    TopicAction,
    TopicEntry,
    TopicField,
    TopicGraph,
    TopicLinked,
    TopicList,
    TopicNode,
    TopicReply,
    UndonePromotion,
    UnmergedTopic,
    UnnestedFields,
)


class Topics:
    @listing(TopicNode)
    def read_graph(
        api: Api, *, topic_id: str | None = None, depth: int = 1, **more: Unpack[Listing]
    ) -> Steps[TopicGraph]:
        """Read topics as nodes, with edges and references: page by page, or around one topic."""
        return api.read("GET /v1/graph", locals(), TopicGraph)

    @operation
    def ingest_topic(
        api: Api,
        title: str | None = None,
        *,
        placement: str | None = None,
        topic_id: str | None = None,
        fields: Sequence[Json] | None = None,
        edges: Sequence[Json] | None = None,
        suggest_similar: bool | None = None,
        scope: str | None = None,
        trust: Json | None = None,
        **more: Unpack[TopicChange],
    ) -> Steps[IngestedTopic]:
        """Write fields and edges to a topic: to a named topic, a found topic or a new topic."""
        return api.write("POST /v1/ingest", locals(), IngestedTopic)

    @operation
    def query_topics(
        api: Api,
        q: str,
        *,
        stages: Texts = ("semantic", "structural", "temporal"),
        explain: bool | None = None,
        top_k: int = 8,
        topic_ids: Texts | None = None,
        field_names: Texts | None = None,
        trust: Json | None = None,
        as_of: Time | None = None,
        reinforce: bool = True,
        include_archived: bool | None = None,
        consistency_tokens: Texts | None = None,
        **more: Unpack[Caller],
    ) -> Steps[FoundTopics]:
        """Find the topics that answer a question, with fields, neighbours and histories."""
        return api.ask("POST /v1/query", locals(), FoundTopics)

    @operation
    def reason(
        api: Api,
        *,
        scope: str | None = None,
        dry_run: bool = True,
        cursor: str | None = None,
        **more: Unpack[Write],
    ) -> Steps[ReasoningReply]:
        """Plan, or carry out, merges and forgetting steps in a scope."""
        return api.write("POST /v1/reason", locals(), ReasoningReply)

    @listing(TopicAction)
    def read_actions(api: Api, **more: Unpack[Listing]) -> Steps[ActionList]:
        """Read the log of merges and forgetting steps in a scope, the newest first."""
        return api.read("GET /v1/reason/actions", locals(), ActionList)

    @operation
    def read_system_context(api: Api, **more: Unpack[Caller]) -> Steps[SystemContextReply]:
        """Read the description of the agents' role and surroundings."""
        return api.read("GET /v1/system-context", locals(), SystemContextReply)

    @operation
    def change_system_context(
        api: Api, system_role: str, runtime_context: str, **more: Unpack[Write]
    ) -> Steps[SystemContextReply]:
        """Set the description of the agents' role and surroundings."""
        return api.write("PUT /v1/system-context", locals(), SystemContextReply)

    @operation
    def create_topic(
        api: Api,
        title: str = "untitled",
        *,
        topic_id: str | None = None,
        scope: str | None = None,
        **more: Unpack[TopicChange],
    ) -> Steps[ChangedTopic]:
        """Create a topic without fields."""
        return api.write("POST /v1/topics", locals(), ChangedTopic)

    @listing(TopicEntry)
    def list_topics(
        api: Api, *, include_archived: bool = False, **more: Unpack[Listing]
    ) -> Steps[TopicList]:
        """List the topics of a scope or of all scopes, the most salient first."""
        return api.read("GET /v1/topics", locals(), TopicList)

    @operation
    def change_topic(
        api: Api,
        topic_id: str,
        *,
        title: str | None = None,
        archived: bool | None = None,
        **more: Unpack[TopicChange],
    ) -> Steps[ChangedTopic]:
        """Change title, summary, kind, salience or sensitivity of a topic.

        Archive or revive the topic.
        """
        return api.write("PATCH /v1/topics/{topic_id}", locals(), ChangedTopic)

    @operation
    def delete_topic(
        api: Api,
        topic_id: str,
        *,
        why: str | None = None,
        erase: bool = False,
        **more: Unpack[Write],
    ) -> Steps[DeletedTopic]:
        """Delete a topic, hidden until it is restored; with `erase` remove the content for good."""
        return api.write("DELETE /v1/topics/{topic_id}", locals(), DeletedTopic, query=("erase",))

    @operation
    def read_topic(
        api: Api, topic_id: str, *, as_of: Time | None = None, **more: Unpack[Reach]
    ) -> Steps[TopicReply]:
        """Read a topic with the histories of the fields, as of now or of an instant."""
        return api.read("GET /v1/topics/{topic_id}", locals(), TopicReply)

    @operation
    def append_field(
        api: Api,
        topic_id: str,
        field_name: str,
        value: Any = "",
        *,
        field_type: str | None = None,
        ref_topic_id: str | None = None,
        why_changed: str | None = None,
        impact_expected: str | None = None,
        provenance: str = "ui",
        valid_from: Time | None = None,
        max_history: int = 500,
        **more: Unpack[Write],
    ) -> Steps[AppendedField]:
        """Append a revision to a field."""
        return api.write("POST /v1/topics/{topic_id}/fields", locals(), AppendedField)

    @operation
    def delete_field(
        api: Api, topic_id: str, name: str, **more: Unpack[Write]
    ) -> Steps[DeletedField]:
        """Delete a field, or a group with all nested fields; the histories stay."""
        return api.write("DELETE /v1/topics/{topic_id}/fields/{name}", locals(), DeletedField)

    @operation
    def read_field(
        api: Api,
        topic_id: str,
        name: str,
        *,
        with_history: bool = True,
        archived: bool = False,
        as_of: Time | None = None,
        **more: Unpack[Reach],
    ) -> Steps[TopicField]:
        """Read a field, or a group of nested fields, with the history."""
        return api.read("GET /v1/topics/{topic_id}/fields/{name}", locals(), TopicField)

    @operation
    def set_field_ref(
        api: Api, topic_id: str, name: str, ref_topic_id: str | None = None, **more: Unpack[Write]
    ) -> Steps[TopicLinked]:
        """Let a field refer to a topic, or clear the reference."""
        return api.write("PUT /v1/topics/{topic_id}/fields/{name}/ref", locals(), TopicLinked)

    @operation
    def nest_fields(
        api: Api,
        topic_id: str,
        field_names: Texts | None = None,
        nest_key: str | None = None,
        *,
        provenance: str = "ui",
        **more: Unpack[Write],
    ) -> Steps[NestedFields]:
        """Group fields under one name."""
        return api.write("POST /v1/topics/{topic_id}/nest-fields", locals(), NestedFields)

    @operation
    def promote_fields(
        api: Api,
        topic_id: str,
        field_names: Texts | None = None,
        *,
        child_title: str | None = None,
        child_summary: str | None = None,
        child_topic_id: str | None = None,
        relationship_kind: str = "has_detail",
        parent_link_field: str | None = None,
        provenance: str = "ui",
        max_history: int = 500,
        **more: Unpack[Write],
    ) -> Steps[PromotedFields]:
        """Move fields of a topic into a new topic, related to the first topic by an edge."""
        return api.write("POST /v1/topics/{topic_id}/promote-nested", locals(), PromotedFields)

    @operation
    def add_relationship(
        api: Api, topic_id: str, to_topic_id: str, kind: str, **more: Unpack[Write]
    ) -> Steps[TopicLinked]:
        """Add an edge from a topic to another topic."""
        return api.write("POST /v1/topics/{topic_id}/relationships", locals(), TopicLinked)

    @operation
    def remove_relationship(
        api: Api, topic_id: str, to_topic_id: str, kind: str, **more: Unpack[Write]
    ) -> Steps[TopicLinked]:
        """Remove an edge; a query of the past still shows the edge."""
        return api.write(
            "DELETE /v1/topics/{topic_id}/relationships",
            locals(),
            TopicLinked,
            query=("to_topic_id", "kind"),
        )

    @operation
    def restore_topic(api: Api, topic_id: str, **more: Unpack[Write]) -> Steps[ChangedTopic]:
        """Restore a deleted topic."""
        return api.write("POST /v1/topics/{topic_id}/restore", locals(), ChangedTopic)

    @operation
    def undo_promotion(
        api: Api,
        topic_id: str,
        child_topic_id: str | None = None,
        relationship_kind: str | None = None,
        **more: Unpack[Write],
    ) -> Steps[UndonePromotion]:
        """Move the fields of a promoted topic back, and delete the promoted topic."""
        return api.write("POST /v1/topics/{topic_id}/undo-nested", locals(), UndonePromotion)

    @operation
    def unmerge_topic(
        api: Api, topic_id: str, *, why: str | None = None, **more: Unpack[Write]
    ) -> Steps[UnmergedTopic]:
        """Undo a merge: the merged topic becomes a topic of its own again."""
        return api.write("POST /v1/topics/{topic_id}/unmerge", locals(), UnmergedTopic)

    @operation
    def unnest_fields(
        api: Api, topic_id: str, nest_key: str | None = None, **more: Unpack[Write]
    ) -> Steps[UnnestedFields]:
        """Dissolve a group: the nested fields get their own names back."""
        return api.write("POST /v1/topics/{topic_id}/unnest-fields", locals(), UnnestedFields)
