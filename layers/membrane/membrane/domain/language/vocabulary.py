"""The enumerations of the API; the values are the words used in JSON."""

from datetime import timedelta
from enum import StrEnum


class MemoryType(StrEnum):
    """The kind of a record."""

    EPISODIC = "episodic"
    WORKING = "working"
    SEMANTIC = "semantic"
    COMPETENCE = "competence"
    PLAN_GRAPH = "plan_graph"
    ENTITY = "entity"


class Sensitivity(StrEnum):
    """How confidential a record is, from the least to the most."""

    PUBLIC = "public"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    HYPER = "hyper"

    @property
    def level(self) -> int:
        """0 for public up to 4 for hyper."""
        return _LEVELS[self]


_LEVELS = {sensitivity: level for level, sensitivity in enumerate(Sensitivity)}

LOWEST = Sensitivity.PUBLIC
"""The lowest sensitivity; every key may see and write up to this."""

HIGHEST = Sensitivity.HYPER
"""The highest sensitivity; as a ceiling, no record lies above."""


class CandidateKind(StrEnum):
    """The kind of report that a candidate was made from."""

    EVENT = "event"
    TOOL_OUTPUT = "tool_output"
    OBSERVATION = "observation"
    OUTCOME = "outcome"
    WORKING_STATE = "working_state"
    MESSAGE = "message"


class Role(StrEnum):
    """Who speaks in a conversation."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    """Instructions, which are not memories."""
    DEVELOPER = "developer"
    """The same, by a newer word."""
    REASONING = "reasoning"
    """A model's thoughts, which nobody said."""


class DecayCurve(StrEnum):
    """The shape in which salience fades."""

    EXPONENTIAL = "exponential"
    LINEAR = "linear"
    CUSTOM = "custom"


class DeletionPolicy(StrEnum):
    """Who may delete a record: the sweep, a caller, nobody."""

    AUTO_PRUNE = "auto_prune"
    MANUAL_ONLY = "manual_only"
    NEVER = "never"


class RevisionStatus(StrEnum):
    """The revision state of a record."""

    ACTIVE = "active"
    CONTESTED = "contested"
    RETRACTED = "retracted"


class ValidityMode(StrEnum):
    """When a fact holds."""

    GLOBAL = "global"
    CONDITIONAL = "conditional"
    TIMEBOXED = "timeboxed"


class ConflictPolicy(StrEnum):
    """The answer to an observation that conflicts with a fact."""

    KEEP = "keep"
    """Create the observed fact beside the active facts, without a search for conflicts."""
    REPLACE = "replace"
    """Retract the conflicting fact for its whole validity, also outside the observed window."""
    FORK = "fork"
    CONTEST = "contest"


class TaskState(StrEnum):
    """The progress of a task."""

    PLANNING = "planning"
    EXECUTING = "executing"
    BLOCKED = "blocked"
    WAITING = "waiting"
    DONE = "done"


class OutcomeStatus(StrEnum):
    """How an episode ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class AuditAction(StrEnum):
    """The kind of change in an audit entry."""

    CREATE = "create"
    REVISE = "revise"
    FORK = "fork"
    MERGE = "merge"
    DELETE = "delete"
    REINFORCE = "reinforce"
    DECAY = "decay"


class ProvenanceKind(StrEnum):
    """The kind of a source that a record was made from."""

    EVENT = "event"
    ARTIFACT = "artifact"
    TOOL_CALL = "tool_call"
    OBSERVATION = "observation"
    OUTCOME = "outcome"


class EdgeKind(StrEnum):
    """Whether an edge of a plan carries data or control."""

    DATA = "data"
    CONTROL = "control"


class Permission(StrEnum):
    """A right of a key."""

    INGEST = "ingest"
    READ = "read"
    REVISE = "revise"
    ADMIN = "admin"


MARKER_PERIOD = timedelta(days=2)
"""The life of a marker in the place of a vector, and of the vector of a superseded record.

Twice as long as the stream keeps a change that a late writer could have read.
"""
