"""The words of the API. A newer word of a reply stays a text."""

from enum import StrEnum


class MemoryType(StrEnum):
    EPISODIC = "episodic"
    WORKING = "working"
    SEMANTIC = "semantic"
    COMPETENCE = "competence"
    PLAN_GRAPH = "plan_graph"
    ENTITY = "entity"


class Sensitivity(StrEnum):
    PUBLIC = "public"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    HYPER = "hyper"


class OutcomeStatus(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class TaskState(StrEnum):
    PLANNING = "planning"
    EXECUTING = "executing"
    BLOCKED = "blocked"
    WAITING = "waiting"
    DONE = "done"


class ConflictPolicy(StrEnum):
    KEEP = "keep"
    REPLACE = "replace"
    FORK = "fork"
    CONTEST = "contest"


class DecayCurve(StrEnum):
    EXPONENTIAL = "exponential"
    LINEAR = "linear"
    CUSTOM = "custom"


class DeletionPolicy(StrEnum):
    AUTO_PRUNE = "auto_prune"
    MANUAL_ONLY = "manual_only"
    NEVER = "never"


class RevisionStatus(StrEnum):
    ACTIVE = "active"
    CONTESTED = "contested"
    RETRACTED = "retracted"


class ValidityMode(StrEnum):
    GLOBAL = "global"
    CONDITIONAL = "conditional"
    TIMEBOXED = "timeboxed"


class AuditAction(StrEnum):
    CREATE = "create"
    REVISE = "revise"
    FORK = "fork"
    MERGE = "merge"
    DELETE = "delete"
    REINFORCE = "reinforce"
    DECAY = "decay"


class ProvenanceKind(StrEnum):
    EVENT = "event"
    ARTIFACT = "artifact"
    TOOL_CALL = "tool_call"
    OBSERVATION = "observation"
    OUTCOME = "outcome"


class EdgeKind(StrEnum):
    DATA = "data"
    CONTROL = "control"


class FieldType(StrEnum):
    STRING = "string"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"
    DATETIME = "datetime"
    LIST = "list"
    JSON = "json"


class Stage(StrEnum):
    SEMANTIC = "semantic"
    STRUCTURAL = "structural"
    TEMPORAL = "temporal"


class Route(StrEnum):
    """What the last message of a conversation asks of memory."""

    QUERY = "query"
    INGEST = "ingest"
    BOTH = "both"


class InterpretationStatus(StrEnum):
    TENTATIVE = "tentative"
    RESOLVED = "resolved"
    FAILED = "failed"


class InterpretationFailure(StrEnum):
    BUSY = "busy"
    UNAVAILABLE = "unavailable"
    MALFORMED = "malformed"
    OUT_OF_TOKENS = "out_of_tokens"
    NOT_WRITTEN = "not_written"
    FAULT = "fault"
