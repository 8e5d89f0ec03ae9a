"""The atomic unit of memory and its parts (seed 002; spec 1.2 to 1.6)."""

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
"""What a caller sends of them is not its own to say."""

MAX_PREDICATE_CHARACTERS = 256


class ProvenanceSource(Part):
    """Something that the record was made from; `hash` is `sha256:` and the candidate's digest."""

    kind: ProvenanceKindWord
    ref: Text
    hash: Text = ""
    created_by: Text = ""
    timestamp: Timestamp | None = None


class Provenance(Part):
    """Where a record comes from; every outcome adds a source, so only its size ends the list."""

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
    """Who did what to a record, when and why, chained to the entry before it.

    `actor` is what the caller claims, `principal` who was authenticated. The entry of what moved
    the salience has it as of just before and just after; that of a record that was pruned has what
    it decayed from, at its anchor, and to. `membrane.domain.records.audit` explains the chain.
    An erased entry keeps `text_hash` in place of its free text.
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
    """One typed memory. `salience` is its value at the instant the record was read.

    A reply has the newest audit entries only, and their whole number in `audit_count`.
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
    """The part as the contract prints it: what is empty and optional is left out (spec 1.1)."""
    return part.model_dump(
        mode="python",
        by_alias=True,
        exclude_defaults=True,
        include=None if only is None else set(only),
    )
