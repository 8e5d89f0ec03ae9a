"""The lifecycle that the settings give a record, and what a request may say instead."""

from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.requests import validate
from membrane.domain.language.vocabulary import DecayCurve, MemoryType
from membrane.domain.salience.decay_defaults import (
    PolicyDefaults,
    changed_profile,
    implied_classes,
    lifecycle_for,
    reserved_classes,
)
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.lifecycle import DecayChange, DecayProfile, LifecycleInput
from tests.builders.records import (
    NOW_TEXT,
    printed,
)

STEPS = ((0.0, 1.0), (1.0, 0.5), (2.0, 0.0))


def asked(**fields: Any) -> LifecycleInput:
    return validate(LifecycleInput, fields)


def test_a_lifecycle_that_says_everything_is_kept_but_for_its_reinforcement() -> None:
    sent = asked(
        decay={
            "curve": "linear",
            "half_life_seconds": 60,
            "min_salience": 0.01,
            "max_age_seconds": 600,
            "reinforcement_gain": 0.0,
        },
        last_reinforced_at="2001-01-01T00:00:00Z",
        pinned=True,
        deletion_policy="manual_only",
    )

    lifecycle = lifecycle_for(MemoryType.SEMANTIC, sent, PolicyDefaults(), NOW_TEXT)

    assert lifecycle.model_dump() == {
        "decay": {
            "curve": "linear",
            "half_life_seconds": 60,
            "min_salience": 0.01,
            "max_age_seconds": 600,
            "reinforcement_gain": 0.0,
            "custom_curve": "",
        },
        "last_reinforced_at": NOW_TEXT,
        "pinned": True,
        "deletion_policy": "manual_only",
    }


def test_what_a_lifecycle_leaves_open_is_filled_by_policy() -> None:
    sent = asked(decay={"min_salience": 0.01})

    lifecycle = lifecycle_for(MemoryType.COMPETENCE, sent, PolicyDefaults(), NOW_TEXT)

    assert printed(lifecycle) == {
        "decay": {
            "curve": "exponential",
            "half_life_seconds": 2_592_000,
            "min_salience": 0.01,
            "reinforcement_gain": 0.2,
        },
        "last_reinforced_at": NOW_TEXT,
        "deletion_policy": "auto_prune",
    }


def test_a_lifecycle_may_name_a_curve_of_the_settings() -> None:
    sent = asked(decay={"curve": "custom", "custom_curve": "steps"})
    defaults = PolicyDefaults(custom_curves={"steps": STEPS})

    lifecycle = lifecycle_for(MemoryType.SEMANTIC, sent, defaults, NOW_TEXT)

    assert lifecycle.decay.curve == "custom"
    assert lifecycle.decay.custom_curve == "steps"


def test_another_curve_than_the_custom_default_is_asked_for_by_its_name_alone() -> None:
    sent = asked(decay={"curve": "exponential"})
    defaults = PolicyDefaults(
        decay_curve=DecayCurve.CUSTOM, custom_curve="steps", custom_curves={"steps": STEPS}
    )

    lifecycle = lifecycle_for(MemoryType.SEMANTIC, sent, defaults, NOW_TEXT)

    assert lifecycle.decay.curve == "exponential"
    assert not lifecycle.decay.custom_curve


@pytest.mark.parametrize(
    ("decay", "message"),
    [
        (
            {"curve": "custom", "custom_curve": "secret-name"},
            "decay.custom_curve names no curve of the settings (there are: slow, steps)",
        ),
        (
            {"curve": "custom"},
            "decay.custom_curve names no curve of the settings (there are: slow, steps)",
        ),
        (
            {"curve": "linear", "custom_curve": "steps"},
            "decay.custom_curve goes with the curve custom alone",
        ),
        ({"custom_curve": "steps"}, "decay.custom_curve goes with the curve custom alone"),
    ],
    ids=["unknown", "unnamed", "with another curve", "with the default curve"],
)
def test_a_curve_that_the_settings_do_not_have_is_refused(
    decay: dict[str, str], message: str
) -> None:
    defaults = PolicyDefaults(custom_curves={"steps": STEPS, "slow": STEPS})

    with pytest.raises(InvalidArgument) as caught:
        lifecycle_for(MemoryType.SEMANTIC, asked(decay=decay), defaults, NOW_TEXT)

    assert str(caught.value) == message


PROFILE = DecayProfile(
    curve=DecayCurve.EXPONENTIAL,
    half_life_seconds=3_600,
    min_salience=0.01,
    max_age_seconds=600,
    reinforcement_gain=0.2,
)
STEPPED = PROFILE.model_copy(update={"curve": DecayCurve.CUSTOM, "custom_curve": "steps"})


@pytest.mark.parametrize(
    ("profile", "asked_for", "different"),
    [
        (PROFILE, {}, {}),
        (PROFILE, {"half_life_seconds": None}, {}),
        (PROFILE, {"half_life_seconds": 60}, {"half_life_seconds": 60}),
        (PROFILE, {"min_salience": 0}, {"min_salience": 0.0}),
        (PROFILE, {"max_age_seconds": 0}, {"max_age_seconds": 0}),
        (PROFILE, {"reinforcement_gain": 0.0}, {"reinforcement_gain": 0.0}),
        (PROFILE, {"curve": "linear"}, {"curve": "linear"}),
        (
            PROFILE,
            {"curve": "custom", "custom_curve": "slow"},
            {"curve": "custom", "custom_curve": "slow"},
        ),
        (STEPPED, {"custom_curve": "slow"}, {"custom_curve": "slow"}),
        (STEPPED, {"curve": "custom"}, {}),
        (STEPPED, {"curve": "linear"}, {"curve": "linear", "custom_curve": ""}),
        (
            STEPPED,
            {"curve": "exponential", "custom_curve": ""},
            {"curve": "exponential", "custom_curve": ""},
        ),
        (STEPPED, {"half_life_seconds": 60}, {"half_life_seconds": 60}),
    ],
    ids=str,
)
def test_a_profile_is_changed_in_what_was_asked_for_alone(
    profile: DecayProfile, asked_for: dict[str, Any], different: dict[str, Any]
) -> None:
    defaults = PolicyDefaults(custom_curves={"steps": STEPS, "slow": STEPS})

    changed = changed_profile(profile, validate(DecayChange, asked_for), defaults)

    assert changed.model_dump() == profile.model_dump() | different


@pytest.mark.parametrize(
    ("profile", "asked_for", "message"),
    [
        (PROFILE, {"curve": "custom"}, "names no curve of the settings"),
        (PROFILE, {"curve": "custom", "custom_curve": "gone"}, "names no curve of the settings"),
        (PROFILE, {"custom_curve": "steps"}, "goes with the curve custom alone"),
        (STEPPED, {"custom_curve": "gone"}, "names no curve of the settings"),
        (STEPPED, {"custom_curve": ""}, "names no curve of the settings"),
        (
            STEPPED,
            {"curve": "linear", "custom_curve": "steps"},
            "goes with the curve custom alone",
        ),
    ],
    ids=str,
)
def test_a_profile_is_not_changed_to_a_curve_that_there_is_not(
    profile: DecayProfile, asked_for: dict[str, str], message: str
) -> None:
    defaults = PolicyDefaults(custom_curves={"steps": STEPS})

    with pytest.raises(InvalidArgument, match=message) as caught:
        changed_profile(profile, validate(DecayChange, asked_for), defaults)

    assert [each.field for each in caught.value.violations] == ["decay.custom_curve"]


def test_the_classes_of_the_settings_are_the_default_profile_and_its_pinned_form() -> None:
    defaults = PolicyDefaults()
    usual = lifecycle_for(MemoryType.WORKING, LifecycleInput(), defaults, NOW_TEXT)
    pinned = lifecycle_for(MemoryType.WORKING, asked(pinned=True), defaults, NOW_TEXT)

    classes = implied_classes(MemoryType.WORKING, defaults)

    assert classes == {decay_class(usual), decay_class(pinned)}


@pytest.mark.parametrize("message_half_life_s", [3_600, 60])
def test_messages_and_traces_have_classes_that_scopes_without_them_do_not_have(
    message_half_life_s: int,
) -> None:
    defaults = PolicyDefaults(message_half_life_s=message_half_life_s)

    said = f"exponential:{message_half_life_s}:0:0"
    assert implied_classes(MemoryType.EPISODIC, defaults) == {"exponential:3600:0:0", "pinned"}
    traces = f"exponential:{message_half_life_s}:0:{90 * 86_400}"
    assert reserved_classes(MemoryType.EPISODIC, defaults) == {said, traces}
    assert not reserved_classes(MemoryType.SEMANTIC, defaults)
