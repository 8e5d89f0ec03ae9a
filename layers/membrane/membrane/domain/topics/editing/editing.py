"""Change the attributes of a topic, archive, delete or restore the topic."""

from dataclasses import replace
from typing import Any

from membrane.domain.language.errors import FailedPrecondition, PermissionDenied
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.requests.editing import ChangeTopic
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import LadderStep, Topic, TopicStatus
from membrane.domain.topics.versions import (
    ChangeContext,
    EventDraft,
    meta_event,
    next_version,
    reactivated_topic,
    revive,
)


def edited_topic(topic: Topic, request: ChangeTopic, context: ChangeContext) -> Topic | None:
    """The next version with the requested attributes; None if nothing changes."""
    said = _changed_attributes(topic, request, context)
    moved, drafts = _with_archived_flag(topic, request, context)
    if said:
        drafts = (meta_event(said), *drafts)
    if not drafts:
        return None
    return next_version(moved, *drafts, context=context, **said)


def require_raised(before: Sensitivity, request: Sensitivity | None, *, is_admin: bool) -> None:
    """Raise PermissionDenied for anybody but an administrator who lowers a sensitivity."""
    if request is not None and request.level < before.level and not is_admin:
        raise PermissionDenied("lowering a topic's sensitivity needs the permission admin")


def deleted_topic(topic: Topic, context: ChangeContext, why: str = "") -> Topic:
    deletion = EventDraft(EventKind.DELETED, {}, why)
    return next_version(topic, deletion, context=context, status=TopicStatus.DELETED)


def restored_topic(topic: Topic, context: ChangeContext) -> Topic:
    """The topic before its deletion; raises FailedPrecondition if not deleted, or erased."""
    if topic.status is TopicStatus.ERASED:
        raise FailedPrecondition("the topic was erased; nothing is left to restore")
    if topic.status is not TopicStatus.DELETED:
        raise FailedPrecondition("the topic is not deleted")
    draft = EventDraft(EventKind.RESTORED, {})
    if topic.step is LadderStep.ARCHIVED:
        return next_version(topic, draft, context=context, status=TopicStatus.ARCHIVED)
    return next_version(reactivated_topic(topic, context), draft, context=context)


def _changed_attributes(
    topic: Topic, request: ChangeTopic, context: ChangeContext
) -> dict[str, Any]:
    said: dict[str, Any] = {
        "title": None if request.title is None else request.title or UNTITLED,
        "summary": request.summary,
        "kind": request.topic_kind,
        "sensitivity": request.sensitivity,
    }
    changed = {
        name: value
        for name, value in said.items()
        if value is not None and value != getattr(topic, name)
    }
    if request.salience is not None:
        changed["base"] = Anchor(request.salience, context.now_s, topic.base.born_s)
    return changed


def _with_archived_flag(
    topic: Topic, request: ChangeTopic, context: ChangeContext
) -> tuple[Topic, tuple[EventDraft, ...]]:
    if request.archived is False:
        return revive(topic, context)
    if request.archived is None or topic.status is TopicStatus.ARCHIVED:
        return topic, ()
    gone = replace(topic, status=TopicStatus.ARCHIVED, step=LadderStep.ARCHIVED)
    return gone, (EventDraft(EventKind.ARCHIVED, {}),)
