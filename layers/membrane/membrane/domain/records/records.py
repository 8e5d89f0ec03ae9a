"""The record, the unit of memory, and its parts: provenance, relations, audit entries."""

from collections.abc import Set as AbstractSet
from typing import Annotated

from pydantic import Field

from membrane.domain.language.fields import (
    MemoryTypeWord,
    Part,
    ProvenanceKindWord,
    Salience,
    SensitivityWord,
    Text,
    Texts,
    Timestamp,
    Weight,
)
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.payloads import Payload
from membrane.domain.salience.lifecycle import Lifecycle

SUPERSEDES = "supersedes"
DERIVED_FROM = "derived_from"
CONTESTED_BY = "contested_by"

MADE_BY_REVISIONS_ALONE = (SUPERSEDES, CONTESTED_BY)
"""Relations made by revisions only; a caller cannot set them."""

MAX_PREDICATE_CHARACTERS = 256


class ProvenanceSource(Part):
    """A source of the record; `hash` is `sha256:` and the digest of the candidate."""

    kind: ProvenanceKindWord
    ref: Text
    hash: Text = ""
    created_by: Text = ""
    timestamp: Timestamp | None = None


class Provenance(Part):
    """The sources of a record.

    Every outcome adds a source; only the size limit of the record bounds their number.
    """

    sources: Annotated[tuple[ProvenanceSource, ...], Field(strict=False)]
    created_by: Text = ""


class Relation(Part):
    """An edge from a record to another record."""

    predicate: Annotated[str, Field(min_length=1, max_length=MAX_PREDICATE_CHARACTERS)]
    """Meaning of the edge, such as `derived_from`; 1 to 256 characters. Revisions make
    `supersedes`, `derived_from` and `contested_by`."""
    target_id: Text
    """Id of the other record, which the key must be able to see."""
    weight: Weight = 0.0
    """Strength of the edge, from 0 to 1. Absent or 0: 1."""
    created_at: Timestamp | None = None
    """When the edge was made. The server sets the time, and ignores the time in a request."""


class AuditEntry(Part):
    """A change of a record: who, when and why, chained to the previous entry.

    `actor` is the name that the caller states, `principal` the authenticated identity. If the
    change moved the salience, the entry has the values just before and just after. The `decay`
    entry of a pruned record has the salience at the anchor and at the time of pruning. `hash`
    covers `previous_hash`, so a changed or missing entry is detected. An erased entry keeps
    `text_hash` in place of the free text.
    """

    action: Annotated[AuditAction, Field(strict=False)]
    actor: str
    timestamp: Timestamp
    rationale: str
    principal: str
    previous_hash: str
    hash: str
    salt: str = ""
    text_hash: str = ""
    salience_before: Salience | None = None
    salience_after: Salience | None = None


class MemoryRecord(Part):
    """A typed memory. `salience` is the value at the instant of reading.

    A reply has only the newest audit entries; `audit_count` is the number of all entries.
    """

    id: Text
    type: MemoryTypeWord
    sensitivity: SensitivityWord
    confidence: Weight
    salience: Salience
    scope: str = ""
    tags: Texts = ()
    created_at: Timestamp
    updated_at: Timestamp
    lifecycle: Lifecycle
    provenance: Provenance
    relations: tuple[Relation, ...] = ()
    payload: Payload
    audit_log: tuple[AuditEntry, ...]
    audit_count: Annotated[int, Field(ge=0)] = 0


def as_json(part: Part, only: AbstractSet[str] | None = None) -> JsonObject:
    """The part as JSON of the API: fields that equal their default are left out."""
    return part.model_dump(
        mode="python",
        by_alias=True,
        exclude_defaults=True,
        include=None if only is None else set(only),
    )
