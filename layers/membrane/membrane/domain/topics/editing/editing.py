"""What editors may say of a topic beside its fields, and what becomes of it."""

from dataclasses import replace
from typing import Any

from membrane.domain.language.errors import FailedPrecondition, PermissionDenied
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.making import (
    Circumstances,
    Happening,
    awake,
    next_version,
    renewed,
    revived,
)
from membrane.domain.topics.requests.editing import ChangeTopic
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import LadderStep, Topic, TopicStatus


def edited(topic: Topic, asked: ChangeTopic, during: Circumstances) -> Topic | None:
    said = _said(topic, asked, during)
    moved, happenings = _moved(topic, asked, during)
    if said:
        happenings = (renewed(said), *happenings)
    if not happenings:
        return None
    return next_version(moved, *happenings, during=during, **said)


def require_raised(before: Sensitivity, asked: Sensitivity | None, *, is_admin: bool) -> None:
    """Raises PermissionDenied where anybody else but an administrator lowers a sensitivity."""
    if asked is not None and asked.level < before.level and not is_admin:
        raise PermissionDenied("lowering a topic's sensitivity needs the permission admin")


def deleted_topic(topic: Topic, during: Circumstances) -> Topic:
    deletion = Happening(EventKind.DELETED, {})
    return next_version(topic, deletion, during=during, status=TopicStatus.DELETED)


def restored_topic(topic: Topic, during: Circumstances) -> Topic:
    """The topic as it was before it was deleted; raises FailedPrecondition where it was not."""
    if topic.status is not TopicStatus.DELETED:
        raise FailedPrecondition("the topic is not deleted")
    happening = Happening(EventKind.RESTORED, {})
    if topic.step is LadderStep.ARCHIVED:
        return next_version(topic, happening, during=during, status=TopicStatus.ARCHIVED)
    return next_version(awake(topic, during), happening, during=during)


def _said(topic: Topic, asked: ChangeTopic, during: Circumstances) -> dict[str, Any]:
    said: dict[str, Any] = {
        "title": None if asked.title is None else asked.title or UNTITLED,
        "summary": asked.summary,
        "kind": asked.topic_kind,
        "sensitivity": asked.sensitivity,
    }
    changed = {
        name: value
        for name, value in said.items()
        if value is not None and value != getattr(topic, name)
    }
    if asked.salience is not None:
        changed["base"] = Anchor(asked.salience, during.now_s, topic.base.born_s)
    return changed


def _moved(
    topic: Topic, asked: ChangeTopic, during: Circumstances
) -> tuple[Topic, tuple[Happening, ...]]:
    if asked.archived is False:
        return revived(topic, during)
    if asked.archived is None or topic.status is TopicStatus.ARCHIVED:
        return topic, ()
    gone = replace(topic, status=TopicStatus.ARCHIVED, step=LadderStep.ARCHIVED)
    return gone, (Happening(EventKind.ARCHIVED, {}),)
