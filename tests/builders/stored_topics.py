"""Topics, revisions and edges to store, with a default for every part."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.salience import DAY_S, TopicPolicy, fading_lifecycle
from membrane.domain.topics.topic import Edge, Field, FieldType, Line, Revision, Topic
from membrane.domain.topics.versions import ChangeContext, EventDraft, event_after
from membrane.usecases.ports.topics import TopicChange
from tests.builders.stored_records import NOW, NOW_S
from tests.worlds.stores import Store

LINE = Line("topic-1", "0123456789abcdef")
"""Of the only field of `topic`."""

HALF_LIFE_S = 30 * DAY_S


def topic(topic_id: str = "topic-1", **changes: Any) -> Topic:
    """A topic of version 1, with the event of its creation."""
    usual: dict[str, Any] = {
        "scope": "",
        "sensitivity": Sensitivity.LOW,
        "title": "Tea",
        "base": Anchor(1.0, NOW_S, NOW_S),
        "lifecycle": fading_lifecycle(HALF_LIFE_S),
        "created_at": NOW,
        "updated_at": NOW,
        "version": 1,
    }
    made = Topic(id=topic_id, **(usual | changes))
    return happened(made, EventKind.CREATED, version=made.version)


def happened(before: Topic, kind: EventKind = EventKind.META, **changes: Any) -> Topic:
    """The next version of a topic, with one event more."""
    now, salt = from_epoch_seconds(NOW_S), f"{before.events:032x}"
    context = ChangeContext(now, "agent", salt, "", TopicPolicy())
    draft = EventDraft(kind, {"number": before.events})
    event = event_after(before.trail, before.id, draft, context)
    after = replace(before, trail=(*before.trail, event), events=before.events + 1)
    return replace(after, **{"version": before.version + 1} | changes)


def revision(number: int = 0, value: Any = "green", **changes: Any) -> Revision:
    """The revision of that order, by default of this morning."""
    usual: dict[str, Any] = {
        "id": f"revision-{number}",
        "value": value,
        "field_type": FieldType.STRING,
        "valid_from": NOW,
        "recorded_at": NOW,
        "order": number,
        "provenance": "api",
    }
    return Revision(**(usual | changes))


def revisions(count: int, line: Line = LINE) -> Sequence[tuple[Line, Revision]]:
    """So many of a line, a minute apart, the oldest first."""
    return [(line, revision(each, valid_from=minute(each))) for each in range(count)]


def minute(number: int) -> str:
    """So many minutes after this morning."""
    return rfc3339(from_epoch_seconds(NOW_S + 60 * number))


def edge(from_id: str = "topic-1", to_id: str = "topic-2", kind: str = "knows") -> Edge:
    """An edge of this morning."""
    return Edge(from_id=from_id, to_id=to_id, kind=kind, created_at=NOW, principal="agent")


def with_field(before: Topic, newest: Revision, count: int) -> Topic:
    """The topic with a field whose line has so many revisions."""
    field = Field(type=newest.field_type, current=newest, lines=(replace(LINE, count=count),))
    return replace(before, fields={"colour": field})


def created(store: Store, *topics: Topic, **parts: Any) -> None:
    """Write new topics, and what is to be written with them."""
    store.topics.apply(TopicChange(topics=[(None, each) for each in topics], **parts))


def changed(store: Store, before: Topic, after: Topic | None = None, **parts: Any) -> Topic:
    """Write a topic's next version, and what is to be written with it."""
    newest = happened(before) if after is None else after
    store.topics.apply(TopicChange(topics=[(before, newest)], **parts))
    return newest


def read(store: Store, topic_id: str = "topic-1") -> Topic:
    """A topic that is there."""
    found = store.topics.load(topic_id)
    assert found is not None
    return found
