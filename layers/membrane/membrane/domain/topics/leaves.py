"""The leaf of a topic in an anchor."""

from dataclasses import asdict

from membrane.domain.integrity.leaves import (
    NEVER_S,
    NO_CONTENT,
    Leaf,
    LeafKind,
    head_digest,
    place_of,
)
from membrane.domain.language.json_text import JsonObject, canonical_json, digest, last_hash
from membrane.domain.topics.topic import Field, Topic, TopicStatus


def leaf_of_topic(topic: Topic) -> Leaf:
    return Leaf(
        place_of(LeafKind.TOPIC, topic.id),
        topic.events,
        head_digest(last_hash(topic.trail)),
        NO_CONTENT,
        _state_digest(topic),
        NEVER_S,
    )


def _state_digest(topic: Topic) -> bytes:
    """The digest of title, summary, kind, status and fields.

    Saliences, the due instant and the places of older revisions change without an event. So does
    the scope of an erased topic.
    """
    state: JsonObject = {
        "title": topic.title,
        "summary": topic.summary,
        "kind": topic.kind,
        "status": topic.status,
        "sensitivity": topic.sensitivity,
        "scope": "" if topic.status is TopicStatus.ERASED else topic.scope,
        "created_at": topic.created_at,
        "fields": {name: _state_of_field(field) for name, field in topic.fields.items()},
    }
    return digest(canonical_json(state).decode())


def _state_of_field(field: Field) -> JsonObject:
    return {
        "type": field.type,
        "current": None if field.current is None else asdict(field.current),
        "ref": field.ref_topic_id,
        "deleted_at": field.deleted_at,
    }
