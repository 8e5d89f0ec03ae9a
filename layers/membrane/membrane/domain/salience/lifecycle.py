"""The lifecycle that a record carries, and lifecycles as callers send them.

Policy, or the record itself, has what callers leave open.
"""

from typing import Annotated, Any

from pydantic import Field

from membrane.domain.language.fields import (
    DecayCurveWord,
    DeletionPolicyWord,
    Part,
    Salience,
    Text,
    Timestamp,
)
from membrane.domain.language.requests import OPTIONAL, Asked

MAX_HALF_LIFE_S = 100 * 366 * 86_400
MAX_AGE_S = 1_000 * 366 * 86_400


class DecayProfile(Part):
    """How salience fades; `half_life_seconds` and `max_age_seconds` (0 = none) in seconds."""

    curve: DecayCurveWord
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)]
    min_salience: Salience = 0.0
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] = 0
    reinforcement_gain: Salience
    custom_curve: Text = ""
    """Which curve of the settings, where `curve` is `custom`."""


class Lifecycle(Part):
    """Decay, reinforcement and deletion of one record."""

    decay: DecayProfile
    last_reinforced_at: Timestamp
    pinned: bool = False
    deletion_policy: DeletionPolicyWord


# Defaults that are models are made by factories: an instance would build its model at import.


class DecayInput(Part):
    """A decay profile of which policy fills what is absent."""

    curve: Annotated[DecayCurveWord | None, OPTIONAL] = None
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)] | None = None
    min_salience: Salience = 0.0
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] = 0
    reinforcement_gain: Salience | None = None
    custom_curve: Text = ""


class LifecycleInput(Part):
    """A lifecycle of which policy fills what is absent; the server sets when it was reinforced."""

    decay: DecayInput = Field(default_factory=DecayInput)
    last_reinforced_at: Any = None
    pinned: bool = False
    deletion_policy: Annotated[DeletionPolicyWord | None, OPTIONAL] = None


class DecayChange(Asked):
    """Of a decay profile what is to be another; what is left out stays."""

    curve: DecayCurveWord | None = None
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)] | None = None
    min_salience: Salience | None = None
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] | None = None
    reinforcement_gain: Salience | None = None
    custom_curve: Text | None = None
