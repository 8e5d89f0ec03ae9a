"""What is only looked at."""

from typing import Annotated, Literal

from pydantic import Field

from membrane.domain.language.fields import (
    LIST,
    MAX_SALIENCE,
    VANISHING,
    DeletionPolicyWord,
    MemoryTypeWord,
    Part,
    Text,
    Timestamp,
)
from membrane.domain.language.requests import (
    OPTIONAL,
    Asked,
    OptionalSensitivity,
    OptionalTimestamp,
)
from membrane.domain.records.records import MAX_HALF_LIFE_S

# Defaults that are models are made by factories: an instance would build its model at import.


MAX_INSTANTS = 24
"""Of one preview."""

_INSTANTS = Field(strict=False, min_length=1, max_length=MAX_INSTANTS, fail_fast=True)


class TrustInput(Part):
    """What a read asks to see; it can only narrow what the principal may see.

    Who asks is known from the key: `authenticated` and `actor_id` are taken and not looked at.
    """

    max_sensitivity: OptionalSensitivity = None
    scopes: Annotated[tuple[str, ...], LIST] = ()
    authenticated: bool | None = None
    actor_id: Text | None = None


class RetrieveById(Part):
    """One record, as it is or as it was; or the newest of those that replaced it."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    as_of: OptionalTimestamp = None
    resolve: Annotated[Literal["latest"] | None, OPTIONAL] = None


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


class GetMetrics(Asked):
    """What there is, counted; `trust` names the scopes."""

    trust: TrustInput = Field(default_factory=TrustInput)
