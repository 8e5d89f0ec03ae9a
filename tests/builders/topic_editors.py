"""Editors at work: what they ask for, what they are answered, and what is refused."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import first_broken_link, hash_of, text_hash_of
from membrane.domain.topics.events import TopicEvent
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
from membrane.usecases.machinery.calls import ReplyBody
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
