"""Requests with full records, batches of requests, and uploads."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from membrane.domain.access.principals import above_ordinary
from membrane.domain.ingest.policy import privileged_in
from membrane.domain.language import fields
from membrane.domain.language.requests import OptionalScope, Request
from membrane.domain.records.payloads import Payload
from membrane.domain.records.records import MADE_BY_REVISIONS_ALONE, Relation
from membrane.domain.salience.lifecycle import LifecycleInput

# Defaults that are models are made by factories: an instance would build its model at import.


MAX_ITEMS = 100
"""Requests in one batch."""

MAX_RELATIONS = 30
"""Relations of one record. A record and its relations are written in one transaction of at most 100
actions, three for a relation."""


class SourceInput(fields.Part):
    """A source of a record, as a caller states the source."""

    kind: fields.ProvenanceKindWord
    """Kind of the source: `event`, `artifact`, `tool_call`, `observation` or `outcome`."""
    ref: fields.Text
    """Identifier of the source in the system of its origin."""
    hash: Any = None
    """Accepted and ignored: the server computes the hash."""
    created_by: fields.Text = ""
    """Who or what made the source."""
    timestamp: fields.Timestamp | None = None
    """When the source was made, in RFC 3339. Absent: unknown."""


class ProvenanceInput(fields.Part):
    """The origin of a record, as a caller states the origin."""

    sources: Annotated[tuple[SourceInput, ...], fields.LIST] = ()
    """The events, artifacts, tool calls, observations and outcomes that the record was made from.
    """
    created_by: fields.Text = ""
    """Who or what made the record. Absent: `ingestion-service`."""


def _without_server_relations(relations: Any) -> Any:
    """The relations without those that only revisions make.

    A record that a reply showed may be sent again, and has such relations.
    """
    if not isinstance(relations, (list, tuple)):
        return relations
    return [
        each
        for each in relations
        if not (isinstance(each, dict) and each.get("predicate") in MADE_BY_REVISIONS_ALONE)
    ]


class RecordInput(fields.Part):
    """A full record, as a caller writes the record or as a reply shows the record.

    Fields that the server sets (`interpretation`, `audit_log`, `audit_count`, `created_at`,
    `updated_at`, `last_reinforced_at`, `usefulness`, hashes, relations that only revisions make)
    are accepted and ignored.
    """

    id: fields.RecordId | None = None
    """Id of the new record: 1 to 128 of the characters `A-Z a-z 0-9 . _ : -`. An id in use is
    refused with 409, a UUID of version 8 with 400. Absent: the server makes an id."""
    type: fields.MemoryTypeWord
    """Type of the record. Must equal `kind` of the payload."""
    sensitivity: fields.SensitivityWord
    """Sensitivity of the record, at most the highest sensitivity of the key. A record made by a
    revision gets at least the sensitivity of every source, unless the key has `admin`."""
    confidence: fields.Weight = 1.0
    """How certain the content is, from 0 to 1."""
    salience: fields.Salience = 1.0
    """Salience of the new record now, 0 or more. A salience above 1 needs the permission `revise`.
    """
    scope: OptionalScope = None
    """Scope of the record, at most 256 bytes of UTF-8. Absent or empty: the first scope of the key
    that is no prefix, unscoped under a key for all scopes. A record made by a revision is in the
    scope of the sources; only `admin` may choose another scope."""
    tags: fields.Tags = ()
    """Labels to filter by: at most 100, of at most 256 characters. Repeats are dropped."""
    lifecycle: LifecycleInput = Field(default_factory=LifecycleInput)
    """How the record fades and whether a sweep may prune the record. Absent fields get the
    deployment's defaults for the type."""
    provenance: ProvenanceInput = Field(default_factory=ProvenanceInput)
    """Where the record comes from."""
    relations: Annotated[
        tuple[Relation, ...],
        Field(strict=False, max_length=MAX_RELATIONS, fail_fast=True),
        BeforeValidator(_without_server_relations),
    ] = ()
    """Edges to other records, at most 30, without repeats. `supersedes` and `contested_by` are
    ignored: only revisions make them."""
    payload: Payload
    """The content, of the kind that `type` names."""
    interpretation: Any = None
    """Accepted and ignored: only captures and traces have an interpretation."""
    created_at: Any = None
    """Accepted and ignored: the server sets the time."""
    updated_at: Any = None
    """Accepted and ignored: the server sets the time."""
    audit_log: Any = None
    """Accepted and ignored: a new record begins a new audit trail."""
    audit_count: Any = None
    """Accepted and ignored: a new record begins a new audit trail."""
    usefulness: Any = None
    """Accepted and ignored: outcomes alone give a record credit."""


class OpenUpload(Request):
    """Open an upload for a value that is too large for a request."""

    size: Annotated[int, Field(ge=1)]
    """Bytes of the JSON text to upload, 1 to 10,485,760."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the JSON text, as 64 lower-case hexadecimal digits."""
    scope: OptionalScope = None
    """Scope that the value belongs to, for the erasure of the scope; a record of any scope may
    claim the upload. Absent or empty: the first scope of the key that is no prefix, unscoped
    without such a scope."""


class IngestRecord(Request):
    """Record a full record of any type."""

    record: RecordInput
    """The record. The body may also be the record itself, without this envelope."""


class IngestBatch(Request):
    """Perform up to 100 ingest requests, each taken or refused alone."""

    items: Annotated[tuple[Any, ...], Field(strict=False, max_length=MAX_ITEMS)]
    """Ingest requests, at most 100, each with the name of the operation in `rpc`, such as `"rpc":
    "IngestEvent"`. Where the batch has an idempotency key, an item without a key gets a key made
    from the key of the batch and the content of the item."""


def privileged_fields(given: RecordInput) -> Iterator[str]:
    """The fields of the record that need the permission `revise`, by the names in the refusal."""
    yield from above_ordinary("salience", given.salience)
    yield from privileged_in(given.lifecycle)
