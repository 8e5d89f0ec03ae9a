"""Lifecycles as callers send them: policy, or the record itself, has what they leave open."""

from typing import Annotated, Any

from pydantic import Field

from membrane.domain.language.fields import DecayCurveWord, DeletionPolicyWord, Part, Salience, Text
from membrane.domain.language.requests import OPTIONAL, Asked
from membrane.domain.salience.lifecycle import MAX_AGE_S, MAX_HALF_LIFE_S

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
