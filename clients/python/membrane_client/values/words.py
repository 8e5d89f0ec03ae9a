"""The words of the API. A newer word of a reply stays a text. Written by `make openapi`."""

from enum import StrEnum as _StrEnum

MemoryType = _StrEnum("MemoryType", "EPISODIC WORKING SEMANTIC COMPETENCE PLAN_GRAPH ENTITY")
Sensitivity = _StrEnum("Sensitivity", "PUBLIC LOW MEDIUM HIGH HYPER")
OutcomeStatus = _StrEnum("OutcomeStatus", "SUCCESS FAILURE PARTIAL")
TaskState = _StrEnum("TaskState", "PLANNING EXECUTING BLOCKED WAITING DONE")
ConflictPolicy = _StrEnum("ConflictPolicy", "KEEP REPLACE FORK CONTEST")
DecayCurve = _StrEnum("DecayCurve", "EXPONENTIAL LINEAR CUSTOM")
DeletionPolicy = _StrEnum("DeletionPolicy", "AUTO_PRUNE MANUAL_ONLY NEVER")
RevisionStatus = _StrEnum("RevisionStatus", "ACTIVE CONTESTED RETRACTED")
ValidityMode = _StrEnum("ValidityMode", "GLOBAL CONDITIONAL TIMEBOXED")
AuditAction = _StrEnum("AuditAction", "CREATE REVISE FORK MERGE DELETE REINFORCE DECAY")
ProvenanceKind = _StrEnum("ProvenanceKind", "EVENT ARTIFACT TOOL_CALL OBSERVATION OUTCOME")
EdgeKind = _StrEnum("EdgeKind", "DATA CONTROL")
FieldType = _StrEnum("FieldType", "STRING INT FLOAT BOOL DATE DATETIME LIST JSON")
Stage = _StrEnum("Stage", "SEMANTIC STRUCTURAL TEMPORAL")
Route = _StrEnum("Route", "QUERY INGEST BOTH")
InterpretationStatus = _StrEnum("InterpretationStatus", "TENTATIVE RESOLVED FAILED")
InterpretationFailure = _StrEnum(
    "InterpretationFailure", "BUSY UNAVAILABLE MALFORMED OUT_OF_TOKENS NOT_WRITTEN FAULT"
)
