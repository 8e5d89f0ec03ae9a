"""The arguments of the tools that read topics, of the planners, and of the study tools."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from membrane.domain.language.fields import Text
from membrane.domain.tools.memstate import arguments

USUAL_PAGE = 15
MAX_PAGE = 50

_WithArchived = Annotated[
    arguments.Flag, arguments.describe("Show archived topics, too. Absent: false.")
]
_ReadFieldName = Annotated[
    str, arguments.describe("Name of the field, of a bundle, or of a field in any bundle.")
]
_NestedName = Annotated[str, arguments.describe("Name of a field in the bundle field_name.")]


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


class GraphSnapshot(arguments.Arguments):
    offset: arguments.Offset = 0
    edge_offset: arguments.EdgeOffset = 0
    cursor: arguments.PageCursor = None


class ListTopics(arguments.Arguments):
    include_archived: _WithArchived = False
    offset: arguments.Offset = 0
    cursor: arguments.PageCursor = None


class TopicsSchemaPage(arguments.Arguments):
    offset: arguments.Offset = 0
    limit: Annotated[
        int,
        Field(strict=False, description=f"Topics on the page, 1 to {MAX_PAGE}; 0: {USUAL_PAGE}."),
        BeforeValidator(lambda value: USUAL_PAGE if value == "" else value),
    ] = USUAL_PAGE
    include_archived: _WithArchived = False
    topic_kind: Annotated[
        str, arguments.describe("Only topics of the kind. Absent or empty: all.")
    ] = ""
    cursor: arguments.PageCursor = None

    @property
    def page_size(self) -> int:
        """The limit within 1 and MAX_PAGE; USUAL_PAGE for 0."""
        return min(max(self.limit, 1), MAX_PAGE) if self.limit else USUAL_PAGE


class GetTopicSchema(arguments.Arguments):
    required = ("topic_id",)

    topic_id: arguments.TopicId = ""
    detail: Annotated[
        Detail,
        Field(
            strict=False,
            description="minimal: types, references, saliences; current: and values; history: "
            "and earlier values. Absent: minimal.",
        ),
        BeforeValidator(_known_detail),
    ] = Detail.MINIMAL
    path: arguments.Path = ""
    offset: arguments.PartOffset = 0


class GetTopic(arguments.Arguments):
    required = ("topic_id",)

    topic_id: arguments.TopicId = ""
    path: arguments.Path = ""
    offset: arguments.PartOffset = 0


class GetFieldHistory(arguments.Arguments):
    required = ("topic_id", "field_name")

    topic_id: arguments.TopicId = ""
    field_name: _ReadFieldName = ""
    nested_field_name: _NestedName = ""
    path: arguments.Path = ""
    offset: arguments.PartOffset = 0


class GetField(GetFieldHistory):
    with_history: Annotated[
        arguments.Flag, arguments.describe("Show earlier values, too. Absent: true.")
    ] = True


class Operation(StrEnum):
    """A way to reorganise topics. A planner changes nothing: the agent calls the write tools."""

    CONSOLIDATION = "consolidation"
    MERGE_TOPICS = "merge_topics"
    SPLIT_TOPICS = "split_topics"
    CONNECT_TOPICS = "connect_topics"
    RETENTION_TRIM = "retention_trim"

    @property
    def tool(self) -> str:
        return f"memory_reorganize_{self.value}"


GUIDELINES = {
    Operation.CONSOLIDATION: (
        "Look for several names of one fact, fields of one meaning with different types, "
        "references that say the same as an edge, and edges of equal meaning. The structure is "
        "enough to decide. Write the value under the name that stays, then delete the other field "
        "or edge. Leave fields of different meaning apart."
    ),
    Operation.MERGE_TOPICS: (
        "Find pairs of topics by title, kind and shared field names. Read the current values of "
        "both, and merge only if the values agree and both topics are about the same thing. Append "
        "the fields to the topic that stays, point references and edges there, and delete the "
        "empty topic last. In doubt, add an edge instead."
    ),
    Operation.SPLIT_TOPICS: (
        "Find topics whose fields are about unrelated subjects. Promote the fields of each further "
        "subject to a topic of its own, linked to the first. Fields of one subject stay together: "
        "for an order inside a topic, nest the fields instead."
    ),
    Operation.CONNECT_TOPICS: (
        "Find topics that belong together and have no edge. Add an edge only where titles, kinds "
        "or fields show the relation, with a kind already in use. Few sure edges are worth more "
        "than many guesses."
    ),
    Operation.RETENTION_TRIM: (
        "Find topics of low salience with few fields, and fields without a value. Read a topic "
        "before a change. Archive the topic or lower the salience; delete empty fields. Keep "
        "topics to which other topics refer."
    ),
}


class Plan(arguments.Arguments):
    criteria: Annotated[Text, arguments.describe("Aim of the reorganisation, in words.")] = ""
    offset: arguments.Offset = 0
    edge_offset: arguments.EdgeOffset = 0
    cursor: arguments.PageCursor = None


class StudyUnitCatalog(arguments.Arguments):
    """No arguments."""


class StudyGraphSnapshot(arguments.Arguments):
    study_topic_kind: Annotated[
        str, arguments.describe("Kind of the topics of the study session.")
    ] = ""
    offset: arguments.Offset = 0
    edge_offset: arguments.EdgeOffset = 0
    cursor: arguments.PageCursor = None
