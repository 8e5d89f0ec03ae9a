"""The codec between topics and lines of an export.

A line has the topic at one version, the whole audit trail, the reads, the outgoing edges, and every
line of revisions that a field of the topic names. A line of revisions may have been written under
another topic; then the lines of both topics have the revisions.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from pydantic import ValidationError

from membrane.domain.archive.lines import LEVELS, LineKind
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import (
    JsonObject,
    canonical_json,
    compact_json,
    parse_json,
)
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.access import Access
from membrane.domain.topics.form import (
    event_json,
    revision_json,
    revision_of_json,
    topic_json,
    topic_of_json,
    validate_as,
)
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import (
    Archive,
    Edge,
    Field,
    Line,
    LineKey,
    Topic,
    key_of,
)


class ArchivedLine(NamedTuple):
    """All revisions of a line, newest first."""

    key: LineKey
    revisions: tuple[Revision, ...]
    """The revisions in the table."""
    archives: tuple[tuple[Archive, tuple[Revision, ...]], ...] = ()
    """The oldest archive first."""

    def every(self) -> Iterator[Revision]:
        """All revisions, archived ones included."""
        yield from self.revisions
        for _, archived in self.archives:
            yield from archived


class ArchivedTopic(NamedTuple):
    """A topic of an export; `topic.trail` has all events."""

    topic: Topic
    access: Access | None
    edges: tuple[Edge, ...]
    """The edges that begin at the topic."""
    lines: tuple[ArchivedLine, ...]
    values: Mapping[LargeValue, bytes]
    """The JSON texts of the values in the bucket."""


def lines_of_topic(topic: Topic) -> tuple[Line, ...]:
    """Every line that the topic names, also in the fields that an alias keeps of the keeper."""
    named = [*topic.fields.values()]
    if topic.merged is not None:
        named += topic.merged.kept.values()
    return tuple(dict.fromkeys(line for each in named for line in each.lines))


def large_values_of_topic(topic: Topic, lines: Sequence[ArchivedLine]) -> tuple[LargeValue, ...]:
    """The values in the bucket that the topic or a revision of the lines refers to."""
    kept = {} if topic.merged is None else topic.merged.kept
    shown = [each.current for each in (*topic.fields.values(), *kept.values())]
    every = [*filter(None, shown), *(each for line in lines for each in line.every())]
    found = (each.value for each in every)
    return tuple(dict.fromkeys(each for each in found if isinstance(each, LargeValue)))


def with_archive_names(topic: Topic, names: Mapping[tuple[LineKey, str], str]) -> Topic:
    """The topic with other names of archives; an archive without a new name keeps the name."""

    def renamed_field(field: Field) -> Field:
        return replace(field, lines=tuple(map(renamed_line, field.lines)))

    def renamed_line(line: Line) -> Line:
        archives = (
            replace(each, sha256=names.get((key_of(line), each.sha256), each.sha256))
            for each in line.archives
        )
        return replace(line, archives=tuple(archives))

    renamed = {name: renamed_field(each) for name, each in topic.fields.items()}
    if topic.merged is None:
        return replace(topic, fields=renamed)
    kept = {name: renamed_field(each) for name, each in topic.merged.kept.items()}
    return replace(topic, fields=renamed, merged=replace(topic.merged, kept=kept))


def content_name(revisions: Sequence[Revision]) -> str:
    """The name of an archive in an export: a digest of the revisions, the same in every stack."""
    listed = compact_json([revision_json(each) for each in revisions])
    return hashlib.sha256(canonical_json(parse_json(listed, LEVELS))).hexdigest()


def topic_line(archived: ArchivedTopic) -> JsonObject:
    """The line of a topic that was loaded whole."""
    names = {
        (line.key, archive.sha256): content_name(revisions)
        for line in archived.lines
        for archive, revisions in line.archives
    }
    topic = with_archive_names(archived.topic, names)
    shown: JsonObject = {
        "kind": LineKind.TOPIC,
        "topic": topic_json(topic),
        "events": [event_json(each) for each in topic.trail],
    }
    if archived.access is not None:
        shown["access"] = asdict(archived.access)
    if archived.edges:
        shown["edges"] = [asdict(each) for each in archived.edges]
    if archived.lines:
        shown["lines"] = [_line_json(each) for each in archived.lines]
    if archived.values:
        texts = sorted((large.sha256, text.decode()) for large, text in archived.values.items())
        shown["values"] = dict(texts)
    return shown


def topic_of_line(line: JsonObject) -> ArchivedTopic:
    """The inverse of `topic_line`; raises InvalidArgument for any line of another form."""
    try:
        archived = _topic_of_line(line)
        is_same = canonical_line(archived) == canonical_json(line)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors(include_url=False)[0]["loc"][:4])
        raise InvalidArgument(f"the topic is malformed at {place[:100]}") from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InvalidArgument("the topic is malformed") from error
    if not is_same:
        raise InvalidArgument("the topic has an unknown field, or a value of another form")
    return archived


def canonical_line(archived: ArchivedTopic) -> bytes:
    """The line in canonical JSON: equal for equal topics of two stacks."""
    return canonical_json(parse_json(compact_json(topic_line(archived)), LEVELS))


def _topic_of_line(line: JsonObject) -> ArchivedTopic:
    topic = topic_of_json(line["topic"], line["events"], len(line["events"]))
    lines = tuple(_archived_line(each) for each in line.get("lines", ()))
    texts = {sha256: text.encode() for sha256, text in line.get("values", {}).items()}
    named = large_values_of_topic(topic, lines)
    if {each.sha256 for each in named} != texts.keys():
        raise InvalidArgument("values must have exactly the values that the topic refers to")
    return ArchivedTopic(
        topic,
        validate_as(Access, line["access"]) if "access" in line else None,
        tuple(validate_as(Edge, each) for each in line.get("edges", ())),
        lines,
        {large: texts[large.sha256] for large in named},
    )


def _archived_line(shown: JsonObject) -> ArchivedLine:
    def revisions_of(listed: Sequence[JsonObject]) -> tuple[Revision, ...]:
        return tuple(revision_of_json(each) for each in listed)

    archives = []
    for each in shown.get("archives", ()):
        revisions = revisions_of(each["revisions"])
        oldest, newest = revisions[-1].valid_from, revisions[0].valid_from
        archives.append((Archive(each["name"], len(revisions), oldest, newest), revisions))
    key = (str(shown["topic_id"]), str(shown["id"]))
    return ArchivedLine(key, revisions_of(shown.get("revisions", ())), tuple(archives))


def _line_json(line: ArchivedLine) -> JsonObject:
    def json_of(revisions: Sequence[Revision]) -> JsonObject:
        return {"revisions": [*map(revision_json, revisions)]}

    topic_id, line_id = line.key
    shown = {"topic_id": topic_id, "id": line_id, **json_of(line.revisions)}
    if line.archives:
        shown["archives"] = [
            {"name": content_name(each), **json_of(each)} for _, each in line.archives
        ]
    return shown
