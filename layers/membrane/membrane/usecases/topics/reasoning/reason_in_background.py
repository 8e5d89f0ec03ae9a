"""Reason about what has changed in a scope and, by the schedule, about every scope.

A topic, scope or change that fails by itself is reported and passed over.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.reasoning import passes
from membrane.usecases.topics.reasoning.find_communities import refresh_communities
from membrane.usecases.topics.reasoning.forget_topics import Forgotten, forget_topics
from membrane.usecases.topics.reasoning.passes import Pass
from membrane.usecases.topics.reasoning.unions import duplicates_of, merge_topics
from membrane.usecases.topics.scope_walk import (
    PAGE,
    SERVICE,
    IsOutOfTime,
    all_of,
    passing_over,
    sound_topics,
)

KEPT_AS = "reason"
"""How far through the scopes the schedule's run is."""

UNSETTLED_S = timedelta(minutes=15).total_seconds()
"""After which a change of several transactions is settled: the run that made it has ended."""


def reason_about(
    scope: str, services: TopicServices, is_out_of_time: IsOutOfTime, pass_id: str | None = None
) -> None:
    """Look at what is noted of a scope, or go on with a pass; a message goes on with the rest.

    Merges duplicates, and finds the communities anew. Raises ResourceExhausted, Unavailable,
    Aborted; then the next run goes on.
    """
    if pass_id is not None:
        found = passes.begun(scope, pass_id, services)
    else:
        found = passes.taken(scope, services)
        if not found:
            refresh_communities(scope, services, is_out_of_time, is_changed=False)
    for each in found:
        _go_on(each, services, is_out_of_time)


@dataclass(frozen=True, slots=True)
class Reasoned:
    forgotten: Forgotten
    settled: int
    is_left: bool


def reason_everywhere(services: TopicServices, is_out_of_time: IsOutOfTime) -> Reasoned:
    """Settle what was abandoned, take the steps that are due, and look at every scope's marks.

    Goes on from where an earlier run was ended. Raises ResourceExhausted, Unavailable.
    """
    settled = _settle(services, is_out_of_time)
    forgotten = forget_topics(SERVICE, services, is_out_of_time)
    is_left = forgotten.is_left or not _through_scopes(services, is_out_of_time)
    return Reasoned(forgotten, settled, is_left)


def _go_on(progress: Pass, services: TopicServices, is_out_of_time: IsOutOfTime) -> None:
    try:
        for topic, behind in _topics(progress, services):
            if is_out_of_time():
                with suppress(LostRace):  # another run goes on with it
                    kept = passes.keep(progress, services)
                    services.send_to_reasoning({"scope": kept.scope, "pass": kept.id}, 0)
                return
            _merge_duplicates(topic, progress.scope, services)
            progress = behind
        with passing_over(services):
            refresh_communities(progress.scope, services, is_out_of_time, is_changed=True)
        passes.end(progress, services)
    except Exception:
        with suppress(LostRace, *TRANSIENT):
            passes.give_up(progress, services)
        raise


def _topics(progress: Pass, services: TopicServices) -> Iterator[tuple[Topic, Pass]]:
    """The topics that the pass has not looked at, each with the progress behind it."""
    if progress.topic_ids is None:
        for topic, place in all_of(progress.scope, services, progress.after):
            yield topic, replace(progress, after=place)
        return
    there = sound_topics(progress.topic_ids, services)
    for number, topic_id in enumerate(progress.topic_ids, 1):
        if topic_id in there:
            yield there[topic_id], replace(progress, topic_ids=progress.topic_ids[number:])


def _merge_duplicates(topic: Topic, scope: str, services: TopicServices) -> None:
    with passing_over(services):
        for duplicate in duplicates_of(topic, scope, services):
            with passing_over(services):
                merge_topics(duplicate.keeper.id, duplicate.other.id, SERVICE, services)


def _settle(services: TopicServices, is_out_of_time: IsOutOfTime) -> int:
    by_s = epoch_seconds(services.now()) - UNSETTLED_S
    settled, tried = 0, set[str]()
    while not is_out_of_time():
        tokens = services.topics.unsettled_tokens(by_s, PAGE + len(tried) - settled)
        fresh = [token for token in tokens if token not in tried]
        if not fresh:
            break
        for token in fresh:
            with passing_over(services):
                services.topics.settle(token)
                settled += 1
        tried.update(fresh)
    return settled


def _through_scopes(services: TopicServices, is_out_of_time: IsOutOfTime) -> bool:
    """Whether all scopes are done, here or by another run that has kept its progress meanwhile."""
    kept = services.topics.find_document(KEPT_AS, "")
    after = None if kept is None else kept.progress.get("after")

    def keep(after: str | None) -> bool:
        with suppress(LostRace):
            services.topics.keep_document(KEPT_AS, "", {"after": after}, kept)
            return True
        return False

    for scope in _scopes(after, services):
        if is_out_of_time():
            return not keep(after)
        after = scope
        try:
            with passing_over(services):
                reason_about(scope, services, is_out_of_time)
        except TRANSIENT:
            keep(after)
            raise
    keep(None)
    return True


def _scopes(after: str | None, services: TopicServices) -> Iterator[str]:
    while page := services.topics.scopes(after, PAGE):
        yield from page
        after = page[-1]
