"""The lifecycle that a record carries: its decay profile, pin and deletion policy."""

from typing import Annotated

from pydantic import Field

from membrane.domain.language.fields import (
    DecayCurveWord,
    DeletionPolicyWord,
    Part,
    Salience,
    Text,
    Timestamp,
)

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
