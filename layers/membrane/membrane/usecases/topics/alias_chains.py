"""The chain of topics from an alias to the topic that keeps the content, for a change of all."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from membrane.domain.language.errors import NotFound
from membrane.domain.topics.reasoning.unmerging import Newest, missing_lines, required_reads
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.topic import Field, Topic, key_of
from membrane.usecases.machinery.calls import Call
from membrane.usecases.topics.histories import histories_of
from membrane.usecases.topics.loading import MAX_ALIASES, NOT_FOUND, load_topics

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


def alias_chain(topic_id: str, call: Call, topics: "DynamoTopics") -> Sequence[Topic]:
    """The topic and the keepers, each merged into the next; deleted and erased topics, too.

    Raises NotFound for an absent or hidden topic, PermissionDenied if the caller may not write
    one of the topics.
    """
    visible = load_topics([topic_id], call.principal.trust, topics, deleted=True)
    chain = [topics.load_all([topic_id])[topic_id]] if visible else []
    while chain and (link := chain[-1].merged) is not None and len(chain) <= MAX_ALIASES:
        chain.append(topics.load_all([link.into])[link.into])
    if not chain:
        raise NotFound(NOT_FOUND)
    for topic in chain:
        call.principal.require_write(topic.scope, topic.sensitivity)
    return chain


def newest_revisions(chain: Sequence[Topic], topics: "DynamoTopics") -> Newest:
    """The newest revision of every line; lines with known places share a request."""
    places, unknown = required_reads(chain)
    placed = {key_of(line): each for line, each in topics.find_revisions(places)}
    lines = [*unknown, *missing_lines(places, placed)]
    alone = [Field(type=FieldType.JSON, lines=(line,)) for line in lines]
    histories = histories_of(alone, topics, limit=1, archived=True)
    read = {key_of(line): past[0] for line, past in zip(lines, histories, strict=True) if past}
    return {**placed, **read}
