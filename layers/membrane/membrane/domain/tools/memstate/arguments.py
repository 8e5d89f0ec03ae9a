"""The parts that the arguments of MemState's tools share.

A required argument has a default here: the tool refuses the absent argument in MemState's words.
The JSON schema, which language models read, lists the argument as required all the same. An
unknown argument is refused, because an ignored argument would be lost without a word.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import LIST, Text
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.requests import OPTIONAL, RequestPart
from membrane.domain.topics.requests.ingest import Title, field_name
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS

USUAL_PROVENANCE = "llm"


def _list_required(schema: JsonObject, model: type["Arguments"]) -> None:
    schema["required"] = [*model.required]


class Arguments(RequestPart):
    """Base of the arguments; null has the meaning of an absent argument."""

    model_config = ConfigDict(json_schema_extra=_list_required)

    required: ClassVar[tuple[str, ...]] = ()
    looked_at_first: ClassVar[tuple[str, ...]] = ()
    """The required arguments without which the tool looks at nothing. Empty: the required texts."""

    @property
    def missing(self) -> Sequence[str]:
        """The arguments to look at first, where one is absent; a text of default "" if blank."""
        defaults = {name: each.default for name, each in type(self).model_fields.items()}
        names = self.looked_at_first or [each for each in self.required if defaults[each] == ""]
        given = ((getattr(self, each), defaults[each]) for each in names)
        is_missing = any(
            value is None or (default == "" and not value.strip()) for value, default in given
        )
        return names if is_missing else ()

    @property
    def of_route(self) -> JsonObject:
        """The arguments by their names in the request of the route; without absent nulls."""
        fields = type(self).model_fields.keys()
        absent = {each for each in fields - self.model_fields_set if getattr(self, each) is None}
        return self.model_dump(by_alias=True, exclude=absent)


def _not_negative(value: int) -> int:
    return max(0, value)


def _name_or_blank(value: str) -> str:
    return field_name(value) if value.strip() else ""


def _names(value: Any) -> Any:
    """A list of texts; any other value has no names."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    return []


def describe(text: str) -> Any:
    """A description for a JSON schema."""
    return Field(description=text)


FarTopicId = Annotated[str, describe("Id of the topic.")]

TopicId = Annotated[FarTopicId, Field(serialization_alias="id")]

FieldOfRoute = Field(serialization_alias="name")
"""Of a route with the field in the path."""

Flag = Annotated[bool, Field(strict=False)]
"""true or false, also as 1, 0, yes, no, on or off, as number or text."""

Offset = Annotated[
    int,
    Field(strict=False, description="next_offset of the last page. Absent: 0."),
    AfterValidator(_not_negative),
]

EdgeOffset = Annotated[
    int,
    Field(strict=False, description="next_edge_offset of the last page. Absent: 0."),
    AfterValidator(_not_negative),
]
"""Edges of the first topic of the page that earlier pages showed."""

PageCursor = Annotated[
    Cursor | None,
    OPTIONAL,
    describe("next_cursor of the last page: beyond the first 1,000 topics."),
]

Path = Annotated[
    str, describe("JSON pointer to a part of this tool's answer that was cut: /topic/summary")
]

PartOffset = Annotated[
    int,
    Field(
        strict=False,
        description="With path: characters or elements of the part to skip. Absent: 0.",
    ),
    AfterValidator(_not_negative),
]

WrittenFieldName = Annotated[
    str,
    Field(
        max_length=MAX_NAME_CHARACTERS,
        description="Name of the field; bundle.name for a field in a bundle.",
    ),
    AfterValidator(_name_or_blank),
]

FieldNames = Annotated[
    tuple[Title, ...], LIST, describe("Names of the fields."), BeforeValidator(_names)
]
"""Empty for anything but a list of texts."""

Provenance = Annotated[Text, describe(f"Origin of the value. Absent: {USUAL_PROVENANCE}.")]
