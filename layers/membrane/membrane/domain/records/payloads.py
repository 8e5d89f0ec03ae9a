"""The six kinds of payload: the content of a record. The field `kind` names the kind."""

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from membrane.domain.language import fields
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.requests import validate
from membrane.domain.language.values import POSITION, JsonValue, Object, reference_in, references_in

MESSAGE_PREFIX = "message:"
"""Prefix of `event_kind` for an event that is a message; the role follows."""

TOOL_CALL = "tool_call"
"""`event_kind` of a tool call, and of a message with the role `tool`."""


class TimelineEvent(fields.Part):
    """An event of an episode."""

    t: fields.Timestamp
    """When the event happened, in RFC 3339."""
    event_kind: fields.Text
    """Kind of the event: the caller's word, `tool_call`, or `message:` with a role."""
    ref: fields.Text
    """Identifier of the event in the system of its origin; for a message `<thread_id>:<turn>`."""
    summary: fields.Text = ""
    """What happened, in words; a search reads this text."""


class ToolNode(fields.Part):
    """A tool call of an episode."""

    id: fields.Text
    """Id of the call."""
    tool: fields.Text
    """Name of the tool."""
    args: Object = {}
    """Arguments of the call, as a JSON object."""
    result: JsonValue = None
    """Result of the call: any JSON value."""
    timestamp: fields.Timestamp | None = None
    """When the tool was called, in RFC 3339. Absent: unknown."""
    depends_on: fields.Texts = ()
    """Ids of the calls whose results this call used."""


class EnvironmentSnapshot(fields.Part):
    """The environment in which an episode took place, or of a task in progress."""

    os: fields.Text = ""
    """Operating system."""
    os_version: fields.Text = ""
    """Version of the operating system."""
    tool_versions: dict[str, fields.Text] = {}
    """Versions of tools, by the name of the tool."""
    working_directory: fields.Text = ""
    """Directory in which the agent worked."""
    context: Object = {}
    """Further facts about the environment, as a JSON object."""


class EpisodicPayload(fields.Part):
    """An episode: a timeline of events, and the tool calls."""

    kind: Literal["episodic"]
    """Kind of the payload: always `episodic`."""
    timeline: Annotated[tuple[TimelineEvent, ...], fields.LIST]
    """The events, in the order of the caller; retrieval dates the episode by the first event."""
    tool_graph: Annotated[tuple[ToolNode, ...], fields.LIST] = ()
    """The tool calls; `depends_on` makes the calls a graph."""
    environment: EnvironmentSnapshot | None = None
    """The environment in which the episode took place. Absent: unknown."""
    outcome: fields.OutcomeStatusWord | None = None
    """How the episode ended: `success`, `failure` or `partial`. Absent: unknown. `IngestOutcome`
    sets the outcome."""
    outcome_reason: fields.Text = ""
    """Why the episode ended like this, in words."""
    artifacts: fields.Texts = ()
    """References to results of the episode, such as files or patches; a search reads the texts."""
    tool_graph_ref: fields.Text = ""
    """Reference to a tool graph outside the record. Stored as given."""
    thread_id: fields.Text = ""
    """Thread of the task that the episode is a step of, or the whole trace. Absent: neither."""


def _with_absent_keys(value: Any) -> Any:
    """The constraint with empty values for absent keys."""
    return {"type": "", "key": "", "value": None, **value} if isinstance(value, dict) else value


class Constraint(fields.Part):
    """A limit that a task works under."""

    type: fields.Text
    """Kind of the limit, in the caller's words. Absent: empty."""
    key: fields.Text
    """What the limit is about. Absent: empty."""
    value: JsonValue
    """The limit: any JSON value. Absent: null."""
    required: bool = False
    """Whether the task must keep the limit."""


_CompleteConstraint = Annotated[Constraint, BeforeValidator(_with_absent_keys)]


class _ConstraintList(fields.Part):
    active_constraints: Annotated[tuple[_CompleteConstraint, ...], fields.LIST]


def _constraints_of(value: Any) -> tuple[Constraint, ...]:
    parsed = validate(_ConstraintList, {"active_constraints": value})
    if references_in(parsed):
        raise InvalidArgument("the constraints of an upload cannot claim uploads")
    return parsed.active_constraints


def _read_constraints(value: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    reference = reference_in(value, info, _constraints_of)
    return read(value) if reference is None else reference


Constraints = Annotated[
    tuple[_CompleteConstraint, ...],
    fields.LIST,
    WrapValidator(_read_constraints),
    PlainSerializer(lambda value: value, return_type=Any),
    POSITION,
]
"""Constraints as one JSON value, which may be an upload claim or a large value."""


class RevisionState(fields.Part):
    """The state of a record after revisions.

    The server sets all fields, and ignores the fields in a request.
    """

    supersedes: fields.Text = ""
    """Id of the record that this record replaced."""
    superseded_by: fields.Text = ""
    """Id of the record that replaced this record."""
    status: fields.RevisionStatusWord | None = None
    """`active`, `contested` or `retracted`. Absent: the record was never revised."""
    since: fields.Timestamp | None = None
    """When the record got this status."""


class WorkingPayload(fields.Part):
    """The state of a task in progress."""

    kind: Literal["working"]
    """Kind of the payload: always `working`."""
    thread_id: fields.Text
    """Thread that the task belongs to."""
    state: fields.TaskStateWord
    """State of the task: `planning`, `executing`, `blocked`, `waiting` or `done`."""
    active_constraints: Constraints = ()
    """Limits that the task works under."""
    next_actions: fields.Texts = ()
    """What is to be done next, one text for an action."""
    open_questions: fields.Texts = ()
    """Questions without an answer yet, one text for a question."""
    context_summary: fields.Text = ""
    """Summary of the task so far, in words."""
    environment: EnvironmentSnapshot | None = None
    """The environment of the task; of a captured state, also what the fields above lack. Absent:
    unknown."""
    revision: RevisionState | None = None
    """State of the record after revisions. The server's own: ignored in a request."""


class Validity(fields.Part):
    """When a fact holds."""

    mode: fields.ValidityModeWord
    """`global`: always. `conditional`: under `conditions`. `timeboxed`: from `start` to `end`. The
    time window counts in every mode."""
    conditions: Object = {}
    """Circumstances under which the fact holds, as a JSON object. Facts with different conditions
    do not conflict."""
    start: fields.Timestamp | None = None
    """First instant at which the fact holds, in RFC 3339. Absent: no beginning."""
    end: fields.Timestamp | None = None
    """Instant from which the fact no longer holds, in RFC 3339; later than `start`. Absent: no end.
    """


class ProvenanceRef(fields.Part):
    """A piece of evidence for a fact."""

    source_type: fields.Text
    """Kind of the evidence, such as `observation`."""
    source_id: fields.Text
    """Identifier of the evidence in the system of its origin."""
    timestamp: fields.Timestamp
    """When the evidence was found, in RFC 3339."""


class SemanticPayload(fields.Part):
    """A fact: subject, predicate, object."""

    kind: Literal["semantic"]
    """Kind of the payload: always `semantic`."""
    subject: fields.Text
    """What the fact is about."""
    predicate: fields.Text
    """Property or relation that the fact states."""
    object: JsonValue
    """Value of the property: any JSON value. Absent: null."""
    validity: Validity
    """When the fact holds."""
    evidence: Annotated[tuple[ProvenanceRef, ...], fields.LIST] = ()
    """Evidence for the fact."""
    revision_policy: fields.Text = ""
    """Stored as given and without effect; observations have `replace`."""
    revision: RevisionState | None = None
    """State of the record after revisions. The server's own: ignored in a request."""

    @model_validator(mode="before")
    @classmethod
    def _object_may_be_absent(cls, value: Any) -> Any:
        """An absent object is null; a reply shows the null."""
        return {"object": None, **value} if isinstance(value, dict) else value


class Trigger(fields.Part):
    """A situation in which a skill is useful."""

    signal: fields.Text
    """The sign of the situation, in words."""
    conditions: Object = {}
    """Conditions of the situation, as a JSON object."""


class RecipeStep(fields.Part):
    """A step of a skill."""

    step: fields.Text
    """What to do, in words."""
    tool: fields.Text = ""
    """Name of the tool to use."""
    args_schema: Object = {}
    """Schema of the tool's arguments, as a JSON object."""
    validation: fields.Text = ""
    """How to check the result of the step, in words."""


class PerformanceStats(fields.Part):
    """How a skill has done so far."""

    success_count: fields.Count = 0
    """Successful uses. The selection of skills counts successes among all uses."""
    failure_count: fields.Count = 0
    """Failed uses."""
    success_rate: fields.Fraction = 0.0
    """Share of successful uses, from 0 to 1, as the caller states the share."""
    avg_latency_ms: Annotated[float, Field(ge=0)] = 0.0
    """Mean duration of a use, in milliseconds."""
    last_used_at: fields.Timestamp | None = None
    """When the skill was last used, in RFC 3339. Absent: unknown."""


class CompetencePayload(fields.Part):
    """A skill: triggers, steps and performance."""

    kind: Literal["competence"]
    """Kind of the payload: always `competence`."""
    skill_name: fields.Text
    """Name of the skill."""
    triggers: Annotated[tuple[Trigger, ...], fields.LIST]
    """Situations in which the skill is useful."""
    recipe: Annotated[tuple[RecipeStep, ...], fields.LIST]
    """Steps of the skill, in order."""
    required_tools: fields.Texts = ()
    """Names of the tools that the skill needs."""
    failure_modes: fields.Texts = ()
    """Ways in which the skill fails, in words."""
    fallbacks: fields.Texts = ()
    """What to do when the skill fails, in words."""
    performance: PerformanceStats | None = None
    """How the skill has done so far. Absent: unknown."""
    version: fields.Text = ""
    """Version of the skill, in the caller's words."""
    revision: RevisionState | None = None
    """State of the record after revisions. The server's own: ignored in a request."""


class PlanNode(fields.Part):
    """An operation of a plan."""

    id: fields.Text
    """Id of the operation, unique in the plan."""
    op: fields.Text
    """Name of the operation."""
    params: Object = {}
    """Parameters of the operation, as a JSON object."""
    guards: Object = {}
    """Conditions for the operation, as a JSON object."""


class PlanEdge(fields.Part):
    """The order of two operations of a plan."""

    from_: fields.Text = Field(alias="from")
    """Id of the earlier operation."""
    to: fields.Text
    """Id of the later operation."""
    kind: fields.EdgeKindWord
    """What passes along the edge: `data` or `control`."""


class PlanMetrics(fields.Part):
    """How a plan has done so far."""

    avg_latency_ms: Annotated[float, Field(ge=0)] = 0.0
    """Mean duration of an execution, in milliseconds."""
    failure_rate: fields.Fraction = 0.0
    """Share of failed executions, from 0 to 1; counts in the selection of plans."""
    execution_count: fields.Count = 0
    """Number of executions."""
    last_executed_at: fields.Timestamp | None = None
    """When the plan was last executed, in RFC 3339. Absent: unknown."""


class PlanGraphPayload(fields.Part):
    """A plan: operations and the order of operations, without cycles."""

    kind: Literal["plan_graph"]
    """Kind of the payload: always `plan_graph`."""
    plan_id: fields.Text
    """Name of the plan, in the caller's words."""
    version: fields.Text
    """Version of the plan, in the caller's words."""
    nodes: Annotated[tuple[PlanNode, ...], fields.LIST]
    """Operations of the plan, with distinct ids."""
    edges: Annotated[tuple[PlanEdge, ...], fields.LIST]
    """Order of the operations; edges must not form a cycle."""
    intent: fields.Text = ""
    """Purpose of the plan, in words."""
    constraints: Object = {}
    """Limits that the plan works under, as a JSON object."""
    inputs_schema: Object = {}
    """Schema of the inputs, as a JSON object."""
    outputs_schema: Object = {}
    """Schema of the outputs, as a JSON object."""
    metrics: PlanMetrics | None = None
    """How the plan has done so far. Absent: unknown."""
    revision: RevisionState | None = None
    """State of the record after revisions. The server's own: ignored in a request."""

    @model_validator(mode="after")
    def _require_plan(self) -> Self:
        """Check for distinct node ids, edges between known nodes, and the absence of cycles."""
        after: dict[str, list[str]] = {node.id: [] for node in self.nodes}
        if len(after) != len(self.nodes):
            raise PydanticCustomError("plan_graph", "two nodes of the plan have the same id")
        for edge in self.edges:
            if edge.from_ not in after or edge.to not in after:
                raise PydanticCustomError("plan_graph", "an edge of the plan names an unknown node")
            after[edge.to].append(edge.from_)
        try:
            TopologicalSorter(after).prepare()
        except CycleError as error:
            raise PydanticCustomError("plan_graph", "the plan's edges form a cycle") from error
        return self


class EntityAlias(fields.Part):
    """An alternative name; printed as a bare text where kind and locale are empty."""

    value: fields.Text
    """The name."""
    kind: fields.Text = ""
    """Kind of the name, in the caller's words."""
    locale: fields.Text = ""
    """Locale of the name, such as `de-DE`."""

    @model_validator(mode="before")
    @classmethod
    def _from_bare_string(cls, value: Any) -> Any:
        return {"value": value} if isinstance(value, str) else value

    @model_serializer
    def _as_bare_string(self) -> str | Mapping[str, str]:
        if not self.kind and not self.locale:
            return self.value
        parts = {"value": self.value, "kind": self.kind, "locale": self.locale}
        return {name: text for name, text in parts.items() if text or name == "value"}


class EntityIdentifier(fields.Part):
    """An identifier of an entity in another system."""

    namespace: fields.Text
    """The system."""
    value: fields.Text
    """The identifier."""


class EntityPayload(fields.Part):
    """A named thing: a person, a place, a project."""

    kind: Literal["entity"]
    """Kind of the payload: always `entity`."""
    canonical_name: fields.Text
    """The name to use."""
    primary_type: fields.Text = ""
    """Main type of the entity, in the caller's words."""
    types: fields.Texts = ()
    """Further types of the entity."""
    aliases: Annotated[tuple[EntityAlias, ...], fields.LIST] = ()
    """Alternative names: each a text, or an object with kind and locale."""
    identifiers: Annotated[tuple[EntityIdentifier, ...], fields.LIST] = ()
    """Identifiers of the entity in other systems."""
    summary: fields.Text = ""
    """What is known about the entity, in words."""
    revision: RevisionState | None = None
    """State of the record after revisions. The server's own: ignored in a request."""


Payload = Annotated[
    EpisodicPayload
    | WorkingPayload
    | SemanticPayload
    | CompetencePayload
    | PlanGraphPayload
    | EntityPayload,
    Field(discriminator="kind"),
]
