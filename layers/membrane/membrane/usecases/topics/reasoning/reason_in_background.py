"""Reason about changes in a scope and, on a schedule, about every scope.

A topic, scope or change with a fault of its own is reported and skipped.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.topic import Topic
from membrane.table.items import Checkpoint, LostRace
from membrane.usecases.machinery.calls import MAX_TRIES, TRANSIENT, IsOutOfTime, until_won
from membrane.usecases.ports.topics import Marks, TopicPlace
from membrane.usecases.ports.world import World
from membrane.usecases.topics import loading
from membrane.usecases.topics.reasoning.forget_topics import ForgetTally, forget_topics
from membrane.usecases.topics.reasoning.merging import duplicates_of, merge_topics

WHOLE, SOME = "reason-pass", "reason-some"
"""The names of the documents."""

STALE_S = timedelta(minutes=15).total_seconds()
"""The age at which the run behind a stored pass has ended: no run takes longer."""

MOST_IDS = 1_000
"""The most topics of a pass through single topics; beyond, a pass goes through the whole scope."""


@dataclass(frozen=True, slots=True)
class Pass:
    scope: str
    id: str
    kept: Checkpoint | None
    topic_ids: tuple[str, ...] | None
    """In order; None in a pass through the whole scope."""
    after: TopicPlace | None
    """The place behind which a pass through the whole scope continues."""
    at_s: float
    """The time of the last store."""

    @property
    def name(self) -> str:
        return WHOLE if self.topic_ids is None else SOME

    def as_json(self) -> JsonObject:
        place = None if self.after is None else [self.after.topic_id, self.after.rank]
        return {"id": self.id, "topic_ids": self.topic_ids, "after": place, "at_s": self.at_s}


def pass_by_id(scope: str, pass_id: str, world: World) -> Sequence[Pass]:
    """The pass with the id; empty if a different run has taken the pass over."""
    kept = (world.topics.find_document(name, scope) for name in (SOME, WHOLE))
    there = (_pass_of(scope, each) for each in kept)
    return [each for each in there if each is not None and each.id == pass_id]


def take_passes(scope: str, world: World) -> Sequence[Pass]:
    """Passes through the marks of the scope, and abandoned passes; clears the marks.

    During a pass through the whole scope, marks for a further whole pass stay.
    """
    return until_won(lambda: _take_passes(scope, world), world)


def keep(progress: Pass, world: World) -> Pass:
    """Store the progress; raises LostRace if a different run has taken the pass over."""
    now = replace(progress, at_s=epoch_seconds(world.now()))
    kept = world.topics.keep_document(progress.name, progress.scope, now.as_json(), progress.kept)
    return replace(now, kept=kept)


def give_up(progress: Pass, world: World) -> None:
    """Let the next run continue the pass at once; raises LostRace."""
    idle = replace(progress, at_s=0.0).as_json()
    world.topics.keep_document(progress.name, progress.scope, idle, progress.kept)


def end(progress: Pass, world: World) -> None:
    """Clear the stored pass; after a whole pass, send a message about remaining marks."""
    with suppress(LostRace):  # a concurrent run continues the pass, with more to do
        world.topics.keep_document(progress.name, progress.scope, {}, progress.kept)
    if progress.name == WHOLE and world.topics.marks(progress.scope) is not None:
        world.send_to_reasoning({"scope": progress.scope}, world.topic_policy.debounce_s)


def _take_passes(scope: str, world: World) -> Sequence[Pass]:
    marks = world.topics.marks(scope)
    kept_whole, kept_some = (world.topics.find_document(name, scope) for name in (WHOLE, SOME))
    whole, some = _pass_of(scope, kept_whole), _pass_of(scope, kept_some)
    left, noted = some and some.topic_ids, marks and marks.topic_ids
    topic_ids = tuple(sorted({*(left or ()), *(noted or ())}))
    found = list[Pass]()
    if marks is not None and (marks.is_all or len(topic_ids) > MOST_IDS):
        if whole is None:
            found.append(_begin(scope, None, kept_whole, world))
            _clear_marks(marks, world)
    elif marks is not None or (some is not None and _is_stale(some, world)):
        found.append(_begin(scope, topic_ids, kept_some, world))
        if marks is not None and not world.topics.unmark(marks):
            raise LostRace
    if whole is not None and _is_stale(whole, world):
        with suppress(LostRace):  # a concurrent run has taken the pass over
            found.append(keep(replace(whole, id=world.new_id()), world))
    return found


def _begin(
    scope: str, topic_ids: tuple[str, ...] | None, kept: Checkpoint | None, world: World
) -> Pass:
    return keep(Pass(scope, world.new_id(), kept, topic_ids, None, 0.0), world)


def _clear_marks(marks: Marks, world: World) -> None:
    """Clear the marks, and marks made until the pass through the whole scope began."""
    found: Marks | None = marks
    for _ in range(MAX_TRIES):
        if found is None or world.topics.unmark(found):
            return
        found = world.topics.marks(marks.scope)


def _is_stale(progress: Pass, world: World) -> bool:
    return epoch_seconds(world.now()) - progress.at_s >= STALE_S


def _pass_of(scope: str, kept: Checkpoint | None) -> Pass | None:
    if kept is None or not kept.progress:
        return None
    document = kept.progress
    after = None if document["after"] is None else TopicPlace(*document["after"])
    topic_ids = None if document["topic_ids"] is None else tuple(document["topic_ids"])
    return Pass(scope, document["id"], kept, topic_ids, after, document["at_s"])


KEPT_AS = "reason"
"""The document with the progress of the scheduled run through the scopes."""

UNSETTLED_S = timedelta(minutes=15).total_seconds()
"""The age from which a change of several transactions is settled: the run behind has ended."""


def reason_about(
    scope: str, world: World, is_out_of_time: IsOutOfTime, pass_id: str | None = None
) -> None:
    """Process the marks of a scope, or continue a pass; a message continues the rest.

    Merges duplicates. Raises ResourceExhausted, Unavailable, Aborted; then the next run continues.
    """
    found = take_passes(scope, world) if pass_id is None else pass_by_id(scope, pass_id, world)
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
    forgotten = forget_topics(loading.SERVICE, world, is_out_of_time)
    is_left = forgotten.is_left or not _through_scopes(world, is_out_of_time)
    return ReasonResult(forgotten, settled, is_left)


def _go_on(progress: Pass, world: World, is_out_of_time: IsOutOfTime) -> None:
    try:
        for topic, behind in _topics(progress, world):
            if is_out_of_time():
                with suppress(LostRace):  # a concurrent run continues the pass
                    kept = keep(progress, world)
                    world.send_to_reasoning({"scope": kept.scope, "pass": kept.id}, 0)
                return
            _merge_duplicates(topic, progress.scope, world)
            progress = behind
        end(progress, world)
    except Exception:
        with suppress(LostRace, *TRANSIENT):
            give_up(progress, world)
        raise


def _topics(progress: Pass, world: World) -> Iterator[tuple[Topic, Pass]]:
    """The topics still ahead of the pass, each with the progress behind."""
    if progress.topic_ids is None:
        for topic, place in loading.topics_in_scope(progress.scope, world, progress.after):
            yield topic, replace(progress, after=place)
        return
    there = loading.load_sound_topics(progress.topic_ids, world)
    for number, topic_id in enumerate(progress.topic_ids, 1):
        if topic_id in there:
            yield there[topic_id], replace(progress, topic_ids=progress.topic_ids[number:])


def _merge_duplicates(topic: Topic, scope: str, world: World) -> None:
    with loading.report_faults(world):
        for duplicate in duplicates_of(topic, scope, world):
            with loading.report_faults(world):
                merge_topics(duplicate.keeper.id, duplicate.other.id, loading.SERVICE, world)


def _settle(world: World, is_out_of_time: IsOutOfTime) -> int:
    by_s = epoch_seconds(world.now()) - UNSETTLED_S
    settled, tried = 0, set[str]()
    while not is_out_of_time():
        tokens = world.topics.long.unsettled_tokens(by_s, loading.PAGE + len(tried) - settled)
        fresh = [token for token in tokens if token not in tried]
        if not fresh:
            break
        for token in fresh:
            with loading.report_faults(world):
                world.topics.long.settle(token)
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
            with loading.report_faults(world):
                reason_about(scope, world, is_out_of_time)
        except TRANSIENT:
            keep(after)
            raise
    keep(None)
    return True


def _scopes(after: str | None, world: World) -> Iterator[str]:
    while page := world.topics.scopes(after, loading.PAGE):
        yield from page
        after = page[-1]
