"""The salience of a topic: the same function of time as a record's (design 7), of three signals.

    base     what it was given, from when it was made
    access   what reading added, `Access.topic`
    fields   the mean over its fields of what each has added: by being written to after the topic
             was made, and by being asked for by name

    renewed_f(t) = 2^-((t - written_f) / h) - 2^-((t - born) / h)

So a field that is written together with its topic adds nothing, one that is written later adds what
the topic has lost by then, and nothing that was ever added is reset by a later write. All three
fade by the same half-life, and so does their sum.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate
from typing import TypeVar

from membrane.domain.language.timestamps import NOT_GIVEN, epoch_seconds
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.salience.function import Anchor, faded_at, salience_at
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from membrane.domain.topics.access import MAX_ACCESS_TRAIL, Access, Read, Signal
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.topic import Field, Topic

FRESH = 1.0
"""The salience of a field when it is written (spec 1.2)."""

MAX_MESSAGES = 50
"""The newest messages that are remembered, so that none counts twice."""

MAX_SIGNAL_CHARACTERS = 40_000
"""Of the names of fields whose signals are kept; the faintest make way."""

MAX_TRAIL_CHARACTERS = 20_000
"""Of the names of fields in the trail; the oldest reads make way."""

Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class TopicSalience:
    """The three parts of the salience of a topic at one instant."""

    base: float
    """What is left of the salience that the topic was given."""
    access: float
    """What reads added."""
    fields: float
    """What the fields added, on average."""

    @property
    def total(self) -> float:
        return self.base + self.access + self.fields


def fading(half_life_s: int) -> Lifecycle:
    profile = DecayProfile(
        curve=DecayCurve.EXPONENTIAL, half_life_seconds=half_life_s, reinforcement_gain=0.0
    )
    return Lifecycle(
        decay=profile, last_reinforced_at=NOT_GIVEN, deletion_policy=DeletionPolicy.NEVER
    )


def salience_of(topic: Topic, access: Access, now_s: float) -> TopicSalience:
    living = topic.living_fields
    added = sum(_added(topic, name, field, access, now_s) for name, field in living.items())
    return TopicSalience(
        base=salience_at(now_s, topic.base, topic.lifecycle, {}),
        access=_faded(access.topic, topic, now_s),
        fields=added / len(living) if living else 0.0,
    )


def field_salience(topic: Topic, name: str, access: Access, now_s: float) -> float:
    """The salience of one field: 1 when it is written, and more where it is asked for by name."""
    field = topic.fields[name]
    return _fresh(topic, _written_s(field, topic), now_s) + _asked(topic, name, access, now_s)


def bumped(signal: Signal, amount: float, most: float, topic: Topic, now_s: float) -> Signal:
    """The signal with so much more from now on, and no more than `most` in all."""
    at_s = max(now_s, signal.at_s)
    return Signal(min(most, _faded(signal, topic, at_s) + amount), at_s)


def falls_below(topic: Topic, access: Access, threshold: float, now_s: float) -> float:
    """The first instant, not before `now_s`, at which the salience is not above the threshold."""
    total = salience_of(topic, access, now_s).total
    anchor = Anchor(total, now_s, topic.base.born_s)
    instant = faded_at(threshold, anchor, topic.lifecycle, {})
    return math.inf if instant is None else instant


def after_read(
    access: Access, topic: Topic, message_id: str, read: Read, policy: TopicPolicy
) -> Access:
    """The access of a topic after one read more; the same where the message counted already."""
    if message_id in access.messages:
        return access
    return replace(
        access,
        topic=bumped(access.topic, policy.bump, policy.max_access, topic, read.at_s),
        fields=_signals(access, topic, read, policy),
        trail=_newest((*access.trail, read)[-MAX_ACCESS_TRAIL:]),
        messages=(*access.messages, message_id)[-MAX_MESSAGES:],
    )


def living_names(topic: Topic, names: Sequence[str]) -> tuple[str, ...]:
    living = topic.living_fields
    return tuple(name for name in dict.fromkeys(names) if name in living)


def _added(topic: Topic, name: str, field: Field, access: Access, now_s: float) -> float:
    born = _fresh(topic, topic.base.born_s, now_s)
    written = _fresh(topic, _written_s(field, topic), now_s)
    return max(0.0, written - born) + _asked(topic, name, access, now_s)


def _asked(topic: Topic, name: str, access: Access, now_s: float) -> float:
    return _faded(access.fields[name], topic, now_s) if name in access.fields else 0.0


def _fresh(topic: Topic, since_s: float, now_s: float) -> float:
    return salience_at(now_s, Anchor(FRESH, since_s, since_s), topic.lifecycle, {})


def _faded(signal: Signal, topic: Topic, now_s: float) -> float:
    anchor = Anchor(signal.salience, signal.at_s, topic.base.born_s)
    return salience_at(now_s, anchor, topic.lifecycle, {})


def _written_s(field: Field, topic: Topic) -> float:
    if field.current is None:
        return topic.base.born_s
    return epoch_seconds(datetime.fromisoformat(field.current.recorded_at))


def _signals(access: Access, topic: Topic, read: Read, policy: TopicPolicy) -> Mapping[str, Signal]:
    def grown(signal: Signal, amount: float) -> Signal:
        return bumped(signal, amount, policy.max_access, topic, read.at_s)

    signals = {name: each for name, each in access.fields.items() if name in topic.fields}
    signals |= {name: grown(signals.get(name, Signal()), policy.bump) for name in read.fields}
    left = {name: grown(each, 0.0).salience for name, each in signals.items()}
    strongest = sorted(signals, key=lambda name: (-left[name], name))
    kept = _first_within(MAX_SIGNAL_CHARACTERS, strongest, map(len, strongest))
    return {name: signals[name] for name in kept}


def _newest(trail: Sequence[Read]) -> tuple[Read, ...]:
    newest_first = trail[::-1]
    lengths = (sum(map(len, read.fields)) for read in newest_first)
    return tuple(reversed(_first_within(MAX_TRAIL_CHARACTERS, newest_first, lengths)))


def _first_within(most: int, several: Sequence[Each], sizes: Iterable[int]) -> list[Each]:
    ends = accumulate(sizes)
    return [each for each, end in zip(several, ends, strict=True) if end <= most]
