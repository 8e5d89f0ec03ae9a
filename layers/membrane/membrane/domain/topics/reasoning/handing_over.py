"""How a merged topic was read counts for its keeper, until it is taken out of that again."""

import math
from collections.abc import Collection
from dataclasses import replace

from membrane.domain.topics.access import MAX_ACCESS_TRAIL, Access, Given, Signal
from membrane.domain.topics.making import Circumstances
from membrane.domain.topics.salience import bumped
from membrane.domain.topics.topic import Topic


def access_with(
    keeper: Topic, access: Access, other: Topic, others: Access, during: Circumstances
) -> Access:
    """The keeper's reads with the alias's, each alias by itself; a repeat adds nothing."""
    own = access_without(other, others, others.given.keys(), during)
    every = {other.id: Given(own.topic, own.fields), **others.given}
    parts = {
        topic_id: _as_of_now(other, given, during)
        for topic_id, given in every.items()
        if topic_id not in access.given
    }
    if other.id not in parts:
        return access
    after = access
    for topic_id, part in parts.items():
        after = _with(keeper, after, topic_id, part, during)
    trail = sorted((*access.trail, *others.trail), key=lambda read: read.at_s)
    return replace(after, trail=tuple(trail[-MAX_ACCESS_TRAIL:]))


def access_without(
    keeper: Topic, access: Access, gone: Collection[str], during: Circumstances
) -> Access:
    """The keeper's reads without what is left of these aliases'; the trail stays."""
    taken = [access.given[each] for each in gone if each in access.given]
    if not taken:
        return access
    fields = dict(access.fields)
    for name in {name for given in taken for name in given.fields} & fields.keys():
        parts = [given.fields[name] for given in taken if name in given.fields]
        fields[name] = _less(keeper, fields[name], parts, during)
    return replace(
        access,
        topic=_less(keeper, access.topic, [given.topic for given in taken], during),
        fields=fields,
        given={alias: each for alias, each in access.given.items() if alias not in gone},
    )


def _with(
    keeper: Topic, access: Access, topic_id: str, part: Given, during: Circumstances
) -> Access:
    topic, given = _grown(keeper, access.topic, part.topic, during)
    fields, given_fields = dict(access.fields), {}
    for name, signal in part.fields.items():
        before = fields.get(name, Signal())
        fields[name], given_fields[name] = _grown(keeper, before, signal, during)
    noted = {**access.given, topic_id: Given(given, given_fields)}
    return replace(access, topic=topic, fields=fields, given=noted)


def _grown(
    keeper: Topic, signal: Signal, part: Signal, during: Circumstances
) -> tuple[Signal, Signal]:
    """The signal with the part, and how much more it is by that: there is a most."""
    after = bumped(signal, part.salience, during.policy.max_access, keeper, during.now_s)
    before = _faded(keeper, signal, after.at_s)
    return after, Signal(max(0.0, after.salience - before.salience), after.at_s)


def _less(
    keeper: Topic, signal: Signal, parts: Collection[Signal], during: Circumstances
) -> Signal:
    now = _faded(keeper, signal, during.now_s)
    lost = sum(_faded(keeper, part, now.at_s).salience for part in parts)
    return Signal(max(0.0, now.salience - lost), now.at_s)


def _as_of_now(topic: Topic, given: Given, during: Circumstances) -> Given:
    fields = {name: _faded(topic, each, during.now_s) for name, each in given.fields.items()}
    return Given(_faded(topic, given.topic, during.now_s), fields)


def _faded(topic: Topic, signal: Signal, now_s: float) -> Signal:
    return bumped(signal, 0.0, math.inf, topic, now_s)
