"""The arguments of the twelve tools that write topics."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_ID_CHARACTERS, Salience, Text
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.requests import OPTIONAL
from membrane.domain.tools.memstate import arguments
from membrane.domain.tools.schemas import AS_TEXT, container_in
from membrane.domain.topics.requests.editing import USUAL_RELATION, MaxHistory, OptionalNewId
from membrane.domain.topics.requests.ingest import FieldTypeWord, Kind, Title, TopicValue
from membrane.domain.topics.titles import UNTITLED
from membrane.domain.topics.topic import FieldType, fits
from membrane.domain.topics.versions import USUAL_SALIENCE

_MemberName = Annotated[Title, arguments.describe("Name of the bundle.")]
_LaxSalience = Annotated[Salience, Field(strict=False)]
_EdgeKind = Annotated[
    Kind | None, arguments.describe("Meaning of the relationship, as part_of; may be empty.")
]
_Reference = Annotated[
    Annotated[str, Field(max_length=MAX_ID_CHARACTERS)] | None,
    arguments.describe("Id of a topic to refer to; null or empty clears the reference."),
]


def _scalar_in(text: str, kind: FieldType) -> Any:
    """The number or the truth value of the type in a text; the text where the text has none."""
    try:
        found = parse_json(text.strip().lower())
    except InvalidArgument:
        return text
    return found if fits(found, kind) else text


class CreateTopic(arguments.Arguments):
    required = ("title",)
    looked_at_first = ("title",)

    title: Annotated[Title | None, arguments.describe(f"Empty: {UNTITLED}.")] = None
    summary: Text = ""
    topic_kind: Annotated[Kind, arguments.describe("Kind of the subject, as person.")] = ""
    salience: Annotated[
        _LaxSalience,
        AfterValidator(lambda given: given or USUAL_SALIENCE),
        arguments.describe("0 or absent: 1."),
    ] = USUAL_SALIENCE
    topic_id: Annotated[OptionalNewId, arguments.describe("Absent: the service makes an id.")] = (
        None
    )


class UpdateTopic(arguments.Arguments):
    required = ("topic_id",)

    topic_id: arguments.TopicId = ""
    title: Annotated[Title | None, arguments.describe("Absent: unchanged.")] = None
    summary: Annotated[Text | None, arguments.describe("Absent: unchanged. Empty: no summary.")] = (
        None
    )
    topic_kind: Annotated[Kind | None, arguments.describe("Absent: unchanged. Empty: no kind.")] = (
        None
    )
    salience: Annotated[_LaxSalience | None, arguments.describe("Absent: unchanged.")] = None
    archived: Annotated[
        arguments.Flag | None,
        OPTIONAL,
        arguments.describe("true: out of retrieval; false: back. Absent: unchanged."),
    ] = None


class DeleteTopic(arguments.Arguments):
    required = ("topic_id",)

    topic_id: arguments.TopicId = ""


class Relationship(arguments.Arguments):
    """An edge to add or to remove."""

    required = ("from_topic_id", "to_topic_id", "kind")
    looked_at_first = ("kind",)

    from_topic_id: arguments.TopicId = ""
    to_topic_id: arguments.FarTopicId = ""
    kind: _EdgeKind = None


class AppendField(arguments.Arguments):
    required = ("topic_id", "field_name", "value")
    keeps_null = frozenset({"value", "ref_topic_id"})

    topic_id: arguments.TopicId = ""
    field_name: arguments.WrittenFieldName = ""
    value: Annotated[
        TopicValue,
        AS_TEXT,
        arguments.describe(
            "The fact: a text; JSON for a list, an object, or a field_type of numbers."
        ),
    ] = None
    field_type: Annotated[
        FieldTypeWord | None,
        OPTIONAL,
        arguments.describe("Absent: the type of the field; for a new field the type of the value."),
    ] = None
    ref_topic_id: _Reference = None
    why_changed: Annotated[Text | None, arguments.describe("Reason for the new value.")] = None
    provenance: arguments.Provenance = arguments.USUAL_PROVENANCE

    @model_validator(mode="before")
    @classmethod
    def _value_of_its_type(cls, sent: Any) -> Any:
        """Read a value that came as JSON text, as the type of the field says."""
        match sent:
            case {"value": str(text), "field_type": "int" | "float" | "bool" as kind}:
                return {**sent, "value": _scalar_in(text, FieldType(kind))}
            case {"value": str(text), "field_type": "string" | "date" | "datetime"}:
                return sent
            case {"value": str(text)}:
                return {**sent, "value": container_in(text)}
            case _:
                return sent


class DeleteField(arguments.Arguments):
    required = ("topic_id", "field_name")

    topic_id: arguments.TopicId = ""
    field_name: Annotated[
        str, arguments.FieldOfRoute, arguments.describe("Name of the field, or of a bundle.")
    ] = ""


class SetFieldRef(arguments.Arguments):
    required = ("topic_id", "field_name")

    topic_id: arguments.TopicId = ""
    field_name: Annotated[arguments.WrittenFieldName, arguments.FieldOfRoute] = ""
    ref_topic_id: Annotated[_Reference, OPTIONAL] = None


class NestFields(arguments.Arguments):
    required = ("topic_id", "field_names", "nest_key")
    looked_at_first = ("topic_id",)

    topic_id: arguments.TopicId = ""
    field_names: arguments.FieldNames = ()
    nest_key: _MemberName = ""
    provenance: arguments.Provenance = arguments.USUAL_PROVENANCE


class UnnestFields(arguments.Arguments):
    required = ("topic_id", "nest_key")

    topic_id: arguments.TopicId = ""
    nest_key: _MemberName = ""


class PromoteFields(arguments.Arguments):
    required = ("parent_topic_id", "field_names", "child_title")
    looked_at_first = ("parent_topic_id",)

    parent_topic_id: arguments.TopicId = ""
    field_names: arguments.FieldNames = ()
    child_title: Annotated[Title, arguments.describe("Title of the new topic.")] = ""
    child_summary: Text = ""
    child_topic_id: Annotated[
        OptionalNewId, arguments.describe("Absent: the service makes an id.")
    ] = None
    child_topic_kind: Annotated[
        Kind | None, Field(exclude=True), arguments.describe("Absent: the kind of the parent.")
    ] = None
    relationship_kind: Annotated[
        Kind, arguments.describe(f"Kind of the edge to the new topic. Absent: {USUAL_RELATION}.")
    ] = USUAL_RELATION
    parent_link_field: Annotated[
        arguments.WrittenFieldName,
        arguments.describe("New field of the parent that refers to the new topic. Absent: none."),
    ] = ""
    link_provenance: Annotated[arguments.Provenance, Field(serialization_alias="provenance")] = (
        arguments.USUAL_PROVENANCE
    )
    max_history: Annotated[MaxHistory, arguments.describe("Without effect: all history stays.")] = (
        500
    )


class UndoPromotion(arguments.Arguments):
    required = ("parent_topic_id", "child_topic_id")

    parent_topic_id: arguments.TopicId = ""
    child_topic_id: Annotated[str, Field(max_length=MAX_ID_CHARACTERS)] = ""
    relationship_kind: Annotated[
        Kind | None, OPTIONAL, arguments.describe("Needed if several edges lead to the child.")
    ] = None
