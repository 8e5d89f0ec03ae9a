"""Topics, and replies with topics."""

from membrane_client.values.records import Page
from membrane_client.values.value import (
    Value,
    count,
    flag,
    instant,
    json_value,
    mapping,
    number,
    numbers,
    optional_count,
    optional_instant,
    optional_number,
    optional_part,
    optional_text,
    part,
    parts,
    parts_by_name,
    parts_of,
    text,
    texts,
    word,
)
from membrane_client.values.words import FieldType, Sensitivity


class FieldSummary(Value):
    name = text()
    field_type = word(FieldType)
    current_value = json_value()
    history_len = count()
    ref_topic_id = optional_text()
    nested_fields = parts_of(lambda: FieldSummary)


class TopicNode(Value):
    id = text()
    label = text()
    title = text()
    summary = text()
    topic_kind = text()
    archived = flag()
    salience = number()
    scope = text()
    sensitivity = word(Sensitivity)
    fields = parts(FieldSummary)
    community = optional_count()
    """None where the topic is newer than the last reasoning."""
    entity_id = optional_text()
    """The entity of the same name and type; None without one."""
    is_cut = flag(default=False)


class TopicEdge(Value):
    from_ = text("from")
    to = text()
    kind = text()
    edge_type = text()


class TopicGraph(Page[TopicNode]):
    LISTS = "nodes"
    nodes = parts(TopicNode)
    edges = parts(TopicEdge)
    truncated = flag()


class Placement(Value):
    decision = text()
    resolved_by = text()
    score = optional_number()
    fields = mapping()


class IngestedTopic(Value):
    topic_id = text()
    applied = texts()
    version_ids = mapping()
    similar_topic_ids = texts()
    placement = part(Placement)
    consistency_token = text()


class TopicNeighbour(Value):
    id = text()
    title = text()
    kind = text()
    direction = text()


class BundledRevision(Value):
    id = text()
    value = json_value()
    valid_from = instant()
    provenance = text()
    why_changed = optional_text()
    impact_expected = optional_text()


class BundledField(Value):
    name = text()
    field_type = word(FieldType)
    ref_topic_id = optional_text()
    current = part(BundledRevision)
    history = parts(BundledRevision)


class TopicBundle(Value):
    topic_id = text()
    title = text()
    summary = optional_text()
    topic_kind = optional_text()
    salience = number()
    failed_salience = number()
    neighbors = parts(TopicNeighbour)
    neighbors_truncated = flag()
    entity_id = optional_text()
    """The entity of the same name and type; None without one."""
    fields = parts(BundledField)
    similarity = optional_number()
    fields_cut = flag(default=False)
    history_limit = optional_count()
    explanation = mapping()
    """With `explain`."""


class FoundTopics(Value):
    query = text()
    candidates = parts(TopicBundle)
    summary_text = text()
    history_limit = optional_count()


class TopicAction(Value):
    action = text()
    why = text()
    topics = texts()
    title = text()
    principal = optional_text()
    at = optional_instant()
    agreement = optional_number()
    similarity = optional_number()
    salience = optional_number()


class ReasoningReply(Value):
    scope = text()
    dry_run = flag()
    actions = parts(TopicAction)
    planned = count()
    complete = flag()
    next_cursor = optional_text()


class ActionList(Page[TopicAction]):
    LISTS = "actions"
    scope = text()
    actions = parts(TopicAction)


class ContextChange(Value):
    at = instant()
    by = text()


class SystemContext(Value):
    key = text()
    system_role = text()
    runtime_context = text()
    created_at = instant()
    updated_at = instant()
    updated_by = text()
    changes = parts(ContextChange)


class SystemContextReply(Value):
    configured = flag()
    system_context = optional_part(SystemContext)


class ChangedTopic(Value):
    topic_id = text()
    consistency_token = text()


class TopicEntry(Value):
    id = text()
    title = text()
    kind = text()
    salience = number()
    archived = flag()


class TopicList(Page[TopicEntry]):
    LISTS = "topics"
    topic_ids = texts()
    topics = parts(TopicEntry)


class DeletedTopic(Value):
    deleted = text()
    consistency_token = text()


class TopicRevision(Value):
    id = text()
    valid_from = instant()
    value = json_value()
    why_changed = optional_text()
    impact_expected = optional_text()
    provenance = text()
    operation = optional_text()
    recorded_at = instant()
    principal = text()
    evidence = text()


class TopicField(Value):
    field_type = word(FieldType)
    ref_topic_id = optional_text()
    history = parts(TopicRevision)
    salience = optional_number()
    history_length = count()
    detached = flag(default=False)
    fields_cut = flag(default=False)


class TopicEvent(Value):
    ts = instant()
    kind = text()
    detail = mapping()
    principal = text()
    why = text()


class TopicAccess(Value):
    at = instant()
    principal = text()
    fields = texts()


class TopicReply(Value):
    id = text()
    asked_id = optional_text()
    """The requested id, of a topic merged into the returned topic."""
    entity_id = optional_text()
    """The entity of the same name and type; None without one."""
    title = text()
    summary = text()
    topic_kind = text()
    salience = number()
    failed_salience = number()
    salience_parts = numbers()
    archived = flag()
    status = text()
    scope = text()
    sensitivity = word(Sensitivity)
    absorbed = texts()
    created_at = instant()
    updated_at = instant()
    access_trail = parts(TopicAccess)
    """The latest readers."""
    fields = parts_by_name(TopicField)
    fields_cut = flag(default=False)
    topic_history = parts(TopicEvent)
    topic_history_cut = flag(default=False)


class AppendedField(Value):
    version_id = text()
    consistency_token = text()


class DeletedField(Value):
    deleted = text()
    consistency_token = text()


class TopicLinked(Value):
    ok = flag()
    consistency_token = text()


class NestedFields(Value):
    ok = flag()
    topic_id = text()
    nest_key = text()
    moved_fields = texts()
    consistency_token = text()


class PromotedFields(Value):
    ok = flag()
    child_topic_id = text()
    moved_fields = texts()
    relationship_kind = text()
    parent_link_field = optional_text()
    consistency_token = text()


class UndonePromotion(Value):
    ok = flag()
    parent_topic_id = text()
    restored_fields = texts()
    removed_ref_fields = texts()
    deleted_child_topic_id = text()
    consistency_token = text()


class UnmergedTopic(Value):
    topic_id = text()
    unmerged_from = text()
    consistency_token = text()


class UnnestedFields(Value):
    ok = flag()
    topic_id = text()
    nest_key = text()
    restored_fields = texts()
    consistency_token = text()
