"""Take a topic out again of the one that it was merged into: it is what it was, with its history.

What was written since stays where it was written. The two are not merged again.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.tokens.consistency import token_of
from membrane.domain.topics.making import Circumstances
from membrane.domain.topics.reasoning.unmerging import (
    NOT_MERGED,
    Newest,
    ToRead,
    not_found,
    to_read,
    unmerged,
)
from membrane.domain.topics.requests.editing import UnmergeTopic
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.topic import Field, Line, Topic, TopicStatus, key_of
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services import MAX_WORKERS
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange, TopicStore
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.loading import MAX_ALIASES, NOT_FOUND, load_topics
from membrane.usecases.topics.reasoning.following_up import follow_up
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import Decided, write


def unmerge_topic(request: UnmergeTopic, call: Call, services: TopicServices) -> ReplyBody:
    """The topic's id, and that of the one that it was in.

    Raises NotFound where the topic is absent or may not be seen, PermissionDenied,
    FailedPrecondition where it is not merged, or a field of it was moved to another topic since.
    """

    def decide(during: Circumstances) -> Decided:
        chain = _chain(request.id, call, services.topics)
        newest = _newest(to_read(chain), services.topics)
        after = unmerged(chain, newest, during, request.why)
        change = TopicChange(
            topics=tuple(zip(chain, after, strict=True)),
            heads=title_heads(after[0], call.principal.trust, services),
        )
        body = {
            "topic_id": after[0].id,
            "unmerged_from": after[1].id,
            "consistency_token": token_of(after[0].id, after[0].version),
        }
        return Decided(change, body)

    answer = write(decide, call, services).answer
    topic = services.topics.load(answer.body["topic_id"])
    if topic is not None and topic.merged is None:
        follow_up(topic, call, services)
    return answer


def _chain(topic_id: str, call: Call, topics: TopicStore) -> Sequence[Topic]:
    """The topic and what it leads to, one into the next; all of them to be written."""
    alias = load_topics([topic_id], call.principal.trust, topics, deleted=True)
    chain = [topics.load_all([topic_id])[topic_id]] if alias else []
    while chain and (link := chain[-1].merged) is not None and len(chain) <= MAX_ALIASES:
        chain.append(topics.load_all([link.into])[link.into])
    if not chain or chain[-1].status is TopicStatus.DELETED:
        raise NotFound(NOT_FOUND)
    for topic in chain:
        call.principal.require_write(topic.scope, topic.sensitivity)
    if len(chain) == 1:
        raise FailedPrecondition(NOT_MERGED)
    return chain


def _newest(asked: ToRead, topics: TopicStore) -> Newest:
    """The newest revisions, by line: many together where their places are known."""
    placed = {key_of(line): each for line, each in topics.found(asked.places)}
    return {**placed, **_one_by_one([*asked.lines, *not_found(asked, placed)], topics)}


def _one_by_one(lines: Sequence[Line], topics: TopicStore) -> Newest:
    """The newest revision of each line, wherever it lies."""

    def read(line: Line) -> Sequence[Revision]:
        alone = Field(type=FieldType.JSON, lines=(line,))
        return history_of(alone, topics, limit=1, archived=True)

    with ThreadPoolExecutor(min(len(lines), MAX_WORKERS) or 1) as pool:
        found = list(pool.map(read, lines))
    return {key_of(line): told[0] for line, told in zip(lines, found, strict=True) if told}
