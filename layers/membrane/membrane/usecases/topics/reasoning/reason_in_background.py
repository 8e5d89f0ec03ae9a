"""Reason about changes in a scope and, on a schedule, about every scope.

A topic, scope or change with a fault of its own is reported and skipped.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.world import World
from membrane.usecases.topics.reasoning import passes
from membrane.usecases.topics.reasoning.find_communities import refresh_communities
from membrane.usecases.topics.reasoning.forget_topics import ForgetTally, forget_topics
from membrane.usecases.topics.reasoning.merging import duplicates_of, merge_topics
from membrane.usecases.topics.reasoning.passes import Pass
from membrane.usecases.topics.scope_walk import (
    PAGE,
    SERVICE,
    IsOutOfTime,
    load_sound_topics,
    report_faults,
    topics_in_scope,
)

KEPT_AS = "reason"
"""The document with the progress of the scheduled run through the scopes."""

UNSETTLED_S = timedelta(minutes=15).total_seconds()
"""The age from which a change of several transactions is settled: the run behind has ended."""


def reason_about(
    scope: str, world: World, is_out_of_time: IsOutOfTime, pass_id: str | None = None
) -> None:
    """Process the marks of a scope, or continue a pass; a message continues the rest.

    Merges duplicates, and refreshes the communities. Raises ResourceExhausted, Unavailable,
    Aborted; then the next run continues.
    """
    if pass_id is not None:
        found = passes.pass_by_id(scope, pass_id, world)
    else:
        found = passes.take_passes(scope, world)
        if not found:
            refresh_communities(scope, world, is_out_of_time, is_changed=False)
    for each in found:
        _go_on(each, world, is_out_of_time)


@dataclass(frozen=True, slots=True)
class ReasonResult:
    forgotten: ForgetTally
    settled: int
    is_left: bool


def reason_everywhere(world: World, is_out_of_time: IsOutOfTime) -> ReasonResult:
    """Settle abandoned changes, take due ladder steps, and process the marks of every scope.

    Continues an interrupted run. Raises ResourceExhausted, Unavailable.
    """
    settled = _settle(world, is_out_of_time)
    forgotten = forget_topics(SERVICE, world, is_out_of_time)
    is_left = forgotten.is_left or not _through_scopes(world, is_out_of_time)
    return ReasonResult(forgotten, settled, is_left)


def _go_on(progress: Pass, world: World, is_out_of_time: IsOutOfTime) -> None:
    try:
        for topic, behind in _topics(progress, world):
            if is_out_of_time():
                with suppress(LostRace):  # a concurrent run continues the pass
                    kept = passes.keep(progress, world)
                    world.send_to_reasoning({"scope": kept.scope, "pass": kept.id}, 0)
                return
            _merge_duplicates(topic, progress.scope, world)
            progress = behind
        with report_faults(world):
            refresh_communities(progress.scope, world, is_out_of_time, is_changed=True)
        passes.end(progress, world)
    except Exception:
        with suppress(LostRace, *TRANSIENT):
            passes.give_up(progress, world)
        raise


def _topics(progress: Pass, world: World) -> Iterator[tuple[Topic, Pass]]:
    """The topics still ahead of the pass, each with the progress behind."""
    if progress.topic_ids is None:
        for topic, place in topics_in_scope(progress.scope, world, progress.after):
            yield topic, replace(progress, after=place)
        return
    there = load_sound_topics(progress.topic_ids, world)
    for number, topic_id in enumerate(progress.topic_ids, 1):
        if topic_id in there:
            yield there[topic_id], replace(progress, topic_ids=progress.topic_ids[number:])


def _merge_duplicates(topic: Topic, scope: str, world: World) -> None:
    with report_faults(world):
        for duplicate in duplicates_of(topic, scope, world):
            with report_faults(world):
                merge_topics(duplicate.keeper.id, duplicate.other.id, SERVICE, world)


def _settle(world: World, is_out_of_time: IsOutOfTime) -> int:
    by_s = epoch_seconds(world.now()) - UNSETTLED_S
    settled, tried = 0, set[str]()
    while not is_out_of_time():
        tokens = world.topics.unsettled_tokens(by_s, PAGE + len(tried) - settled)
        fresh = [token for token in tokens if token not in tried]
        if not fresh:
            break
        for token in fresh:
            with report_faults(world):
                world.topics.settle(token)
                settled += 1
        tried.update(fresh)
    return settled


def _through_scopes(world: World, is_out_of_time: IsOutOfTime) -> bool:
    """Whether all scopes are done, here or by a run that stored progress meanwhile."""
    kept = world.topics.find_document(KEPT_AS, "")
    after = None if kept is None else kept.progress.get("after")

    def keep(after: str | None) -> bool:
        with suppress(LostRace):
            world.topics.keep_document(KEPT_AS, "", {"after": after}, kept)
            return True
        return False

    for scope in _scopes(after, world):
        if is_out_of_time():
            return not keep(after)
        after = scope
        try:
            with report_faults(world):
                reason_about(scope, world, is_out_of_time)
        except TRANSIENT:
            keep(after)
            raise
    keep(None)
    return True


def _scopes(after: str | None, world: World) -> Iterator[str]:
    while page := world.topics.scopes(after, PAGE):
        yield from page
        after = page[-1]
