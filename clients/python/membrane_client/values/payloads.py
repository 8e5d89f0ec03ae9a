"""The payloads of records, by kind."""

from typing import ClassVar

from membrane_client.values.value import (
    Field,
    Value,
    count,
    flag,
    instant,
    json_value,
    mapping,
    number,
    optional_instant,
    optional_part,
    optional_text,
    optional_word,
    part,
    parts,
    text,
    texts,
    word,
)
from membrane_client.values.words import (
    EdgeKind,
    OutcomeStatus,
    RevisionStatus,
    TaskState,
    ValidityMode,
)


class RevisionState(Value):
    supersedes = optional_text()
    superseded_by = optional_text()
    status = optional_word(RevisionStatus)
    since = optional_instant()


class Payload(Value):
    """The content of a record. A payload of an unknown kind has `raw` alone."""

    BY_KIND: ClassVar[dict[str, type["Payload"]]] = {}
    kind = text()


class TimelineEvent(Value):
    t = instant()
    event_kind = text()
    ref = text()
    summary = optional_text()


class ToolNode(Value):
    id = text()
    tool = text()
    args = json_value()
    result = json_value()
    timestamp = optional_instant()
    depends_on = texts()


class EnvironmentSnapshot(Value):
    os = optional_text()
    os_version = optional_text()
    tool_versions = mapping()
    working_directory = optional_text()
    context = json_value()


class EpisodicPayload(Payload):
    timeline = parts(TimelineEvent)
    tool_graph = parts(ToolNode)
    environment = optional_part(EnvironmentSnapshot)
    outcome = optional_word(OutcomeStatus)
    outcome_reason = optional_text()
    artifacts = texts()
    tool_graph_ref = optional_text()
    thread_id = optional_text()


class Constraint(Value):
    type = text()
    key = text()
    value = json_value()
    required = flag(default=False)


class WorkingPayload(Payload):
    thread_id = text()
    state = word(TaskState)
    active_constraints = parts(Constraint, is_json=True)
    next_actions = texts()
    open_questions = texts()
    context_summary = optional_text()
    environment = optional_part(EnvironmentSnapshot)
    revision = optional_part(RevisionState)


class Validity(Value):
    mode = word(ValidityMode)
    conditions = json_value()
    start = optional_instant()
    end = optional_instant()


class ProvenanceRef(Value):
    source_type = text()
    source_id = text()
    timestamp = instant()


class SemanticPayload(Payload):
    subject = text()
    predicate = text()
    object = json_value()
    validity = part(Validity)
    evidence = parts(ProvenanceRef)
    revision_policy = optional_text()
    revision = optional_part(RevisionState)


class Trigger(Value):
    signal = text()
    conditions = json_value()


class RecipeStep(Value):
    step = text()
    tool = optional_text()
    args_schema = json_value()
    validation = optional_text()


class PerformanceStats(Value):
    success_count = count(0)
    failure_count = count(0)
    success_rate = number(0.0)
    avg_latency_ms = number(0.0)
    last_used_at = optional_instant()


class CompetencePayload(Payload):
    skill_name = text()
    triggers = parts(Trigger)
    recipe = parts(RecipeStep)
    required_tools = texts()
    failure_modes = texts()
    fallbacks = texts()
    performance = optional_part(PerformanceStats)
    version = optional_text()
    revision = optional_part(RevisionState)


class PlanNode(Value):
    id = text()
    op = text()
    params = json_value()
    guards = json_value()


class PlanEdge(Value):
    from_ = text("from")
    to = text()
    kind = word(EdgeKind)


class PlanMetrics(Value):
    avg_latency_ms = number(0.0)
    failure_rate = number(0.0)
    execution_count = count(0)
    last_executed_at = optional_instant()


class PlanGraphPayload(Payload):
    plan_id = text()
    version = text()
    nodes = parts(PlanNode)
    edges = parts(PlanEdge)
    intent = optional_text()
    constraints = json_value()
    inputs_schema = json_value()
    outputs_schema = json_value()
    metrics = optional_part(PlanMetrics)
    revision = optional_part(RevisionState)


class EntityIdentifier(Value):
    namespace = text()
    value = text()


class EntityAlias(Value):
    value = text()
    kind = optional_text()
    locale = optional_text()


class EntityPayload(Payload):
    canonical_name = text()
    primary_type = optional_text()
    types = texts()
    aliases = Field(
        lambda raw, meta: tuple(
            EntityAlias(each if isinstance(each, dict) else {"value": each}, meta) for each in raw
        ),
        (),
        of=lambda: EntityAlias,
    )
    identifiers = parts(EntityIdentifier)
    summary = optional_text()
    revision = optional_part(RevisionState)


Payload.BY_KIND.update(
    episodic=EpisodicPayload,
    working=WorkingPayload,
    semantic=SemanticPayload,
    competence=CompetencePayload,
    plan_graph=PlanGraphPayload,
    entity=EntityPayload,
)
