"""The request of a decay preview."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import (
    LIST,
    MAX_SALIENCE,
    VANISHING,
    DeletionPolicyWord,
    MemoryTypeWord,
    Timestamp,
)
from membrane.domain.language.requests import Asked
from membrane.domain.salience.lifecycle import MAX_HALF_LIFE_S

MAX_INSTANTS = 24
"""Of one preview."""

_INSTANTS = Field(strict=False, min_length=1, max_length=MAX_INSTANTS, fail_fast=True)


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
