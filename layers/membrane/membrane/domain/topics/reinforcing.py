"""What reading a topic adds to how salient it is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from membrane.domain.topics.access import MAX_ACCESS_TRAIL, Access, Read, Signal
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.salience import bumped
from membrane.domain.topics.topic import Topic

MAX_MESSAGES = 50
"""The newest messages that are remembered, so that none counts twice."""

MAX_SIGNAL_CHARACTERS = 40_000
"""Of the names of fields whose signals are kept; the faintest make way."""

MAX_TRAIL_CHARACTERS = 20_000
"""Of the names of fields in the trail; the oldest reads make way."""


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
    """Those of the names that the topic has a field of, each once."""
    living = topic.living_fields
    return tuple(name for name in dict.fromkeys(names) if name in living)


def _signals(access: Access, topic: Topic, read: Read, policy: TopicPolicy) -> Mapping[str, Signal]:
    def grown(signal: Signal, amount: float) -> Signal:
        return bumped(signal, amount, policy.max_access, topic, read.at_s)

    signals = {name: each for name, each in access.fields.items() if name in topic.fields}
    signals |= {name: grown(signals.get(name, Signal()), policy.bump) for name in read.fields}
    left = {name: grown(each, 0.0).salience for name, each in signals.items()}
    strongest = sorted(signals, key=lambda name: (-left[name], name))
    lengths = accumulate(map(len, strongest))
    kept = [
        name for name, end in zip(strongest, lengths, strict=True) if end <= MAX_SIGNAL_CHARACTERS
    ]
    return {name: signals[name] for name in kept}


def _newest(trail: Sequence[Read]) -> tuple[Read, ...]:
    newest_first = trail[::-1]
    lengths = accumulate(sum(map(len, read.fields)) for read in newest_first)
    kept = [
        read for read, end in zip(newest_first, lengths, strict=True) if end <= MAX_TRAIL_CHARACTERS
    ]
    return tuple(reversed(kept))
