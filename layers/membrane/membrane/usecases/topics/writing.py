"""Write topics: once for each idempotency key, and again after a lost race."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from membrane.domain.language.digests import digest
from membrane.domain.language.errors import Aborted, AlreadyExists, NotFound
from membrane.domain.language.json_text import Body
from membrane.domain.records.idempotency import IDENTITY_BYTES
from membrane.domain.tokens.consistency import token_of
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import ChangeContext
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.retries import MAX_TRIES, until_won
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicIdTaken, TopicReceipt
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import REUSED
from membrane.usecases.topics.loading import NOT_FOUND, load_topics


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
            self.world.topics.commit(change)
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
