"""The arguments of the seven tools that read topics."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from membrane.domain.tools.memstate.arguments import (
    Arguments,
    EdgeOffset,
    Flag,
    Offset,
    PageCursor,
    PartOffset,
    Path,
    TopicId,
    describe,
    requires,
)

USUAL_PAGE = 15
MAX_PAGE = 50

_WithArchived = Annotated[Flag, describe("Show archived topics, too. Absent: false.")]
_ReadFieldName = Annotated[
    str, describe("Name of the field, of a bundle, or of a field in any bundle.")
]
_NestedName = Annotated[str, describe("Name of a field in the bundle field_name.")]


class Detail(StrEnum):
    """How much of a field is shown."""

    MINIMAL = "minimal"
    """Type, reference and salience."""
    CURRENT = "current"
    """The current value, too."""
    HISTORY = "history"
    """The earlier values, too."""


def _known_detail(value: Any) -> Any:
    return value if value in [*Detail] else Detail.MINIMAL


class GraphSnapshot(Arguments):
    offset: Offset = 0
    edge_offset: EdgeOffset = 0
    cursor: PageCursor = None


class ListTopics(Arguments):
    include_archived: _WithArchived = False
    offset: Offset = 0
    cursor: PageCursor = None


class TopicsSchemaPage(Arguments):
    offset: Offset = 0
    limit: Annotated[
        int,
        Field(strict=False, description=f"Topics on the page, 1 to {MAX_PAGE}; 0: {USUAL_PAGE}."),
        BeforeValidator(lambda value: USUAL_PAGE if value == "" else value),
    ] = USUAL_PAGE
    include_archived: _WithArchived = False
    topic_kind: Annotated[str, describe("Only topics of the kind. Absent or empty: all.")] = ""
    cursor: PageCursor = None

    @property
    def page_size(self) -> int:
        """The limit within 1 and MAX_PAGE; USUAL_PAGE for 0."""
        return min(max(self.limit, 1), MAX_PAGE) if self.limit else USUAL_PAGE


class GetTopicSchema(Arguments):
    model_config = requires("topic_id")

    topic_id: TopicId = ""
    detail: Annotated[
        Detail,
        Field(
            strict=False,
            description="minimal: types, references, saliences; current: and values; history: "
            "and earlier values. Absent: minimal.",
        ),
        BeforeValidator(_known_detail),
    ] = Detail.MINIMAL
    path: Path = ""
    offset: PartOffset = 0


class GetTopic(Arguments):
    model_config = requires("topic_id")

    topic_id: TopicId = ""
    path: Path = ""
    offset: PartOffset = 0


class GetFieldHistory(Arguments):
    model_config = requires("topic_id", "field_name")

    topic_id: TopicId = ""
    field_name: _ReadFieldName = ""
    nested_field_name: _NestedName = ""
    path: Path = ""
    offset: PartOffset = 0


class GetField(GetFieldHistory):
    with_history: Annotated[Flag, describe("Show earlier values, too. Absent: true.")] = True
