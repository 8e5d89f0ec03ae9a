"""Reason about the topics of a scope on request: plan the actions, or do them.

Due topics come first, then all of the scope, the most salient first. If a call cannot do all, a
cursor continues.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.errors import DomainError
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import rank_of
from membrane.domain.topics.reasoning.actions import (
    due_step,
    planned_merge,
    planned_step,
    step_down,
)
from membrane.domain.topics.requests.editing import Reason
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call, ReplyBody, cursor_part
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.topics import TopicPlace
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import binding_of
from membrane.usecases.topics import loading
from membrane.usecases.topics.reading.list_topics import place_in
from membrane.usecases.topics.reasoning.forget_topics import follow_up, take_steps
from membrane.usecases.topics.reasoning.merging import duplicates_of, merge_topics
from membrane.usecases.topics.writing import change_context

if TYPE_CHECKING:
    from membrane.domain.language.json_text import Body
    from membrane.domain.topics.replies.editing import PlannedAction, ReasoningReply

ENOUGH_S = 15.0
"""Seconds after which no further topic is begun: the caller waits for the reply."""

MOST_ACTIONS = 500
"""Actions after which no further topic is begun."""

MOST_DUE = 1_000
"""Due topics of all scopes to examine first; further due topics come in the order of the scope."""

DueTopic = tuple[float, str]
"""Since when a topic is due, and the id."""

_NO_DUE: DueTopic = (-math.inf, "")
_ALL_DUE: DueTopic = (math.inf, "")


@dataclass(frozen=True, slots=True)
class _Progress:
    by_s: float
    """The start of the first call: topics due since then do not come first."""
    due: DueTopic = _NO_DUE
    """The last examined topic of the due topics."""
    after: TopicPlace | None = None
    """The place in the scope, after all due topics."""


def reason_on_request(request: Reason, call: Call, world: World) -> ReplyBody:
    """The actions planned or done in the scope, on topics visible to the caller.

    `complete` is false if work is left; the cursor continues. Raises PermissionDenied if the caller
    may not write into the scope, InvalidArgument for a foreign cursor.
    """
    scope = call.principal.scope_for_writing(request.scope)
    call.principal.require_write(scope, Sensitivity.PUBLIC)
    binding = binding_of(request.model_copy(update={"idempotency_key": None}), call)
    progress = _progress_in(request.cursor, binding, world)
    reasoning = _Reasoning(scope, call, world, not request.dry_run, progress)
    left = reasoning.go_through()
    cursor = None if left is None else _cursor_of(left, binding, world)
    body: ReasoningReply = {
        "scope": scope,
        "dry_run": request.dry_run,
        "actions": reasoning.actions,
        "planned": len(reasoning.actions),
        "complete": cursor is None,
        **cursor_part(cursor),
    }
    return ReplyBody(body)


@dataclass(slots=True)
class _Reasoning:
    scope: str
    call: Call
    world: World
    applies: bool
    """Whether planned actions are done, too."""
    began: _Progress
    """What earlier calls have gone through."""
    actions: "list[Body]" = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)
    """Ids of topics that were merged into a keeper, or would be."""
    first: list[DueTopic] = field(default_factory=list)
    """The due topics, in order."""
    due_ids: set[str] = field(default_factory=set)

    def go_through(self) -> _Progress | None:
        due = self.world.topics.due(self.began.by_s, MOST_DUE)
        self.first = sorted((due_s, topic_id) for topic_id, due_s in due)
        self.due_ids = {topic_id for topic_id, _ in due}
        end_s = self.world.elapsed_s() + ENOUGH_S
        progress = self.began
        for topic, behind in self._topics():
            is_enough = self.world.elapsed_s() > end_s or len(self.actions) >= MOST_ACTIONS
            if is_enough and progress is not self.began:
                return progress
            trust = self.call.principal.trust
            if topic is not None and trust.allows(topic.scope, topic.sensitivity):
                self._look_at(topic)
            progress = behind
        return None

    def _topics(self) -> Iterator[tuple[Topic | None, _Progress]]:
        """Every topic with the progress behind; None for a skipped topic.

        Topics of different scopes are skipped, and topics of the first part in the second.
        """
        if self.began.after is None:
            left = [each for each in self.first if each > self.began.due]
            for start in range(0, len(left), loading.PAGE):
                page = left[start : start + loading.PAGE]
                there = loading.load_sound_topics([topic_id for _, topic_id in page], self.world)
                for due in page:
                    topic = there.get(due[1])
                    is_here = topic is not None and topic.scope == self.scope
                    yield topic if is_here else None, replace(self.began, due=due)
        for topic, place in loading.topics_in_scope(self.scope, self.world, self.began.after):
            behind = replace(self.began, due=_ALL_DUE, after=place)
            yield topic if topic.id not in self.due_ids else None, behind

    def _look_at(self, topic: Topic) -> None:
        try:
            self._merge(topic)
            self._forget(topic)
        except DomainError:
            raise
        except Exception as fault:  # noqa: BLE001 - raising would hide all other actions
            self.world.report(loading.REASON, FAULT, fault)

    def _merge(self, topic: Topic) -> None:
        found = duplicates_of(topic, self.scope, self.world)
        for duplicate in found:
            pair = duplicate.keeper, duplicate.other
            if not self.applies and any(each != topic and self._is_reported(each) for each in pair):
                self.dropped.add(duplicate.other.id)
        for duplicate in found:
            keeper, other = duplicate.keeper, duplicate.other
            if not self.dropped.isdisjoint((keeper.id, other.id)):
                continue
            if self.applies and not merge_topics(keeper.id, other.id, self.call, self.world):
                continue
            self.actions.append(planned_merge(duplicate))
            self.dropped.add(other.id)

    def _is_reported(self, topic: Topic) -> bool:
        """Whether an earlier call has reported the actions on the topic."""
        dues = {topic_id: due_s for due_s, topic_id in self.first}
        if topic.id in dues:
            return (dues[topic.id], topic.id) <= self.began.due
        after = self.began.after
        rank = rank_of(topic.base, topic.lifecycle)
        return after is not None and (rank, topic.id) >= (after.rank, after.topic_id)

    def _forget(self, topic: Topic) -> None:
        if topic.id in self.dropped:
            return
        steps = list(self._steps(topic))
        if steps and self.applies:
            steps = steps[: len(take_steps(topic.id, self.call, self.world))]
        elif self.applies and topic.id in self.due_ids:
            follow_up(topic, self.call, self.world)  # the rest of a follow-up that broke off
        self.actions += steps

    def _steps(self, topic: Topic) -> Iterator["PlannedAction"]:
        access = loading.access_of(topic.id, self.world)
        context = change_context(self.call, self.world)
        while (due := due_step(topic, access, context)) is not None:
            yield planned_step(topic, due)
            topic = step_down(topic, due, access, context)


def _cursor_of(progress: _Progress, binding: bytes, world: World) -> str:
    after = progress.after
    state = {
        "by_s": progress.by_s,
        "due": list(progress.due) if after is None else None,
        "after": None if after is None else [after.topic_id, after.rank],
    }
    return encode(state, binding, world.cursor_key())


def _progress_in(cursor: str | None, binding: bytes, world: World) -> _Progress:
    if cursor is None:
        return _Progress(epoch_seconds(world.now()))
    match decode(cursor, binding, world.cursor_key()):
        case {
            "by_s": int() | float() as by_s,
            "due": [int() | float() as due_s, str(due_id)],
            "after": None,
        }:
            return _Progress(float(by_s), (float(due_s), due_id))
        case {
            "by_s": int() | float() as by_s,
            "due": None,
            "after": list(after),
        }:
            return _Progress(float(by_s), _ALL_DUE, place_in(after))
        case _:
            raise foreign_cursor()
