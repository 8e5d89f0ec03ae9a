"""Telling of a topic on the peer's route (spec 2.1)."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import LIST, Salience, Text
from membrane.domain.language.requests import (
    IdempotencyKey,
    OptionalScope,
    OptionalSensitivity,
    OptionalTimestamp,
)
from membrane.domain.topics.requests.parts import (
    NOT_NULL,
    FieldName,
    FieldTypeWord,
    Kind,
    OpenBody,
    Title,
    TopicValue,
)

# Defaults that are models are made by factories: an instance would build its model at import.

MAX_REFERENCE_CHARACTERS = 256
"""Of what should be a topic's id; what is no id is not found."""

Reference = Annotated[str, Field(max_length=MAX_REFERENCE_CHARACTERS)]


class FieldTold(OpenBody):
    """One revision of a field; what is not named of `field_type` and `ref_topic_id` stays."""

    name: FieldName
    value: TopicValue = ""
    field_type: Annotated[FieldTypeWord | None, NOT_NULL] = None
    ref_topic_id: Reference | None = None
    """Null and an empty one clear it."""
    why_changed: Text | None = None
    impact_expected: Text | None = None
    provenance: Text = "api"
    valid_from: OptionalTimestamp = None
    """Since when it is so; absent: since now."""

    @property
    def names_reference(self) -> bool:
        """Whether it says anything of the reference."""
        return "ref_topic_id" in self.model_fields_set


class EdgeTold(OpenBody):
    """A link from the topic to another."""

    to_topic_id: Reference
    kind: Kind


class IngestTopic(OpenBody):
    """What is told of a topic, and where it belongs: as it says, or as the service finds.

    Of a topic that is there, title, summary and kind stay where they are absent or null; an empty
    summary or kind clears it. A salience that is given counts from now; 1.0, which a new topic has
    anyway, stays out of it there: clients spell it out with all that they tell. The trust narrows
    what is shown and written; what it does not cover is refused, and no second topic is made of it.
    """

    placement: str | None = None
    """One of the peer's three, or null or `auto`."""
    topic_id: Reference | None = None
    title: Title = ""
    summary: Text | None = None
    topic_kind: Kind | None = None
    salience: Annotated[Salience | None, NOT_NULL] = None
    fields: Annotated[tuple[FieldTold, ...], LIST] = ()
    edges: Annotated[tuple[EdgeTold, ...], LIST] = ()
    suggest_similar: bool = False
    scope: OptionalScope = None
    sensitivity: OptionalSensitivity = None
    trust: TrustInput = Field(default_factory=TrustInput)
    idempotency_key: IdempotencyKey | None = None
