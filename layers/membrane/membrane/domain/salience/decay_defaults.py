"""Half-life, decay profile and lifecycle that the settings give a record of each type."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import (
    ConflictPolicy,
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    Sensitivity,
)
from membrane.domain.salience.function import (
    PRUNE_THRESHOLD,
    CurvePoints,
    curve_points,
    decay_class,
)
from membrane.domain.salience.lifecycle import (
    DecayChange,
    DecayInput,
    DecayProfile,
    Lifecycle,
    LifecycleInput,
)

EVERY_OTHER = "*"
"""Stands for the predicates that have no conflict policy of their own."""


@dataclass(frozen=True, slots=True)
class PolicyDefaults:
    """What an operator may set; half-lives in seconds (seed 000, "Decay Half-Lives")."""

    sensitivity: Sensitivity = Sensitivity.LOW
    episodic_half_life_s: int = 3_600
    semantic_half_life_s: int = 2_592_000
    working_half_life_s: int = 86_400
    message_half_life_s: int = 2_592_000
    """Of episodes that are messages."""
    initial_salience: float = 1.0
    deletion_policy: DeletionPolicy = DeletionPolicy.AUTO_PRUNE
    reinforcement_gain: float = 0.2
    prune_threshold: float = PRUNE_THRESHOLD
    decay_curve: DecayCurve = DecayCurve.EXPONENTIAL
    custom_curve: str = ""
    custom_curves: Mapping[str, CurvePoints] = field(default_factory=dict)
    conflicts: Mapping[str, ConflictPolicy] = field(default_factory=dict)
    """By predicate."""

    def half_life_s(self, memory_type: MemoryType) -> int:
        """Competence, plan graphs and entities fade like facts."""
        match memory_type:
            case MemoryType.EPISODIC:
                return self.episodic_half_life_s
            case MemoryType.WORKING:
                return self.working_half_life_s
            case (
                MemoryType.SEMANTIC
                | MemoryType.COMPETENCE
                | MemoryType.PLAN_GRAPH
                | MemoryType.ENTITY
            ):
                return self.semantic_half_life_s

    def conflict_policy(self, predicate: str) -> ConflictPolicy:
        """What becomes of conflicting facts of that predicate where a request does not say."""
        usual = self.conflicts.get(EVERY_OTHER, ConflictPolicy.KEEP)
        return self.conflicts.get(predicate, usual)


def lifecycle_for(
    memory_type: MemoryType,
    asked: LifecycleInput,
    defaults: PolicyDefaults,
    now: str,
    half_life_s: int | None = None,
) -> Lifecycle:
    """The lifecycle asked for, with what it leaves open filled by the defaults for the type.

    `half_life_s` is the default of records that have another one than their type.
    Raises InvalidArgument for a custom curve that the settings do not have, and for a curve name
    without the custom curve.
    """
    decay = asked.decay
    curve = decay.curve or defaults.decay_curve
    gain = decay.reinforcement_gain
    custom_curve = decay.custom_curve or (defaults.custom_curve if decay.curve is None else "")
    _require_curve(curve, custom_curve, defaults, "lifecycle.decay.custom_curve")
    profile = _profile(
        curve=curve,
        half_life_seconds=decay.half_life_seconds
        or half_life_s
        or defaults.half_life_s(memory_type),
        min_salience=decay.min_salience,
        max_age_seconds=decay.max_age_seconds,
        reinforcement_gain=defaults.reinforcement_gain if gain is None else gain,
        custom_curve=custom_curve,
    )
    return Lifecycle(
        decay=profile,
        last_reinforced_at=now,
        pinned=asked.pinned,
        deletion_policy=asked.deletion_policy or defaults.deletion_policy,
    )


def changed_profile(
    profile: DecayProfile, asked: DecayChange, defaults: PolicyDefaults
) -> DecayProfile:
    """The profile with the changes asked for; raises InvalidArgument as `lifecycle_for` does."""
    given = {name: getattr(asked, name) for name in asked.model_fields_set}
    if asked.curve is not None and asked.curve is not DecayCurve.CUSTOM:
        given.setdefault("custom_curve", "")
    changed = profile.model_copy(update=given)
    _require_curve(changed.curve, changed.custom_curve, defaults, "decay.custom_curve")
    return changed


def _require_curve(
    curve: DecayCurve, custom_curve: str, defaults: PolicyDefaults, field: str
) -> None:
    """`field` is where the request names the curve."""
    if curve is DecayCurve.CUSTOM:
        try:
            curve_points(custom_curve, defaults.custom_curves)
        except InvalidArgument as error:
            raise error.at(field) from None
    elif custom_curve:
        raise InvalidArgument("decay.custom_curve goes with the curve custom alone").at(field)


_profile = lru_cache(maxsize=256)(DecayProfile)
"""Records that fade alike share their profile; making one checks it."""


@cache
def empty_lifecycle_input() -> LifecycleInput:
    """Constructed without validation, since building a validator takes 2 ms of a cold start."""
    return LifecycleInput.model_construct(decay=DecayInput.model_construct())


def default_profile(memory_type: MemoryType, defaults: PolicyDefaults) -> DecayProfile:
    return lifecycle_for(memory_type, empty_lifecycle_input(), defaults, NOT_GIVEN).decay


def implied_classes(memory_type: MemoryType, defaults: PolicyDefaults) -> frozenset[str]:
    """The decay classes that follow from the settings and need no registration (design 7)."""
    usual = lifecycle_for(memory_type, empty_lifecycle_input(), defaults, NOT_GIVEN)
    pinned = usual.model_copy(update={"pinned": True})
    return frozenset({decay_class(usual), decay_class(pinned)})


def reserved_classes(memory_type: MemoryType, defaults: PolicyDefaults) -> frozenset[str]:
    """Classes of the settings that a scope registers once it uses them: that of messages."""
    if memory_type is not MemoryType.EPISODIC:
        return frozenset()
    half_life_s = defaults.message_half_life_s
    said = lifecycle_for(memory_type, empty_lifecycle_input(), defaults, NOT_GIVEN, half_life_s)
    return frozenset({decay_class(said)})
