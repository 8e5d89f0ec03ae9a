"""Writing topics: once for each idempotency key, and again where another writer came first."""

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
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.machinery.retries import MAX_TRIES, until_won
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicIdTaken, TopicReceipt
from membrane.usecases.records.creating import REUSED
from membrane.usecases.topics.loading import NOT_FOUND, load_topics


@dataclass(frozen=True, slots=True)
class Decided:
    """What is to be written, and what is answered once it is.

    Nothing to write: None; a key is remembered all the same.
    """

    change: TopicChange | None
    """None: nothing is written but the idempotency key. `write` gives it its token."""
    body: Body
    about: Collection[str] = ()
    """Ids of the topics that the request is about, beside those that the change writes."""
    grown: Collection[str] = ()
    """The fields of the change's first topic that get new revisions."""


class Written(NamedTuple):
    """The answer to a call, and what was written for it.

    `decided` is None where an earlier call under the same key had done it all.
    """

    answer: ReplyBody
    decided: Decided | None
    """None where an earlier call under the same key wrote it."""


NOTHING = Decided(None, {})

Decide = Callable[[ChangeContext], Decided]
"""Reads and decides; raises a DomainError where there is nothing to be done."""


def write(
    decide: Decide, call: Call, services: TopicServices, max_tries: int = MAX_TRIES
) -> Written:
    """What `decide` answers, once what it decided is written; a repeated call changes nothing.

    Raises AlreadyExists where the key came with another request, Aborted where other writers came
    first every time, and what `decide` raises.
    """
    writing = _Writing(call, services)
    try:
        return until_won(lambda: writing.attempt(decide), services, max_tries)
    except Aborted:
        earlier = writing.earlier()
        if earlier is None:
            raise
        return earlier


@dataclass(frozen=True, slots=True)
class _Writing:
    call: Call
    services: TopicServices
    attempts: dict[tuple[str, str], Written] = field(default_factory=dict)
    """By topic and hash of its new event: a write may be done although its reply was lost."""

    def attempt(self, decide: Decide) -> Written:
        earlier = self.earlier()
        if earlier is not None:
            return earlier
        context = circumstances(self.call, self.services)
        decided = decide(context)
        change = decided.change or TopicChange(topics=())
        written = Written(ReplyBody(decided.body, values=change.values), decided)
        for _, first in change.topics[:1]:
            self.attempts[first.id, first.trail[-1].hash] = written
        self._commit(replace(change, token=context.token), decided)
        return written

    def earlier(self) -> Written | None:
        """What was answered under the same key, or would have been but for a lost reply.

        Raises NotFound and PermissionDenied by the caller's rights to the topics as of now.
        """
        identity = _identity_of(self.call)
        receipt = None if identity is None else self.services.topics.find_receipt(identity)
        if receipt is None:
            return self._written_after_all()
        if receipt.fingerprint != self.call.fingerprint:
            raise AlreadyExists(REUSED)
        self._require_rights(receipt.topic_ids)
        return Written(ReplyBody(receipt.reply, replayed=True), None)

    def _require_rights(self, topic_ids: Sequence[str]) -> None:
        principal = self.call.principal
        there = load_topics(topic_ids, principal.trust, self.services.topics, deleted=True)
        if there.keys() != set(topic_ids):
            raise NotFound(NOT_FOUND)
        for topic in there.values():
            principal.require_write(topic.scope, topic.sensitivity)

    def _commit(self, change: TopicChange, decided: Decided) -> None:
        identity = _identity_of(self.call)
        if identity is not None:
            written = (after.id for _, after in change.topics)
            topic_ids = tuple(dict.fromkeys((*decided.about, *written)))
            receipt = TopicReceipt(identity, self.call.fingerprint, topic_ids, decided.body)
            change = replace(change, receipt=receipt)
        if not change.topics and change.receipt is None:
            return
        try:
            self.services.topics.commit(change)
        except ReceiptTaken as error:
            raise LostRace from error
        except TopicIdTaken as error:
            if self._written_after_all() is None:
                raise AlreadyExists("topic already exists") from error

    def _written_after_all(self) -> Written | None:
        if not self.attempts:
            return None
        there = self.services.topics.load_all(list({topic_id for topic_id, _ in self.attempts}))
        for (topic_id, event_hash), written in self.attempts.items():
            topic = there.get(topic_id)
            if topic is not None and any(event.hash == event_hash for event in topic.trail):
                return written
        return None


def topic_token(topic: Topic) -> str:
    """The consistency token by which a reader sees the topic as it was written."""
    return token_of(topic.id, topic.version)


def circumstances(call: Call, services: TopicServices) -> ChangeContext:
    return ChangeContext(
        now=services.now(),
        principal=call.principal.actor_id,
        salt=services.new_salt(),
        token=services.new_id(),
        policy=services.topic_policy,
    )


def _identity_of(call: Call) -> bytes | None:
    if call.key is None:
        return None
    return digest(call.principal.identity, call.rpc, call.key)[:IDENTITY_BYTES]
