"""The request that writes to a topic, on the route of MemState, and the types of its fields."""

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.access.requests import TrustInput
from membrane.domain.language import requests
from membrane.domain.language.fields import LIST, OpenBody, Salience, Text
from membrane.domain.language.values import BLOB, UPLOAD
from membrane.domain.topics.titles import CONTROL, MAX_NAME_CHARACTERS, MAX_TITLE_CHARACTERS
from membrane.domain.topics.topic import FieldType

MAX_KIND_CHARACTERS = 256
"""Characters of the kind of a topic or an edge."""


def field_name(value: str) -> str:
    """The name of a field; refuses a blank name and control characters."""
    if not value.strip():
        raise PydanticCustomError("field_name", "must not be blank")
    if any(unicodedata.category(each) == CONTROL for each in value):
        raise PydanticCustomError("field_name", "must not have control characters")
    return value


def _refuse_references(value: Any) -> Any:
    """Refuse `$upload` and `$blob`: in stored values, both mark references made by the store."""
    if isinstance(value, dict) and value.keys() in ({UPLOAD}, {BLOB}):
        raise PydanticCustomError(
            "reserved", "the value of a topic's field comes in place, without $upload or $blob"
        )
    return value


def _not_null(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("null", "must not be null")
    return value


NOT_NULL = BeforeValidator(_not_null)
"""Refuses null for a field that may be absent."""

FieldName = Annotated[
    str, Field(max_length=MAX_NAME_CHARACTERS, min_length=1), AfterValidator(field_name)
]
Title = Annotated[str, Field(max_length=MAX_TITLE_CHARACTERS)]
Kind = Annotated[str, Field(max_length=MAX_KIND_CHARACTERS)]
FieldTypeWord = Annotated[FieldType, Field(strict=False)]
TopicValue = Annotated[Any, BeforeValidator(_refuse_references)]
"""Any JSON value."""

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_REFERENCE_CHARACTERS = 256
"""Characters of a topic's id in a request; a text that is no id is not found."""

Reference = Annotated[str, Field(max_length=MAX_REFERENCE_CHARACTERS)]


class FieldInput(OpenBody):
    """A new revision of a field."""

    name: FieldName
    """Name of the field, 1 to 256 characters without control characters. A nested field has the
    name `<group>.<name>`."""
    value: TopicValue = ""
    """New value: any JSON value of the field's type, or null; without `$upload` and `$blob`.
    Absent: the empty text."""
    field_type: Annotated[FieldTypeWord | None, NOT_NULL] = None
    """Type of the field: `string`, `int`, `float`, `bool`, `date`, `datetime`, `list` or `json`.
    Absent: the type of the field; for a new field the type of the value."""
    ref_topic_id: Reference | None = None
    """Id of the topic that the field refers to. null or empty: no reference any more. Absent: the
    reference stays."""
    why_changed: Text | None = None
    """Reason for the new value, kept with the revision."""
    impact_expected: Text | None = None
    """Expected effect of the new value, kept with the revision."""
    provenance: Text = "api"
    """Origin of the value in the caller's words, kept with the revision."""
    valid_from: requests.OptionalTimestamp = None
    """Instant from which the value holds, in RFC 3339, not in the future. Absent or empty: now."""

    @property
    def names_reference(self) -> bool:
        """Whether the request says anything about the reference."""
        return "ref_topic_id" in self.model_fields_set


class EdgeInput(OpenBody):
    """An edge from the topic to another topic."""

    to_topic_id: Reference
    """Id of the topic at the far end, which must exist and be visible."""
    kind: Kind
    """Meaning of the edge, such as `has_detail`; at most 256 characters, may be empty."""


class IngestTopic(OpenBody):
    """Write fields and edges to a topic: to a named topic, a found topic or a new topic.

    The write is one change, taken whole or not at all. A topic found by title or likeness keeps
    kind and summary, unless the request has another summary, and keeps the title, unless the topic
    is `untitled`.
    """

    placement: str | None = None
    """Where the write goes. `new_topic`: into a new topic. `extend_topic`: into the topic
    `topic_id`. `version_field`: the same, with exactly one field. `auto`, null or absent: the
    service finds the topic by `topic_id`, by title or by likeness, or makes a new topic."""
    topic_id: Reference | None = None
    """Id of an existing topic. Required for `extend_topic` and `version_field`; ignored for
    `new_topic`."""
    title: Title = ""
    """Title, at most 1,000 characters. With `auto` and without `topic_id`, a topic of the same
    scope, kind and title is found, whatever the case, width and white space. Absent or blank: the
    title of a named topic stays, a new topic is `untitled`."""
    summary: Text | None = None
    """Summary of the topic. Absent or null: an existing summary stays. Empty: a topic named by
    `topic_id` loses the summary."""
    topic_kind: Kind | None = None
    """Kind of the topic, at most 256 characters. Absent or null: an existing kind stays. Empty: a
    topic named by `topic_id` loses the kind."""
    salience: Annotated[Salience | None, NOT_NULL] = None
    """Salience of the topic from now on; above 1 needs the permission `revise`. Absent: 1 for a new
    topic. Absent or 1.0: an existing salience stays, because some clients always send 1.0."""
    fields: Annotated[tuple[FieldInput, ...], LIST] = ()
    """New revisions of fields."""
    edges: Annotated[tuple[EdgeInput, ...], LIST] = ()
    """New edges to other topics. An existing edge stays as is."""
    suggest_similar: bool = False
    """Return ids of similar topics in `similar_topic_ids`."""
    scope: requests.OptionalScope = None
    """Scope of the topic. A topic named by `topic_id` must be in this scope. Absent or empty: the
    first scope of the key that is no prefix, unscoped under a key for all scopes; for a named topic
    the topic's own scope."""
    sensitivity: requests.OptionalSensitivity = None
    """Sensitivity of a new topic; an existing sensitivity rises to this level and never falls.
    Absent or empty: the deployment's `DefaultSensitivity` for a new topic."""
    trust: TrustInput = Field(default_factory=TrustInput)
    """Narrows what the key may see and write. A write beyond the narrowed trust is refused with
    403, and makes no second topic."""
    idempotency_key: requests.IdempotencyKey | None = None
    """The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same
    content changes nothing and returns the first result; with other content the key is refused.
    Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has
    no key."""
