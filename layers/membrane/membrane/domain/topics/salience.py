"""The salience of a topic: the sum of three signals, each faded as the salience of a record is.

    base     the salience set at the creation or by a caller
    access   the salience added by reads, `Access.topic`
    fields   the mean over the fields of the salience that each field added: by writes after the
             creation of the topic, and by reads that named the field

    renewed_f(t) = 2^-((t - written_f) / h) - 2^-((t - born) / h)

So a field written together with its topic adds nothing, a field written later adds the salience
that the topic had lost by then, and no later write resets an earlier addition. All three signals
fade with the same half-life, and so does the sum. The salience that reads add is stored apart: a
read makes no new version of a topic.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import accumulate
from typing import TypeVar

from membrane.domain.language.timestamps import NOT_GIVEN, epoch_seconds
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.salience.function import Anchor, faded_at, salience_at
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from membrane.domain.topics.topic import Field, LadderStep, Topic, TopicStatus

DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPolicy:
    """Times in seconds; saliences and similarities in the units of the functions that use them."""

    half_life_s: int = 30 * DAY_S
    max_history: int = 500
    """Revisions of a field kept in the table; older revisions are archived in the bucket."""
    similarity: float = 0.85
    """The least similarity at which an observation without a placement extends a topic."""
    duplicate_similarity: float = 0.92
    """The least similarity at which topics of different titles may be duplicates.

    The fields must agree, too.
    """
    agreement: float = 0.5
    """The least share of common fields with equal values for topics of different titles."""
    summarise_below: float = 0.3
    detach_below: float = 0.1
    archive_below: float = 0.05
    """The thresholds of the ladder. MemState names the last `forget_salience_threshold`."""
    summary_history: int = 20
    """Revisions of a field kept in the table when a topic is summarised."""
    bump: float = 0.1
    """The salience that a query adds to each topic in the answer."""
    max_access: float = 10.0
    """The most salience that reads can add in all."""
    debounce_s: int = 30
    """How long changes of a scope are gathered before the scope is reasoned about."""


FRESH = 1.0
"""The salience of a field when the field is written."""

MAX_MESSAGES = 50
"""The newest messages that are remembered, so that no message counts twice."""

MAX_SIGNAL_CHARACTERS = 40_000
"""The limit for the names of fields with a signal, in all; the faintest signals are dropped."""

MAX_TRAIL_CHARACTERS = 20_000
"""The limit for the names of fields in the trail, in all; the oldest reads are dropped."""

MAX_ACCESS_TRAIL = 50


@dataclass(frozen=True, slots=True)
class Signal:
    """A salience, exact at the instant `at_s` (seconds since 1970)."""

    salience: float = 0.0
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Read:
    """A reinforcing read of a topic: the instant (seconds since 1970), the reader, the fields."""

    at_s: float
    principal: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasReads:
    """The salience added to a keeper by the reads of an alias."""

    topic: Signal = Signal()
    fields: Mapping[str, Signal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    topic: Signal = Signal()
    fields: Mapping[str, Signal] = field(default_factory=dict)
    """By name, for fields that a request named."""
    trail: tuple[Read, ...] = ()
    """The newest reads, the oldest first; bounded, and no part of the audit trail."""
    messages: tuple[str, ...] = ()
    """Ids of the newest queue messages counted: a message delivered twice adds nothing."""
    given: Mapping[str, AliasReads] = field(default_factory=dict)
    """The shares of the signals above that came from aliases, by topic id.

    An unmerged alias takes its share back.
    """
    version: int = 0
    """0 = never read."""


Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class TopicSalience:
    """The three parts of the salience of a topic at one instant."""

    base: float
    """The rest of the salience set at the creation or by a caller."""
    access: float
    """The salience added by reads."""
    fields: float
    """The mean salience added by the fields."""

    @property
    def total(self) -> float:
        return self.base + self.access + self.fields


def fading_lifecycle(half_life_s: int) -> Lifecycle:
    profile = DecayProfile(
        curve=DecayCurve.EXPONENTIAL, half_life_seconds=half_life_s, reinforcement_gain=0.0
    )
    return Lifecycle(
        decay=profile, last_reinforced_at=NOT_GIVEN, deletion_policy=DeletionPolicy.NEVER
    )


def salience_of(topic: Topic, access: Access, now_s: float) -> TopicSalience:
    living = topic.living_fields
    added = sum(
        _field_contribution(topic, name, field, access, now_s) for name, field in living.items()
    )
    return TopicSalience(
        base=salience_at(now_s, topic.base, topic.lifecycle, {}),
        access=_signal_salience(access.topic, topic, now_s),
        fields=added / len(living) if living else 0.0,
    )


def field_salience(topic: Topic, name: str, access: Access, now_s: float) -> float:
    """The salience of one field: 1 at the write, and more for reads that name the field."""
    field = topic.fields[name]
    return _fresh_salience(topic, _written_s(field, topic), now_s) + _read_salience(
        topic, name, access, now_s
    )


def raise_signal(signal: Signal, amount: float, most: float, topic: Topic, now_s: float) -> Signal:
    """The signal raised by the amount from now on, to at most `most`."""
    at_s = max(now_s, signal.at_s)
    return Signal(min(most, _signal_salience(signal, topic, at_s) + amount), at_s)


def falls_below(topic: Topic, access: Access, threshold: float, now_s: float) -> float:
    """The first instant from `now_s` on with at most this salience; infinity for none."""
    total = salience_of(topic, access, now_s).total
    anchor = Anchor(total, now_s, topic.base.born_s)
    instant = faded_at(threshold, anchor, topic.lifecycle, {})
    return math.inf if instant is None else instant


def after_read(
    access: Access, topic: Topic, message_id: str, read: Read, policy: TopicPolicy
) -> Access:
    """The access of a topic after one more read; unchanged for a message already counted."""
    if message_id in access.messages:
        return access
    return replace(
        access,
        topic=raise_signal(access.topic, policy.bump, policy.max_access, topic, read.at_s),
        fields=_signals(access, topic, read, policy),
        trail=_newest((*access.trail, read)[-MAX_ACCESS_TRAIL:]),
        messages=(*access.messages, message_id)[-MAX_MESSAGES:],
    )


def living_names(topic: Topic, names: Sequence[str]) -> tuple[str, ...]:
    living = topic.living_fields
    return tuple(name for name in dict.fromkeys(names) if name in living)


def _field_contribution(
    topic: Topic, name: str, field: Field, access: Access, now_s: float
) -> float:
    born = _fresh_salience(topic, topic.base.born_s, now_s)
    written = _fresh_salience(topic, _written_s(field, topic), now_s)
    return max(0.0, written - born) + _read_salience(topic, name, access, now_s)


def _read_salience(topic: Topic, name: str, access: Access, now_s: float) -> float:
    return _signal_salience(access.fields[name], topic, now_s) if name in access.fields else 0.0


def _fresh_salience(topic: Topic, since_s: float, now_s: float) -> float:
    return salience_at(now_s, Anchor(FRESH, since_s, since_s), topic.lifecycle, {})


def _signal_salience(signal: Signal, topic: Topic, now_s: float) -> float:
    anchor = Anchor(signal.salience, signal.at_s, topic.base.born_s)
    return salience_at(now_s, anchor, topic.lifecycle, {})


def _written_s(field: Field, topic: Topic) -> float:
    if field.current is None:
        return topic.base.born_s
    return epoch_seconds(datetime.fromisoformat(field.current.recorded_at))


def _signals(access: Access, topic: Topic, read: Read, policy: TopicPolicy) -> Mapping[str, Signal]:
    def raise_now(signal: Signal, amount: float) -> Signal:
        return raise_signal(signal, amount, policy.max_access, topic, read.at_s)

    signals = {name: each for name, each in access.fields.items() if name in topic.fields}
    signals |= {name: raise_now(signals.get(name, Signal()), policy.bump) for name in read.fields}
    left = {name: raise_now(each, 0.0).salience for name, each in signals.items()}
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


_NEXT = {
    LadderStep.NONE: LadderStep.SUMMARISED,
    LadderStep.SUMMARISED: LadderStep.DETACHED,
    LadderStep.DETACHED: LadderStep.ARCHIVED,
}


def next_step(topic: Topic) -> LadderStep | None:
    return _NEXT.get(topic.step) if topic.status is TopicStatus.ACTIVE else None


def next_due(topic: Topic, access: Access, policy: TopicPolicy, now_s: float) -> float | None:
    """When the next step of the topic is due, in seconds since 1970; None without a next step."""
    step = next_step(topic)
    if step is None:
        return None
    return falls_below(topic, access, threshold_of(step, policy), now_s)


def leaves_ladder(topic: Topic, access: Access, policy: TopicPolicy, now_s: float) -> bool:
    """Whether a topic that took a step of the ladder is above the first threshold again."""
    if topic.status is not TopicStatus.ACTIVE or topic.step is LadderStep.NONE:
        return False
    return salience_of(topic, access, now_s).total > policy.summarise_below


def without_ladder_step(topic: Topic) -> Topic:
    """The topic off the ladder, with all fields in the working set."""
    fields = {
        name: replace(field, is_detached=False) if field.is_detached else field
        for name, field in topic.fields.items()
    }
    return replace(topic, step=LadderStep.NONE, fields=fields)


def threshold_of(step: LadderStep, policy: TopicPolicy) -> float:
    match step:
        case LadderStep.NONE:
            raise ValueError("nothing leads to being as it was")
        case LadderStep.SUMMARISED:
            return policy.summarise_below
        case LadderStep.DETACHED:
            return policy.detach_below
        case LadderStep.ARCHIVED:
            return policy.archive_below
