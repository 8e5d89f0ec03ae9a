"""Topics as a file of an export has them."""

from membrane.domain.archive.side_lines import ActionLine
from membrane.domain.archive.topic_lines import ArchivedLine, ArchivedTopic
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.topic import Field, FieldType, Line, key_of
from tests.builders.stored_records import NOW
from tests.builders.stored_topics import LINE, edge, happened, revision, topic

ACTION = ActionLine(
    kind="action",
    scope="team:a",
    at=NOW,
    id="action-1",
    action={"topics": ["topic-1"], "kind": "merge"},
)
REVISIONS = tuple(revision(number, f"value {number}") for number in (2, 1, 0))


def archived(topic_id: str = "topic-1") -> ArchivedTopic:
    """A topic with three revisions of a field, many events, and an edge."""
    line = Line(topic_id, LINE.id, count=3)
    field = Field(type=FieldType.STRING, current=REVISIONS[0], lines=(line,))
    whole = topic(topic_id, fields={"colour": field})
    for _ in range(40):
        whole = happened(whole, EventKind.META)
    edges = (edge(topic_id, "topic-9"),)
    return ArchivedTopic(whole, None, edges, (ArchivedLine(key_of(line), REVISIONS),), {})
