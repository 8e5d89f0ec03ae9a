"""Move the oldest revisions of fields from the table to the bucket, without loss.

Revisions move in portions; every portion is a change of the topic by itself.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from membrane.domain.language.errors import Aborted
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Field, Line, Topic
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.retries import MAX_TRIES, TRANSIENT
from membrane.usecases.ports.topics import MAX_REMOVED, TopicChange
from membrane.usecases.ports.world import World
from membrane.usecases.topics.loading import LIVING
from membrane.usecases.topics.writing import Decide, Decision, write

SLACK = 10
"""A history may exceed the limit by 1 / SLACK before the oldest revisions move."""

MAX_SLACK = MAX_REMOVED // 2
"""The largest excess to wait for, in revisions: a portion is larger."""


def write_and_trim(
    decide: Decide, call: Call, world: World, max_tries: int = MAX_TRIES
) -> ReplyBody:
    """Commit a decision, then archive a portion of every history that the write made too long.

    If a concurrent write wins, the portion is left to later writes: a reader is shown no more than
    a history may have, however many revisions the table has.
    """
    answer, decision = write(decide, call, world, max_tries)
    if decision is None or decision.change is None or not decision.grown_fields:
        return answer
    _, topic = decision.change.topics[0]
    most = world.topic_policy.max_history
    there = {name: topic.fields[name] for name in decision.grown_fields if name in topic.fields}
    grown = [name for name, each in there.items() if _is_to_be_trimmed(each, most)]
    if grown:
        with suppress(Aborted, *TRANSIENT):
            write(_Archiving(topic.id, most, grown, world).decide, _keyless_call(call), world, 1)
    return answer


def archive_history(topic_id: str, keep: int, call: Call, world: World) -> int:
    """Archive all but the newest `keep` revisions, at least one, of every field.

    The result is the number of archived revisions. Raises Aborted.
    """
    archiving = _Archiving(topic_id, max(1, keep), None, world)
    moved = 0
    while some := write(archiving.decide, _keyless_call(call), world).answer.body["archived"]:
        moved += some
    return moved


def _is_to_be_trimmed(field: Field, most: int) -> bool:
    """Whether the write archives revisions: few writes do, every write while far behind.

    A history is far behind after a request of many writes, or after lost races.
    """
    excess, slack = _table_count(field) - most, min(most // SLACK, MAX_SLACK)
    is_behind = excess > slack + MAX_REMOVED
    return excess > slack and (is_behind or (excess - 1) % max(1, slack) == 0)


def _keyless_call(call: Call) -> Call:
    """A call of the same caller without an idempotency key, and so without a receipt."""
    return Call(call.principal, "ArchiveHistory", None, b"")


@dataclass(frozen=True, slots=True)
class _Archiving:
    topic_id: str
    keep: int
    names: Collection[str] | None
    world: World

    def decide(self, context: ChangeContext) -> Decision:
        topic = self.world.topics.load(self.topic_id)
        oldest = {} if topic is None or topic.status not in LIVING else self._excess(topic)
        if topic is None or not oldest:
            return Decision(None, {"archived": 0})
        removed = [each for several in oldest.values() for each in several]
        fields = dict(topic.fields)
        for name, several in oldest.items():
            lines = tuple(self._with_archive(each, several) for each in fields[name].lines)
            fields[name] = replace(fields[name], lines=lines)
        done = EventDraft(
            EventKind.SUMMARISED, {"fields": sorted(oldest), "archived": len(removed)}
        )
        after = next_version(topic, done, context=context, fields=fields)
        change = TopicChange(topics=[(topic, after)], removed=removed)
        return Decision(change, {"archived": len(removed)})

    def _excess(self, topic: Topic) -> Mapping[str, Sequence[tuple[Line, Revision]]]:
        """By field, the oldest excess revisions with lines; at most MAX_REMOVED in all."""
        found: dict[str, Sequence[tuple[Line, Revision]]] = {}
        room = MAX_REMOVED
        for name in topic.fields if self.names is None else self.names:
            field = topic.fields.get(name)
            excess = 0 if field is None else _table_count(field) - self.keep
            if field is not None and room and excess > 0:
                found[name] = self._oldest_revisions(field, min(excess, room))
                room -= len(found[name])
        return {name: several for name, several in found.items() if several}

    def _oldest_revisions(self, field: Field, number: int) -> Sequence[tuple[Line, Revision]]:
        history = self.world.topics.history
        several = [
            (line, revision)
            for line in field.lines
            if line.count
            for revision in history(line, limit=number, oldest_first=True)
        ]
        return sorted(several, key=lambda each: each[1].place)[:number]

    def _with_archive(self, line: Line, removed: Sequence[tuple[Line, Revision]]) -> Line:
        """The line after the removed revisions are put into an archive."""
        several = [revision for of, revision in removed if of == line]
        if not several:
            return line
        archive = self.world.topics.archive(line, several)
        count = line.count - len(several)
        return replace(line, count=count, archives=(*line.archives, archive))


def _table_count(field: Field) -> int:
    return sum(line.count for line in field.lines)
