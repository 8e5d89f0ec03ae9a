"""The words of the API. A newer word of a reply stays a text. Written by `make openapi`."""

from enum import StrEnum

MemoryType = StrEnum("MemoryType", "EPISODIC WORKING SEMANTIC COMPETENCE PLAN_GRAPH ENTITY")
Sensitivity = StrEnum("Sensitivity", "PUBLIC LOW MEDIUM HIGH HYPER")
OutcomeStatus = StrEnum("OutcomeStatus", "SUCCESS FAILURE PARTIAL")
TaskState = StrEnum("TaskState", "PLANNING EXECUTING BLOCKED WAITING DONE")
ConflictPolicy = StrEnum("ConflictPolicy", "KEEP REPLACE FORK CONTEST")
DecayCurve = StrEnum("DecayCurve", "EXPONENTIAL LINEAR CUSTOM")
DeletionPolicy = StrEnum("DeletionPolicy", "AUTO_PRUNE MANUAL_ONLY NEVER")
RevisionStatus = StrEnum("RevisionStatus", "ACTIVE CONTESTED RETRACTED")
ValidityMode = StrEnum("ValidityMode", "GLOBAL CONDITIONAL TIMEBOXED")
AuditAction = StrEnum("AuditAction", "CREATE REVISE FORK MERGE DELETE REINFORCE DECAY")
ProvenanceKind = StrEnum("ProvenanceKind", "EVENT ARTIFACT TOOL_CALL OBSERVATION OUTCOME")
EdgeKind = StrEnum("EdgeKind", "DATA CONTROL")
FieldType = StrEnum("FieldType", "STRING INT FLOAT BOOL DATE DATETIME LIST JSON")
Stage = StrEnum("Stage", "SEMANTIC STRUCTURAL TEMPORAL")
Route = StrEnum("Route", "QUERY INGEST BOTH")
InterpretationStatus = StrEnum("InterpretationStatus", "TENTATIVE RESOLVED FAILED")
InterpretationFailure = StrEnum(
    "InterpretationFailure", "BUSY UNAVAILABLE MALFORMED OUT_OF_TOKENS NOT_WRITTEN FAULT"
)
