"""The payloads of records, by kind. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from membrane_client.value import Linked, Name, Value
from membrane_client.values import words


class Payload(Value):
    kind: str


class Trigger(Value):
    signal: str  # The sign of the situation, in words
    conditions: Linked[Any]  # Conditions of the situation, as a JSON object


class RecipeStep(Value):
    step: str  # What to do, in words
    tool: str | None  # Name of the tool to use
    args_schema: Linked[Any]  # Schema of the tool's arguments, as a JSON object
    validation: str | None  # How to check the result of the step, in words


class PerformanceStats(Value):
    success_count: int = 0  # Successful uses
    failure_count: int = 0  # Failed uses
    success_rate: float = 0  # Share of successful uses, from 0 to 1, as the caller states the share
    avg_latency_ms: float = 0  # Mean duration of a use, in milliseconds
    last_used_at: datetime | None  # When the skill was last used, in RFC 3339


class RevisionState(Value):
    supersedes: str | None  # Id of the record that this record replaced
    superseded_by: str | None  # Id of the record that replaced this record
    status: words.RevisionStatus | str | None  # `active`, `contested` or `retracted`
    since: datetime | None  # When the record got this status


class CompetencePayload(Payload, kind="competence"):
    skill_name: str  # Name of the skill
    triggers: Sequence[Trigger]  # Situations in which the skill is useful
    recipe: Sequence[RecipeStep]  # Steps of the skill, in order
    required_tools: Sequence[str]  # Names of the tools that the skill needs
    failure_modes: Sequence[str]  # Ways in which the skill fails, in words
    fallbacks: Sequence[str]  # What to do when the skill fails, in words
    performance: PerformanceStats | None  # How the skill has done so far
    version: str | None  # Version of the skill, in the caller's words
    revision: RevisionState | None  # State of the record after revisions


class EntityAlias(Name):
    value: str  # The name
    kind: str | None  # Kind of the name, in the caller's words
    locale: str | None  # Locale of the name, such as `de-DE`


class EntityIdentifier(Value):
    namespace: str  # The system
    value: str  # The identifier


class EntityPayload(Payload, kind="entity"):
    canonical_name: str  # The name to use
    primary_type: str | None  # Main type of the entity, in the caller's words
    types: Sequence[str]  # Further types of the entity
    aliases: Sequence[EntityAlias]  # Alternative names
    identifiers: Sequence[EntityIdentifier]  # Identifiers of the entity in other systems
    summary: str | None  # What is known about the entity, in words
    revision: RevisionState | None  # State of the record after revisions


class TimelineEvent(Value):
    t: datetime  # When the event happened, in RFC 3339
    event_kind: str  # Kind of the event: the caller's word, `tool_call`, or `message:` with a role
    ref: str  # Identifier of the event in the system of its origin
    summary: str | None  # What happened, in words; a search reads this text


class ToolNode(Value):
    id: str  # Id of the call
    tool: str  # Name of the tool
    args: Linked[Any]  # Arguments of the call, as a JSON object
    result: Linked[Any]  # Result of the call: any JSON value
    timestamp: datetime | None  # When the tool was called, in RFC 3339
    depends_on: Sequence[str]  # Ids of the calls whose results this call used


class EnvironmentSnapshot(Value):
    os: str | None  # Operating system
    os_version: str | None  # Version of the operating system
    tool_versions: Mapping[str, str]  # Versions of tools, by the name of the tool
    working_directory: str | None  # Directory in which the agent worked
    context: Linked[Any]  # Further facts about the environment, as a JSON object


class EpisodicPayload(Payload, kind="episodic"):
    timeline: Sequence[TimelineEvent]  # The events, in the order of the caller
    tool_graph: Sequence[ToolNode]  # The tool calls; `depends_on` makes the calls a graph
    environment: EnvironmentSnapshot | None  # The environment in which the episode took place
    outcome: words.OutcomeStatus | str | None  # How the episode ended
    outcome_reason: str | None  # Why the episode ended like this, in words
    artifacts: Sequence[str]  # References to results of the episode, such as files or patches
    tool_graph_ref: str | None  # Reference to a tool graph outside the record
    thread_id: str | None  # Thread of the task that the episode is a step of, or the whole trace


class PlanNode(Value):
    id: str  # Id of the operation, unique in the plan
    op: str  # Name of the operation
    params: Linked[Any]  # Parameters of the operation, as a JSON object
    guards: Linked[Any]  # Conditions for the operation, as a JSON object


class PlanEdge(Value):
    from_: str  # Id of the earlier operation
    to: str  # Id of the later operation
    kind: words.EdgeKind | str  # What passes along the edge: `data` or `control`


class PlanMetrics(Value):
    avg_latency_ms: float = 0  # Mean duration of an execution, in milliseconds
    failure_rate: float = 0  # Share of failed executions, from 0 to 1
    execution_count: int = 0  # Number of executions
    last_executed_at: datetime | None  # When the plan was last executed, in RFC 3339


class PlanGraphPayload(Payload, kind="plan_graph"):
    plan_id: str  # Name of the plan, in the caller's words
    version: str  # Version of the plan, in the caller's words
    nodes: Sequence[PlanNode]  # Operations of the plan, with distinct ids
    edges: Sequence[PlanEdge]  # Order of the operations; edges must not form a cycle
    intent: str | None  # Purpose of the plan, in words
    constraints: Linked[Any]  # Limits that the plan works under, as a JSON object
    inputs_schema: Linked[Any]  # Schema of the inputs, as a JSON object
    outputs_schema: Linked[Any]  # Schema of the outputs, as a JSON object
    metrics: PlanMetrics | None  # How the plan has done so far
    revision: RevisionState | None  # State of the record after revisions


class Validity(Value):
    mode: words.ValidityMode | str  # `global`: always
    conditions: Linked[Any]  # Circumstances under which the fact holds, as a JSON object
    start: datetime | None  # First instant at which the fact holds, in RFC 3339
    end: datetime | None  # Instant from which the fact no longer holds, in RFC 3339


class ProvenanceRef(Value):
    source_type: str  # Kind of the evidence, such as `observation`
    source_id: str  # Identifier of the evidence in the system of its origin
    timestamp: datetime  # When the evidence was found, in RFC 3339


class SemanticPayload(Payload, kind="semantic"):
    subject: str  # What the fact is about
    predicate: str  # Property or relation that the fact states
    object: Linked[Any]  # Value of the property: any JSON value
    validity: Validity  # When the fact holds
    evidence: Sequence[ProvenanceRef]  # Evidence for the fact
    revision_policy: str | None  # Stored as given and without effect; observations have `replace`
    revision: RevisionState | None  # State of the record after revisions


class Constraint(Value):
    type: str  # Kind of the limit, in the caller's words
    key: str  # What the limit is about
    value: Linked[Any]  # The limit: any JSON value
    required: bool = False  # Whether the task must keep the limit


class WorkingPayload(Payload, kind="working"):
    thread_id: str  # Thread that the task belongs to
    state: words.TaskState | str  # State of the task
    active_constraints: Linked[Sequence[Constraint]]  # Limits that the task works under
    next_actions: Sequence[str]  # What is to be done next, one text for an action
    open_questions: Sequence[str]  # Questions without an answer yet, one text for a question
    context_summary: str | None  # Summary of the task so far, in words
    environment: EnvironmentSnapshot | None  # The environment of the task
    revision: RevisionState | None  # State of the record after revisions
