"""Settings of topics: similarity, fading, and the ladder of forgetting.

A separate module: only functions for topics read the settings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from membrane.domain.language.fields import MAX_SALIENCE, VANISHING
from membrane.domain.topics.policy import DAY_S, TopicPolicy
from membrane.wiring.environment import PREFIX, Reader, number, switch, whole

MAX_HALF_LIFE_S = 36_500 * DAY_S
MAX_HISTORY = 10_000
"""The most revisions of a field that a request can ask for."""

MAX_DELAY_S = 900
"""The longest delay of a message in SQS, in seconds."""

_share = number(0.0, 1.0)
_salience = number(0.0, MAX_SALIENCE)


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """The operator's settings of topics."""

    policy: TopicPolicy
    queue: str
    """The address of the reason function's queue; empty in functions that send no messages."""


def read_topic_settings(environment: Mapping[str, str]) -> TopicSettings:
    """Raises SettingError."""
    reader = Reader(environment)
    return TopicSettings(policy=_policy(reader), queue=reader.read("TOPIC_QUEUE", "", str))


def _policy(reader: Reader) -> TopicPolicy:
    usual = TopicPolicy()
    max_history = reader.read("TOPIC_MAX_HISTORY", usual.max_history, whole(1, MAX_HISTORY))
    summarise = reader.read("TOPIC_SUMMARISE_BELOW", usual.summarise_below, _salience_of_a_step)
    detach = reader.read(
        "TOPIC_DETACH_BELOW", usual.detach_below, _at_most(summarise, "SUMMARISE_BELOW")
    )
    archive = reader.read(
        "TOPIC_ARCHIVE_BELOW", usual.archive_below, _at_most(detach, "DETACH_BELOW")
    )
    return TopicPolicy(
        half_life_s=reader.read(
            "TOPIC_HALF_LIFE_SECONDS", usual.half_life_s, whole(1, MAX_HALF_LIFE_S)
        ),
        max_history=max_history,
        similarity=reader.read("TOPIC_SIMILARITY", usual.similarity, _share),
        duplicate_similarity=reader.read(
            "TOPIC_DUPLICATE_SIMILARITY", usual.duplicate_similarity, _share
        ),
        agreement=reader.read("TOPIC_AGREEMENT", usual.agreement, _share),
        summarise_below=summarise,
        detach_below=detach,
        archive_below=archive,
        summary_history=reader.read(
            "TOPIC_SUMMARY_HISTORY", min(usual.summary_history, max_history), whole(1, max_history)
        ),
        bump=reader.read("TOPIC_BUMP", usual.bump, _salience),
        max_access=reader.read("TOPIC_MAX_ACCESS", usual.max_access, _salience),
        debounce_s=reader.read("TOPIC_DEBOUNCE_SECONDS", usual.debounce_s, whole(0, MAX_DELAY_S)),
        feeds=reader.read("TOPIC_FEEDS", "false", switch),
    )


def _salience_of_a_step(value: str) -> float:
    """A salience below VANISHING counts as gone, and no topic fades further."""
    threshold = _salience(value)
    if threshold < VANISHING:
        raise ValueError(f"must be at least {VANISHING:g}")
    return threshold


def _at_most(above: float, name: str) -> Callable[[str], float]:
    """The order of the ladder: a topic is summarised, then detached, then archived."""

    def parse(value: str) -> float:
        threshold = _salience_of_a_step(value)
        if threshold > above:
            raise ValueError(f"must not be more than {PREFIX}TOPIC_{name}")
        return threshold

    return parse
