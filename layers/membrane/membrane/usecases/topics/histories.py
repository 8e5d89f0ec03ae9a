"""Read the histories of fields: all lines, from the table and, if needed, from the bucket."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.showing.history import (
    as_of,
    fair_limit,
    fields_then,
    held_by,
    is_needed,
    newest_first,
)
from membrane.domain.topics.topic import Field, Line, Topic
from membrane.usecases.machinery.side_by_side import side_by_side

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


MOST_REVISIONS = 20_000
"""The most revisions of all histories in a reply."""

MOST_HISTORIES = 500
"""The most lines of fields that a request reads: every line is a query."""

Place = TypeVar("Place")


@dataclass(slots=True)
class Allowance:
    """The number of lines that a request may still read."""

    left: int = field(default_factory=lambda: MOST_HISTORIES)

    def takes(self, one: Field) -> bool:
        """Whether the history of the field may be read; if so, the lines count as read."""
        if self.left <= 0:
            return False
        self.left -= len(one.lines)
        return True


@dataclass(frozen=True, slots=True)
class Histories(Generic[Place]):
    revisions: Mapping[Place, Sequence[Revision]] = field(default_factory=dict)
    """A field without an entry has only the current value to show."""
    limit: int | None = None
    """The most revisions of a history; None if no histories were requested."""
    unread: frozenset[Place] = frozenset()
    """Fields with a longer history that was not read, for want of allowance."""

    def cut_to(self, limit: int) -> "Histories[Place]":
        """The histories with at most `limit` revisions."""
        revisions = {place: several[:limit] for place, several in self.revisions.items()}
        return replace(self, revisions=revisions, limit=limit)


@dataclass(frozen=True, slots=True)
class PastTopic:
    topic: Topic
    is_cut: bool
    """Whether past values are missing for want of allowance."""


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
    return newest_first(lines, limit)


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
) -> Histories[Place]:
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
    limit = fair_limit((each.history_length for each in some.values()), most, MOST_REVISIONS)
    if limit == 1:
        return Histories(limit=1)
    read = histories_of(
        list(some.values()), topics, limit=limit, until=until, archived=until is not None
    )
    histories = map(_up_to_current, some.values(), read)
    revisions = dict(zip(some, histories, strict=True))
    return Histories(revisions, limit, frozenset(every.keys() - some.keys()))


def value_as_of(field: Field, instant: str, topics: "DynamoTopics") -> Revision | None:
    """The value at the instant (RFC 3339), if any; read only if the current value is newer."""
    if _is_current(field, instant):
        return field.current
    found = history_of(field, topics, limit=1, until=instant, archived=True)
    return found[0] if found else None


def topics_as_of(
    topics: Sequence[Topic], instant: str, store: "DynamoTopics", allowance: Allowance
) -> list[PastTopic | None]:
    """The topics with the fields as of the instant, in order; None before the creation.

    Fields beyond the allowance are left out. The salience is the present salience.
    """
    every = [
        (position, name, field)
        for position, topic in enumerate(topics)
        for name, field in fields_then(topic, instant).items()
    ]
    asked = [each for each in every if _is_current(each[2], instant) or allowance.takes(each[2])]
    missing = Counter(position for position, _, _ in every)
    missing.subtract(position for position, _, _ in asked)
    found = side_by_side(lambda each: value_as_of(each[2], instant, store), asked)
    values: list[dict[str, Revision]] = [{} for _ in topics]
    for (position, name, _), value in zip(asked, found, strict=True):
        if value is not None:
            values[position][name] = value
    then = [as_of(topic, instant, past) for topic, past in zip(topics, values, strict=True)]
    return [
        None if topic is None else PastTopic(topic, is_cut=missing[position] > 0)
        for position, topic in enumerate(then)
    ]


def _is_current(field: Field, instant: str) -> bool:
    return field.current is None or held_by(instant, field.current)


def _up_to_current(field: Field, revisions: Sequence[Revision]) -> Sequence[Revision]:
    current = field.current
    if current is None:
        return ()
    return [current, *(each for each in revisions if each.place < current.place)]


def _line_history(
    line: Line, topics: "DynamoTopics", limit: int | None, until: str | None, *, archived: bool
) -> list[Revision]:
    found = list(topics.history(line, limit=limit, until=until))
    for archive in reversed(line.archives if archived else ()):
        if is_needed(archive, found, limit, until):
            older = [
                each
                for each in topics.load_archive(line, archive)
                if until is None or held_by(until, each)
            ]
            found = newest_first([found, older], limit)
    return found
