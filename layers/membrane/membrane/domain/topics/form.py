"""The JSON of topics, revisions and audit events: one form for the table and for exports.

Values equal to their defaults are left out, and the audit trail stands beside the topic. A value in
place is under `value`, a value in the bucket under `large`: no value of a caller can pose as a
reference into the bucket.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from membrane.domain.integrity import leaves
from membrane.domain.language import json_text
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.topic import Archive, Field, Revision, Topic, TopicStatus

Checked = TypeVar("Checked")

Path = tuple[str | int, ...]

_APART = ("base", "lifecycle", "due_s", "fields", "groups", "merged", "erasure", "trail", "events")
"""Attributes of a topic that have a form of their own, or stand beside the topic."""


def topic_json(topic: Topic) -> json_text.JsonObject:
    """The topic without the audit events."""
    shown = _set_fields(topic, _APART) | {
        "salience": topic.base.salience,
        "anchored_at_s": topic.base.at_s,
        "born_s": topic.base.born_s,
        "lifecycle": topic.lifecycle.model_dump(exclude_defaults=True),
    }
    if topic.due_s is not None and math.isfinite(topic.due_s):
        shown["due_s"] = topic.due_s
    if topic.fields:
        shown["fields"] = _fields_json(topic.fields)
    if topic.groups:
        shown["groups"] = {name: revision_json(each.made) for name, each in topic.groups.items()}
    if topic.merged is not None:
        kept = _fields_json(topic.merged.kept)
        shown["merged"] = asdict(replace(topic.merged, kept={})) | {"kept": kept}
    if topic.erasure is not None:
        shown["erasure"] = asdict(topic.erasure)
    return shown


def topic_of_json(
    shown: json_text.JsonObject, trail: Iterable[json_text.JsonObject], events: int
) -> Topic:
    """The inverse of `topic_json`, with the newest events, and the number of all events.

    Raises ValidationError, KeyError and the like for JSON of another form.
    """
    given = shown | {
        "base": {
            "salience": shown["salience"],
            "at_s": shown["anchored_at_s"],
            "born_s": shown["born_s"],
        },
        "fields": _fields_of(shown.get("fields", {})),
        "groups": {
            name: {"made": _revision_fields(each)} for name, each in shown.get("groups", {}).items()
        },
        "trail": trail,
        "events": events,
    }
    if "merged" in shown:
        given["merged"] = shown["merged"] | {"kept": _fields_of(shown["merged"]["kept"])}
    return validate_as(Topic, given)


def revision_json(revision: Revision) -> json_text.JsonObject:
    shown, value = _set_fields(revision, ("value",)), revision.value
    if not isinstance(value, LargeValue):
        return shown | {"value": value}
    large = {"topic_id": topic_of(value.record_id), "sha256": value.sha256, "size": value.size}
    return shown | {"large": large}


def revision_of_json(shown: json_text.JsonObject) -> Revision:
    """The inverse of `revision_json`; raises as `topic_of_json` does."""
    return validate_as(Revision, _revision_fields(shown))


def newest_first(revisions: Iterable[Revision]) -> list[Revision]:
    return sorted(revisions, key=lambda each: each.place, reverse=True)


def archive_of(revisions: Sequence[Revision]) -> tuple[Archive, bytes]:
    """The archive of revisions, which come newest first, and the text of the archive.

    An archive is named by the digest of the text: the same in every stack.
    """
    text = json_text.canonical_json([*map(revision_json, revisions)])
    oldest, newest = revisions[-1].valid_from, revisions[0].valid_from
    return Archive(hashlib.sha256(text).hexdigest(), len(revisions), oldest, newest), text


def event_json(event: TopicEvent) -> json_text.JsonObject:
    """The event; only an event with erased text has a `text_hash`."""
    return _set_fields(event)


@dataclass(frozen=True, slots=True)
class TopicReceipt:
    """The reply to a request under an idempotency key."""

    identity: bytes
    fingerprint: bytes
    topic_ids: tuple[str, ...]
    """The topics of the request; a repeat needs the rights to all."""
    reply: json_text.Body
    expires_at_s: int | None = field(default=None, compare=False)
    """In seconds since 1970; None in a new receipt, which is stored as long as a tombstone."""


def receipt_json(receipt: TopicReceipt) -> json_text.JsonObject:
    """The topics and the reply; a path names a large value, so no value of a caller can pose."""
    shown: json_text.JsonObject = {"topic_ids": [*receipt.topic_ids], "reply": receipt.reply}
    large = places_of_large_values(receipt.reply)
    return shown | {"large": large} if large else shown


def receipt_of_json(
    shown: json_text.JsonObject, identity: bytes, fingerprint: bytes, expires_at_s: int
) -> TopicReceipt:
    """The inverse of `receipt_json`; raises as `with_large_values` does."""
    reply = with_large_values(shown["reply"], shown.get("large", ()))
    return TopicReceipt(identity, fingerprint, tuple(shown["topic_ids"]), reply, expires_at_s)


def validate_as(kind: Callable[..., Checked], given: Any) -> Checked:
    """The JSON as a value of the type; raises ValidationError."""
    found: Checked = _adapter_of(kind).validate_python(given)
    return found


@cache
def _adapter_of(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _set_fields(part: Any, apart: Iterable[str] = ()) -> json_text.JsonObject:
    """The attributes of a dataclass that have not the default, without those named."""
    return {
        each.name: value
        for each in fields(part)
        if each.name not in apart and (value := getattr(part, each.name)) != each.default
    }


def _fields_json(named: Mapping[str, Field]) -> json_text.JsonObject:
    return {name: _field_json(each) for name, each in named.items()}


def _field_json(one: Field) -> json_text.JsonObject:
    shown = asdict(replace(one, current=None))
    if one.current is None:
        del shown["current"]
    else:
        shown["current"] = revision_json(one.current)
    return shown


def _fields_of(shown: json_text.JsonObject) -> json_text.JsonObject:
    return {
        name: each | {"current": _revision_fields(each["current"])} if "current" in each else each
        for name, each in shown.items()
    }


def _revision_fields(shown: json_text.JsonObject) -> json_text.JsonObject:
    others = {name: each for name, each in shown.items() if name not in ("value", "large")}
    if "large" not in shown:
        return others | {"value": shown["value"]}
    large = shown["large"]
    owner = owner_of_values(large["topic_id"])
    return others | {"value": LargeValue(owner, str(large["sha256"]), int(large["size"]))}


# --- values that move from the items of a topic to the bucket, and the limit for the rest ---------

MAX_CURRENT_BYTES = 4 * 1024 * 1024
"""The limit for all current values of a topic, as JSON: every write rewrites all of them."""


def lean_value(value: Any, topic_id: str) -> tuple[Any, dict[LargeValue, bytes]]:
    """The value to store, and the JSON text for the bucket.

    A large value is replaced by a `LargeValue`; the JSON text is empty for any smaller value.
    """
    if value is None or isinstance(value, bool | int | float | LargeValue):
        return value, {}
    text = json_text.compact_json(value).encode()
    if len(text) < LARGE_VALUE_BYTES:
        return value, {}
    large = LargeValue.of(owner_of_values(topic_id), text)
    return large, {large: text}


def current_bytes(fields: Mapping[str, Field]) -> int:
    """The bytes in the head of current values, deleted ones too, with reasons and provenance."""
    said = [
        (
            None if isinstance(current.value, LargeValue) else current.value,
            current.why_changed,
            current.impact_expected,
            current.provenance,
        )
        for field in fields.values()
        if (current := field.current) is not None
    ]
    return len(json_text.compact_json(said).encode())


def owner_of_values(topic_id: str) -> str:
    """The owner name of a topic's values in the bucket; no record can have such an id."""
    return f"topic@{topic_id}"


def topic_of(owner: str) -> str | None:
    """The inverse of `owner_of_values`; None for the id of a record."""
    topic_id = owner.removeprefix(owner_of_values(""))
    return None if topic_id == owner else topic_id


def places_of_large_values(reply: json_text.Body) -> list[list[Any]]:
    """The path of each large value in a reply, with the owner, the digest and the size."""
    return [
        [list(path), each.record_id, each.sha256, each.size] for path, each in _large_in(reply, ())
    ]


def with_large_values(
    body: json_text.JsonObject, places: Sequence[Sequence[Any]]
) -> json_text.JsonObject:
    """The reply read from JSON, with large values at the places.

    Raises KeyError, IndexError, TypeError or ValueError for a place that is not in the reply.
    """
    for (*way, last), owner, sha256, size in places:
        within: Any = body
        for step in way:
            within = within[step]
        within[last] = LargeValue(owner, sha256, size)
    return body


def _large_in(value: Any, path: Path) -> Iterator[tuple[Path, LargeValue]]:
    match value:
        case LargeValue():
            yield path, value
        case dict():
            for name, each in value.items():
                yield from _large_in(each, (*path, name))
        case list() | tuple():
            for index, each in enumerate(value):
                yield from _large_in(each, (*path, index))
        case _:
            pass


def leaf_of_topic(topic: Topic) -> leaves.Leaf:
    return leaves.Leaf(
        leaves.place_of(leaves.LeafKind.TOPIC, topic.id),
        topic.events,
        leaves.head_digest(json_text.last_hash(topic.trail)),
        leaves.NO_CONTENT,
        _state_digest(topic),
        leaves.NEVER_S,
    )


def _state_digest(topic: Topic) -> bytes:
    """The digest of title, summary, kind, status and fields.

    Saliences, the due instant and the places of older revisions change without an event. So does
    the scope of an erased topic.
    """
    state: json_text.JsonObject = {
        "title": topic.title,
        "summary": topic.summary,
        "kind": topic.kind,
        "status": topic.status,
        "sensitivity": topic.sensitivity,
        "scope": "" if topic.status is TopicStatus.ERASED else topic.scope,
        "created_at": topic.created_at,
        "fields": {name: _state_of_field(field) for name, field in topic.fields.items()},
    }
    return json_text.digest(json_text.canonical_json(state).decode())


def _state_of_field(field: Field) -> json_text.JsonObject:
    return {
        "type": field.type,
        "current": None if field.current is None else asdict(field.current),
        "ref": field.ref_topic_id,
        "deleted_at": field.deleted_at,
    }
