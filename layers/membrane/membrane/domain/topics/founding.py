"""The first version of a topic."""

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.making import Circumstances, Happening, next_version
from membrane.domain.topics.salience import fading
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import Topic

USUAL_SALIENCE = 1.0
"""Of a topic that is made without one (spec 1.1)."""


def unborn(
    topic_id: str,
    scope: str,
    sensitivity: Sensitivity,
    *,
    title: str = "",
    summary: str | None = None,
    kind: str | None = None,
    salience: float | None = None,
    during: Circumstances,
) -> Topic:
    """A topic without fields that is not written yet, of version 0.

    Without a title it is `untitled`; None says no more than nothing.
    """
    given = USUAL_SALIENCE if salience is None else salience
    return Topic(
        id=topic_id,
        scope=scope,
        sensitivity=sensitivity,
        title=title if title.strip() else UNTITLED,
        summary=summary or "",
        kind=kind or "",
        base=Anchor(given, during.now_s, during.now_s),
        lifecycle=fading(during.policy.half_life_s),
        created_at=during.timestamp,
        updated_at=during.timestamp,
    )


def creation(topic: Topic) -> Happening:
    """The first event of its trail."""
    return Happening(EventKind.CREATED, {"title": topic.title})


def founded(topic: Topic, during: Circumstances) -> Topic:
    """The first version of an unborn topic."""
    return next_version(topic, creation(topic), during=during)
