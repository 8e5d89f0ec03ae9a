"""Move the oldest revisions of a topic's fields from the table to the bucket; none is lost.

They go in portions, each a change of the topic by itself.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from membrane.domain.language.errors import Aborted
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Field, Line, Topic
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.machinery.retries import MAX_TRIES, TRANSIENT
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import MAX_REMOVED, TopicChange
from membrane.usecases.topics.loading import LIVING
from membrane.usecases.topics.writing import Decide, Decided, write

SLACK = 10
"""A history may exceed its limit by one in so many before its oldest revisions are moved."""

MAX_SLACK = MAX_REMOVED // 2
"""A portion that is moved is larger than the excess that it waits for."""


def write_and_trim(
    decide: Decide, call: Call, services: TopicServices, max_tries: int = MAX_TRIES
) -> ReplyBody:
    """What `write` answers; then one portion of each history that the write made too long goes.

    Where another writer comes first, the portion is left to later writes: a reader is shown no
    more than a history may have, however many revisions the table has.
    """
    answer, decided = write(decide, call, services, max_tries)
    if decided is None or decided.change is None or not decided.grown:
        return answer
    _, topic = decided.change.topics[0]
    most = services.topic_policy.max_history
    there = {name: topic.fields[name] for name in decided.grown if name in topic.fields}
    grown = [name for name, each in there.items() if _is_to_be_trimmed(each, most)]
    if grown:
        with suppress(Aborted, *TRANSIENT):
            write(_Archiving(topic.id, most, grown, services).decide, _quiet(call), services, 1)
    return answer


def archive_history(topic_id: str, keep: int, call: Call, services: TopicServices) -> int:
    """Leave the newest `keep` revisions, one at least, of each field; how many left the table.

    Raises Aborted.
    """
    archiving = _Archiving(topic_id, max(1, keep), None, services)
    moved = 0
    while some := write(archiving.decide, _quiet(call), services).answer.body["archived"]:
        moved += some
    return moved


def _is_to_be_trimmed(field: Field, most: int) -> bool:
    """Whether this write moves revisions: one write in many does, or each while far too many stay.

    Far too many stay after a request of many writes, or after lost races.
    """
    excess, slack = _in_table(field) - most, min(most // SLACK, MAX_SLACK)
    is_behind = excess > slack + MAX_REMOVED
    return excess > slack and (is_behind or (excess - 1) % max(1, slack) == 0)


def _quiet(call: Call) -> Call:
    """A call of the same caller without a key, so that it is not remembered."""
    return Call(call.principal, "ArchiveHistory", None, b"")


@dataclass(frozen=True, slots=True)
class _Archiving:
    topic_id: str
    keep: int
    names: Collection[str] | None
    services: TopicServices

    def decide(self, context: ChangeContext) -> Decided:
        topic = self.services.topics.load(self.topic_id)
        oldest = {} if topic is None or topic.status not in LIVING else self._oldest(topic)
        if topic is None or not oldest:
            return Decided(None, {"archived": 0})
        removed = [each for several in oldest.values() for each in several]
        fields = dict(topic.fields)
        for name, several in oldest.items():
            lines = tuple(self._thinner(each, several) for each in fields[name].lines)
            fields[name] = replace(fields[name], lines=lines)
        done = EventDraft(
            EventKind.SUMMARISED, {"fields": sorted(oldest), "archived": len(removed)}
        )
        after = next_version(topic, done, context=context, fields=fields)
        change = TopicChange(topics=[(topic, after)], removed=removed)
        return Decided(change, {"archived": len(removed)})

    def _oldest(self, topic: Topic) -> Mapping[str, Sequence[tuple[Line, Revision]]]:
        """By field the oldest excess revisions, each with its line; MAX_REMOVED in all."""
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
        history = self.services.topics.history
        several = [
            (line, revision)
            for line in field.lines
            if line.count
            for revision in history(line, limit=number, oldest_first=True)
        ]
        return sorted(several, key=lambda each: each[1].place)[:number]

    def _thinner(self, line: Line, removed: Sequence[tuple[Line, Revision]]) -> Line:
        """The line with its removed revisions in an archive."""
        several = [revision for of, revision in removed if of == line]
        if not several:
            return line
        archive = self.services.topics.archive(line, several)
        count = line.count - len(several)
        return replace(line, count=count, archives=(*line.archives, archive))


def _in_table(field: Field) -> int:
    return sum(line.count for line in field.lines)
