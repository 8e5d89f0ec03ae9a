"""The default half-life, decay profile and lifecycle of each memory type, from the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from membrane.domain.language import vocabulary
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.names import folded_name
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.salience import function, lifecycle

EVERY_OTHER = "*"
"""The key in `conflicts` for all predicates that are not listed."""


@dataclass(frozen=True, slots=True)
class PolicyDefaults:
    """The settings of an operator; half-lives in seconds."""

    sensitivity: vocabulary.Sensitivity = vocabulary.Sensitivity.LOW
    episodic_half_life_s: int = 3_600
    semantic_half_life_s: int = 2_592_000
    working_half_life_s: int = 86_400
    message_half_life_s: int = 2_592_000
    """The half-life of episodes made from messages, and of traces."""
    trace_max_age_s: int = 90 * 86_400
    """The age at which a trace ends that no skill was learned from."""
    initial_salience: float = 1.0
    deletion_policy: vocabulary.DeletionPolicy = vocabulary.DeletionPolicy.AUTO_PRUNE
    reinforcement_gain: float = 0.2
    prune_threshold: float = function.PRUNE_THRESHOLD
    decay_curve: vocabulary.DecayCurve = vocabulary.DecayCurve.EXPONENTIAL
    custom_curve: str = ""
    custom_curves: Mapping[str, function.CurvePoints] = field(default_factory=dict)
    conflicts: Mapping[str, vocabulary.ConflictPolicy] = field(default_factory=dict)
    """Conflict policies by folded predicate; EVERY_OTHER is the default."""

    def half_life_s(self, memory_type: vocabulary.MemoryType) -> int:
        """The half-life of a type; competence, plan graphs and entities fade like facts."""
        match memory_type:
            case vocabulary.MemoryType.EPISODIC:
                return self.episodic_half_life_s
            case vocabulary.MemoryType.WORKING:
                return self.working_half_life_s
            case (
                vocabulary.MemoryType.SEMANTIC
                | vocabulary.MemoryType.COMPETENCE
                | vocabulary.MemoryType.PLAN_GRAPH
                | vocabulary.MemoryType.ENTITY
            ):
                return self.semantic_half_life_s

    def conflict_policy(self, predicate: str) -> vocabulary.ConflictPolicy:
        """The conflict policy for a predicate, if the request has none."""
        default = self.conflicts.get(EVERY_OTHER, vocabulary.ConflictPolicy.KEEP)
        return self.conflicts.get(folded_name(predicate), default)


def lifecycle_for(
    memory_type: vocabulary.MemoryType,
    requested: lifecycle.LifecycleInput,
    defaults: PolicyDefaults,
    now: str,
    half_life_s: int | None = None,
) -> lifecycle.Lifecycle:
    """The requested lifecycle, completed by the defaults for the type.

    `half_life_s` overrides the default half-life of the type. Raises InvalidArgument for a custom
    curve missing from the settings, and for a curve name without the curve `custom`.
    """
    decay = requested.decay
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
    return lifecycle.Lifecycle(
        decay=profile,
        last_reinforced_at=now,
        pinned=requested.pinned,
        deletion_policy=requested.deletion_policy or defaults.deletion_policy,
    )


def changed_profile(
    profile: lifecycle.DecayProfile, requested: lifecycle.DecayChange, defaults: PolicyDefaults
) -> lifecycle.DecayProfile:
    """The profile with the requested changes; raises InvalidArgument as `lifecycle_for` does."""
    changes = {name: getattr(requested, name) for name in requested.model_fields_set}
    if requested.curve is not None and requested.curve is not vocabulary.DecayCurve.CUSTOM:
        changes.setdefault("custom_curve", "")
    changed = profile.model_copy(update=changes)
    _require_curve(changed.curve, changed.custom_curve, defaults, "decay.custom_curve")
    return changed


def _require_curve(
    curve: vocabulary.DecayCurve, custom_curve: str, defaults: PolicyDefaults, field: str
) -> None:
    """Raises InvalidArgument at `field`, the place of the curve's name in the request."""
    if curve is vocabulary.DecayCurve.CUSTOM:
        try:
            function.curve_points(custom_curve, defaults.custom_curves)
        except InvalidArgument as error:
            raise error.at(field) from None
    elif custom_curve:
        raise InvalidArgument("decay.custom_curve goes with the curve custom alone").at(field)


_profile = lru_cache(maxsize=256)(lifecycle.DecayProfile)
"""A cache, so records that fade alike share a profile and its validation."""


@cache
def empty_lifecycle_input() -> lifecycle.LifecycleInput:
    """An empty request; made without validation, whose setup adds 2 ms to a cold start."""
    return lifecycle.LifecycleInput.model_construct(decay=lifecycle.DecayInput.model_construct())


def default_profile(
    memory_type: vocabulary.MemoryType, defaults: PolicyDefaults
) -> lifecycle.DecayProfile:
    return lifecycle_for(memory_type, empty_lifecycle_input(), defaults, NOT_GIVEN).decay


def implied_classes(memory_type: vocabulary.MemoryType, defaults: PolicyDefaults) -> frozenset[str]:
    """The decay classes of the settings, pinned and unpinned, which need no registration."""
    default = lifecycle_for(memory_type, empty_lifecycle_input(), defaults, NOT_GIVEN)
    pinned = default.model_copy(update={"pinned": True})
    return frozenset({function.decay_class(default), function.decay_class(pinned)})


def reserved_classes(
    memory_type: vocabulary.MemoryType, defaults: PolicyDefaults
) -> frozenset[str]:
    """For episodes, the decay classes of messages and traces, which scopes register."""
    if memory_type is not vocabulary.MemoryType.EPISODIC:
        return frozenset()
    half_life_s = defaults.message_half_life_s
    messages = lifecycle_for(memory_type, empty_lifecycle_input(), defaults, NOT_GIVEN, half_life_s)
    traces = lifecycle_of_trace(defaults, NOT_GIVEN)
    return frozenset({function.decay_class(messages), function.decay_class(traces)})


def lifecycle_of_trace(defaults: PolicyDefaults, now: str) -> lifecycle.Lifecycle:
    """The lifecycle of a new trace: fades like a message, and ends at a maximum age."""
    decay = lifecycle.DecayInput.model_construct(max_age_seconds=defaults.trace_max_age_s)
    asked = lifecycle.LifecycleInput.model_construct(decay=decay)
    half_life_s = defaults.message_half_life_s
    return lifecycle_for(vocabulary.MemoryType.EPISODIC, asked, defaults, now, half_life_s)
