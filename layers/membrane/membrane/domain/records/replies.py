"""Replies about records: written, read, redacted, and the history of a record."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from membrane.domain.language import vocabulary
from membrane.domain.language.fields import Count, Salience, Timestamp, Weight
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.replies import ChangeReply, PageReply, Url, with_shape
from membrane.domain.records.records import AuditEntry, MemoryRecord, ProvenanceSource

RecordJson = Annotated[JsonObject, with_shape(MemoryRecord)]
AuditEntryJson = Annotated[JsonObject, with_shape(AuditEntry)]
SourceJson = Annotated[JsonObject, with_shape(ProvenanceSource)]


class RecordReply(TypedDict):
    """A record that was read."""

    record: RecordJson
    """The record, with the salience as of the instant of reading."""


class WrittenReply(RecordReply, ChangeReply):
    """A record that was written."""


class DeletedRecord(TypedDict):
    """The answer to a repeat whose record was deleted since."""

    id: str
    """The id of the record."""
    deleted_at: Timestamp
    """When the record was deleted."""


class GoneReply(TypedDict):
    """The answer to a repeated write whose record was deleted since."""

    record: DeletedRecord
    """The id of the record, and when the record was deleted."""


class GraphEdge(TypedDict):
    """An edge from one record to another."""

    source_id: str
    """The id of the record at the beginning."""
    predicate: str
    """The meaning of the edge, such as `mentions_entity`."""
    target_id: str
    """The id of the record at the end."""
    weight: Weight
    """The strength of the edge, from 0 to 1."""
    created_at: Timestamp
    """When the edge was made."""


class RedactedDecay(TypedDict):
    """Constants in place of the decay of a redacted record."""

    curve: Literal[vocabulary.DecayCurve.EXPONENTIAL]
    """A constant: the decay of a redacted record is not shown."""
    half_life_seconds: Literal[0]
    """A constant: the decay of a redacted record is not shown."""


class RedactedLifecycle(TypedDict):
    """Constants in place of the lifecycle of a redacted record."""

    decay: RedactedDecay
    """A constant: the decay of a redacted record is not shown."""
    last_reinforced_at: Timestamp
    """A constant in place of the instant."""
    deletion_policy: Literal[vocabulary.DeletionPolicy.AUTO_PRUNE]
    """A constant: the deletion policy of a redacted record is not shown."""


class RedactedProvenance(TypedDict):
    """Constants in place of the provenance of a redacted record."""

    sources: Annotated[
        list[Annotated[JsonObject, with_shape(ProvenanceSource)]], Field(max_length=0)
    ]
    """Always empty: the sources of a redacted record are not shown."""


class RedactedRecord(TypedDict):
    """No content: a level above the trust, or a thread's latest state, repeated on a later page."""

    id: str
    """The id of the record."""
    type: vocabulary.MemoryType
    """The memory type of the record."""
    sensitivity: vocabulary.Sensitivity
    """The sensitivity of the record."""
    confidence: Weight
    """How sure the record is, from 0 to 1."""
    salience: Salience
    """The salience as of the instant of reading."""
    scope: NotRequired[str]
    """The scope of the record; absent for an unscoped record."""
    tags: NotRequired[tuple[str, ...]]
    """The tags of the record; absent without tags."""
    created_at: Timestamp
    """When the record was made."""
    updated_at: Timestamp
    """When the record last changed."""
    lifecycle: RedactedLifecycle
    """Constants in place of the lifecycle."""
    provenance: RedactedProvenance
    """Constants in place of the provenance."""
    payload: None
    """Always null: the payload of a redacted record is not shown."""
    audit_log: Annotated[list[AuditEntryJson], Field(max_length=0)]
    """Always empty: the audit trail of a redacted record is not shown."""


class OversizedRecord(TypedDict):
    """A record for which a whole page is too small."""

    id: str
    """The id of the record."""
    type: vocabulary.MemoryType
    """The memory type of the record."""
    size: Count
    """Bytes of the record in a reply, without the audit trail."""
    link: NotRequired[str]
    """The path that answers with the record; absent for a redacted record."""


class AnchoredHead(TypedDict):
    """The comparison of an audit trail with the newest signed anchor."""

    instant: Timestamp
    """The instant of the anchor."""
    entries: NotRequired[Count]
    """The number of audit entries that the anchor recorded; absent if the anchor itself does not
    hold."""
    holds: bool
    """Whether the trail passes through the entry that was the last at the anchor. Without later
    entries, also whether the content is unchanged. False as well if the signature or the stored
    leaves of the anchor do not hold."""


class AuditTrail(PageReply):
    """A page of the audit trail of a record, the oldest entry first."""

    audit_log: list[AuditEntryJson]
    """The entries of the page."""
    audit_count: Count
    """The number of entries of the whole trail."""
    deleted_at: Timestamp | None
    """When the record was deleted; null for a record that is not deleted."""
    verified: NotRequired[bool]
    """Whether the entries are intact; absent unless the request has `verify`."""
    broken_at: NotRequired[Count | None]
    """The position in the trail of the first entry that is not intact; null where all are."""
    verified_entries: NotRequired[Count]
    """The number of verified entries: on the first page of the whole trail, on a later page of
    the page alone."""
    anchor: NotRequired[AnchoredHead | None]
    """The comparison with the newest anchor; null without an anchor, or for a record younger than
    the anchor. Absent unless the request has `verify`."""


class FieldChange(TypedDict):
    """What a version has otherwise than the version before."""

    field: str
    """The path from the record down to the field: `payload.revision.status`."""
    before: NotRequired[Any]
    """The earlier value; absent where the field had none."""
    after: NotRequired[Any]
    """The later value; absent where the field has none."""
    added: NotRequired[Annotated[list[Any], Field(min_length=1)]]
    """The new elements at the end of a list that only grew."""


class RecordVersion(TypedDict):
    """The state of a record from one change of the content to the next."""

    number: Annotated[int, Field(ge=1)]
    """The place among the versions, from 1 for the creation."""
    valid_from: Timestamp
    """When the version began."""
    valid_to: NotRequired[Timestamp]
    """When the next version began; absent for the newest version."""
    action: NotRequired[vocabulary.AuditAction]
    """The audited action that made the version; absent where `withheld`."""
    actor: NotRequired[str]
    """Who made the version, as the caller claims; absent where `withheld`."""
    principal: NotRequired[str]
    """Who made the version, as authenticated; absent where `withheld`."""
    rationale: NotRequired[str]
    """Why the version was made; absent where the version before may not be seen."""
    changes: NotRequired[list[FieldChange]]
    """What the version changed: nothing for the first version. Absent where the version or the
    version before may not be seen."""
    withheld: NotRequired[Literal[True]]
    """The trust does not cover the scope or the sensitivity that the version had."""
    size: NotRequired[Count]
    """Bytes of a version that is too large for a reply, so that rationale and changes are left
    out."""
    link: NotRequired[str]
    """With `size`: the path that answers with the record of the version."""


class VersionList(PageReply):
    """A page of the versions of a record."""

    versions: list[RecordVersion]
    """The versions, the oldest first."""


class OpenedUpload(TypedDict):
    """Where and how to put a value that is too large for a request."""

    upload_id: str
    """The id by which a later request claims the value."""
    url: Url
    """The address to send the value to."""
    method: Literal["PUT"]
    """The HTTP method of the upload."""
    headers: dict[str, str]
    """Headers to send with the value, unchanged: the headers are signed."""
    expires_at: Timestamp
    """When the address expires."""
