"""Load topics with the rights of a principal, aliases followed; the salience of topics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import NotFound
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.access import Access
from membrane.domain.topics.reasoning.unmerging import Newest, missing_lines, required_reads
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.salience import TopicSalience, salience_of
from membrane.domain.topics.topic import HIDDEN, Field, Topic, TopicStatus, key_of
from membrane.domain.topics.versions import NEVER_READ
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.topics.histories import histories_of

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


NOT_FOUND = "topic not found"

EVERYTHING = Trust(Sensitivity.HYPER, None)

LIVING = (TopicStatus.ACTIVE, TopicStatus.ARCHIVED)

MAX_ALIASES = 16
"""The longest chain of aliases that a load follows."""


def load_topic(
    topic_id: str, trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Topic:
    """The topic with the id; for an alias, the topic at the end of the chain.

    Raises NotFound for an absent topic, a topic outside the trust, or a deleted or erased topic
    without `deleted`.
    """
    found = load_topics([topic_id], trust, topics, deleted=deleted).get(topic_id)
    if found is None:
        raise NotFound(NOT_FOUND)
    return found


def load_topics(
    topic_ids: Iterable[str], trust: Trust, topics: "DynamoTopics", *, deleted: bool = False
) -> Mapping[str, Topic]:
    """The topics that `load_topic` finds, by requested id; far fewer requests than ids."""
    asked = [each for each in dict.fromkeys(topic_ids) if RECORD_ID.fullmatch(each)]
    known: dict[str, Topic] = {}
    wanted = asked
    for _ in range(MAX_ALIASES):
        if not wanted:
            break
        known |= topics.load_all(wanted, trust)
        next_ids = {each.merged.into for each in known.values() if each.merged is not None}
        wanted = sorted(next_ids - known.keys())
    ends = {topic_id: _end(topic_id, known) for topic_id in asked}
    return {
        topic_id: topic
        for topic_id, topic in ends.items()
        if topic is not None
        and trust.allows(topic.scope, topic.sensitivity)
        and (deleted or topic.status not in HIDDEN)
    }


def _end(topic_id: str, known: Mapping[str, Topic]) -> Topic | None:
    """The topic at the end of a chain of aliases; None for a chain that leads nowhere."""
    topic = known.get(topic_id)
    for _ in range(MAX_ALIASES):
        if topic is None or topic.merged is None:
            return topic
        topic = known.get(topic.merged.into)
    return None


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


@dataclass(slots=True)
class Saliences:
    """The salience of topics at an instant; the reads of a topic are looked up once."""

    world: World
    now_s: float
    _accesses: dict[str, Access] = field(default_factory=dict)

    def look_up(self, topics: Iterable[Topic]) -> None:
        """Look up the reads of several topics in a single request."""
        unknown = [each.id for each in topics if each.id not in self._accesses]
        if unknown:
            found = self.world.topics.accesses(unknown)
            self._accesses |= {each: found.get(each, NEVER_READ) for each in unknown}

    def access_of(self, topic: Topic) -> Access:
        """The reads of a topic; `look_up` comes first."""
        return self._accesses[topic.id]

    def of(self, topic: Topic) -> TopicSalience:
        """The salience of a topic; `look_up` comes first."""
        return salience_of(topic, self._accesses[topic.id], self.now_s)

    def most_salient_first(self, topics: Sequence[Topic]) -> list[Topic]:
        """The topics, the most salient first; ties by id."""
        self.look_up(topics)
        return sorted(topics, key=lambda topic: (-self.of(topic).total, topic.id))


def saliences_now(topics: Iterable[Topic], world: World) -> Saliences:
    saliences = Saliences(world, epoch_seconds(world.now()))
    saliences.look_up(topics)
    return saliences


def access_of(topic_id: str, world: World) -> Access:
    return world.topics.accesses([topic_id]).get(topic_id, NEVER_READ)
