"""The lifecycle of a record, and the lifecycles that requests ask for.

Requests may leave fields out; the deployment's policy, or the record itself, has the missing
values.
"""

from typing import Annotated, Any

from pydantic import Field

from membrane.domain.language import fields
from membrane.domain.language.requests import OPTIONAL, RequestPart

MAX_HALF_LIFE_S = 100 * 366 * 86_400
MAX_AGE_S = 1_000 * 366 * 86_400


class DecayProfile(fields.Part):
    """How the salience of a record fades."""

    curve: fields.DecayCurveWord
    """Shape of the curve: `exponential`, `linear` or `custom`."""
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)]
    """Seconds in which an exponential curve halves salience. A linear curve reaches 0 after two
    half-lives. The points of a custom curve are given in half-lives."""
    min_salience: fields.Salience = 0.0
    """The floor: decay does not go below this salience."""
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] = 0
    """Age in seconds from which salience is 0; 0 = no maximum age."""
    reinforcement_gain: fields.Salience
    """Salience that one reinforcement adds."""
    custom_curve: fields.Text = ""
    """Name of the curve in the deployment's `CustomCurves`, where `curve` is `custom`."""


class Lifecycle(fields.Part):
    """Decay, reinforcement and deletion of a record."""

    decay: DecayProfile
    """How salience fades."""
    last_reinforced_at: fields.Timestamp
    """When the record was last reinforced; at first, when the record was made."""
    pinned: bool = False
    """Whether salience stays constant and no sweep prunes the record."""
    deletion_policy: fields.DeletionPolicyWord
    """Who may delete the record: the sweep and callers (`auto_prune`), callers alone
    (`manual_only`), or nobody (`never`). An erase works under every policy."""


# Defaults that are models are made by factories: an instance would build its model at import.


class DecayInput(fields.Part):
    """A decay profile as a request states the profile; policy fills absent fields."""

    curve: Annotated[fields.DecayCurveWord | None, OPTIONAL] = None
    """Shape of the curve: `exponential`, `linear` or `custom`. Absent or empty: the deployment's
    `DecayCurve`."""
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)] | None = None
    """Half-life in seconds, 1 to 3,162,240,000 (100 years). An exponential curve halves salience in
    a half-life, a linear curve reaches 0 after two. Absent: the deployment's half-life for the
    record type, or for messages."""
    min_salience: fields.Salience = 0.0
    """The floor: decay does not go below this salience. 0 or more; a floor above 1 needs the
    permission `revise`."""
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] = 0
    """Age in seconds from which salience is 0 and the record may be pruned, at most 31,622,400,000
    (1,000 years). 0 = no maximum age."""
    reinforcement_gain: fields.Salience | None = None
    """Salience that one reinforcement adds, 0 or more; a gain above 1 needs the permission
    `revise`. Absent: the deployment's `ReinforcementGain`."""
    custom_curve: fields.Text = ""
    """Name of a curve in the deployment's `CustomCurves`; only with the `curve` `custom`. Absent:
    the deployment's `CustomCurve`, if `curve` is absent too."""


class LifecycleInput(fields.Part):
    """A lifecycle as a request states the lifecycle; policy fills absent fields."""

    decay: DecayInput = Field(default_factory=DecayInput)
    """How salience fades. Absent: the deployment's decay profile for the record type, or for
    messages."""
    last_reinforced_at: Any = None
    """Accepted and ignored: the server sets the time."""
    pinned: bool = False
    """Keep salience constant and keep the record from being pruned. `true` needs the permission
    `revise`."""
    deletion_policy: Annotated[fields.DeletionPolicyWord | None, OPTIONAL] = None
    """Who may delete the record: the sweep and callers (`auto_prune`), callers alone
    (`manual_only`), or nobody (`never`, which needs the permission `revise`). An erase works under
    every policy. Absent or empty: the deployment's `DefaultDeletionPolicy`."""


class DecayChange(RequestPart):
    """A change of a decay profile; absent fields stay."""

    curve: fields.DecayCurveWord | None = None
    """New shape: `exponential`, `linear` or `custom`. Absent: unchanged."""
    half_life_seconds: Annotated[int, Field(ge=1, le=MAX_HALF_LIFE_S)] | None = None
    """New half-life in seconds, 1 to 3,162,240,000 (100 years). Absent: unchanged."""
    min_salience: fields.Salience | None = None
    """New floor of the salience, 0 or more. Absent: unchanged."""
    max_age_seconds: Annotated[int, Field(ge=0, le=MAX_AGE_S)] | None = None
    """New age in seconds from which salience is 0, at most 31,622,400,000 (1,000 years); 0 = no
    maximum age. Absent: unchanged."""
    reinforcement_gain: fields.Salience | None = None
    """New salience that one reinforcement adds, 0 or more. Absent: unchanged."""
    custom_curve: fields.Text | None = None
    """Name of a curve in the deployment's `CustomCurves`; only with the `curve` `custom`. Absent:
    unchanged, or none where `curve` becomes `exponential` or `linear`."""
