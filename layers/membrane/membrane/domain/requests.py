"""What callers send.

A report's required fields have an empty default here: which are required, and the message for one
that is missing or empty, is a rule of `membrane.domain.policy`.
"""

import sys
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.errors import InvalidArgument
from membrane.domain.fields import (
    LIST,
    MAX_SALIENCE,
    VANISHING,
    DecayCurveWord,
    DeletionPolicyWord,
    Fraction,
    MemoryTypeWord,
    OutcomeStatusWord,
    Part,
    ProvenanceKindWord,
    RecordId,
    Salience,
    Scope,
    SensitivityWord,
    Tags,
    TaskStateWord,
    Text,
    Texts,
    Timestamp,
)
from membrane.domain.json_text import parse_json
from membrane.domain.payloads import Constraints, Payload
from membrane.domain.records import MAX_AGE_S, MAX_HALF_LIFE_S, Relation
from membrane.domain.values import JsonValue, Object, is_claim
from membrane.domain.vocabulary import CandidateKind

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_KEY_CHARACTERS = 255
MAX_ITEMS = 100
"""Requests in one batch (design 4.1)."""

MAX_INSTANTS = 24
"""Of one preview."""

MAX_RELATIONS = 30
"""A record and its edges are one transaction of at most 100 actions, three to a relation."""


_INSTANTS = Field(strict=False, min_length=1, max_length=MAX_INSTANTS, fail_fast=True)


def _absent_if_empty(value: Any) -> Any:
    """An empty word means that none was given (spec 2.1)."""
    return None if value == "" else value


_OPTIONAL = BeforeValidator(_absent_if_empty)


def _decoded(expected: type, name: str) -> BeforeValidator:
    """Accept the value itself or, as the seeds have it, its JSON text; absent when empty."""

    def decode(value: Any) -> Any:
        try:
            decoded = parse_json(value) if isinstance(value, str) and value else value
        except InvalidArgument as error:
            raise PydanticCustomError("json_text", "{reason}", {"reason": str(error)}) from error
        if decoded is None or decoded == "":
            return expected()
        if not isinstance(decoded, expected) and not is_claim(decoded):
            raise PydanticCustomError("json_text", "expected {name}", {"name": name})
        return decoded

    return BeforeValidator(decode)


def _idempotency_key(value: str) -> str:
    if not (1 <= len(value) <= MAX_KEY_CHARACTERS and value.isascii() and value.isprintable()):
        raise PydanticCustomError("idempotency_key", "must be 1 to 255 printable ASCII characters")
    return value


IdempotencyKey = Annotated[str, AfterValidator(_idempotency_key)]
OptionalTimestamp = Annotated[Timestamp | None, _OPTIONAL]
OptionalScope = Annotated[Scope | None, _OPTIONAL]
OptionalSensitivity = Annotated[SensitivityWord | None, _OPTIONAL]


class Asked(Part):
    """What a caller sends, where a null says no more of a field than leaving it out does."""

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = cls.model_fields
        return {
            name: given for name, given in value.items() if given is not None or name not in known
        }


class Request(Asked):
    """Anything that changes memory; repeating it under one key changes nothing more."""

    idempotency_key: IdempotencyKey | None = None


class IngestRequest(Request):
    """What every report has in common; a report without a timestamp happened now."""

    kind: ClassVar[CandidateKind]

    source: Text = ""
    timestamp: OptionalTimestamp = None


class PlacedReport(IngestRequest):
    """A report that becomes a record of its own, somewhere and as sensitive as it says."""

    tags: Tags = ()
    scope: OptionalScope = None
    sensitivity: OptionalSensitivity = None


class IngestEvent(PlacedReport):
    """A discrete event."""

    kind = CandidateKind.EVENT

    event_kind: Text = ""
    ref: Text = ""
    summary: Text | None = None


class IngestToolOutput(PlacedReport):
    """One call of a tool, with what went in and what came out."""

    kind = CandidateKind.TOOL_OUTPUT

    tool_name: Text = ""
    args: Annotated[Object, _decoded(dict, "a JSON object")] = {}
    result: JsonValue = None
    depends_on: Texts = ()


class IngestObservation(PlacedReport):
    """A fact that was observed."""

    kind = CandidateKind.OBSERVATION

    subject: Text = ""
    predicate: Text = ""
    object: JsonValue = None


class IngestWorkingState(PlacedReport):
    """A snapshot of a task in flight."""

    kind = CandidateKind.WORKING_STATE

    thread_id: Text = ""
    state: Annotated[TaskStateWord | None, _OPTIONAL] = None
    next_actions: Texts = ()
    open_questions: Texts = ()
    context_summary: Text | None = None
    active_constraints: Annotated[Constraints, _decoded(list, "a JSON array")] = ()


class IngestOutcome(IngestRequest):
    """How an episode, already recorded, ended."""

    kind = CandidateKind.OUTCOME

    target_record_id: Text = ""
    outcome_status: Annotated[OutcomeStatusWord | None, _OPTIONAL] = None


Report = IngestEvent | IngestToolOutput | IngestObservation | IngestWorkingState
"""A request that becomes a new record."""


class DecayInput(Part):
    """A decay profile of which policy fills what is absent."""

    curve: Annotated[DecayCurveWord | None, _OPTIONAL] = None
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)] | None = None
    min_salience: Salience = 0.0
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] = 0
    reinforcement_gain: Salience | None = None
    custom_curve: Text = ""


class LifecycleInput(Part):
    """A lifecycle of which policy fills what is absent; the server sets when it was reinforced."""

    decay: DecayInput = Field(default_factory=DecayInput)
    last_reinforced_at: Any = None
    pinned: bool = False
    deletion_policy: Annotated[DeletionPolicyWord | None, _OPTIONAL] = None


class SourceInput(Part):
    """A provenance source; the server makes the hash."""

    kind: ProvenanceKindWord
    ref: Text
    hash: Any = None
    created_by: Text = ""
    timestamp: Timestamp | None = None


class ProvenanceInput(Part):
    """Where a record comes from, as its sender says."""

    sources: Annotated[tuple[SourceInput, ...], LIST] = ()
    created_by: Text = ""


class RecordInput(Part):
    """A full record as a caller sends it, or as this service returned it.

    What the server owns (`audit_log`, `created_at`, `updated_at`, `last_reinforced_at`, hashes)
    may stand in it and is ignored.
    """

    id: RecordId | None = None
    type: MemoryTypeWord
    sensitivity: SensitivityWord
    confidence: Fraction = 1.0
    salience: Salience = 1.0
    scope: OptionalScope = None
    tags: Tags = ()
    lifecycle: LifecycleInput = Field(default_factory=LifecycleInput)
    provenance: ProvenanceInput = Field(default_factory=ProvenanceInput)
    relations: Annotated[
        tuple[Relation, ...], Field(strict=False, max_length=MAX_RELATIONS, fail_fast=True)
    ] = ()
    payload: Payload
    created_at: Any = None
    updated_at: Any = None
    audit_log: Any = None


class OpenUpload(Request):
    """A value to come: `size` bytes of JSON text of that `sha256` (hex)."""

    size: Annotated[int, Field(ge=1)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class IngestRecord(Request):
    """A full record of any type."""

    record: RecordInput


class IngestBatch(Request):
    """Requests of the ingest RPCs, each with the name of its `rpc`."""

    items: Annotated[tuple[Any, ...], Field(strict=False, max_length=MAX_ITEMS)]


class TrustInput(Part):
    """What a read asks to see; it can only narrow what the principal may see."""

    max_sensitivity: OptionalSensitivity = None
    scopes: Annotated[tuple[str, ...], LIST] = ()


class RetrieveById(Part):
    """One record."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)


class ReadAudit(Part):
    """The audit trail of one record, which may have been deleted."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    verify: bool = False


class PreviewDecay(Asked):
    """What would be pruned by when, if another policy applied to what there is from now on.

    Instants are by default 1, 7, 30 and 90 days from now; no memory type names them all.
    """

    trust: TrustInput = Field(default_factory=TrustInput)
    memory_types: Annotated[tuple[MemoryTypeWord, ...], LIST] = ()
    half_life_seconds: dict[MemoryTypeWord, Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)]] = {}
    threshold: Annotated[float, Field(ge=VANISHING, le=MAX_SALIENCE)] | None = None
    deletion_policy: DeletionPolicyWord | None = None
    instants: Annotated[tuple[Timestamp, ...], _INSTANTS] | None = None


class RecordChange(Request):
    """A change of one record; `actor` is a claim, by default the principal's own name."""

    id: str
    actor: Text | None = None
    rationale: Text = ""


class Reinforce(RecordChange):
    """The record proved useful: its salience rises by its reinforcement gain."""


def _amount(value: Any) -> Any:
    """In the peer's words (spec 5.3); an integer may be larger than any float."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and not 0 <= value <= sys.float_info.max:
        raise PydanticCustomError("amount", "must be non-negative and finite")
    return value


class Penalize(RecordChange):
    """The record did harm or no good: its salience falls by `amount`."""

    amount: Annotated[float, BeforeValidator(_amount)]


class Pin(RecordChange):
    """Keep the record's salience as it is now."""


class Unpin(RecordChange):
    """Let the record fade again, from now on."""


class DecayChange(Asked):
    """Of a decay profile what is to be another; what is left out stays."""

    curve: DecayCurveWord | None = None
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)] | None = None
    min_salience: Salience | None = None
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] | None = None
    reinforcement_gain: Salience | None = None
    custom_curve: Text | None = None


class ChangeLifecycle(RecordChange):
    """Another decay profile, deletion policy, or both."""

    decay: DecayChange = Field(default_factory=DecayChange)
    deletion_policy: DeletionPolicyWord | None = None


class DeleteRecord(RecordChange):
    """Delete one record; `erase` removes what it says for good, also of one that is deleted."""

    erase: bool = False


class RestoreRecord(RecordChange):
    """Bring a deleted record back."""
