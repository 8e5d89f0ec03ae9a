"""A restored topic is the topic that was exported, and a taken place stays as it is."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.archive.topic_lines import ArchivedLine, ArchivedTopic, canonical_line
from membrane.domain.topics.access import Access, Signal
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.topic import Field, Line, key_of
from membrane.usecases.archive.load_topic import load_whole_topic
from membrane.usecases.ports.archive import (
    DifferentItem,
    DocumentPlace,
    LoggedAction,
    ReceiptPlace,
    StatementPlace,
    TopicPlace,
)
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_archive import ArchiveServices
from membrane.usecases.ports.topics import ReceiptTaken, TopicIdTaken, TopicReceipt
from tests.builders.stored_records import NOW
from tests.builders.stored_topics import LINE, edge, happened, revision, topic
from tests.contract.archive.test_exports import counted, walked
from tests.fakes.world import make_archive_services
from tests.worlds.stores import Store

RECEIPT = TopicReceipt(b"i" * 12, b"f" * 32, ("topic-1",), {"topic_id": "topic-1"})
ACTION = LoggedAction("team:a", NOW, "action-1", {"topics": ["topic-1"], "kind": "merge"})
STATEMENT = Statement(record_id="record-1", content="c" * 64, topic_id="topic-1", version=3)
ACCESS = Access(topic=Signal(0.5, 1.0), version=4)
REVISIONS = tuple(revision(number, f"value {number}") for number in (2, 1, 0))


def archived(topic_id: str = "topic-1", **changes: Any) -> ArchivedTopic:
    """A topic with three revisions of a field, many events, an edge, and reads."""
    line = Line(topic_id, LINE.id, count=3)
    field = Field(type=FieldType.STRING, current=REVISIONS[0], lines=(line,))
    whole = topic(topic_id, **{"fields": {"colour": field}} | changes)
    for _ in range(40):
        whole = happened(whole, EventKind.META)
    edges = (edge(topic_id, "topic-9"),)
    return ArchivedTopic(whole, ACCESS, edges, (ArchivedLine(key_of(line), REVISIONS),), {})


def loaded(store: Store, topic_id: str = "topic-1") -> ArchivedTopic | None:
    return load_whole_topic(topic_id, make_services_over(store))


def make_services_over(store: Store) -> ArchiveServices:
    return replace(make_archive_services(records=store.records), topics=store.topics)


def test_a_topic_comes_back_whole(store: Store) -> None:
    store.topic_restores.restore_topic(archived())

    found = loaded(store)

    assert found is not None
    assert canonical_line(found) == canonical_line(archived())


def test_a_taken_id_is_refused_and_the_topic_stays(store: Store) -> None:
    store.topic_restores.restore_topic(archived())

    with pytest.raises(TopicIdTaken):
        store.topic_restores.restore_topic(archived(title="Coffee"))

    found = loaded(store)
    assert found is not None
    assert found.topic.title == "Tea"


def test_a_topic_that_would_add_to_the_history_of_another_topic_is_refused(store: Store) -> None:
    store.topic_restores.restore_topic(archived())
    foreign = ArchivedLine(key_of(LINE), (revision(7, "smuggled"), *REVISIONS))
    other = archived("topic-2")
    lines = (Line("topic-1", LINE.id, count=4),)
    field = Field(type=FieldType.STRING, current=REVISIONS[0], lines=lines)
    smuggling = other._replace(
        topic=replace(other.topic, fields={"colour": field}), lines=(foreign,)
    )

    with pytest.raises(DifferentItem):
        store.topic_restores.restore_topic(smuggling)

    assert loaded(store, "topic-2") is None
    assert store.topics.history(LINE) == list(REVISIONS)


def test_a_topic_whose_reads_are_taken_is_refused(store: Store) -> None:
    second = archived("topic-2")
    store.topics.keep_access("topic-2", Access(), Access(topic=Signal(0.9, 2.0)))

    with pytest.raises(DifferentItem):
        store.topic_restores.restore_topic(second)

    assert loaded(store, "topic-2") is None


def test_a_receipt_is_restored_with_the_expiry_and_into_a_free_place(store: Store) -> None:
    store.topic_restores.restore_receipt(RECEIPT, int(store.clock().timestamp()) + 60)

    with pytest.raises(ReceiptTaken):
        store.topic_restores.restore_receipt(replace(RECEIPT, fingerprint=b"x" * 32), 9**10)

    assert store.topics.find_receipt(RECEIPT.identity) == RECEIPT
    store.clock.advance(seconds=61)
    assert store.topics.find_receipt(RECEIPT.identity) is None


def test_a_statement_is_restored_once_with_the_version(store: Store) -> None:
    store.topic_restores.restore_statement(STATEMENT)

    with pytest.raises(LostRace):
        store.topic_restores.restore_statement(replace(STATEMENT, content="d" * 64))

    assert store.topics.statement("record-1") == STATEMENT
    assert store.topics.load_statements(["absent", "record-1"]) == {"record-1": STATEMENT}


def test_an_action_is_restored_once(store: Store) -> None:
    assert store.topic_restores.restore_action(ACTION)

    assert not store.topic_restores.restore_action(ACTION)
    with pytest.raises(DifferentItem):
        store.topic_restores.restore_action(ACTION._replace(action={"topics": ["other"]}))

    assert [body for _, body in store.topics.logged_actions("team:a", 10)] == [ACTION.action]


def test_the_walk_meets_everything_about_topics(store: Store) -> None:
    store.topic_restores.restore_topic(archived())
    expires_at_s = int(store.clock().timestamp()) + 60
    store.topic_restores.restore_receipt(RECEIPT, expires_at_s)
    store.topic_restores.restore_statement(STATEMENT)
    store.topic_restores.restore_action(ACTION)
    store.topics.keep_document("system-context", "", {"a": 1}, None)
    store.topics.keep_document("communities", "team:a", {"a": 1}, None)
    store.topics.keep_document("reason", "", {"a": 1}, None)

    found = [each.item for each in walked(store)]
    actions = [each for each in found if isinstance(each, LoggedAction)]
    others = [each for each in found if not isinstance(each, LoggedAction)]
    assert actions == [ACTION]
    assert counted(others) == counted(
        [
            TopicPlace("topic-1"),
            StatementPlace("record-1"),
            ReceiptPlace(RECEIPT.identity, expires_at_s),
            DocumentPlace("communities", "team:a"),
            DocumentPlace("system-context", ""),
        ]
    )
