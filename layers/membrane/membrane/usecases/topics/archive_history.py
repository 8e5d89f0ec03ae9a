"""Move the oldest revisions of a topic's fields from the table to the bucket; none is lost.

They go in portions, each a change of the topic by itself.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.making import Circumstances, Happening, next_version
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Field, Line, Topic, TopicStatus
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import MAX_REMOVED, TopicChange
from membrane.usecases.topics.writing import Decided, Written, write

SLACK = 10
"""One in so many more than a history may have stay until they are moved together."""

MAX_SLACK = MAX_REMOVED // 2
"""So each portion is more than what comes until the next one."""

GONE = (TopicStatus.MERGED, TopicStatus.DELETED)
"""What is not read any more, and has nothing to be moved."""


def trim_history(topic: Topic, names: Collection[str], call: Call, services: TopicServices) -> None:
    """Archive one portion of what is too much of those fields of a topic that was just written.

    Where another writer comes first it is left to those who write later: what is read is no more
    than a history may have, however many the table has.
    """
    most = services.topic_policy.max_history
    there = {name: topic.fields[name] for name in names if name in topic.fields}
    grown = [name for name, each in there.items() if _is_to_be_trimmed(each, most)]
    if grown:
        with suppress(Aborted, ResourceExhausted, Unavailable):
            write(_Archiving(topic.id, most, grown, services).decide, _quiet(call), services, 1)


def archive_history(
    topic_id: str,
    keep: int,
    call: Call,
    services: TopicServices,
    names: Collection[str] | None = None,
) -> int:
    """Leave the newest `keep` revisions, one at least, of each field; how many left the table.

    Of the fields named, or of all; portion by portion, until all is done. Raises Aborted.
    """
    archiving = _Archiving(topic_id, max(1, keep), names, services)
    moved = 0
    while some := _archived(write(archiving.decide, _quiet(call), services)):
        moved += some
    return moved


def trim_what_grew(written: Written, call: Call, services: TopicServices) -> None:
    """Trim the histories that a write has made longer; a repeated call has made none longer."""
    decided = written.decided
    if decided is None or decided.change is None or not decided.grown:
        return
    _, topic = decided.change.topics[0]
    trim_history(topic, decided.grown, call, services)


def _archived(written: Written) -> int:
    return int(written.answer.body["archived"])


def _is_to_be_trimmed(field: Field, most: int) -> bool:
    """Whether who wrote this version moves some: one of many at once, unless far too much is left.

    That is so after a request of many writes, or where others came first time and again.
    """
    excess, slack = _in_table(field) - most, min(most // SLACK, MAX_SLACK)
    is_behind = excess > slack + MAX_REMOVED
    return excess > slack and (is_behind or (excess - 1) % max(1, slack) == 0)


def _quiet(call: Call) -> Call:
    """The same caller's, remembered under no key."""
    return Call(call.principal, "ArchiveHistory", None, b"")


@dataclass(frozen=True, slots=True)
class _Archiving:
    topic_id: str
    keep: int
    names: Collection[str] | None
    services: TopicServices

    def decide(self, during: Circumstances) -> Decided:
        topic = self.services.topics.load(self.topic_id)
        oldest = {} if topic is None or topic.status in GONE else self._oldest(topic)
        if topic is None or not oldest:
            return Decided(None, {"archived": 0})
        removed = [each for name in oldest for each in oldest[name]]
        fields = dict(topic.fields)
        for name, several in oldest.items():
            fields[name] = self._without(fields[name], several)
        done = Happening(EventKind.SUMMARISED, {"fields": sorted(oldest), "archived": len(removed)})
        after = next_version(topic, done, during=during, fields=fields)
        change = TopicChange(topics=[(topic, after)], removed=removed, token=during.token)
        return Decided(change, {"archived": len(removed)})

    def _oldest(self, topic: Topic) -> Mapping[str, Sequence[tuple[Line, Revision]]]:
        """By field the oldest of what it has too much, MAX_REMOVED in all."""
        found: dict[str, Sequence[tuple[Line, Revision]]] = {}
        room = MAX_REMOVED
        for name in topic.fields if self.names is None else self.names:
            field = topic.fields.get(name)
            excess = 0 if field is None else _in_table(field) - self.keep
            if field is not None and room and excess > 0:
                found[name] = self._first(field, min(excess, room))
                room -= len(found[name])
        return {name: several for name, several in found.items() if several}

    def _first(self, field: Field, number: int) -> Sequence[tuple[Line, Revision]]:
        """The oldest that the table has of a field, each with the line that has it."""
        history = self.services.topics.history
        told = [
            (line, revision)
            for line in field.lines
            if line.count
            for revision in history(line, limit=number, oldest_first=True)
        ]
        return sorted(told, key=lambda each: each[1].place)[:number]

    def _without(self, field: Field, removed: Sequence[tuple[Line, Revision]]) -> Field:
        """The field with these in archives of their lines."""
        return replace(field, lines=tuple(self._thinner(each, removed) for each in field.lines))

    def _thinner(self, line: Line, removed: Sequence[tuple[Line, Revision]]) -> Line:
        several = [revision for of, revision in removed if of == line]
        if not several:
            return line
        archive = self.services.topics.archive(line, several)
        count = line.count - len(several)
        return replace(line, count=count, archives=(*line.archives, archive))


def _in_table(field: Field) -> int:
    return sum(line.count for line in field.lines)
