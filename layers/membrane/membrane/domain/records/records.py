"""The record, the unit of memory, and its parts: provenance, relations, audit entries.

The audit trail is a hash chain, in which a changed or missing entry is detected:

    hash = SHA-256(canonical JSON of [record id, previous hash, action, timestamp,
                                      principal, text_hash,
                                      both saliences, if the entry has them])

The free text is actor and rationale. An entry whose text was erased keeps `text_hash` and loses
text and salt. `membrane.domain.language.json_text` explains the chain.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated

from pydantic import Field

from membrane.domain.language import fields, json_text
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.interpretation import Interpretation
from membrane.domain.records.payloads import Payload
from membrane.domain.records.usefulness import Usefulness
from membrane.domain.salience.lifecycle import Lifecycle

SUPERSEDES = "supersedes"
DERIVED_FROM = "derived_from"
CONTESTED_BY = "contested_by"

MADE_BY_REVISIONS_ALONE = (SUPERSEDES, CONTESTED_BY)
"""Relations made by revisions only; a caller cannot set them."""

MAX_PREDICATE_CHARACTERS = 256


class ProvenanceSource(fields.Part):
    """A source of the record; `hash` is `sha256:` and the digest of the candidate."""

    kind: fields.ProvenanceKindWord
    """Whether the source is an event, an artifact, a tool call, an observation or an outcome."""
    ref: fields.Text
    """The id of the source, in the system of the caller."""
    hash: fields.Text = ""
    """`sha256:` and the digest of the candidate; absent without a digest."""
    created_by: fields.Text = ""
    """Who reported the source; absent where unknown."""
    timestamp: fields.Timestamp | None = None
    """The time of the source; absent where unknown."""


class Provenance(fields.Part):
    """The sources of a record.

    Every outcome adds a source; only the size limit of the record bounds their number.
    """

    sources: Annotated[tuple[ProvenanceSource, ...], Field(strict=False)]
    """The sources, the oldest first."""
    created_by: fields.Text = ""
    """Who made the record; absent where unknown."""


class Relation(fields.Part):
    """An edge from a record to another record."""

    predicate: Annotated[str, Field(min_length=1, max_length=MAX_PREDICATE_CHARACTERS)]
    """Meaning of the edge, such as `derived_from`; 1 to 256 characters. Revisions make
    `supersedes`, `derived_from` and `contested_by`."""
    target_id: fields.Text
    """Id of the other record, which the key must be able to see."""
    weight: fields.Weight = 0.0
    """Strength of the edge, from 0 to 1. Absent or 0: 1."""
    created_at: fields.Timestamp | None = None
    """When the edge was made. The server sets the time, and ignores the time in a request."""


class AuditEntry(fields.Part):
    """A change of a record: who, when and why, chained to the previous entry.

    `actor` is the name that the caller states, `principal` the authenticated identity. If the
    change moved the salience, the entry has the values just before and just after. The `decay`
    entry of a pruned record has the salience at the anchor and at the time of pruning. `hash`
    covers `previous_hash`, so a changed or missing entry is detected. An erased entry keeps
    `text_hash` in place of the free text.
    """

    action: Annotated[AuditAction, Field(strict=False)]
    """What was done."""
    actor: str
    """Who did so, as the caller states; empty once erased."""
    timestamp: fields.Timestamp
    """When the change was written."""
    rationale: str
    """Why, as the caller states; empty once erased."""
    principal: str
    """The authenticated identity behind the change."""
    previous_hash: str
    """The `hash` of the previous entry."""
    hash: str
    """The hash of the entry; covers `previous_hash`."""
    salt: str = ""
    """Random hex under the hash of the free text; absent once erased."""
    text_hash: str = ""
    """The hash of actor and rationale, in place of the erased text; else absent."""
    salience_before: fields.Salience | None = None
    """The salience before the change; absent unless the change moved the salience."""
    salience_after: fields.Salience | None = None
    """The salience after the change; absent unless the change moved the salience."""


class MemoryRecord(fields.Part):
    """A typed memory. `salience` is the value at the instant of reading.

    A reply has only the newest audit entries; `audit_count` is the number of all entries.
    """

    id: fields.Text
    """The id of the record."""
    type: fields.MemoryTypeWord
    """The memory type; decides the shape of the payload."""
    sensitivity: fields.SensitivityWord
    """How confidential the record is."""
    confidence: fields.Weight
    """How sure the record is, from 0 to 1."""
    salience: fields.Salience
    """How much the record matters as of the instant of reading."""
    scope: str = ""
    """The partition of memory; absent for an unscoped record."""
    tags: fields.Texts = ()
    """Labels for filters; absent without tags."""
    created_at: fields.Timestamp
    """When the record was made."""
    updated_at: fields.Timestamp
    """When the record last changed."""
    lifecycle: Lifecycle
    """How the salience fades, and how the record may be deleted."""
    provenance: Provenance
    """Where the record comes from."""
    relations: tuple[Relation, ...] = ()
    """Edges to related records; absent without edges."""
    payload: Payload
    """The content."""
    interpretation: Interpretation | None = None
    """What the content mentions, refers to and relates to; of captures, and of traces that a model
    reads."""
    audit_log: tuple[AuditEntry, ...]
    """The newest audit entries, the oldest of them first."""
    audit_count: Annotated[int, Field(ge=0)] = 0
    """The number of all audit entries."""
    usefulness: Usefulness | None = None
    """How often tasks succeeded and failed in which the record had a part; absent until an outcome
    gives the record credit."""


def as_json(part: fields.Part, only: AbstractSet[str] | None = None) -> json_text.JsonObject:
    """The part as JSON of the API: fields that equal their default are left out."""
    return part.model_dump(
        mode="python",
        by_alias=True,
        exclude_defaults=True,
        include=None if only is None else set(only),
    )


def entry_after(
    previous: Sequence[AuditEntry],
    *,
    record_id: str,
    action: AuditAction,
    actor: str,
    rationale: str,
    principal: str,
    timestamp: str,
    salt: str,
    saliences: tuple[float, float] | None = None,
) -> AuditEntry:
    """The entry after `previous`; `salt` is fresh hex, `saliences` are before and after."""
    previous_hash = json_text.last_hash(previous)
    text_hash = json_text.text_hash_of(salt, actor, rationale)
    before, after = saliences or (None, None)
    return AuditEntry(
        action=action,
        actor=actor,
        timestamp=timestamp,
        rationale=rationale,
        principal=principal,
        previous_hash=previous_hash,
        hash=json_text.hash_of(
            record_id, previous_hash, action, timestamp, principal, text_hash, *(saliences or ())
        ),
        salt=salt,
        salience_before=before,
        salience_after=after,
    )


def without_text(entry: AuditEntry) -> AuditEntry:
    """The entry with the hash of the free text in place of the text; the chain still holds."""
    if is_erased(entry):
        return entry
    return entry.model_copy(
        update={
            "actor": "",
            "rationale": "",
            "salt": "",
            "text_hash": json_text.text_hash_of(entry.salt, entry.actor, entry.rationale),
        }
    )


def is_erased(entry: AuditEntry) -> bool:
    return bool(entry.text_hash) and not (entry.actor or entry.rationale or entry.salt)


def first_broken(
    record_id: str,
    trail: Iterable[AuditEntry],
    written: int | None = None,
    *,
    follows: str = json_text.FIRST,
) -> int | None:
    """See `first_broken_link`."""
    return json_text.first_broken_link(
        trail, lambda entry: _expected_hash(record_id, entry), written=written, follows=follows
    )


def _expected_hash(record_id: str, entry: AuditEntry) -> str | None:
    """The hash computed from the parts of an entry; None if the parts contradict each other.

    Contradictions: a text that does not match its hash, or only one of the two saliences.
    """
    erased = is_erased(entry)
    text_hash = json_text.text_hash_of(entry.salt, entry.actor, entry.rationale)
    if entry.text_hash and not erased and entry.text_hash != text_hash:
        return None
    saliences = (entry.salience_before, entry.salience_after)
    if saliences.count(None) == 1:
        return None
    return json_text.hash_of(
        record_id,
        entry.previous_hash,
        entry.action,
        entry.timestamp,
        entry.principal,
        entry.text_hash if erased else text_hash,
        *(salience for salience in saliences if salience is not None),
    )
