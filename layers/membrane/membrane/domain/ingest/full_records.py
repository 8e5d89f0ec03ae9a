"""Full records with their privileged fields, batches of requests, and uploads of values."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from membrane.domain.access.trust import above_ordinary
from membrane.domain.ingest.policy import privileged_in
from membrane.domain.language.fields import (
    LIST,
    MemoryTypeWord,
    Part,
    ProvenanceKindWord,
    RecordId,
    Salience,
    SensitivityWord,
    Tags,
    Text,
    Timestamp,
    Weight,
)
from membrane.domain.language.requests import OptionalScope, Request
from membrane.domain.records.payloads import Payload
from membrane.domain.records.records import MADE_BY_REVISIONS_ALONE, Relation
from membrane.domain.salience.lifecycle import LifecycleInput

# Defaults that are models are made by factories: an instance would build its model at import.


MAX_ITEMS = 100
"""Requests in one batch (design 4.1)."""

MAX_RELATIONS = 30
"""A record and its edges are one transaction of at most 100 actions, three to a relation."""


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


def _sendable(relations: Any) -> Any:
    """Those that a caller may give; a record that was returned has as many more as it got."""
    if not isinstance(relations, (list, tuple)):
        return relations
    return [
        each
        for each in relations
        if not (isinstance(each, dict) and each.get("predicate") in MADE_BY_REVISIONS_ALONE)
    ]


class RecordInput(Part):
    """A full record as a caller sends it, or as this service returned it.

    What the server owns (`audit_log`, `audit_count`, `created_at`, `updated_at`,
    `last_reinforced_at`, hashes, relations that revisions alone make) may stand in it and is
    ignored.
    """

    id: RecordId | None = None
    type: MemoryTypeWord
    sensitivity: SensitivityWord
    confidence: Weight = 1.0
    salience: Salience = 1.0
    scope: OptionalScope = None
    tags: Tags = ()
    lifecycle: LifecycleInput = Field(default_factory=LifecycleInput)
    provenance: ProvenanceInput = Field(default_factory=ProvenanceInput)
    relations: Annotated[
        tuple[Relation, ...],
        Field(strict=False, max_length=MAX_RELATIONS, fail_fast=True),
        BeforeValidator(_sendable),
    ] = ()
    payload: Payload
    created_at: Any = None
    updated_at: Any = None
    audit_log: Any = None
    audit_count: Any = None


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


def privileged_fields(given: RecordInput) -> Iterator[str]:
    """The salience and, of the lifecycle, what `privileged_in` names."""
    yield from above_ordinary("salience", given.salience)
    yield from privileged_in(given.lifecycle)
