"""Topics, revisions and edges to store or to edit, with a default for every part."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.archive.side_lines import ActionLine
from membrane.domain.archive.topic_lines import ArchivedLine, ArchivedTopic
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import first_broken_link, hash_of, text_hash_of
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import Anchor
from membrane.domain.topics.events import EventKind, TopicEvent
from membrane.domain.topics.requests.editing import (
    AddRelationship,
    AppendField,
    ChangeTopic,
    CreateTopic,
    DeleteField,
    DeleteTopic,
    NestFields,
    PromoteFields,
    RemoveRelationship,
    RestoreTopic,
    SetFieldRef,
    UndoPromotion,
    UnnestFields,
)
from membrane.domain.topics.salience import DAY_S, TopicPolicy, fading_lifecycle
from membrane.domain.topics.topic import Edge, Field, FieldType, Line, Revision, Topic, key_of
from membrane.domain.topics.versions import ChangeContext, EventDraft, event_after
from membrane.usecases.machinery.calls import ReplyBody
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.editing.fields import (
    append_field,
    delete_field,
    nest_fields,
    promote_fields,
    set_field_ref,
    undo_promotion,
    unnest_fields,
)
from membrane.usecases.topics.editing.topics import (
    add_relationship,
    change_topic,
    create_topic,
    delete_topic,
    remove_relationship,
    restore_topic,
)
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call
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


EDITS: Mapping[type[Part], Callable[..., ReplyBody]] = {
    CreateTopic: create_topic,
    ChangeTopic: change_topic,
    DeleteTopic: delete_topic,
    RestoreTopic: restore_topic,
    AddRelationship: add_relationship,
    RemoveRelationship: remove_relationship,
    AppendField: append_field,
    DeleteField: delete_field,
    SetFieldRef: set_field_ref,
    NestFields: nest_fields,
    UnnestFields: unnest_fields,
    PromoteFields: promote_fields,
    UndoPromotion: undo_promotion,
}
"""Every edit, by what asks for it."""


def ask(
    request: Part,
    services: World,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
) -> dict[str, Any]:
    """What the edit is answered, without its consistency token."""
    answer = EDITS[type(request)](request, call(request, principal, key=key), services)
    return {name: each for name, each in answer.body.items() if name != "consistency_token"}


def made(services: World, title: str = "Ada", **values: Any) -> str:
    """The id of a new topic with these fields."""
    topic_id = str(ask(CreateTopic(title=title), services)["topic_id"])
    for name, value in values.items():
        append(services, topic_id, name, value)
    return topic_id


def append(services: World, topic_id: str, name: str, value: Any, **more: Any) -> str:
    """The version id of one revision more."""
    given = {"id": topic_id, "field_name": name, "value": value, **more}
    return str(ask(AppendField.model_validate(given), services)["version_id"])


def first_broken(topic_id: str, trail: Sequence[TopicEvent]) -> int | None:
    """The position of the first event that does not follow from those before it, or None."""

    def recomputed(event: TopicEvent) -> str:
        text_hash = event.text_hash or text_hash_of(event.salt, event.detail, event.why)
        said = (event.kind, event.ts, event.principal, text_hash)
        return hash_of(topic_id, event.previous_hash, *said)

    return first_broken_link(trail, recomputed)


ACTION = ActionLine(
    kind="action",
    scope="team:a",
    at=NOW,
    id="action-1",
    action={"topics": ["topic-1"], "kind": "merge"},
)
REVISIONS = tuple(revision(number, f"value {number}") for number in (2, 1, 0))


def archived(topic_id: str = "topic-1") -> ArchivedTopic:
    """A topic with three revisions of a field, many events, and an edge."""
    line = Line(topic_id, LINE.id, count=3)
    field = Field(type=FieldType.STRING, current=REVISIONS[0], lines=(line,))
    whole = topic(topic_id, fields={"colour": field})
    for _ in range(40):
        whole = happened(whole, EventKind.META)
    edges = (edge(topic_id, "topic-9"),)
    return ArchivedTopic(whole, None, edges, (ArchivedLine(key_of(line), REVISIONS),), {})
