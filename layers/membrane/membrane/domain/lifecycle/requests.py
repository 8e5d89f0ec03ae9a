"""Requests to change one record's life, and to preview the decay of many."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import (
    LIST,
    MAX_SALIENCE,
    VANISHING,
    DeletionPolicyWord,
    MemoryTypeWord,
    Text,
    Timestamp,
    not_negative,
)
from membrane.domain.language.requests import Asked, Request
from membrane.domain.salience.lifecycle import MAX_HALF_LIFE_S, DecayChange

# Defaults that are models are made by factories: an instance would build its model at import.


class Reasoned(Request):
    """What is done for a reason; `actor` is a claim, by default the principal's own name."""

    actor: Text | None = None
    rationale: Text = ""


class RecordChange(Reasoned):
    """A change of one record."""

    id: str


class Reinforce(RecordChange):
    """The record proved useful: its salience rises by its reinforcement gain."""


_AMOUNT = not_negative("amount", "must be non-negative and finite")


class Penalize(RecordChange):
    """The record did harm or no good: its salience falls by `amount`."""

    amount: Annotated[float, _AMOUNT]


class Pin(RecordChange):
    """Keep the record's salience as it is now."""


class Unpin(RecordChange):
    """Let the record fade again, from now on."""


class ChangeLifecycle(RecordChange):
    """Another decay profile, deletion policy, or both."""

    decay: DecayChange = Field(default_factory=DecayChange)
    deletion_policy: DeletionPolicyWord | None = None


class DeleteRecord(RecordChange):
    """Delete one record; `erase` removes what it says for good, also of one that is deleted."""

    erase: bool = False


class RestoreRecord(RecordChange):
    """Bring a deleted record back."""


MAX_INSTANTS = 24

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
