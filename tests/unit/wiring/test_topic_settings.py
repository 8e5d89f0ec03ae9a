"""Settings of topics: what each does, and that a wrong one is named."""

from operator import attrgetter

import pytest

from membrane.domain.topics.policy import TopicPolicy
from membrane.wiring.environment import SettingError
from membrane.wiring.topic_settings import TopicSettings, read_topic_settings


def complaint(**variables: str) -> str:
    """What is said of an environment that cannot be used."""
    with pytest.raises(SettingError) as caught:
        read_topic_settings(variables)
    return str(caught.value)


def test_unless_set_the_policy_is_the_usual_one_and_nobody_is_told() -> None:
    settings = read_topic_settings({})

    assert settings == TopicSettings(policy=TopicPolicy(), queue="")


@pytest.mark.parametrize(
    ("variable", "value", "attribute", "setting"),
    [
        ("MEMBRANE_TOPIC_QUEUE", "https://queue", "queue", "https://queue"),
        ("MEMBRANE_TOPIC_HALF_LIFE_SECONDS", "60", "policy.half_life_s", 60),
        ("MEMBRANE_TOPIC_MAX_HISTORY", "50", "policy.max_history", 50),
        ("MEMBRANE_TOPIC_MAX_HISTORY", "3", "policy.summary_history", 3),
        ("MEMBRANE_TOPIC_SIMILARITY", "1", "policy.similarity", 1.0),
        ("MEMBRANE_TOPIC_DUPLICATE_SIMILARITY", "0.5", "policy.duplicate_similarity", 0.5),
        ("MEMBRANE_TOPIC_AGREEMENT", "0", "policy.agreement", 0.0),
        ("MEMBRANE_TOPIC_SUMMARISE_BELOW", "2", "policy.summarise_below", 2.0),
        ("MEMBRANE_TOPIC_DETACH_BELOW", "0.3", "policy.detach_below", 0.3),
        ("MEMBRANE_TOPIC_ARCHIVE_BELOW", "0.1", "policy.archive_below", 0.1),
        ("MEMBRANE_TOPIC_SUMMARY_HISTORY", "500", "policy.summary_history", 500),
        ("MEMBRANE_TOPIC_BUMP", "0", "policy.bump", 0.0),
        ("MEMBRANE_TOPIC_MAX_ACCESS", "1.5", "policy.max_access", 1.5),
        ("MEMBRANE_TOPIC_DEBOUNCE_SECONDS", "900", "policy.debounce_s", 900),
        ("MEMBRANE_TOPIC_FEEDS", "true", "policy.feeds", True),
        ("MEMBRANE_TOPIC_FEEDS", "false", "policy.feeds", False),
    ],
)
def test_each_variable_sets_what_it_names(
    variable: str, value: str, attribute: str, setting: object
) -> None:
    settings = read_topic_settings({variable: value})

    assert attrgetter(attribute)(settings) == setting


@pytest.mark.parametrize(
    ("variable", "value", "rule"),
    [
        ("MEMBRANE_TOPIC_HALF_LIFE_SECONDS", "0", "must be a whole number from 1"),
        ("MEMBRANE_TOPIC_MAX_HISTORY", "10001", "must be a whole number from 1 to 10000"),
        ("MEMBRANE_TOPIC_SIMILARITY", "1.01", "must be a number from 0 to 1"),
        ("MEMBRANE_TOPIC_DUPLICATE_SIMILARITY", "nan", "must be a number from 0 to 1"),
        ("MEMBRANE_TOPIC_AGREEMENT", "half", "must be a number from 0 to 1"),
        ("MEMBRANE_TOPIC_SUMMARISE_BELOW", "0", "must be at least 1e-100"),
        ("MEMBRANE_TOPIC_SUMMARY_HISTORY", "501", "must be a whole number from 1 to 500"),
        ("MEMBRANE_TOPIC_BUMP", "-0.1", "must be a number from 0"),
        ("MEMBRANE_TOPIC_MAX_ACCESS", "inf", "must be a number from 0"),
        ("MEMBRANE_TOPIC_DEBOUNCE_SECONDS", "901", "must be a whole number from 0 to 900"),
        ("MEMBRANE_TOPIC_FEEDS", "yes", "must be one of: true, false"),
    ],
)
def test_what_cannot_be_used_is_named_with_what_it_must_be(
    variable: str, value: str, rule: str
) -> None:
    said = complaint(**{variable: value})

    assert said.startswith(f"{variable}: {rule}")


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {"MEMBRANE_TOPIC_SUMMARISE_BELOW": "0.08"},
            "MEMBRANE_TOPIC_DETACH_BELOW: must not be more than MEMBRANE_TOPIC_SUMMARISE_BELOW",
        ),
        (
            {"MEMBRANE_TOPIC_ARCHIVE_BELOW": "0.2"},
            "MEMBRANE_TOPIC_ARCHIVE_BELOW: must not be more than MEMBRANE_TOPIC_DETACH_BELOW",
        ),
    ],
)
def test_the_steps_of_the_ladder_come_one_after_the_other(
    variables: dict[str, str], said: str
) -> None:
    assert complaint(**variables) == said
