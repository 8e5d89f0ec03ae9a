"""Reads of an alias count for the salience of its keeper, until the alias is unmerged."""

import math
from collections.abc import Collection
from dataclasses import replace

from membrane.domain.topics.salience import (
    MAX_ACCESS_TRAIL,
    Access,
    AliasReads,
    Signal,
    raise_signal,
)
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext


def access_with(
    keeper: Topic, access: Access, other: Topic, others: Access, context: ChangeContext
) -> Access:
    """The keeper's access with the reads of the alias, and of aliases of the alias.

    The share of an alias is noted by its id; an alias already noted adds nothing.
    """
    own = access_without(other, others, others.given.keys(), context)
    every = {other.id: AliasReads(own.topic, own.fields), **others.given}
    parts = {
        topic_id: _as_of_now(other, given, context)
        for topic_id, given in every.items()
        if topic_id not in access.given
    }
    if other.id not in parts:
        return access
    after = access
    for topic_id, part in parts.items():
        after = _with_part(keeper, after, topic_id, part, context)
    trail = sorted((*access.trail, *others.trail), key=lambda read: read.at_s)
    return replace(after, trail=tuple(trail[-MAX_ACCESS_TRAIL:]))


def access_without(
    keeper: Topic, access: Access, gone: Collection[str], context: ChangeContext
) -> Access:
    """The keeper's access without the remaining shares of the aliases; the trail stays."""
    taken = [access.given[each] for each in gone if each in access.given]
    if not taken:
        return access
    fields = dict(access.fields)
    for name in {name for given in taken for name in given.fields} & fields.keys():
        parts = [given.fields[name] for given in taken if name in given.fields]
        fields[name] = _subtract_parts(keeper, fields[name], parts, context)
    return replace(
        access,
        topic=_subtract_parts(keeper, access.topic, [given.topic for given in taken], context),
        fields=fields,
        given={alias: each for alias, each in access.given.items() if alias not in gone},
    )


def _with_part(
    keeper: Topic, access: Access, topic_id: str, part: AliasReads, context: ChangeContext
) -> Access:
    topic, given = _add_part(keeper, access.topic, part.topic, context)
    fields, given_fields = dict(access.fields), {}
    for name, signal in part.fields.items():
        before = fields.get(name, Signal())
        fields[name], given_fields[name] = _add_part(keeper, before, signal, context)
    noted = {**access.given, topic_id: AliasReads(given, given_fields)}
    return replace(access, topic=topic, fields=fields, given=noted)


def _add_part(
    keeper: Topic, signal: Signal, part: Signal, context: ChangeContext
) -> tuple[Signal, Signal]:
    """The signal raised by the part, and the actual rise: signals have an upper limit."""
    after = raise_signal(signal, part.salience, context.policy.max_access, keeper, context.now_s)
    before = _fade_to(keeper, signal, after.at_s)
    return after, Signal(max(0.0, after.salience - before.salience), after.at_s)


def _subtract_parts(
    keeper: Topic, signal: Signal, parts: Collection[Signal], context: ChangeContext
) -> Signal:
    now = _fade_to(keeper, signal, context.now_s)
    lost = sum(_fade_to(keeper, part, now.at_s).salience for part in parts)
    return Signal(max(0.0, now.salience - lost), now.at_s)


def _as_of_now(topic: Topic, given: AliasReads, context: ChangeContext) -> AliasReads:
    fields = {name: _fade_to(topic, each, context.now_s) for name, each in given.fields.items()}
    return AliasReads(_fade_to(topic, given.topic, context.now_s), fields)


def _fade_to(topic: Topic, signal: Signal, now_s: float) -> Signal:
    return raise_signal(signal, 0.0, math.inf, topic, now_s)
