"""The rules that a topic of an export must keep before anything of the topic is written."""

import hashlib
import re
from collections.abc import Sequence

from membrane.domain.archive.record_lines import MAX_SECONDS, require_scope
from membrane.domain.archive.topic_lines import (
    ArchivedLine,
    ArchivedTopic,
    content_name,
    lines_of_topic,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import (
    MAX_ID_CHARACTERS,
    MAX_SALIENCE,
    RECORD_ID,
)
from membrane.domain.language.json_text import (
    MAX_DEPTH,
    first_broken_link,
    hash_of,
    parse_json,
    require_depth,
    text_hash_of,
)
from membrane.domain.language.timestamps import normalise
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.revisions import Revision, fits
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS, MAX_TITLE_CHARACTERS
from membrane.domain.topics.topic import Line, Topic, key_of

MAX_NUMBER = 2**53

_LINE_ID = re.compile(r"[0-9a-f]{16}")


def require_sound(archived: ArchivedTopic) -> None:
    """Raises InvalidArgument for a broken audit trail, a bad id, number or time, a false digest."""
    topic = archived.topic
    _require_head(topic)
    _require_trail(topic)
    for edge in archived.edges:
        if edge.from_id != topic.id:
            raise InvalidArgument("an edge begins at another topic")
        _require_id(edge.to_id)
        _require_times(edge.created_at, *filter(None, [edge.removed_at]))
        _require_times(*(instant for period in edge.earlier for instant in period))
    named = {key_of(line) for line in lines_of_topic(topic)}
    keys = [line.key for line in archived.lines]
    if {*keys} != named or len(keys) != len(named):
        raise InvalidArgument("the topic must come with exactly the lines that the fields name")
    for line in archived.lines:
        _require_line(line)
        _require_whole(line, [each for each in lines_of_topic(topic) if key_of(each) == line.key])
    for large, text in archived.values.items():
        _require_value(large, text)


def _require_head(topic: Topic) -> None:
    _require_id(topic.id)
    require_scope(topic.scope)
    if len(topic.title) > MAX_TITLE_CHARACTERS:
        raise InvalidArgument("the title of the topic is too long")
    if any(len(name) > MAX_NAME_CHARACTERS for name in (*topic.fields, *topic.groups)):
        raise InvalidArgument("the name of a field is too long")
    if not 0 <= topic.base.salience <= MAX_SALIENCE:
        raise InvalidArgument("the salience of the topic is out of range")
    instants = (topic.base.at_s, topic.base.born_s, topic.due_s or 0.0)
    if any(abs(each) > MAX_SECONDS for each in instants):
        raise InvalidArgument("an instant of the topic is out of range")
    if not 1 <= topic.version <= MAX_NUMBER:
        raise InvalidArgument("the version of the topic is out of range")
    _require_times(topic.created_at, topic.updated_at)
    kept = {} if topic.merged is None else topic.merged.kept
    shown = (each.current for each in (*topic.fields.values(), *kept.values()))
    for revision in (*filter(None, shown), *(each.made for each in topic.groups.values())):
        _require_revision(revision)


def _require_trail(topic: Topic) -> None:
    if not topic.trail:
        raise InvalidArgument("the topic has no audit trail")
    _require_times(*(each.ts for each in topic.trail))

    def expected_hash_of(event: TopicEvent) -> str:
        text_hash = event.text_hash or text_hash_of(event.salt, event.detail, event.why)
        parts = (topic.id, event.previous_hash, event.kind, event.ts, event.principal)
        return hash_of(*parts, text_hash)

    broken = first_broken_link(topic.trail, expected_hash_of)
    if broken is not None:
        raise InvalidArgument(f"the audit trail is broken at event {broken}")


def _require_line(line: ArchivedLine) -> None:
    topic_id, line_id = line.key
    _require_id(topic_id)
    if _LINE_ID.fullmatch(line_id) is None:
        raise InvalidArgument("the id of a line must be 16 hex digits")
    every = list(line.every())
    for revision in every:
        _require_revision(revision)
    if len({(each.place, each.id) for each in every}) < len(every):
        raise InvalidArgument("a revision is in a line twice")
    for archive, revisions in line.archives:
        if archive.sha256 != content_name(revisions):
            raise InvalidArgument("the name of an archive does not match the revisions")


def _require_whole(line: ArchivedLine, states: Sequence[Line]) -> None:
    """The line must have the revisions and archives that the fields name, and no others."""
    named = {archive for state in states for archive in state.archives}
    if {archive for archive, _ in line.archives} != named:
        raise InvalidArgument("the topic must come with exactly the archives that the fields name")
    if any(archive.count != len(revisions) for archive, revisions in line.archives):
        raise InvalidArgument("an archive must have as many revisions as the topic says")


def _require_revision(revision: Revision) -> None:
    _require_times(revision.valid_from, revision.recorded_at)
    if not 0 <= revision.order <= MAX_NUMBER or len(revision.id) > MAX_ID_CHARACTERS:
        raise InvalidArgument("the place of a revision is out of range")
    if isinstance(revision.value, LargeValue):
        return
    require_depth(revision.value, MAX_DEPTH)
    if not fits(revision.value, revision.field_type):
        raise InvalidArgument("the value of a revision does not fit the type")


def _require_value(large: LargeValue, text: bytes) -> None:
    if len(text) != large.size or hashlib.sha256(text).hexdigest() != large.sha256:
        raise InvalidArgument("a value does not match its size and digest")
    parse_json(text)


def _require_id(topic_id: str) -> None:
    if RECORD_ID.fullmatch(topic_id) is None:
        raise InvalidArgument("the id of a topic must have the permitted form")


def _require_times(*timestamps: str) -> None:
    for each in timestamps:
        try:
            is_normal = normalise(each) == each
        except ValueError:
            is_normal = False
        if not is_normal:
            raise InvalidArgument("a timestamp must be RFC 3339 in UTC, in the usual form")
