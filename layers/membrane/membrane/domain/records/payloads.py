"""The six payloads (seed 000, "Payload Schemas"; spec 1.7), told apart by `kind`."""

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

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import (
    LIST,
    Count,
    EdgeKindWord,
    Fraction,
    OutcomeStatusWord,
    Part,
    RevisionStatusWord,
    TaskStateWord,
    Text,
    Texts,
    Timestamp,
    ValidityModeWord,
)
from membrane.domain.language.values import POSITION, JsonValue, Object, reference_in, references_in
from membrane.domain.language.violations import validate

SAID = "message:"
"""What the kind of an event begins with that is a message; the role follows."""

TOOL_CALL = "tool_call"
"""The kind of an event that is a call of a tool; also of a message of the role tool."""


class TimelineEvent(Part):
    """Something that happened at `t`."""

    t: Timestamp
    event_kind: Text
    ref: Text
    summary: Text = ""


class ToolNode(Part):
    """One call of a tool; `depends_on` names the nodes whose results it used."""

    id: Text
    tool: Text
    args: Object = {}
    result: JsonValue = None
    timestamp: Timestamp | None = None
    depends_on: Texts = ()


class EnvironmentSnapshot(Part):
    """Where an experience was had."""

    os: Text = ""
    os_version: Text = ""
    tool_versions: dict[str, Text] = {}
    working_directory: Text = ""
    context: Object = {}


class EpisodicPayload(Part):
    """Raw experience: a timeline and the tools that were called."""

    kind: Literal["episodic"]
    timeline: Annotated[tuple[TimelineEvent, ...], LIST]
    tool_graph: Annotated[tuple[ToolNode, ...], LIST] = ()
    environment: EnvironmentSnapshot | None = None
    outcome: OutcomeStatusWord | None = None
    outcome_reason: Text = ""
    artifacts: Texts = ()
    tool_graph_ref: Text = ""


def _with_absent_keys(value: Any) -> Any:
    """Spec 2.6: keys missing in a constraint are filled with empty values."""
    return {"type": "", "key": "", "value": None, **value} if isinstance(value, dict) else value


class Constraint(Part):
    """A limit that the task works under."""

    type: Text
    key: Text
    value: JsonValue
    required: bool = False


_Completed = Annotated[Constraint, BeforeValidator(_with_absent_keys)]


class _Listed(Part):
    active_constraints: Annotated[tuple[_Completed, ...], LIST]


def _listed(value: Any) -> tuple[Constraint, ...]:
    listed = validate(_Listed, {"active_constraints": value})
    if references_in(listed):
        raise InvalidArgument("the constraints of an upload cannot claim uploads")
    return listed.active_constraints


def _read_constraints(value: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    reference = reference_in(value, info, _listed)
    return read(value) if reference is None else reference


Constraints = Annotated[
    tuple[_Completed, ...],
    LIST,
    WrapValidator(_read_constraints),
    PlainSerializer(lambda value: value, return_type=Any),
    POSITION,
]
"""Constraints as one JSON value: also a claim or a large value."""


class RevisionState(Part):
    """Which record this one replaced, which replaced it, and where it stands; the server's own."""

    supersedes: Text = ""
    superseded_by: Text = ""
    status: RevisionStatusWord | None = None
    since: Timestamp | None = None
    """When it came to stand there."""


class WorkingPayload(Part):
    """The state of a task in flight."""

    kind: Literal["working"]
    thread_id: Text
    state: TaskStateWord
    active_constraints: Constraints = ()
    next_actions: Texts = ()
    open_questions: Texts = ()
    context_summary: Text = ""
    revision: RevisionState | None = None


class Validity(Part):
    """When a fact holds; `conditions`, `start` and `end` go with the mode."""

    mode: ValidityModeWord
    conditions: Object = {}
    start: Timestamp | None = None
    end: Timestamp | None = None


class ProvenanceRef(Part):
    """A piece of evidence for a fact."""

    source_type: Text
    source_id: Text
    timestamp: Timestamp


class SemanticPayload(Part):
    """A fact: subject, predicate, object."""

    kind: Literal["semantic"]
    subject: Text
    predicate: Text
    object: JsonValue
    validity: Validity
    evidence: Annotated[tuple[ProvenanceRef, ...], LIST] = ()
    revision_policy: Text = ""
    revision: RevisionState | None = None

    @model_validator(mode="before")
    @classmethod
    def _object_may_be_absent(cls, value: Any) -> Any:
        """An absent object is null, and null is printed (spec 1.7)."""
        return {"object": None, **value} if isinstance(value, dict) else value


class Trigger(Part):
    """What calls for a skill."""

    signal: Text
    conditions: Object = {}


class RecipeStep(Part):
    """One step of a skill."""

    step: Text
    tool: Text = ""
    args_schema: Object = {}
    validation: Text = ""


class PerformanceStats(Part):
    """How a skill has done so far."""

    success_count: Count = 0
    failure_count: Count = 0
    success_rate: Fraction = 0.0
    avg_latency_ms: Annotated[float, Field(ge=0)] = 0.0
    last_used_at: Timestamp | None = None


class CompetencePayload(Part):
    """A skill: what triggers it, its steps, how well it works."""

    kind: Literal["competence"]
    skill_name: Text
    triggers: Annotated[tuple[Trigger, ...], LIST]
    recipe: Annotated[tuple[RecipeStep, ...], LIST]
    required_tools: Texts = ()
    failure_modes: Texts = ()
    fallbacks: Texts = ()
    performance: PerformanceStats | None = None
    version: Text = ""
    revision: RevisionState | None = None


class PlanNode(Part):
    """One operation of a plan."""

    id: Text
    op: Text
    params: Object = {}
    guards: Object = {}


class PlanEdge(Part):
    """`to` comes after `from`."""

    from_: Text = Field(alias="from")
    to: Text
    kind: EdgeKindWord


class PlanMetrics(Part):
    """How a plan has done so far."""

    avg_latency_ms: Annotated[float, Field(ge=0)] = 0.0
    failure_rate: Fraction = 0.0
    execution_count: Count = 0
    last_executed_at: Timestamp | None = None


class PlanGraphPayload(Part):
    """A plan: operations and the order between them, which must have no cycle."""

    kind: Literal["plan_graph"]
    plan_id: Text
    version: Text
    nodes: Annotated[tuple[PlanNode, ...], LIST]
    edges: Annotated[tuple[PlanEdge, ...], LIST]
    intent: Text = ""
    constraints: Object = {}
    inputs_schema: Object = {}
    outputs_schema: Object = {}
    metrics: PlanMetrics | None = None
    revision: RevisionState | None = None

    @model_validator(mode="after")
    def _is_a_plan(self) -> Self:
        """Node ids are distinct, edges join known nodes, and the nodes can be put in order."""
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


class EntityAlias(Part):
    """Another name; a bare string on the wire when it has neither kind nor locale."""

    value: Text
    kind: Text = ""
    locale: Text = ""

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


class EntityIdentifier(Part):
    """The entity's name in some other system."""

    namespace: Text
    value: Text


class EntityPayload(Part):
    """A canonical named thing."""

    kind: Literal["entity"]
    canonical_name: Text
    primary_type: Text = ""
    types: Texts = ()
    aliases: Annotated[tuple[EntityAlias, ...], LIST] = ()
    identifiers: Annotated[tuple[EntityIdentifier, ...], LIST] = ()
    summary: Text = ""
    revision: RevisionState | None = None


Payload = Annotated[
    EpisodicPayload
    | WorkingPayload
    | SemanticPayload
    | CompetencePayload
    | PlanGraphPayload
    | EntityPayload,
    Field(discriminator="kind"),
]
