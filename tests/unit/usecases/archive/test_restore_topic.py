"""Lines of topics in a restore: hostile lines leave nothing, equal topics are skipped."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.archive.topic_lines import (
    ArchivedLine,
    ArchivedTopic,
    content_name,
    topic_line,
)
from membrane.domain.language.errors import AlreadyExists, DomainError, ScopeFenced
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.access import Access, Signal
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.large_values import lean_value
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.topic import Archive, Field, Line, TopicStatus, key_of
from membrane.usecases.archive.load_topic import load_whole_topic
from membrane.usecases.archive.restore_line import parse_line, restore_line
from membrane.usecases.ports.services_archive import ArchiveServices
from tests.builders.stored_topics import LINE, edge, happened, revision, topic
from tests.fakes.topics import FakeTopics
from tests.fakes.world import make_archive_services

Spoil = Callable[[dict[str, Any]], object]


def laden_topic() -> ArchivedTopic:
    """A topic with an archive, a large value, an edge, reads, and many events."""
    lean, values = lean_value(["x" * 90_000, "y" * 90_000], "topic-1")
    assert isinstance(lean, LargeValue)
    newest = revision(9, lean, field_type=FieldType.LIST)
    old = (revision(1, "blue"), revision(0, "red"))
    archive = Archive(content_name(old), 2, old[-1].valid_from, old[0].valid_from)
    line = Line("topic-1", LINE.id, count=1, archives=(archive,))
    field = Field(type=FieldType.LIST, current=newest, lines=(line,))
    whole = topic(scope="team:a", fields={"colour": field})
    for _ in range(30):
        whole = happened(whole, EventKind.META)
    archived_line = ArchivedLine(key_of(line), (newest,), ((archive, old),))
    access = Access(topic=Signal(0.5, 1.0), version=4)
    return ArchivedTopic(whole, access, (edge(),), (archived_line,), values)


def laden_line() -> dict[str, Any]:
    return dict(parse_json(encode_line(topic_line(laden_topic())), LEVELS))


def restored(line: Any, services: ArchiveServices) -> bool:
    return restore_line(parse_line(json.dumps(line).encode()), services)


def stored_in(services: ArchiveServices) -> object:
    topics = services.topics
    assert isinstance(topics, FakeTopics)
    parts = (topics.topics, topics.revisions, topics.archives, topics.links, topics.reads)
    return [dict(part) for part in (*parts, topics.trails, topics.receipts, topics.statements)]


def set_at(*path: str | int, to: Any) -> Spoil:
    """Replaces one value of a line."""

    def spoil(line: dict[str, Any]) -> None:
        holder: Any = line
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = to

    return spoil


def archive_of_head(line: Any) -> dict[str, Any]:
    """The first archive that the head of the topic names."""
    (colour, *_) = line["topic"]["fields"]["colour"]["lines"]
    archive: dict[str, Any] = colour["archives"][0]
    return archive


SPOILED: dict[str, Spoil] = {
    "an unknown field": set_at("more", to=1),
    "an unknown field of the topic": set_at("topic", "more", to=1),
    "an unknown field of a field": set_at("topic", "fields", "colour", "more", to=1),
    "an unknown field of an event": set_at("events", 0, "more", to=1),
    "an unknown field of a revision": set_at("lines", 0, "revisions", 0, "more", to=1),
    "no topic": lambda line: line.pop("topic"),
    "a topic that is no object": set_at("topic", to=[]),
    "an id with a slash": set_at("topic", "id", to="../other"),
    "an id of another topic": set_at("topic", "id", to="topic-2"),
    "a reserved scope": set_at("topic", "scope", to="*"),
    "a long title": set_at("topic", "title", to="x" * 1_001),
    "an unknown status": set_at("topic", "status", to="secret"),
    "a negative salience": set_at("topic", "salience", to=-1.0),
    "a salience that is a text": set_at("topic", "salience", to="1"),
    "an anchor beyond the calendar": set_at("topic", "anchored_at_s", to=1e300),
    "a version of 0": set_at("topic", "version", to=0),
    "no events": set_at("events", to=[]),
    "a missing event": lambda line: line["events"].pop(3),
    "a changed principal": set_at("events", 2, "principal", to="someone"),
    "a changed reason": set_at("events", 2, "why", to="because"),
    "a changed hash": set_at("events", 2, "hash", to="0" * 64),
    "an edge of another topic": set_at("edges", 0, "from_id", to="topic-2"),
    "an edge to no id": set_at("edges", 0, "to_id", to="a b"),
    "no lines": lambda line: line.pop("lines"),
    "no archives of a line": lambda line: line["lines"][0].pop("archives"),
    "an archive with another count": lambda line: archive_of_head(line).update({"count": 10**9}),
    "a line of no field": set_at("lines", 0, "id", to="f" * 16),
    "a line with a bad id": set_at("lines", 0, "id", to="x#y"),
    "a revision twice": lambda line: line["lines"][0]["revisions"].append(
        line["lines"][0]["revisions"][0]
    ),
    "a time without a zone": set_at("lines", 0, "revisions", 0, "valid_from", to="2026-01-01"),
    "a negative order": set_at("lines", 0, "revisions", 0, "order", to=-1),
    "a changed archive": set_at("lines", 0, "archives", 0, "revisions", 0, "value", to="pink"),
    "an empty archive": set_at("lines", 0, "archives", 0, "revisions", to=[]),
    "a value of another type": set_at("topic", "fields", "colour", "type", to=7),
    "a missing value": lambda line: line.pop("values"),
    "an unnamed value": lambda line: line["values"].update({"0" * 64: "1"}),
    "a changed value": lambda line: line["values"].update(dict.fromkeys(line["values"], '"x"')),
    "reads of another form": set_at("access", "topic", to=1),
}


def test_a_topic_is_restored_with_everything() -> None:
    services, line = make_archive_services(), laden_line()

    assert restored(line, services)

    found = load_whole_topic("topic-1", services)
    assert found is not None
    assert parse_json(encode_line(topic_line(found)), LEVELS) == line


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_line_is_refused_and_leaves_nothing(spoil: Spoil) -> None:
    services, line = make_archive_services(), laden_line()
    before = stored_in(services)
    spoil(line)

    with pytest.raises(DomainError):
        restored(line, services)

    assert stored_in(services) == before


def test_an_equal_topic_is_skipped_and_a_different_one_stays_as_it_is() -> None:
    services, line = make_archive_services(), laden_line()
    restored(line, services)

    assert not restored(line, services)

    services.topics.keep_access("topic-1", Access(version=4), Access(topic=Signal(0.9, 2.0)))
    before = stored_in(services)
    with pytest.raises(AlreadyExists, match="topic-1 exists and differs"):
        restored(line, services)
    assert stored_in(services) == before


@pytest.mark.parametrize("kind", ["topic_receipt", "statement"])
def test_what_belongs_to_a_topic_of_a_scope_that_is_being_erased_is_refused(kind: str) -> None:
    services = make_archive_services()
    restored(laden_line(), services)
    services.fences.put("team:a", "erasure-1")
    before = stored_in(services)

    with pytest.raises(ScopeFenced):
        restored(SIDE_LINES[kind], services)

    assert stored_in(services) == before


def test_a_topic_of_a_scope_that_is_being_erased_is_refused() -> None:
    services, line = make_archive_services(), laden_line()
    services.fences.put("team:a", "erasure-1")
    before = stored_in(services)

    with pytest.raises(ScopeFenced):
        restored(line, services)

    assert stored_in(services) == before


SIDE_LINES: dict[str, dict[str, Any]] = {
    "statement": {
        "kind": "statement",
        "record_id": "record-1",
        "content": "0" * 64,
        "topic_id": "topic-1",
        "version": 2,
    },
    "topic_receipt": {
        "kind": "topic_receipt",
        "identity": "0" * 24,
        "fingerprint": "0" * 64,
        "topic_ids": ["topic-1"],
        "expires_at_s": 4_000_000_000,
        "reply": {"topic_id": "topic-1"},
    },
    "action": {
        "kind": "action",
        "scope": "team:a",
        "at": "2026-01-01T00:00:00Z",
        "id": "action-1",
        "action": {"topics": ["topic-1"]},
    },
    "system_context": {
        "kind": "system_context",
        "document": {
            "system_role": "helper",
            "runtime_context": "laptop",
            "created_at": "2026-01-01T00:00:00Z",
            "changes": [{"at": "2026-01-01T00:00:00Z", "by": "me"}],
            "operations": [],
        },
    },
    "communities": {
        "kind": "communities",
        "scope": "team:a",
        "document": {"made_at": "2026-01-01T00:00:00Z", "marks": "", "levels": {}},
    },
}


@pytest.mark.parametrize("line", SIDE_LINES.values(), ids=SIDE_LINES)
def test_what_belongs_to_topics_is_restored_once(line: dict[str, Any]) -> None:
    services = make_archive_services()

    assert restored(line, services)

    assert not restored(line, services)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("statement", {"content": "1" * 64}),
        ("topic_receipt", {"fingerprint": "1" * 64}),
        ("topic_receipt", {"reply": {"topic_id": "topic-2"}}),
        ("action", {"action": {"topics": ["topic-2"]}}),
        ("communities", {"document": {"made_at": "later", "marks": "", "levels": {}}}),
    ],
)
def test_a_different_item_in_the_place_is_refused(kind: str, change: dict[str, Any]) -> None:
    services = make_archive_services()
    restored(SIDE_LINES[kind], services)

    with pytest.raises(AlreadyExists):
        restored(SIDE_LINES[kind] | change, services)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("statement", {"content": "x"}),
        ("statement", {"line_id": "x#y"}),
        ("statement", {"more": 1}),
        ("topic_receipt", {"identity": "00"}),
        ("topic_receipt", {"large": [[["absent", 0], "topic@a", "0" * 64, 1]]}),
        ("action", {"id": "a#b"}),
        ("action", {"scope": "*"}),
        ("system_context", {"document": {"system_role": "helper"}}),
        ("system_context", {"scope": "team:a"}),
        ("communities", {"document": {"made_at": "x", "marks": "!", "levels": {}}}),
        ("communities", {"document": {"made_at": "x", "marks": "", "levels": {}, "more": 1}}),
    ],
)
def test_a_malformed_item_is_refused_and_leaves_nothing(kind: str, change: dict[str, Any]) -> None:
    services = make_archive_services()
    before = stored_in(services)

    with pytest.raises(DomainError):
        restored(SIDE_LINES[kind] | change, services)

    assert stored_in(services) == before


def test_the_content_of_an_erased_topic_is_in_no_line() -> None:
    services = make_archive_services()
    restored(laden_line(), services)
    topics = services.topics
    assert isinstance(topics, FakeTopics)
    topics.topics["topic-1"] = replace(
        topics.topics["topic-1"], status=TopicStatus.ERASED, title="", fields={}, version=99
    )

    found = load_whole_topic("topic-1", services)

    assert found is not None
    assert (found.lines, found.edges, found.access) == ((), (), None)
