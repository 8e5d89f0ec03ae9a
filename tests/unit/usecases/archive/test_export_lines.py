"""An export has the lines of selected items alone, and a line about each damaged item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.domain.access.trust import Trust
from membrane.domain.archive.exports import MAX_PARTS, Export, Part, part_name
from membrane.domain.archive.lines import MAX_LINE_BYTES
from membrane.domain.archive.selection import Selection
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.payloads import ToolNode
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.topic import MergeLink, Topic, TopicStatus
from membrane.usecases.archive.export_lines import lines_of_items
from membrane.usecases.machinery.calls import Written
from membrane.usecases.ports.archive import ArchivedItem, RecordPlace, StatementPlace, TopicPlace
from membrane.usecases.ports.services_archive import ArchiveServices
from tests.builders.ingesting import ingest
from tests.builders.messages import said, tell
from tests.builders.requests import call, observation
from tests.builders.stored_records import NOW, event, stored
from tests.builders.stored_topics import topic
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.topics import FakeTopics
from tests.fakes.world import make_archive_services

EVERYTHING = Selection(Sensitivity.HYPER, None)
TEAM = Selection(Sensitivity.LOW, ("team:a",))
MAX_ITEM_BYTES = 400 * 1024
"""AWS, "Constraints in Amazon DynamoDB": an item has at most 400 KB."""


@dataclass(slots=True)
class UnreadTurns(FakeRecords):
    """Cannot read the next turn of any thread."""

    def next_turn(self, key: bytes) -> int:
        """See DynamoRecords."""
        raise ValueError(key)


@dataclass(slots=True)
class UnreadKeepers(FakeTopics):
    """Cannot read one topic."""

    def load(self, topic_id: str) -> Topic | None:
        """See DynamoTopics."""
        if topic_id == "keeper":
            raise ValueError(topic_id)
        return FakeTopics.load(self, topic_id)

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> Mapping[str, Topic]:
        """See DynamoTopics."""
        if "keeper" in topic_ids:
            raise ValueError(topic_ids)
        return FakeTopics.load_all(self, topic_ids, trust)


@dataclass(slots=True)
class UnreadStatements(FakeTopics):
    """Cannot read the statement of one record."""

    damaged: str = ""
    single_reads: int = 0

    def statement(self, record_id: str) -> Statement | None:
        """See DynamoTopics."""
        self.single_reads += 1
        if record_id == self.damaged:
            raise ValueError(record_id)
        return FakeTopics.statement(self, record_id)

    def load_statements(self, record_ids: Sequence[str]) -> Mapping[str, Statement]:
        """See DynamoTopics."""
        if self.damaged in record_ids:
            raise ValueError(record_ids)
        return FakeTopics.load_statements(self, record_ids)


def export_of(selection: Selection, **fields: Any) -> Export:
    usual: dict[str, Any] = {"id": "export-1", "fingerprint": "", "expires_at_s": 1}
    return Export(selection=selection, created_at=NOW, updated_at=NOW, **(usual | fields))


def exported(services: ArchiveServices, selection: Selection, *items: ArchivedItem) -> list[Any]:
    """The lines of the items, parsed."""
    lines = lines_of_items(items, export_of(selection), services)
    return [parse_json(line) for of_item in lines for _, line in of_item]


def observed(services: ArchiveServices, scope: str = "team:a") -> str:
    """The id of a fact with a statement in a topic of that scope."""
    asked = observation(scope=scope)
    written = ingest(asked, call(asked), services)
    assert isinstance(written, Written)
    record_id = written.record.id
    assert isinstance(services.topics, FakeTopics)
    services.topics.topics.setdefault("topic-1", topic(scope=scope))
    statement = Statement(record_id=record_id, content="c" * 64, topic_id="topic-1", version=1)
    services.topic_restores.restore_statement(statement)
    return record_id


def unread(services: ArchiveServices, damaged: str) -> UnreadStatements:
    """The topics of the services, with a damaged statement."""
    topics = services.topics
    assert isinstance(topics, FakeTopics)
    return UnreadStatements(topics=topics.topics, statements=topics.statements, damaged=damaged)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_statement_comes_directly_before_the_record(
    is_first: bool,  # noqa: FBT001 - whether the walk meets the statement first
) -> None:
    """A restored record without a statement feeds topics once more."""
    services = make_archive_services()
    record_id = observed(services)
    record, statement = RecordPlace(record_id), StatementPlace(record_id)

    places = (statement, record) if is_first else (record, statement)
    lines = exported(services, EVERYTHING, *places)

    assert [line["kind"] for line in lines] == ["statement", "record"]
    assert lines[0]["record_id"] == record_id


def test_a_damaged_statement_has_a_line_in_an_export_of_everything() -> None:
    services = make_archive_services()
    record_ids = [observed(services) for _ in range(3)]
    damaged = replace(services, topics=unread(services, record_ids[1]))
    places = list(map(RecordPlace, record_ids))

    lines = exported(damaged, EVERYTHING, *places)

    assert [line["kind"] for line in lines] == [
        *("statement", "record"),
        *("damaged", "record"),
        *("statement", "record"),
    ]
    assert lines[2]["id"] == f"the statement of {record_ids[1]}"
    assert exported(damaged, TEAM, *places) == [*lines[:2], *lines[3:]]


def test_the_statements_of_several_records_are_read_in_one_request() -> None:
    services = make_archive_services()
    record_ids = [observed(services) for _ in range(3)]
    topics = unread(services, "another")

    lines = exported(replace(services, topics=topics), EVERYTHING, *map(RecordPlace, record_ids))

    assert len(lines) == 6
    assert topics.single_reads == 0


def test_the_statement_of_a_lost_record_is_of_an_export_of_everything_alone() -> None:
    services = make_archive_services()
    record_id = observed(services)
    assert isinstance(services.records, FakeRecords)
    del services.records.places[record_id]

    (line,) = exported(services, EVERYTHING, StatementPlace(record_id))

    assert line["kind"] == "statement"
    assert exported(services, TEAM, StatementPlace(record_id)) == []


def test_a_statement_of_a_record_of_another_scope_is_left_out() -> None:
    """The topic is of the exported scope; the record, and so the id, is not."""
    services = make_archive_services()
    record_id = observed(services)
    assert isinstance(services.records, FakeRecords)
    held = services.records.places[record_id]
    services.records.places[record_id] = stored(record_id, scope="team:b")

    assert exported(services, TEAM, StatementPlace(record_id)) == []

    services.records.places[record_id] = held
    assert len(exported(services, TEAM, RecordPlace(record_id))) == 2


def test_values_too_large_for_a_line_are_named_and_not_loaded() -> None:
    services = make_archive_services()
    half = MAX_LINE_BYTES // 2 + 1
    nodes = tuple(
        ToolNode(id=each, tool="cat", result=LargeValue("record-1", each * 64, half))
        for each in "ab"
    )
    payload = event().model_copy(update={"tool_graph": nodes})
    assert isinstance(services.records, FakeRecords)
    services.records.places["record-1"] = stored(payload=payload)
    assert services.records.values == {}

    (line,) = exported(services, EVERYTHING, RecordPlace("record-1"))

    assert (line["kind"], line["id"]) == ("damaged", "record-1")
    assert line["reason"] == f"the line would exceed {MAX_LINE_BYTES} bytes"


def test_a_damaged_thread_takes_no_record_out_of_an_export_of_a_scope() -> None:
    services = make_archive_services()
    tell(said("hello", "welcome", scope="team:a"), services)
    assert isinstance(services.records, FakeRecords)
    record_id, places = min(services.records.places), services.records.places
    damaged = UnreadTurns(FakeClock(), places=places)
    place = RecordPlace(record_id)
    assert [line["kind"] for line in exported(services, TEAM, place)] == ["record", "thread"]

    (line,) = exported(replace(services, records=damaged), TEAM, place)

    assert line["record"]["id"] == record_id


def test_an_alias_of_a_damaged_topic_ends_no_export_of_a_scope() -> None:
    services = make_archive_services()
    topics = UnreadKeepers(FakeRecords(FakeClock()))
    topics.topics["keeper"] = topic("keeper", scope="team:a")
    topics.topics["other"] = topic("other", scope="team:a")
    merged = topic("alias", scope="team:a")
    link = MergeLink(into="keeper", at=NOW, why="", status=TopicStatus.ACTIVE)
    topics.topics["alias"] = replace(merged, merged=link)

    places = [TopicPlace(each) for each in ("alias", "other")]
    lines = exported(replace(services, topics=topics), TEAM, *places)

    assert [line["topic"]["id"] for line in lines] == ["other"]


def test_an_export_of_the_most_parts_fits_an_item() -> None:
    """Every name is of a complete part, or of an object that a killed run began."""
    export_id = "0" * 36
    names = [part_name(export_id, number, "f" * 12) for number in range(1, MAX_PARTS + 1)]
    parts = tuple(Part(name, 2**31) for name in names)

    kept = export_of(EVERYTHING, id=export_id, parts=parts).as_json()

    assert len(compact_json(kept).encode()) < MAX_ITEM_BYTES
