"""Write topics once for each idempotency key; retry a lost race; archive long histories."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.language.errors import Aborted, AlreadyExists, NotFound
from membrane.domain.language.fields import token_of
from membrane.domain.language.json_text import Body, digest
from membrane.domain.records.stored import IDENTITY_BYTES
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.form import TopicReceipt, archive_of, newest_first
from membrane.domain.topics.topic import Field, Line, Revision, Topic
from membrane.domain.topics.versions import ChangeContext, EventDraft, next_version
from membrane.table.items import LostRace
from membrane.usecases.machinery.calls import MAX_TRIES, TRANSIENT, Call, ReplyBody, until_won
from membrane.usecases.ports.topics import (
    MAX_REMOVED,
    ReceiptTaken,
    TopicChange,
    TopicIdTaken,
)
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import REUSED
from membrane.usecases.topics.loading import LIVING, NOT_FOUND, load_topics

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


@dataclass(frozen=True, slots=True)
class Decision:
    """The change to write, and the reply to give after the write."""

    change: TopicChange | None
    """None: nothing is written but the idempotency key. `write` gives it its token."""
    body: Body
    about: Collection[str] = ()
    """Ids of topics that the request concerns, besides the topics of the change."""
    grown_fields: Collection[str] = ()
    """Fields of the first topic of the change that get new revisions."""


class WriteResult(NamedTuple):
    """The reply to a call, and the decision behind the reply."""

    answer: ReplyBody
    decision: Decision | None
    """None if an earlier call under the same key made the change."""


NOTHING = Decision(None, {})

Decide = Callable[[ChangeContext], Decision]
"""Reads and decides; raises a DomainError to refuse the request."""


def write(decide: Decide, call: Call, world: World, max_tries: int = MAX_TRIES) -> WriteResult:
    """Commit the decision of `decide`, again after a lost race; a repeated call changes nothing.

    Raises AlreadyExists if the key came with a different request, Aborted if every try lost the
    race, and the errors of `decide`.
    """
    writing = _Writing(call, world)
    try:
        return until_won(lambda: writing.attempt(decide), world, max_tries)
    except Aborted:
        earlier_result = writing.earlier_result()
        if earlier_result is None:
            raise
        return earlier_result


@dataclass(frozen=True, slots=True)
class _Writing:
    call: Call
    world: World
    attempts: dict[tuple[str, str], WriteResult] = field(default_factory=dict)
    """By topic id and hash of the new event: a write may be done although the reply was lost."""

    def attempt(self, decide: Decide) -> WriteResult:
        earlier_result = self.earlier_result()
        if earlier_result is not None:
            return earlier_result
        context = change_context(self.call, self.world)
        decision = decide(context)
        change = decision.change or TopicChange(topics=())
        written = WriteResult(ReplyBody(decision.body, values=change.values), decision)
        for _, first in change.topics[:1]:
            self.attempts[first.id, first.trail[-1].hash] = written
        self._commit(replace(change, token=context.token), decision)
        return written

    def earlier_result(self) -> WriteResult | None:
        """The result under the same key, or of an earlier attempt with a lost reply.

        Raises NotFound and PermissionDenied by the present rights of the caller to the topics, and
        AlreadyExists for a different request under the key.
        """
        identity = _identity_of(self.call)
        receipt = None if identity is None else self.world.topics.find_receipt(identity)
        if receipt is None:
            return self._result_of_lost_reply()
        if receipt.fingerprint != self.call.fingerprint:
            raise AlreadyExists(REUSED)
        self._require_rights(receipt.topic_ids)
        return WriteResult(ReplyBody(receipt.reply, replayed=True), None)

    def _require_rights(self, topic_ids: Sequence[str]) -> None:
        principal = self.call.principal
        there = load_topics(topic_ids, principal.trust, self.world.topics, deleted=True)
        if there.keys() != set(topic_ids):
            raise NotFound(NOT_FOUND)
        for topic in there.values():
            principal.require_write(topic.scope, topic.sensitivity)

    def _commit(self, change: TopicChange, decision: Decision) -> None:
        identity = _identity_of(self.call)
        if identity is not None:
            written = (after.id for _, after in change.topics)
            topic_ids = tuple(dict.fromkeys((*decision.about, *written)))
            receipt = TopicReceipt(identity, self.call.fingerprint, topic_ids, decision.body)
            change = replace(change, receipt=receipt)
        if not change.topics and change.receipt is None:
            return
        try:
            self.world.topics.apply(change)
        except ReceiptTaken as error:
            raise LostRace from error
        except TopicIdTaken as error:
            if self._result_of_lost_reply() is None:
                raise AlreadyExists("topic already exists") from error

    def _result_of_lost_reply(self) -> WriteResult | None:
        if not self.attempts:
            return None
        there = self.world.topics.load_all(list({topic_id for topic_id, _ in self.attempts}))
        for (topic_id, event_hash), written in self.attempts.items():
            topic = there.get(topic_id)
            if topic is not None and any(event.hash == event_hash for event in topic.trail):
                return written
        return None


def topic_token(topic: Topic) -> str:
    """The consistency token by which a reader sees the topic as it was written."""
    return token_of(topic.id, topic.version)


def change_context(call: Call, world: World) -> ChangeContext:
    return ChangeContext(
        now=world.now(),
        principal=call.principal.actor_id,
        salt=world.new_salt(),
        token=world.new_id(),
        policy=world.topic_policy,
    )


def _identity_of(call: Call) -> bytes | None:
    if call.key is None:
        return None
    return digest(call.principal.identity, call.rpc, call.key)[:IDENTITY_BYTES]


SLACK = 10
"""A history may exceed the limit by 1 / SLACK before the oldest revisions move."""

MAX_SLACK = MAX_REMOVED // 2
"""The largest excess to wait for, in revisions: a portion is larger."""


def write_and_trim(decide: Decide, call: Call, world: World) -> ReplyBody:
    """Commit a decision, then archive a portion of every history that the write made too long.

    If a concurrent write wins, the portion is left to later writes: a reader is shown no more than
    a history may have, however many revisions the table has.
    """
    answer, decision = write(decide, call, world)
    if decision is None or decision.change is None or not decision.grown_fields:
        return answer
    _, topic = decision.change.topics[0]
    most = world.topic_policy.max_history
    grown = [
        name
        for name in decision.grown_fields
        if name in topic.fields and _is_to_be_trimmed(topic.fields[name], most)
    ]
    if grown:
        with suppress(Aborted, *TRANSIENT):
            _archive(topic.id, most, grown, call, world, max_tries=1)
    return answer


def archive_history(topic_id: str, keep: int, call: Call, world: World) -> int:
    """Archive all but the newest `keep` revisions, at least one, of every field.

    The result is the number of archived revisions. Raises Aborted.
    """
    moved = 0
    while some := _archive(topic_id, max(1, keep), None, call, world):
        moved += some
    return moved


def _is_to_be_trimmed(field: Field, most: int) -> bool:
    """Whether the write archives revisions: few writes do, every write while far behind.

    A history is far behind after a request of many writes, or after lost races.
    """
    excess, slack = _table_count(field) - most, min(most // SLACK, MAX_SLACK)
    is_behind = excess > slack + MAX_REMOVED
    return excess > slack and (is_behind or (excess - 1) % max(1, slack) == 0)


def _archive(
    topic_id: str,
    keep: int,
    names: Collection[str] | None,
    call: Call,
    world: World,
    *,
    max_tries: int = MAX_TRIES,
) -> int:
    """Archive up to MAX_REMOVED excess revisions of the fields, None = all; their number."""
    topics = world.topics

    def decide(context: ChangeContext) -> Decision:
        topic = topics.load(topic_id)
        if topic is None or topic.status not in LIVING:
            return Decision(None, {"archived": 0})
        removed: list[tuple[Line, Revision]] = []
        after = dict[str, Field]()
        for name in topic.fields if names is None else names:
            field = topic.fields.get(name)
            excess = 0 if field is None else _table_count(field) - keep
            oldest = field and _oldest(field, min(excess, MAX_REMOVED - len(removed)), topics)
            if field is not None and oldest:
                lines = (_with_archive(each, oldest) for each in field.lines)
                after[name] = replace(field, lines=tuple(lines))
                removed += oldest
        if not removed:
            return Decision(None, {"archived": 0})
        done = EventDraft(EventKind.SUMMARISED, {"fields": sorted(after), "archived": len(removed)})
        newest = next_version(topic, done, context=context, fields={**topic.fields, **after})
        change = TopicChange(topics=[(topic, newest)], removed=removed)
        return Decision(change, {"archived": len(removed)})

    keyless = Call(call.principal, "ArchiveHistory", None, b"")
    return int(write(decide, keyless, world, max_tries).answer.body["archived"])


def _oldest(field: Field, number: int, topics: "DynamoTopics") -> Sequence[tuple[Line, Revision]]:
    several = [
        (line, revision)
        for line in field.lines
        if line.count and number > 0
        for revision in topics.history(line, limit=number, oldest_first=True)
    ]
    return sorted(several, key=lambda each: each[1].place)[: max(0, number)]


def _with_archive(line: Line, removed: Sequence[tuple[Line, Revision]]) -> Line:
    several = [revision for of, revision in removed if of == line]
    if not several:
        return line
    archive, _ = archive_of(newest_first(several))
    count = line.count - len(several)
    return replace(line, count=count, archives=(*line.archives, archive))


def _table_count(field: Field) -> int:
    return sum(line.count for line in field.lines)
