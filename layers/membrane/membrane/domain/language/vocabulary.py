"""The closed word lists of the contract; their values are the words on the wire."""

from enum import StrEnum


class MemoryType(StrEnum):
    """What a record is (seed 002, "MemoryType", and `entity`)."""

    EPISODIC = "episodic"
    WORKING = "working"
    SEMANTIC = "semantic"
    COMPETENCE = "competence"
    PLAN_GRAPH = "plan_graph"
    ENTITY = "entity"


class Sensitivity(StrEnum):
    """How restricted a record is, from the least to the most."""

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


class CandidateKind(StrEnum):
    """Where a candidate comes from (seed 000, "Candidate Construction")."""

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
    """Where a fact stands."""

    ACTIVE = "active"
    CONTESTED = "contested"
    RETRACTED = "retracted"


class ValidityMode(StrEnum):
    """When a fact holds."""

    GLOBAL = "global"
    CONDITIONAL = "conditional"
    TIMEBOXED = "timeboxed"


class ConflictPolicy(StrEnum):
    """What becomes of an observation that says otherwise than a fact does."""

    KEEP = "keep"
    """Both stand, and nobody looks for the other."""
    REPLACE = "replace"
    """The other is retracted for all time, also where its window is the wider one."""
    FORK = "fork"
    CONTEST = "contest"


class TaskState(StrEnum):
    """Where a task stands."""

    PLANNING = "planning"
    EXECUTING = "executing"
    BLOCKED = "blocked"
    WAITING = "waiting"
    DONE = "done"


class OutcomeStatus(StrEnum):
    """How an experience ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class AuditAction(StrEnum):
    """What was done to a record."""

    CREATE = "create"
    REVISE = "revise"
    FORK = "fork"
    MERGE = "merge"
    DELETE = "delete"
    REINFORCE = "reinforce"
    DECAY = "decay"


class ProvenanceKind(StrEnum):
    """What a record was made from."""

    EVENT = "event"
    ARTIFACT = "artifact"
    TOOL_CALL = "tool_call"
    OBSERVATION = "observation"
    OUTCOME = "outcome"


class EdgeKind(StrEnum):
    """What flows along an edge of a plan."""

    DATA = "data"
    CONTROL = "control"


class Permission(StrEnum):
    """What a key may do (design 4.1)."""

    INGEST = "ingest"
    READ = "read"
    REVISE = "revise"
    ADMIN = "admin"
