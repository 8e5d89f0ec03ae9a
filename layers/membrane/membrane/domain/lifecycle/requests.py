"""Requests that change the lifecycle of one record, and the preview of decay for many records."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language import fields
from membrane.domain.language.requests import FromPath, FromQuery, Request, RequestPart
from membrane.domain.salience.lifecycle import MAX_HALF_LIFE_S, DecayChange

# Defaults that are models are made by factories: an instance would build its model at import.


class ChangeRequest(Request):
    """A change with an actor and a rationale for the audit trail."""

    actor: fields.Text | None = None
    """Name of the agent that asks for the change, as stated by the caller; the audit trail keeps
    the actor beside the authenticated principal. Absent or empty: the actor of the key."""
    rationale: fields.Text = ""
    """Reason for the change, kept in the audit trail."""


class RecordChange(ChangeRequest):
    """A change of one record."""

    id: FromPath[str]
    """Id of the record."""


class Reinforce(RecordChange):
    """Raise the salience of a useful record by its reinforcement gain.

    Salience rises to 1 at most; a salience above 1 comes down to 1.
    """


_AMOUNT = fields.not_negative("amount", "must be non-negative and finite")


class Penalize(RecordChange):
    """Lower the salience of a harmful or useless record by an amount."""

    amount: Annotated[float, _AMOUNT]
    """Salience to subtract from the salience of now; 0 or more. The result does not go below the
    floor `min_salience`."""


class Pin(RecordChange):
    """Keep the salience of a record as of now, and keep the record from being pruned."""


class Unpin(RecordChange):
    """Let the salience of a pinned record fade again, from now on."""


class ChangeLifecycle(RecordChange):
    """Change the decay profile or the deletion policy of a record."""

    decay: DecayChange = Field(default_factory=DecayChange)
    """Fields of the decay profile to change. The salience of now fades on under the new profile.
    Absent: unchanged; `decay` or `deletion_policy` is required."""
    deletion_policy: fields.DeletionPolicyWord | None = None
    """New deletion policy: `auto_prune` (sweep and callers may delete), `manual_only` (callers
    alone) or `never`. Absent: unchanged; `decay` or `deletion_policy` is required."""


class DeleteRecord(RecordChange):
    """Delete a record; with `erase` remove the content at once and for good."""

    erase: FromQuery[bool] = False
    """Remove the content, the history and the free text of the audit trail for good, also of a
    deleted record. Needs the permission `admin`. A query parameter."""


class RestoreRecord(RecordChange):
    """Restore a deleted record."""


MAX_INSTANTS = 24

_INSTANTS = Field(strict=False, min_length=1, max_length=MAX_INSTANTS, fail_fast=True)


class PreviewDecay(RequestPart):
    """Count the records that another decay policy would prune by given instants.

    A preview changes nothing.
    """

    trust: TrustInput = Field(default_factory=TrustInput)
    """Scopes and highest sensitivity of the records to count; unscoped records are always included.
    A key for all scopes, or with prefixes, must name scopes or a `user`; at most 50 scopes."""
    memory_types: Annotated[tuple[fields.MemoryTypeWord, ...], fields.LIST] = ()
    """Types of the records to count. Absent or empty: all types."""
    half_life_seconds: dict[
        fields.MemoryTypeWord, Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)]
    ] = {}
    """Assumed half-lives in seconds by memory type, 1 to 3,162,240,000 each. A record of an absent
    type keeps the half-life of its profile."""
    threshold: Annotated[float, Field(ge=fields.VANISHING, le=fields.MAX_SALIENCE)] | None = None
    """Assumed salience at which a record is pruned, above 0. Absent: the deployment's
    `PruneThreshold`."""
    deletion_policy: fields.DeletionPolicyWord | None = None
    """Assumed deletion policy of all records. Absent: the policy of each record."""
    instants: Annotated[tuple[fields.Timestamp, ...], _INSTANTS] | None = None
    """Instants by which to count, 1 to 24, in RFC 3339. Absent: 1, 7, 30 and 90 days from now."""
