"""Topics: knowledge of a thing, in named fields with histories."""

from collections.abc import Sequence
from typing import Any

from membrane_client.core.api import Api
from membrane_client.core.parameters import Json, Opt, Texts, Time, User
from membrane_client.core.protocol import NOT_GIVEN, Steps
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
    TopicField,
    TopicGraph,
    TopicLinked,
    TopicList,
    TopicReply,
    UndonePromotion,
    UnmergedTopic,
    UnnestedFields,
)

STAGES = ("semantic", "structural", "temporal")


def ingest_topic(
    api: Api,
    title: Opt[str] = NOT_GIVEN,
    *,
    placement: Opt[str] = NOT_GIVEN,
    topic_id: Opt[str] = NOT_GIVEN,
    summary: Opt[str] = NOT_GIVEN,
    topic_kind: Opt[str] = NOT_GIVEN,
    salience: Opt[float] = NOT_GIVEN,
    fields: Opt[Sequence[Json]] = NOT_GIVEN,
    edges: Opt[Sequence[Json]] = NOT_GIVEN,
    suggest_similar: Opt[bool] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    trust: Opt[Json] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[IngestedTopic]:
    """Report knowledge of a thing: a single change, whole or not at all.

    `placement` is new_topic, extend_topic or version_field; by default the service finds the topic.
    """
    return api.write("POST /v1/ingest", locals(), IngestedTopic)


def query_topics(
    api: Api,
    q: str,
    *,
    stages: Texts = STAGES,
    explain: Opt[bool] = NOT_GIVEN,
    top_k: int = 8,
    topic_ids: Opt[Texts] = NOT_GIVEN,
    field_names: Opt[Texts] = NOT_GIVEN,
    trust: Opt[Json] = NOT_GIVEN,
    as_of: Opt[Time] = NOT_GIVEN,
    reinforce: bool = True,
    include_archived: Opt[bool] = NOT_GIVEN,
    consistency_tokens: Opt[Texts] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[FoundTopics]:
    """Topics for the question, with fields and neighbours."""
    return api.ask("POST /v1/query", locals(), FoundTopics)


def create_topic(
    api: Api,
    title: Opt[str] = "untitled",
    *,
    summary: Opt[str] = NOT_GIVEN,
    topic_kind: Opt[str] = NOT_GIVEN,
    salience: Opt[float] = 1.0,
    topic_id: Opt[str] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[ChangedTopic]:
    return api.write("POST /v1/topics", locals(), ChangedTopic)


def list_topics(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    include_archived: bool = False,
    limit: int = 0,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[TopicList]:
    """Topics by salience, `limit` a page; 0 = as many as the service chooses."""
    return api.read("GET /v1/topics", locals(), TopicList)


def read_topic(
    api: Api,
    topic_id: str,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    as_of: Opt[Time] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[TopicReply]:
    return api.read("GET /v1/topics/{topic_id}", locals(), TopicReply)


def change_topic(
    api: Api,
    topic_id: str,
    *,
    title: Opt[str] = NOT_GIVEN,
    summary: Opt[str] = NOT_GIVEN,
    topic_kind: Opt[str] = NOT_GIVEN,
    salience: Opt[float] = NOT_GIVEN,
    archived: Opt[bool] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[ChangedTopic]:
    return api.write("PATCH /v1/topics/{topic_id}", locals(), ChangedTopic)


def delete_topic(
    api: Api,
    topic_id: str,
    *,
    why: Opt[str] = NOT_GIVEN,
    erase: bool = False,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[DeletedTopic]:
    """Delete the topic; `erase` removes the content for good, and needs admin."""
    return api.write("DELETE /v1/topics/{topic_id}", locals(), DeletedTopic, query=("erase",))


def restore_topic(
    api: Api, topic_id: str, *, user: User = NOT_GIVEN, idempotency_key: str | None = None
) -> Steps[ChangedTopic]:
    """Bring a deleted topic back."""
    return api.write("POST /v1/topics/{topic_id}/restore", locals(), ChangedTopic)


def unmerge_topic(
    api: Api,
    topic_id: str,
    *,
    why: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[UnmergedTopic]:
    """Undo the merge of a topic into a second topic."""
    return api.write("POST /v1/topics/{topic_id}/unmerge", locals(), UnmergedTopic)


def append_field(
    api: Api,
    topic_id: str,
    field_name: str,
    value: Any = NOT_GIVEN,
    *,
    field_type: Opt[str] = NOT_GIVEN,
    ref_topic_id: Opt[str] = NOT_GIVEN,
    why_changed: Opt[str] = NOT_GIVEN,
    impact_expected: Opt[str] = NOT_GIVEN,
    provenance: Opt[str] = "ui",
    valid_from: Opt[Time] = NOT_GIVEN,
    max_history: Opt[int] = 500,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[AppendedField]:
    """Add a revision to the field, or the field itself; `max_history` is ignored."""
    return api.write("POST /v1/topics/{topic_id}/fields", locals(), AppendedField)


def read_field(
    api: Api,
    topic_id: str,
    name: str,
    *,
    max_sensitivity: Opt[str] = NOT_GIVEN,
    scope: Opt[Texts | str] = NOT_GIVEN,
    with_history: bool = True,
    archived: bool = False,
    as_of: Opt[Time] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[TopicField]:
    """The field, and with `archived` the whole history."""
    return api.read("GET /v1/topics/{topic_id}/fields/{name}", locals(), TopicField)


def delete_field(
    api: Api,
    topic_id: str,
    name: str,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[DeletedField]:
    return api.write("DELETE /v1/topics/{topic_id}/fields/{name}", locals(), DeletedField)


def set_field_ref(
    api: Api,
    topic_id: str,
    name: str,
    ref_topic_id: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[TopicLinked]:
    """Let the field point at a topic; None clears the reference."""
    return api.write("PUT /v1/topics/{topic_id}/fields/{name}/ref", locals(), TopicLinked)


def nest_fields(
    api: Api,
    topic_id: str,
    field_names: Opt[Texts] = NOT_GIVEN,
    nest_key: Opt[str] = NOT_GIVEN,
    *,
    provenance: Opt[str] = "ui",
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[NestedFields]:
    """Put fields into a group of the topic."""
    return api.write("POST /v1/topics/{topic_id}/nest-fields", locals(), NestedFields)


def unnest_fields(
    api: Api,
    topic_id: str,
    nest_key: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[UnnestedFields]:
    return api.write("POST /v1/topics/{topic_id}/unnest-fields", locals(), UnnestedFields)


def promote_fields(
    api: Api,
    topic_id: str,
    field_names: Opt[Texts] = NOT_GIVEN,
    *,
    child_title: Opt[str] = NOT_GIVEN,
    child_summary: Opt[str] = NOT_GIVEN,
    child_topic_id: Opt[str] = NOT_GIVEN,
    relationship_kind: Opt[str] = "has_detail",
    parent_link_field: Opt[str] = NOT_GIVEN,
    provenance: Opt[str] = "ui",
    max_history: Opt[int] = 500,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[PromotedFields]:
    """Move fields into a topic of their own; `max_history` is ignored."""
    return api.write("POST /v1/topics/{topic_id}/promote-nested", locals(), PromotedFields)


def undo_promotion(
    api: Api,
    topic_id: str,
    child_topic_id: Opt[str] = NOT_GIVEN,
    relationship_kind: Opt[str] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[UndonePromotion]:
    """Take promoted fields back."""
    return api.write("POST /v1/topics/{topic_id}/undo-nested", locals(), UndonePromotion)


def add_relationship(
    api: Api,
    topic_id: str,
    to_topic_id: str,
    kind: str,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[TopicLinked]:
    return api.write("POST /v1/topics/{topic_id}/relationships", locals(), TopicLinked)


def remove_relationship(
    api: Api,
    topic_id: str,
    to_topic_id: str,
    kind: str,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[TopicLinked]:
    return api.write(
        "DELETE /v1/topics/{topic_id}/relationships",
        locals(),
        TopicLinked,
        query=("to_topic_id", "kind"),
    )


def read_graph(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    topic_id: Opt[str] = NOT_GIVEN,
    depth: int = 1,
    limit: int = 50,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[TopicGraph]:
    """Topics and their edges: of a scope, or the neighbourhood of a topic up to `depth` edges."""
    return api.read("GET /v1/graph", locals(), TopicGraph)


def reason(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    dry_run: Opt[bool] = True,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[ReasoningReply]:
    """Merge duplicates and forget in steps; with `dry_run`, list the planned actions."""
    return api.write("POST /v1/reason", locals(), ReasoningReply)


def read_actions(
    api: Api,
    *,
    scope: Opt[str] = NOT_GIVEN,
    limit: int = 0,
    cursor: Opt[str] = NOT_GIVEN,
    user: User = NOT_GIVEN,
) -> Steps[ActionList]:
    """The actions of reasoning, the latest first."""
    return api.read("GET /v1/reason/actions", locals(), ActionList)


def read_system_context(api: Api, *, user: User = NOT_GIVEN) -> Steps[SystemContextReply]:
    return api.read("GET /v1/system-context", locals(), SystemContextReply)


def change_system_context(
    api: Api,
    system_role: str,
    runtime_context: str,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[SystemContextReply]:
    return api.write("PUT /v1/system-context", locals(), SystemContextReply)
