"""The arguments of the planners and of the study tools, and the guidelines of the planners."""

from enum import StrEnum
from typing import Annotated

from membrane.domain.language.fields import Text
from membrane.domain.tools.memstate.arguments import (
    Arguments,
    EdgeOffset,
    Offset,
    PageCursor,
    describe,
)


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


class Plan(Arguments):
    criteria: Annotated[Text, describe("Aim of the reorganisation, in words.")] = ""
    offset: Offset = 0
    edge_offset: EdgeOffset = 0
    cursor: PageCursor = None


class StudyUnitCatalog(Arguments):
    """No arguments."""


class StudyGraphSnapshot(Arguments):
    study_topic_kind: Annotated[str, describe("Kind of the topics of the study session.")] = ""
    offset: Offset = 0
    edge_offset: EdgeOffset = 0
    cursor: PageCursor = None
