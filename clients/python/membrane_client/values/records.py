"""Records, and replies with records. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from membrane_client.value import Page, Value
from membrane_client.values import words
from membrane_client.values.payloads import Payload


class DecayProfile(Value):
    curve: words.DecayCurve | str  # Shape of the curve: `exponential`, `linear` or `custom`
    half_life_seconds: int  # Seconds in which an exponential curve halves salience
    min_salience: float = 0  # The floor: decay does not go below this salience
    max_age_seconds: int = 0  # Age in seconds from which salience is 0; 0 = no maximum age
    reinforcement_gain: float = 0  # Salience that one reinforcement adds
    custom_curve: str | None


class Lifecycle(Value):
    decay: DecayProfile  # How salience fades
    last_reinforced_at: datetime  # When the record was last reinforced
    pinned: bool = False  # Whether salience stays constant and no sweep prunes the record
    deletion_policy: words.DeletionPolicy | str  # Who may delete the record


class ProvenanceSource(Value):
    kind: words.ProvenanceKind | str
    ref: str  # The id of the source, in the system of the caller
    hash: str | None  # `sha256:` and the digest of the candidate; absent without a digest
    created_by: str | None  # Who reported the source; absent where unknown
    timestamp: datetime | None  # The time of the source; absent where unknown


class Provenance(Value):
    sources: Sequence[ProvenanceSource]  # The sources, the oldest first
    created_by: str | None  # Who made the record; absent where unknown


class Relation(Value):
    predicate: str  # Meaning of the edge, such as `derived_from`; 1 to 256 characters
    target_id: str  # Id of the other record, which the key must be able to see
    weight: float | None  # Strength of the edge, from 0 to 1
    created_at: datetime | None  # When the edge was made


class Mention(Value):
    surface: str  # The name as written in the content
    entity_kind: str | None  # Kind of the named thing
    canonical_entity_id: str | None  # Id of the entity
    confidence: float = 0  # How sure the mention is, from 0 to 1
    aliases: Sequence[str]  # Further names of the same thing in the content
    words: str | None


class RelationCandidate(Value):
    predicate: str  # Meaning of the relation, such as `depends_on`
    target_record_id: str | None  # Id of the record at the other end
    target_entity_id: str | None  # Id of the entity at the other end
    confidence: float = 0  # How sure the relation is, from 0 to 1
    resolved: bool = False  # Whether the other end is known
    words: str | None


class ReferenceCandidate(Value):
    ref: str  # The reference as written: a record id, the ref of an event, or `<thread_id>:<turn>`
    target_record_id: str | None  # Id of the record
    target_entity_id: str | None  # Id of the entity
    confidence: float = 0  # How sure the reference is, from 0 to 1
    resolved: bool = False  # Whether the target is known
    words: str | None


class Interpretation(Value):
    status: words.InterpretationStatus | str | None
    failure: words.InterpretationFailure | str | None  # Why the last try of a model failed
    summary: str | None  # The content in short
    proposed_type: words.MemoryType | str | None  # The memory type that suits the content
    topical_labels: Sequence[str]
    mentions: Sequence[Mention]  # Names in the content, in the order of appearance
    relation_candidates: Sequence[RelationCandidate]  # Relations that the content states
    reference_candidates: Sequence[ReferenceCandidate]
    extraction_confidence: float = 0  # How sure the interpretation is, from 0 to 1


class AuditEntry(Value):
    action: words.AuditAction | str  # What was done
    actor: str  # Who did so, as the caller states; empty once erased
    timestamp: datetime  # When the change was written
    rationale: str  # Why, as the caller states; empty once erased
    principal: str  # The authenticated identity behind the change
    previous_hash: str  # The `hash` of the previous entry
    hash: str  # The hash of the entry; covers `previous_hash`
    salt: str | None  # Random hex under the hash of the free text; absent once erased
    text_hash: str | None  # The hash of actor and rationale, in place of the erased text
    salience_before: float | None  # The salience before the change
    salience_after: float | None  # The salience after the change


class Usefulness(Value):
    successes: float  # Successful tasks, each counted by the share of the record in the task
    failures: float  # Failed tasks, each counted by the share of the record in the task
    used: int  # The number of outcomes that gave the record credit
    last_used_at: datetime  # When the last outcome gave the record credit
    mean: float  # The expected rate of success; 0.5 for a record without any credit
    width: float  # The standard deviation of the rate: small once much is known


class MemoryRecord(Value, within="record"):
    id: str  # The id of the record
    type: words.MemoryType | str  # The memory type; decides the shape of the payload
    sensitivity: words.Sensitivity | str  # How confidential the record is
    confidence: float  # How sure the record is, from 0 to 1
    salience: float  # How much the record matters as of the instant of reading
    scope: str | None  # The partition of memory; absent for an unscoped record
    tags: Sequence[str]  # Labels for filters; absent without tags
    created_at: datetime  # When the record was made
    updated_at: datetime  # When the record last changed
    lifecycle: Lifecycle  # How the salience fades, and how the record may be deleted
    provenance: Provenance  # Where the record comes from
    relations: Sequence[Relation]  # Edges to related records; absent without edges
    payload: Payload | None  # The content
    interpretation: Interpretation | None  # What the content mentions, refers to and relates to
    audit_log: Sequence[AuditEntry]  # The newest audit entries, the oldest of them first
    audit_count: int | None  # The number of all audit entries
    usefulness: Usefulness | None
    size: int | None  # Bytes of the record in a reply, without the audit trail
    link: str | None  # The path that answers with the record; absent for a redacted record
    deleted_at: datetime | None  # When the record was deleted


class Memory(MemoryRecord, has="when"):
    text: str = ""  # The content as text; a longer text ends in an ellipsis
    score: float | None  # How well the record answers the task
    when: datetime  # When the content happened; for a redacted record, when the record was made
    who: str | None  # Who said or reported the content, else who made the record


class RemovedRecord(Value):
    id: str  # The id of the record
    type: words.MemoryType | str  # The memory type
    scope: str  # The scope; empty for an unscoped record
    sensitivity: words.Sensitivity | str  # The sensitivity
    deleted_at: datetime  # When the record was deleted or pruned
    reason: str  # The reason: `deleted`, or the sweep's own words
    restorable_until: datetime | None  # Until when the record can be restored
    expires_at: datetime  # When the audit trail goes, and the record leaves the list


class Health(Value):
    status: str  # Always `ok`: a function that fails answers with an error


class GraphEdge(Value):
    source_id: str  # The id of the record at the beginning
    predicate: str  # The meaning of the edge, such as `mentions_entity`
    target_id: str  # The id of the record at the end
    weight: float  # The strength of the edge, from 0 to 1
    created_at: datetime  # When the edge was made


class Captured(Value):
    edges: Sequence[GraphEdge]  # The edges of the records, each from both ends
    consistency_tokens: Sequence[str]  # A token for each of the records
    primary_record: MemoryRecord  # The evidence, with the interpretation
    created_records: Sequence[MemoryRecord]  # The records that the capture brought along


class DecayForecast(Value):
    scope: str  # The scope; empty for unscoped records
    type: words.MemoryType | str  # The memory type of the records
    candidates: int  # The number of records that fade: all but pinned and retracted ones
    today: Sequence[int]  # By instant, how many would be pruned under the present settings
    preview: Sequence[int]
    error_bound: int


class UsedRecord(Value):
    id: str  # The id of the record
    scope: str  # The scope; empty for an unscoped record
    prunable_at: datetime  # When the previewed policy would prune the record
    usefulness: Usefulness  # How often tasks succeeded and failed in which the record had a part
    note: str  # The use in words, as in `used 3 times, last on 2026-03-01`


class DecayPreview(Value):
    now: datetime  # The instant of the preview
    instants: Sequence[datetime]  # The instants that the numbers of a forecast stand for, in order
    candidates: int  # The sum of the candidates of all forecasts
    exact: bool  # Whether every number is a count, and none an estimate
    forecasts: Sequence[DecayForecast]  # A forecast for each scope and type with candidates
    used: Sequence[UsedRecord]


class FieldError(Value):
    field: str  # The path of the field in the request
    message: str  # A sentence for the caller, without the value of the field


class BatchError(Value):
    title: str  # What happened, the same for each error of the code and status
    status: int  # The HTTP status
    code: str  # The error code, for programs
    detail: str  # A sentence for the caller
    request_id: str | None  # The id of the request in the logs
    errors: Sequence[FieldError]  # The faults by field; absent unless fields are at fault


class BatchEntry(Value):
    status: int  # The HTTP status that the item would have had alone
    record: MemoryRecord | None
    consistency_token: str | None  # A retrieval with the token sees the write before the index does
    thread_id: str | None  # The thread of the messages
    first_turn: int | None  # The turn of the first message
    next_turn: int | None  # The turn of the next message of the thread
    consistency_tokens: Sequence[str]  # A token for each record that was not deleted
    records: Sequence[MemoryRecord]
    edges: Sequence[GraphEdge]  # The edges of the records, each from both ends
    primary_record: MemoryRecord | None
    created_records: Sequence[MemoryRecord]
    error: BatchError | None  # Why the item was refused


class BatchReply(Value):
    results: Sequence[BatchEntry]  # An entry for each item, in the order of the items


class IngestedMessages(Value):
    thread_id: str  # The thread of the messages
    first_turn: int | None  # The turn of the first message
    next_turn: int | None  # The turn of the next message of the thread
    consistency_tokens: Sequence[str]  # A token for each record that was not deleted
    records: Sequence[MemoryRecord]  # The records, in the order of the turns
    skipped: int = 0


class Snapshot(Value, within="snapshot"):
    collected_at: datetime  # The instant of the metrics
    total_records: int  # The number of records
    records_by_type: Mapping[str, int]  # The number of records of each type
    avg_salience: float  # The mean salience as of `collected_at`
    avg_confidence: float  # The mean confidence
    salience_distribution: Mapping[str, int]
    active_records: int  # The number of records with a salience above 0
    pinned_records: int  # The number of pinned records
    total_audit_entries: int  # The number of audit entries
    memory_growth_rate: float  # The share of records made within the last day
    retrieval_usefulness: float  # The share of reinforcements among all audit entries
    competence_success_rate: float  # The mean success rate of skills
    plan_reuse_frequency: float  # The mean number of executions of a plan
    revision_rate: float  # The share of revisions among all audit entries
    error_bounds: Mapping[str, Any]
    sampled: Mapping[str, int]


class AnchoredHead(Value):
    instant: datetime  # The instant of the anchor
    entries: int | None  # The number of audit entries that the anchor recorded
    holds: bool  # Whether the trail passes through the entry that was the last at the anchor


class AuditTrail(Page[AuditEntry], of="audit_log"):
    audit_log: Sequence[AuditEntry]  # The entries of the page
    audit_count: int  # The number of entries of the whole trail
    deleted_at: datetime | None  # When the record was deleted
    verified: bool | None  # Whether the entries are intact; absent unless the request has `verify`
    broken_at: int | None  # The position in the trail of the first entry that is not intact
    verified_entries: int | None  # The number of verified entries
    anchor: AnchoredHead | None  # The comparison with the newest anchor


class FieldChange(Value):
    field: str  # The path from the record down to the field: `payload.revision.status`
    before: Any  # The earlier value; absent where the field had none
    after: Any  # The later value; absent where the field has none
    added: Sequence[Any]  # The new elements at the end of a list that only grew


class RecordVersion(Value):
    number: int  # The place among the versions, from 1 for the creation
    valid_from: datetime  # When the version began
    valid_to: datetime | None  # When the next version began; absent for the newest version
    action: words.AuditAction | str | None  # The audited action that made the version
    actor: str | None  # Who made the version, as the caller claims; absent where `withheld`
    principal: str | None  # Who made the version, as authenticated; absent where `withheld`
    rationale: str | None  # Why the version was made
    changes: Sequence[FieldChange]  # What the version changed: nothing for the first version
    withheld: bool = False
    size: int | None
    link: str | None  # With `size`: the path that answers with the record of the version


class VersionList(Page[RecordVersion], of="versions"):
    versions: Sequence[RecordVersion]  # The versions, the oldest first


class OpenedUpload(Value):
    upload_id: str  # The id by which a later request claims the value
    url: str  # The address to send the value to
    method: str  # The HTTP method of the upload
    headers: Mapping[str, str]  # Headers to send with the value, unchanged: the headers are signed
    expires_at: datetime  # When the address expires
