"""The codec between topics and lines of an export, and the rules of a topic that is restored.

A line has the topic at one version, the whole audit trail, the reads, the outgoing edges, and every
line of revisions that a field of the topic names. A line of revisions may have been written under
another topic; then the lines of both topics have the revisions.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import NamedTuple

from pydantic import ValidationError

from membrane.domain.archive.lines import LineKind
from membrane.domain.archive.record_lines import MAX_SECONDS, require_scope, require_value
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import MAX_ID_CHARACTERS, MAX_SALIENCE, RECORD_ID
from membrane.domain.language.json_text import MAX_DEPTH, JsonObject, canonical_json, require_depth
from membrane.domain.language.timestamps import normalise
from membrane.domain.language.values import LargeValue
from membrane.domain.topics import form
from membrane.domain.topics.events import first_broken
from membrane.domain.topics.salience import Access
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS, MAX_TITLE_CHARACTERS
from membrane.domain.topics.topic import Archive, Edge, Line, LineKey, Revision, Topic, fits, key_of


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
    kept = {} if topic.merged is None else topic.merged.kept
    named = (*topic.fields.values(), *kept.values())
    return tuple(dict.fromkeys(line for each in named for line in each.lines))


def large_values_of_topic(topic: Topic, lines: Sequence[ArchivedLine]) -> tuple[LargeValue, ...]:
    """The values in the bucket that the topic or a revision of the lines refers to."""
    found = (each.value for each in _revisions_of(topic, lines))
    return tuple(dict.fromkeys(each for each in found if isinstance(each, LargeValue)))


def _revisions_of(topic: Topic, lines: Iterable[ArchivedLine]) -> Iterator[Revision]:
    """The current values of the fields, also as an alias keeps them, and the lines' revisions."""
    kept = {} if topic.merged is None else topic.merged.kept
    yield from filter(None, (each.current for each in (*topic.fields.values(), *kept.values())))
    yield from chain.from_iterable(line.every() for line in lines)


def topic_line(archived: ArchivedTopic) -> JsonObject:
    """The line of a topic that was loaded whole."""
    shown: JsonObject = {
        "kind": LineKind.TOPIC,
        "topic": form.topic_json(archived.topic),
        "events": [*map(form.event_json, archived.topic.trail)],
    }
    if archived.access is not None:
        shown["access"] = asdict(archived.access)
    if archived.edges:
        shown["edges"] = [*map(asdict, archived.edges)]
    if archived.lines:
        shown["lines"] = [*map(_line_json, archived.lines)]
    if archived.values:
        texts = sorted((large.sha256, text.decode()) for large, text in archived.values.items())
        shown["values"] = dict(texts)
    return shown


def _line_json(line: ArchivedLine) -> JsonObject:
    def json_of(revisions: Iterable[Revision]) -> JsonObject:
        return {"revisions": [*map(form.revision_json, revisions)]}

    topic_id, line_id = line.key
    shown = {"topic_id": topic_id, "id": line_id, **json_of(line.revisions)}
    if line.archives:
        shown["archives"] = [{"name": each.sha256, **json_of(held)} for each, held in line.archives]
    return shown


def topic_of_line(line: JsonObject) -> ArchivedTopic:
    """The inverse of `topic_line`.

    Raises InvalidArgument for a line of another form, a broken audit trail, a bad id, number or
    time, and a false digest.
    """
    try:
        archived = _topic_of_line(line)
        is_same = canonical_json(topic_line(archived)) == canonical_json(line)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors(include_url=False)[0]["loc"][:4])
        raise InvalidArgument(f"the topic is malformed at {place[:100]}") from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InvalidArgument("the topic is malformed") from error
    if not is_same:
        raise InvalidArgument("the topic has an unknown field, or a value of another form")
    _require_sound(archived)
    return archived


def _topic_of_line(line: JsonObject) -> ArchivedTopic:
    topic = form.topic_of_json(line["topic"], line["events"], len(line["events"]))
    lines = tuple(map(_line_of_json, line.get("lines", ())))
    texts = line.get("values", {})
    return ArchivedTopic(
        topic,
        form.validate_as(Access, line["access"]) if "access" in line else None,
        tuple(form.validate_as(Edge, each) for each in line.get("edges", ())),
        lines,
        {each: texts[each.sha256].encode() for each in large_values_of_topic(topic, lines)},
    )


def _line_of_json(shown: JsonObject) -> ArchivedLine:
    def revisions_in(holder: JsonObject) -> tuple[Revision, ...]:
        return tuple(map(form.revision_of_json, holder["revisions"]))

    archived = map(revisions_in, shown.get("archives", ()))
    archives = tuple((form.archive_of(each)[0], each) for each in archived)
    return ArchivedLine((str(shown["topic_id"]), str(shown["id"])), revisions_in(shown), archives)


MAX_NUMBER = 2**53

_LINE_ID = re.compile(r"[0-9a-f]{16}")


def _require_sound(archived: ArchivedTopic) -> None:
    topic, lines = archived.topic, archived.lines
    _require_head(topic)
    broken = first_broken(topic.id, topic.trail, topic.events) if topic.trail else 0
    if broken is not None:
        raise InvalidArgument(f"the audit trail is broken at event {broken}")
    _require_times(each.ts for each in topic.trail)
    if any(edge.from_id != topic.id for edge in archived.edges):
        raise InvalidArgument("an edge begins at another topic")
    for edge in archived.edges:
        periods = (*edge.earlier, (edge.created_at, edge.removed_at or edge.created_at))
        _require_times(chain.from_iterable(periods))
    _require_ids(
        topic.id, *(edge.to_id for edge in archived.edges), *(each.key[0] for each in lines)
    )
    made = (each.made for each in topic.groups.values())
    for revision in (*_revisions_of(topic, lines), *made):
        _require_revision(revision)
    _require_lines(topic, lines)
    for large, text in archived.values.items():
        require_value(large, text, MAX_DEPTH)


def _require_head(topic: Topic) -> None:
    base, names = topic.base, (*topic.fields, *topic.groups)
    within = {
        "title": len(topic.title) <= MAX_TITLE_CHARACTERS,
        "name of a field": max(map(len, names), default=0) <= MAX_NAME_CHARACTERS,
        "salience": 0 <= base.salience <= MAX_SALIENCE,
        "time": max(abs(base.at_s), abs(base.born_s), abs(topic.due_s or 0.0)) <= MAX_SECONDS,
        "version": 1 <= topic.version <= MAX_NUMBER,
    }
    for name, is_within in within.items():
        if not is_within:
            raise InvalidArgument(f"the {name} of the topic is out of range")
    require_scope(topic.scope)
    _require_times((topic.created_at, topic.updated_at))


def _require_lines(topic: Topic, lines: Sequence[ArchivedLine]) -> None:
    """The topic must come with the lines and archives that the fields name, and no others."""
    named: dict[LineKey, set[Archive]] = {}
    for each in lines_of_topic(topic):
        named.setdefault(key_of(each), set()).update(each.archives)
    given = {line.key: {archive for archive, _ in line.archives} for line in lines}
    if given != named or len(given) != len(lines):
        raise InvalidArgument("the topic must come with exactly the lines that the fields name")
    for line in lines:
        if _LINE_ID.fullmatch(line.key[1]) is None:
            raise InvalidArgument("the id of a line must be 16 hex digits")
        places = [(made.place, made.id) for made in line.every()]
        if len({*places}) < len(places):
            raise InvalidArgument("a revision is in a line twice")


def _require_revision(revision: Revision) -> None:
    _require_times((revision.valid_from, revision.recorded_at))
    if not 0 <= revision.order <= MAX_NUMBER or len(revision.id) > MAX_ID_CHARACTERS:
        raise InvalidArgument("the place of a revision is out of range")
    if isinstance(revision.value, LargeValue):
        return
    require_depth(revision.value, MAX_DEPTH)
    if not fits(revision.value, revision.field_type):
        raise InvalidArgument("the value of a revision does not fit the type")


def _require_ids(*topic_ids: str) -> None:
    if any(RECORD_ID.fullmatch(each) is None for each in topic_ids):
        raise InvalidArgument("the id of a topic must have the permitted form")


def _require_times(timestamps: Iterable[str]) -> None:
    for each in timestamps:
        try:
            is_normal = normalise(each) == each
        except ValueError:
            is_normal = False
        if not is_normal:
            raise InvalidArgument("a timestamp must be RFC 3339 in UTC, in the usual form")
