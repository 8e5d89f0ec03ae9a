"""Settings from environment variables: what each does, and that a wrong one is named."""

import json
from datetime import timedelta
from operator import attrgetter
from typing import Any

import pytest

from membrane.domain.access.principals import Principal
from membrane.domain.language.vocabulary import ConflictPolicy, Permission, Sensitivity
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ports.services import SourcePrincipals
from membrane.wiring.environment import SettingError
from membrane.wiring.settings import read_settings

LEAST = {"MEMBRANE_TABLE": "memory", "MEMBRANE_BUCKET": "blobs"}
PRINCIPAL = {
    "actor_id": "bus",
    "permissions": ["ingest"],
    "scopes": ["events"],
    "max_sensitivity": "low",
}
CURVE = "[[0, 1], [1, 0.5], [2, 0]]"
HALF_LIVES = [
    "MEMBRANE_EPISODIC_HALF_LIFE_SECONDS",
    "MEMBRANE_SEMANTIC_HALF_LIFE_SECONDS",
    "MEMBRANE_WORKING_HALF_LIFE_SECONDS",
    "MEMBRANE_MESSAGE_HALF_LIFE_SECONDS",
]
SALIENCES = [
    "MEMBRANE_DEFAULT_INITIAL_SALIENCE",
    "MEMBRANE_REINFORCEMENT_GAIN",
    "MEMBRANE_PRUNE_THRESHOLD",
]
SHARDS = ["MEMBRANE_RANK_SHARDS", "MEMBRANE_DUE_SHARDS"]
DAYS = ["MEMBRANE_RESTORE_DAYS", "MEMBRANE_TOMBSTONE_DAYS"]
LEARNING = [
    "MEMBRANE_TRACE_DAYS",
    "MEMBRANE_THREAD_QUIET_MINUTES",
    "MEMBRANE_STEP_HALF_LIFE_PERCENT",
]
PRINCIPALS = [
    "MEMBRANE_BUS_PRINCIPAL",
    "MEMBRANE_QUEUE_PRINCIPAL",
    "MEMBRANE_DIRECT_PRINCIPAL",
    "MEMBRANE_IMPORT_PRINCIPAL",
]


def complaint(**variables: str) -> str:
    """What is said of an environment that cannot be used."""
    with pytest.raises(SettingError) as caught:
        read_settings(LEAST | variables)
    return str(caught.value)


def a_principal(**fields: Any) -> str:
    return json.dumps(PRINCIPAL | fields)


def test_table_and_bucket_are_all_that_must_be_set() -> None:
    settings = read_settings(LEAST)

    assert (settings.table, settings.bucket) == ("memory", "blobs")


def test_what_is_not_set_is_as_the_policy_has_it() -> None:
    settings = read_settings(LEAST)

    assert settings.policy == PolicyDefaults()
    assert settings.retention == Retention()
    assert settings.learning == LearningPolicy()
    assert settings.sources == SourcePrincipals(bus=None, queue=None, direct=None, imports=None)
    assert (settings.rank_shards, settings.due_shards) == (1, 16)


def test_the_defaults_are_those_of_the_contract() -> None:
    policy = read_settings(LEAST).policy

    assert (policy.sensitivity, policy.deletion_policy) == ("low", "auto_prune")
    assert (policy.initial_salience, policy.reinforcement_gain) == (1.0, 0.2)
    assert policy.prune_threshold == 0.001
    assert policy.decay_curve == "exponential"
    assert (
        policy.episodic_half_life_s,
        policy.semantic_half_life_s,
        policy.working_half_life_s,
        policy.message_half_life_s,
    ) == (3_600, 2_592_000, 86_400, 2_592_000)


@pytest.mark.parametrize(
    ("variable", "value", "attribute", "setting"),
    [
        ("MEMBRANE_TABLE", "another", "table", "another"),
        ("MEMBRANE_BUCKET", "another", "bucket", "another"),
        ("MEMBRANE_DEFAULT_SENSITIVITY", "high", "policy.sensitivity", Sensitivity.HIGH),
        ("MEMBRANE_EPISODIC_HALF_LIFE_SECONDS", "60", "policy.episodic_half_life_s", 60),
        ("MEMBRANE_SEMANTIC_HALF_LIFE_SECONDS", "1", "policy.semantic_half_life_s", 1),
        ("MEMBRANE_MESSAGE_HALF_LIFE_SECONDS", "7", "policy.message_half_life_s", 7),
        (
            "MEMBRANE_WORKING_HALF_LIFE_SECONDS",
            "3162240000",
            "policy.working_half_life_s",
            3_162_240_000,
        ),
        ("MEMBRANE_DEFAULT_INITIAL_SALIENCE", "0.5", "policy.initial_salience", 0.5),
        ("MEMBRANE_DEFAULT_INITIAL_SALIENCE", "0.002", "policy.initial_salience", 0.002),
        ("MEMBRANE_DEFAULT_DELETION_POLICY", "never", "policy.deletion_policy", "never"),
        ("MEMBRANE_REINFORCEMENT_GAIN", "1e-1", "policy.reinforcement_gain", 0.1),
        ("MEMBRANE_PRUNE_THRESHOLD", "0.05", "policy.prune_threshold", 0.05),
        ("MEMBRANE_PRUNE_THRESHOLD", "1e-100", "policy.prune_threshold", 1e-100),
        ("MEMBRANE_DECAY_CURVE", "linear", "policy.decay_curve", "linear"),
        ("MEMBRANE_RESTORE_DAYS", "7", "retention.restore", timedelta(days=7)),
        ("MEMBRANE_TOMBSTONE_DAYS", "36500", "retention.tombstone", timedelta(days=36_500)),
        (
            "MEMBRANE_EPISODIC_TOMBSTONE_DAYS",
            "30",
            "retention.episodic_tombstone",
            timedelta(days=30),
        ),
        ("MEMBRANE_TRACE_DAYS", "7", "policy.trace_max_age_s", 604_800),
        ("MEMBRANE_THREAD_QUIET_MINUTES", "5", "learning.quiet_s", 300),
        ("MEMBRANE_STEP_HALF_LIFE_PERCENT", "50", "learning.step_fading", 0.5),
        ("MEMBRANE_INTERPRETS_TRACES", "true", "learning.interprets_traces", True),
        ("MEMBRANE_CONSOLIDATE_ACROSS_SCOPES", "true", "learning.crosses_scopes", True),
        ("MEMBRANE_RANK_SHARDS", "1024", "rank_shards", 1_024),
        ("MEMBRANE_DUE_SHARDS", "1", "due_shards", 1),
    ],
)
def test_each_variable_sets_what_it_names(
    variable: str, value: str, attribute: str, setting: object
) -> None:
    settings = read_settings(LEAST | {variable: value})

    assert attrgetter(attribute)(settings) == setting


@pytest.mark.parametrize(
    ("source", "variable"),
    list(zip(["bus", "queue", "direct", "imports"], PRINCIPALS, strict=True)),
)
def test_each_source_without_a_key_acts_as_the_principal_it_is_given(
    source: str, variable: str
) -> None:
    sources = read_settings(LEAST | {variable: a_principal()}).sources

    opened = Principal("bus", frozenset({Permission.INGEST}), ("events",), Sensitivity.LOW)
    assert sources == SourcePrincipals(**{source: opened})


def test_curves_are_pairs_of_age_in_half_lives_and_share_left() -> None:
    curves = read_settings(
        LEAST | {"MEMBRANE_CUSTOM_CURVES": f'{{"slow-1": {CURVE}, "b_2": [[0, 1], [1000000, 1]]}}'}
    ).policy.custom_curves

    assert curves == {
        "slow-1": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.0)),
        "b_2": ((0.0, 1.0), (1e6, 1.0)),
    }


def test_a_custom_curve_may_be_the_default() -> None:
    environment = LEAST | {
        "MEMBRANE_DECAY_CURVE": "custom",
        "MEMBRANE_CUSTOM_CURVE": "slow",
        "MEMBRANE_CUSTOM_CURVES": f'{{"slow": {CURVE}}}',
    }

    policy = read_settings(environment).policy

    assert (policy.decay_curve, policy.custom_curve) == ("custom", "slow")


@pytest.mark.parametrize(
    "variable",
    [
        *HALF_LIVES,
        *SALIENCES,
        *SHARDS,
        *DAYS,
        *LEARNING,
        *PRINCIPALS,
        "MEMBRANE_CONSOLIDATE_ACROSS_SCOPES",
        "MEMBRANE_CUSTOM_CURVES",
        "MEMBRANE_CONFLICT_POLICIES",
    ],
)
def test_an_empty_variable_is_as_good_as_none(variable: str) -> None:
    environment = LEAST | {variable: ""}

    settings = read_settings(environment)

    assert settings == read_settings(LEAST)


@pytest.mark.parametrize("variable", ["MEMBRANE_TABLE", "MEMBRANE_BUCKET"])
def test_a_table_and_a_bucket_must_be_set(variable: str) -> None:
    said = complaint(**{variable: ""})

    assert said == f"{variable}: must be set"


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("MEMBRANE_DEFAULT_SENSITIVITY", "public, low, medium, high, hyper"),
        ("MEMBRANE_DEFAULT_DELETION_POLICY", "auto_prune, manual_only, never"),
        ("MEMBRANE_DECAY_CURVE", "exponential, linear, custom"),
    ],
)
@pytest.mark.parametrize("value", ["secret", "LOW", " never"])
def test_a_word_outside_its_list_is_refused_with_the_list(
    variable: str, words: str, value: str
) -> None:
    said = complaint(**{variable: value})

    assert said == f"{variable}: must be one of: {words}"


@pytest.mark.parametrize("value", ["yes", "True", "1"])
def test_skills_across_scopes_are_on_or_off(value: str) -> None:
    said = complaint(MEMBRANE_CONSOLIDATE_ACROSS_SCOPES=value)

    assert said == "MEMBRANE_CONSOLIDATE_ACROSS_SCOPES: must be one of: true, false"


@pytest.mark.parametrize(
    ("variable", "limits"),
    [
        *((variable, "1 to 3162240000") for variable in HALF_LIVES),
        *((variable, "1 to 1024") for variable in SHARDS),
        *((variable, "0 to 36500") for variable in DAYS),
        *zip(LEARNING, ("1 to 36500", "1 to 1440", "1 to 100"), strict=True),
    ],
)
@pytest.mark.parametrize("value", ["-1", "1.5", "x", "1e3", "0x10", " 7", "3162240001", "²"])
def test_a_number_outside_its_limits_is_refused_with_the_limits(
    variable: str, limits: str, value: str
) -> None:
    said = complaint(**{variable: value})

    assert said == f"{variable}: must be a whole number from {limits}"


@pytest.mark.parametrize("variable", [*HALF_LIVES, *LEARNING, *SHARDS])
def test_what_must_be_there_cannot_be_0(variable: str) -> None:
    said = complaint(**{variable: "0"})

    assert said.startswith(f"{variable}: must be a whole number from 1 to ")


@pytest.mark.parametrize(
    ("restore", "tombstone"), [("0", "0"), ("31", "30"), ("401", ""), ("", "29"), ("36500", "400")]
)
@pytest.mark.parametrize("days", ["TOMBSTONE_DAYS", "EPISODIC_TOMBSTONE_DAYS"])
def test_a_tombstone_lasts_as_long_as_what_it_may_restore(
    restore: str, tombstone: str, days: str
) -> None:
    periods = {"TOMBSTONE_DAYS": "36500", "EPISODIC_TOMBSTONE_DAYS": "36500", days: tombstone}
    said = complaint(
        MEMBRANE_RESTORE_DAYS=restore,
        **{f"MEMBRANE_{name}": value for name, value in periods.items()},
    )

    assert said == f"MEMBRANE_{days}: must be at least 1 and at least MEMBRANE_RESTORE_DAYS"


@pytest.mark.parametrize(("restore", "tombstone"), [("0", "1"), ("30", "30"), ("7", "36500")])
def test_a_tombstone_may_last_longer(restore: str, tombstone: str) -> None:
    environment = LEAST | {"MEMBRANE_RESTORE_DAYS": restore, "MEMBRANE_TOMBSTONE_DAYS": tombstone}

    retention = read_settings(environment).retention

    assert retention == Retention(timedelta(days=int(restore)), timedelta(days=int(tombstone)))


@pytest.mark.parametrize("variable", SALIENCES)
@pytest.mark.parametrize("value", ["-0.1", "nan", "inf", "1e101", "much", "0,5"])
def test_a_salience_that_cannot_be_one_is_refused_with_its_limits(
    variable: str, value: str
) -> None:
    said = complaint(**{variable: value})

    assert said == f"{variable}: must be a number from 0 to 1e+100"


@pytest.mark.parametrize("value", ["0", "0.0", "9e-101", "1e-400"])
def test_nothing_is_pruned_at_a_threshold_that_salience_never_falls_to(value: str) -> None:
    said = complaint(MEMBRANE_PRUNE_THRESHOLD=value)

    assert said == "MEMBRANE_PRUNE_THRESHOLD: must be at least 1e-100"


def test_events_name_users_where_their_principal_has_a_user_prefix() -> None:
    users = {"scopes": ["events:*"], "user_prefix": "events:", "user_required": True}

    found = read_settings(LEAST | {"MEMBRANE_BUS_PRINCIPAL": a_principal(**users)}).sources.bus

    assert found is not None
    assert found.acting_for("ci").scopes == ("events:ci",)


@pytest.mark.parametrize("variable", PRINCIPALS)
@pytest.mark.parametrize(
    "value",
    [
        "bus",
        "5",
        "[]",
        "{}",
        "null",
        a_principal(actor_id=""),
        a_principal(scopes=[]),
        a_principal(scopes=None),
        a_principal(scopes=[["events"]]),
        a_principal(permissions=["fly"]),
        a_principal(permissions="ingest"),
        a_principal(permissions=None),
        a_principal(max_sensitivity="secret"),
        a_principal(max_sensitivity=None),
        a_principal(extra=1),
        a_principal(user_prefix="events:"),
        a_principal(user_required=True),
    ],
)
def test_a_principal_that_cannot_be_one_is_refused(variable: str, value: str) -> None:
    said = complaint(**{variable: value})

    assert said.startswith(f"{variable}: ")


@pytest.mark.parametrize(
    "value",
    [
        a_principal(scopes="events"),
        a_principal(scopes={"events": True}),
        a_principal(scopes=[5]),
        a_principal(scopes=[""]),
        a_principal(actor_id=5),
    ],
    ids=["a word for scopes", "an object for scopes", "a number", "an empty scope", "actor"],
)
def test_a_principal_of_the_wrong_types_is_refused_and_not_made_of_their_pieces(
    value: str,
) -> None:
    said = complaint(MEMBRANE_BUS_PRINCIPAL=value)

    assert said.startswith("MEMBRANE_BUS_PRINCIPAL: ")


@pytest.mark.parametrize(
    "value",
    [
        "x",
        "5",
        "[]",
        '{"slow": 5}',
        '{"slow": null}',
        '{"slow": []}',
        '{"slow": [[0, 1]]}',
        '{"slow": [[0, 1], [1, 2]]}',
        '{"slow": [[0, 1], [0, 0]]}',
        '{"slow": [[0, 1], [2, 0], [1, 0]]}',
        '{"slow": [[0, 1], [1, -1]]}',
        '{"slow": [[1, 1], [2, 0]]}',
        '{"slow": [[0, 0.9], [2, 0]]}',
        '{"slow": [[0, 1, 2], [1, 0]]}',
        '{"slow": [[0, 1], [1, "none"]]}',
        '{"slow": [[0, 1], [1e999, 0]]}',
        '{"slow": [[0, 1], [1, 0]], "slow": [[0, 1], [2, 0]]}',
        '{"": [[0, 1], [1, 0]]}',
        '{"a b": [[0, 1], [1, 0]]}',
        '{"a:b": [[0, 1], [1, 0]]}',
        '{"é": [[0, 1], [1, 0]]}',
    ],
)
def test_curves_that_cannot_be_any_are_refused(value: str) -> None:
    said = complaint(MEMBRANE_CUSTOM_CURVES=value)

    assert said.startswith("MEMBRANE_CUSTOM_CURVES: ")


@pytest.mark.parametrize(
    "point",
    [
        "[1000001, 0]",
        "[1e308, 0]",
        f"[1{'0' * 400}, 0]",
        '["inf", 0]',
        '["1", "0"]',
        "[true, false]",
    ],
    ids=[
        "beyond a million half-lives",
        "beyond any due instant",
        "more than a float",
        "text for infinity",
        "text",
        "words for 1 and 0",
    ],
)
def test_a_point_of_a_curve_that_is_no_number_a_record_can_reach_is_refused(point: str) -> None:
    said = complaint(MEMBRANE_CUSTOM_CURVES=f'{{"slow": [[0, 1], {point}]}}')

    assert said.startswith("MEMBRANE_CUSTOM_CURVES: ")


@pytest.mark.parametrize(
    "environment",
    [
        {"MEMBRANE_DECAY_CURVE": "custom"},
        {"MEMBRANE_DECAY_CURVE": "custom", "MEMBRANE_CUSTOM_CURVE": "slow"},
        {"MEMBRANE_CUSTOM_CURVE": "slow"},
        {
            "MEMBRANE_DECAY_CURVE": "linear",
            "MEMBRANE_CUSTOM_CURVE": "slow",
            "MEMBRANE_CUSTOM_CURVES": f'{{"slow": {CURVE}}}',
        },
    ],
    ids=["no name", "no such curve", "another curve", "a curve too many"],
)
def test_a_default_curve_that_contradicts_the_curves_is_refused(
    environment: dict[str, str],
) -> None:
    said = complaint(**environment)

    assert "custom_curve" in said
    assert said.startswith("MEMBRANE_DECAY_CURVE: ")


def test_conflict_policies_are_words_by_predicate() -> None:
    conflicts = '{"likes": "replace", "said": "keep", "*": "contest"}'

    policy = read_settings(LEAST | {"MEMBRANE_CONFLICT_POLICIES": conflicts}).policy

    assert policy.conflict_policy("likes") is ConflictPolicy.REPLACE
    assert policy.conflict_policy("said") is ConflictPolicy.KEEP
    assert policy.conflict_policy("is") is ConflictPolicy.CONTEST
    assert read_settings(LEAST).policy.conflict_policy("likes") is ConflictPolicy.KEEP


@pytest.mark.parametrize(
    "value", ["[]", '"replace"', '{"likes": "overwrite"}', '{"likes": 1}', '{"likes": null}', "{"]
)
def test_conflict_policies_that_are_no_words_are_refused(value: str) -> None:
    said = complaint(MEMBRANE_CONFLICT_POLICIES=value)

    assert said.startswith("MEMBRANE_CONFLICT_POLICIES: ")
