"""The salience of topics at an instant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.access import Access
from membrane.domain.topics.salience import TopicSalience, salience_of
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.versions import NEVER_READ
from membrane.usecases.ports.world import World


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
