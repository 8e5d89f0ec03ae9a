"""Topics: knowledge of a thing, in named fields with histories. Written by `make openapi`."""

from collections.abc import Sequence
from typing import Any, Unpack

from membrane_client.core.protocol import Json, Texts, Time
from membrane_client.core.sync_and_async import ask, pages, write
from membrane_client.operations.parameters import Caller, Listing, Reach, TopicChange, Write
from membrane_client.values import topics


class Topics:
    @pages("GET /v1/graph", topics.TopicGraph, topics.TopicNode)
    def read_graph(
        self, *, topic_id: str | None = None, depth: int = 1, **more: Unpack[Listing]
    ) -> None:
        """Read topics as nodes, with edges and references: page by page, or around one topic."""

    @write("POST /v1/ingest", topics.IngestedTopic)
    def ingest_topic(
        self,
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
    ) -> None:
        """Write fields and edges to a topic: to a named topic, a found topic or a new topic."""

    @ask("POST /v1/query", topics.FoundTopics)
    def query_topics(
        self,
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
    ) -> None:
        """Find the topics that answer a question, with fields, neighbours and histories."""

    @write("POST /v1/reason", topics.ReasoningReply)
    def reason(
        self,
        *,
        scope: str | None = None,
        dry_run: bool = True,
        cursor: str | None = None,
        **more: Unpack[Write],
    ) -> None:
        """Plan, or carry out, merges and forgetting steps in a scope."""

    @pages("GET /v1/reason/actions", topics.ActionList, topics.TopicAction)
    def read_actions(self, **more: Unpack[Listing]) -> None:
        """Read the log of merges and forgetting steps in a scope, the newest first."""

    @ask("GET /v1/system-context", topics.SystemContextReply)
    def read_system_context(self, **more: Unpack[Caller]) -> None:
        """Read the description of the agents' role and surroundings."""

    @write("PUT /v1/system-context", topics.SystemContextReply)
    def change_system_context(
        self, system_role: str, runtime_context: str, **more: Unpack[Write]
    ) -> None:
        """Set the description of the agents' role and surroundings."""

    @write("POST /v1/topics", topics.ChangedTopic)
    def create_topic(
        self,
        title: str = "untitled",
        *,
        topic_id: str | None = None,
        scope: str | None = None,
        **more: Unpack[TopicChange],
    ) -> None:
        """Create a topic without fields."""

    @pages("GET /v1/topics", topics.TopicList, topics.TopicEntry)
    def list_topics(self, *, include_archived: bool = False, **more: Unpack[Listing]) -> None:
        """List the topics of a scope or of all scopes, the most salient first."""

    @write("PATCH /v1/topics/{topic_id}", topics.ChangedTopic)
    def change_topic(
        self,
        topic_id: str,
        *,
        title: str | None = None,
        archived: bool | None = None,
        **more: Unpack[TopicChange],
    ) -> None:
        """Change title, summary, kind, salience or sensitivity of a topic.

        Archive or revive the topic.
        """

    @write("DELETE /v1/topics/{topic_id}", topics.DeletedTopic, query=("erase",))
    def delete_topic(
        self, topic_id: str, *, why: str | None = None, erase: bool = False, **more: Unpack[Write]
    ) -> None:
        """Delete a topic, hidden until it is restored; with `erase` remove the content for good."""

    @ask("GET /v1/topics/{topic_id}", topics.TopicReply)
    def read_topic(
        self, topic_id: str, *, as_of: Time | None = None, **more: Unpack[Reach]
    ) -> None:
        """Read a topic with the histories of the fields, as of now or of an instant."""

    @write("POST /v1/topics/{topic_id}/fields", topics.AppendedField)
    def append_field(
        self,
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
    ) -> None:
        """Append a revision to a field."""

    @write("DELETE /v1/topics/{topic_id}/fields/{name}", topics.DeletedField)
    def delete_field(self, topic_id: str, name: str, **more: Unpack[Write]) -> None:
        """Delete a field, or a group with all nested fields; the histories stay."""

    @ask("GET /v1/topics/{topic_id}/fields/{name}", topics.TopicField)
    def read_field(
        self,
        topic_id: str,
        name: str,
        *,
        with_history: bool = True,
        archived: bool = False,
        as_of: Time | None = None,
        **more: Unpack[Reach],
    ) -> None:
        """Read a field, or a group of nested fields, with the history."""

    @write("PUT /v1/topics/{topic_id}/fields/{name}/ref", topics.TopicLinked)
    def set_field_ref(
        self, topic_id: str, name: str, ref_topic_id: str | None = None, **more: Unpack[Write]
    ) -> None:
        """Let a field refer to a topic, or clear the reference."""

    @write("POST /v1/topics/{topic_id}/nest-fields", topics.NestedFields)
    def nest_fields(
        self,
        topic_id: str,
        field_names: Texts | None = None,
        nest_key: str | None = None,
        *,
        provenance: str = "ui",
        **more: Unpack[Write],
    ) -> None:
        """Group fields under one name."""

    @write("POST /v1/topics/{topic_id}/promote-nested", topics.PromotedFields)
    def promote_fields(
        self,
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
    ) -> None:
        """Move fields of a topic into a new topic, related to the first topic by an edge."""

    @write("POST /v1/topics/{topic_id}/relationships", topics.TopicLinked)
    def add_relationship(
        self, topic_id: str, to_topic_id: str, kind: str, **more: Unpack[Write]
    ) -> None:
        """Add an edge from a topic to another topic."""

    @write(
        "DELETE /v1/topics/{topic_id}/relationships",
        topics.TopicLinked,
        query=("to_topic_id", "kind"),
    )
    def remove_relationship(
        self, topic_id: str, to_topic_id: str, kind: str, **more: Unpack[Write]
    ) -> None:
        """Remove an edge; a query of the past still shows the edge."""

    @write("POST /v1/topics/{topic_id}/restore", topics.ChangedTopic)
    def restore_topic(self, topic_id: str, **more: Unpack[Write]) -> None:
        """Restore a deleted topic."""

    @write("POST /v1/topics/{topic_id}/undo-nested", topics.UndonePromotion)
    def undo_promotion(
        self,
        topic_id: str,
        child_topic_id: str | None = None,
        relationship_kind: str | None = None,
        **more: Unpack[Write],
    ) -> None:
        """Move the fields of a promoted topic back, and delete the promoted topic."""

    @write("POST /v1/topics/{topic_id}/unmerge", topics.UnmergedTopic)
    def unmerge_topic(
        self, topic_id: str, *, why: str | None = None, **more: Unpack[Write]
    ) -> None:
        """Undo the newest merge of a topic: the merged topic becomes a topic of its own again."""

    @write("POST /v1/topics/{topic_id}/unnest-fields", topics.UnnestedFields)
    def unnest_fields(
        self, topic_id: str, nest_key: str | None = None, **more: Unpack[Write]
    ) -> None:
        """Dissolve a group: the nested fields get their own names back."""
