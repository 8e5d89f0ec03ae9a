"""Read the histories of fields from the table and, if needed, from the bucket; topics of the past.

A history is merged from the lines of the field.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.language.timestamps import is_before
from membrane.domain.topics.appending import MARK
from membrane.domain.topics.topic import Archive, Field, Line, Revision, Topic
from membrane.usecases.machinery.calls import side_by_side

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


MOST_REVISIONS = 20_000
"""The most revisions of all histories in a reply."""

MOST_HISTORIES = 500
"""The most lines of fields that a request reads: every line is a query."""

Place = tuple[str, str]
"""The id of a topic, and the whole name of a field."""


@dataclass(slots=True)
class Allowance:
    """The number of lines that a request may still read."""

    left: int = MOST_HISTORIES

    def takes(self, one: Field) -> bool:
        """Whether the history of the field may be read; if so, the lines count as read."""
        if self.left <= 0:
            return False
        self.left -= len(one.lines)
        return True


class Histories(NamedTuple):
    revisions: Mapping[Place, Sequence[Revision]] = {}
    """A field without an entry has only the current value to show."""
    limit: int | None = None
    """The most revisions of a history; None if no histories were requested."""
    unread: frozenset[Place] = frozenset()
    """Fields with a longer history that was not read, for want of allowance."""

    def cut_to(self, limit: int) -> "Histories":
        """The histories with at most `limit` revisions."""
        revisions = {place: several[:limit] for place, several in self.revisions.items()}
        return self._replace(revisions=revisions, limit=limit)


def history_of(
    field: Field,
    topics: "DynamoTopics",
    *,
    limit: int | None = None,
    until: str | None = None,
    archived: bool = False,
) -> list[Revision]:
    """The newest revisions of a field with a `valid_from` up to `until`, the newest first.

    With `archived`, revisions in the bucket are read too, as far as the limit reaches.
    """
    lines = (_line_history(line, topics, limit, until, archived=archived) for line in field.lines)
    return _newest_first(lines, limit)


def histories_of(
    fields: Sequence[Field],
    topics: "DynamoTopics",
    *,
    limit: int | None = None,
    until: str | None = None,
    archived: bool = False,
) -> list[list[Revision]]:
    """`history_of` several fields side by side, in order."""
    return side_by_side(
        lambda field: history_of(field, topics, limit=limit, until=until, archived=archived),
        fields,
    )


def histories_for_reply(
    fields: Mapping[Place, Field],
    topics: "DynamoTopics",
    most: int,
    *,
    allowance: Allowance,
    until: str | None = None,
) -> Histories:
    """The histories of fields in one reply; the allowance goes to the first fields.

    A history begins with the current value of the field, without revisions written since the read
    of the topic. A history has at most `most` revisions, or fewer if all histories would exceed
    MOST_REVISIONS. A field with only a current value is left out; if no history may have more,
    nothing is read. With `until`, the bucket is read too.
    """
    every = {
        place: each
        for place, each in fields.items()
        if each.current is not None and each.history_length > 1
    }
    some = {place: each for place, each in every.items() if most > 1 and allowance.takes(each)}
    limit = _fair_limit((each.history_length for each in some.values()), most, MOST_REVISIONS)
    if limit == 1:
        return Histories(limit=1)
    read = histories_of(
        list(some.values()), topics, limit=limit, until=until, archived=until is not None
    )
    revisions = {
        place: [*filter(None, [each.current]), *earlier_revisions(each, history)]
        for (place, each), history in zip(some.items(), read, strict=True)
    }
    return Histories(revisions, limit, frozenset(every.keys() - some.keys()))


def earlier_revisions(field: Field, history: Sequence[Revision]) -> Sequence[Revision]:
    """The history without the value, and without revisions added since the topic was read."""
    current = field.current
    if current is None:
        return history
    return [each for each in history if each.id != current.id and each.place <= current.place]


def value_as_of(field: Field, instant: str, topics: "DynamoTopics") -> Revision | None:
    """The value at the instant (RFC 3339), if any; read only if the current value is newer."""
    if _is_current(field, instant):
        return field.current
    found = history_of(field, topics, limit=1, until=instant, archived=True)
    return found[0] if found else None


def topics_as_of(
    topics: Sequence[Topic], instant: str, store: "DynamoTopics", allowance: Allowance
) -> list[tuple[Topic, bool] | None]:
    """The topics with the fields as of the instant, in order; None before the creation.

    Fields beyond the allowance are left out; the second part of a pair is whether some are. The
    salience is the present salience.
    """
    every = [
        (position, name, each)
        for position, topic in enumerate(topics)
        for name, each in topic.fields.items()
        if each.deleted_at is None or (MARK not in name and is_before(instant, each.deleted_at))
    ]
    asked = [each for each in every if _is_current(each[2], instant) or allowance.takes(each[2])]
    missing = Counter(position for position, _, _ in every)
    missing.subtract(position for position, _, _ in asked)
    found = side_by_side(lambda each: value_as_of(each[2], instant, store), asked)
    values: list[dict[str, Revision]] = [{} for _ in topics]
    for (position, name, _), value in zip(asked, found, strict=True):
        if value is not None:
            values[position][name] = value
    then = [_as_of(topic, instant, past) for topic, past in zip(topics, values, strict=True)]
    return [
        None if topic is None else (topic, missing[position] > 0)
        for position, topic in enumerate(then)
    ]


def _as_of(topic: Topic, instant: str, values: Mapping[str, Revision]) -> Topic | None:
    """The topic with the values of the instant; None before its creation, if no value held yet.

    Title, summary and groups are today's; groups made later are left out. An earlier value comes
    with the reference from the time of its writing, the current value with today's reference.
    """
    if not values and is_before(instant, topic.created_at):
        return None
    fields = {name: _field_then(topic.fields[name], value) for name, value in values.items()}
    groups = {name: group for name, group in topic.groups.items() if _held_by(instant, group.made)}
    return replace(topic, fields=fields, groups=groups)


def _field_then(field: Field, value: Revision) -> Field:
    is_current = field.current is not None and field.current.id == value.id
    ref = field.ref_topic_id if is_current else value.ref_topic_id
    return replace(field, type=value.field_type, current=value, ref_topic_id=ref, deleted_at=None)


def _is_current(field: Field, instant: str) -> bool:
    return field.current is None or _held_by(instant, field.current)


def _held_by(instant: str, revision: Revision) -> bool:
    """Whether the value of the revision already held at the instant."""
    return not is_before(instant, revision.valid_from)


def _line_history(
    line: Line, topics: "DynamoTopics", limit: int | None, until: str | None, *, archived: bool
) -> list[Revision]:
    found = list(topics.history(line, limit=limit, until=until))
    for archive in reversed(line.archives if archived else ()):
        if _is_needed(archive, found, limit, until):
            older = [
                each
                for each in topics.load_archive(line, archive)
                if until is None or _held_by(until, each)
            ]
            found = _newest_first([found, older], limit)
    return found


def _is_needed(
    archive: Archive, known: Sequence[Revision], limit: int | None, until: str | None
) -> bool:
    """Whether an archive may have some of the newest `limit` revisions up to `until`.

    `known` are the newest revisions found; back-dated revisions stay in the table, behind archives.
    """
    if until is not None and is_before(until, archive.oldest):
        return False
    if limit is None or len(known) < limit:
        return True
    return not is_before(archive.newest, known[-1].valid_from)


def _newest_first(lines: Iterable[Sequence[Revision]], limit: int | None) -> list[Revision]:
    together = merge(*lines, key=lambda revision: revision.place, reverse=True)
    return list(islice(together, limit))


def _fair_limit(lengths: Iterable[int], most: int, room: int) -> int:
    """The most revisions that each history may show, if all histories share the room.

    At least one and at most `most`; a short history leaves its room to longer ones.
    """
    waiting = sorted(min(length, most) for length in lengths)
    for position, length in enumerate(waiting):
        share = room // (len(waiting) - position)
        if length > share:
            return max(1, share)
        room -= length
    return most
