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
from membrane.usecases.ports.services_topics import TopicServices
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
    scope: str, services: TopicServices, is_out_of_time: IsOutOfTime, pass_id: str | None = None
) -> None:
    """Process the marks of a scope, or continue a pass; a message continues the rest.

    Merges duplicates, and refreshes the communities. Raises ResourceExhausted, Unavailable,
    Aborted; then the next run continues.
    """
    if pass_id is not None:
        found = passes.pass_by_id(scope, pass_id, services)
    else:
        found = passes.take_passes(scope, services)
        if not found:
            refresh_communities(scope, services, is_out_of_time, is_changed=False)
    for each in found:
        _go_on(each, services, is_out_of_time)


@dataclass(frozen=True, slots=True)
class ReasonResult:
    forgotten: ForgetTally
    settled: int
    is_left: bool


def reason_everywhere(services: TopicServices, is_out_of_time: IsOutOfTime) -> ReasonResult:
    """Settle abandoned changes, take due ladder steps, and process the marks of every scope.

    Continues an interrupted run. Raises ResourceExhausted, Unavailable.
    """
    settled = _settle(services, is_out_of_time)
    forgotten = forget_topics(SERVICE, services, is_out_of_time)
    is_left = forgotten.is_left or not _through_scopes(services, is_out_of_time)
    return ReasonResult(forgotten, settled, is_left)


def _go_on(progress: Pass, services: TopicServices, is_out_of_time: IsOutOfTime) -> None:
    try:
        for topic, behind in _topics(progress, services):
            if is_out_of_time():
                with suppress(LostRace):  # a concurrent run continues the pass
                    kept = passes.keep(progress, services)
                    services.send_to_reasoning({"scope": kept.scope, "pass": kept.id}, 0)
                return
            _merge_duplicates(topic, progress.scope, services)
            progress = behind
        with report_faults(services):
            refresh_communities(progress.scope, services, is_out_of_time, is_changed=True)
        passes.end(progress, services)
    except Exception:
        with suppress(LostRace, *TRANSIENT):
            passes.give_up(progress, services)
        raise


def _topics(progress: Pass, services: TopicServices) -> Iterator[tuple[Topic, Pass]]:
    """The topics still ahead of the pass, each with the progress behind."""
    if progress.topic_ids is None:
        for topic, place in topics_in_scope(progress.scope, services, progress.after):
            yield topic, replace(progress, after=place)
        return
    there = load_sound_topics(progress.topic_ids, services)
    for number, topic_id in enumerate(progress.topic_ids, 1):
        if topic_id in there:
            yield there[topic_id], replace(progress, topic_ids=progress.topic_ids[number:])


def _merge_duplicates(topic: Topic, scope: str, services: TopicServices) -> None:
    with report_faults(services):
        for duplicate in duplicates_of(topic, scope, services):
            with report_faults(services):
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
            with report_faults(services):
                services.topics.settle(token)
                settled += 1
        tried.update(fresh)
    return settled


def _through_scopes(services: TopicServices, is_out_of_time: IsOutOfTime) -> bool:
    """Whether all scopes are done, here or by a run that stored progress meanwhile."""
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
            with report_faults(services):
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
