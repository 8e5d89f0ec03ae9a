"""Topics merged and unmerged at will, beside a model of what each has to say then."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from membrane.domain.topics.reasoning.duplicates import Duplicate, Ground
from membrane.domain.topics.reasoning.merging import merge_duplicates
from membrane.domain.topics.requests.editing import AppendField, CreateTopic, UnmergeTopic
from membrane.domain.topics.topic import Topic, key_of
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.archive_history import archive_history
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.reasoning.merging import unmerge_topic
from membrane.usecases.topics.scope_walk import SERVICE
from membrane.usecases.topics.writing import Decision, write
from tests.builders.requests import OWNER, call
from tests.builders.topic_editors import ask, first_broken

Told = tuple[int, Any]
"""When something was written, by number, and what."""


def standing(services: TopicServices, topic_id: str) -> Topic:
    """The topic as it is stored, whose trail is whole."""
    topic = services.topics.load(topic_id)
    assert topic is not None
    trail = services.topics.events(topic)
    assert len(trail) == topic.events
    assert first_broken(topic.id, trail) is None
    return topic


def values(services: TopicServices, topic_id: str, name: str) -> list[Any]:
    """All that a field ever said, the newest first; the current value is the first of them."""
    each = standing(services, topic_id).fields[name]
    told = history_of(each, services.topics, archived=True)
    assert told[0] == each.current
    assert len(told) == each.history_length
    return [revision.value for revision in told]


def merge(services: TopicServices, keeper_id: str, other_id: str) -> None:
    """Let one topic take in the other, whatever either says."""

    def decide(context: Any) -> Decision:
        keeper, other = (standing(services, each) for each in (keeper_id, other_id))
        after, alias = merge_duplicates(Duplicate(keeper, other, Ground.TITLE, 1.0), context)
        change = TopicChange(topics=((keeper, after), (other, alias)), token=context.token)
        return Decision(change, {})

    write(decide, call(CreateTopic(), OWNER), services)


def unmerge(services: TopicServices, topic_id: str, **asked: Any) -> dict[str, Any]:
    """Take the topic out again of what it is in; what is answered."""
    request = UnmergeTopic(id=topic_id, **asked)
    return unmerge_topic(request, call(request, OWNER), services).body


@dataclass(slots=True)
class Model:
    """What everybody wrote, and who is in whom."""

    services: TopicServices
    into: dict[str, str | None] = field(default_factory=dict)
    """By topic what it was merged into."""
    written: dict[str, dict[str, list[Told]]] = field(default_factory=dict)
    """By topic that it was written to, and by field."""
    moment: int = 0

    def make(self) -> None:
        """One topic more."""
        topic_id = ask(CreateTopic(title="Ada"), self.services)["topic_id"]
        self.into[topic_id], self.written[topic_id] = None, {}

    def append(self, topic_id: str, name: str) -> None:
        """One value more; an alias is followed."""
        home = self.end_of(topic_id)
        self.moment += 1
        ask(AppendField(id=topic_id, field_name=name, value=self.moment), self.services)
        self.written[home].setdefault(name, []).append((self.moment, self.moment))

    def merge(self, keeper_id: str, other_id: str) -> None:
        """The end of the one takes in that of the other, unless they are one already."""
        keeper, other = self.end_of(keeper_id), self.end_of(other_id)
        if keeper != other:
            merge(self.services, keeper, other)
            self.into[other] = keeper

    def unmerge(self, topic_id: str) -> None:
        """Out of what it is in."""
        if self.into[topic_id] is not None:
            unmerge(self.services, topic_id)
            self.into[topic_id] = None

    def archive(self, topic_id: str) -> None:
        """All but the newest value of each field leaves the table."""
        archive_history(self.end_of(topic_id), 1, SERVICE, self.services)

    def check(self) -> None:
        """What stands in the store is what everybody wrote."""
        for topic_id in self.living:
            topic = standing(self.services, topic_id)
            told = self.told(topic_id)
            assert topic.merged is None
            assert topic.fields.keys() == told.keys()
            assert set(topic.absorbed) == set(self.inside(topic_id))
            for name, newest_first in told.items():
                assert values(self.services, topic_id, name) == newest_first
        self._check_lines()

    def check_last(self, topic_id: str, name: str) -> None:
        """What was written last is what is so."""
        assert values(self.services, self.end_of(topic_id), name)[0] == self.moment

    def _check_lines(self) -> None:
        """Each history belongs to one living topic, and what is written to it stays its own."""
        heads = [standing(self.services, each) for each in self.living]
        lines = [line for head in heads for each in head.fields.values() for line in each.lines]
        assert len({key_of(line) for line in lines}) == len(lines)

    @property
    def living(self) -> list[str]:
        """Topics that are in no other."""
        return [each for each, into in self.into.items() if into is None]

    def end_of(self, topic_id: str) -> str:
        """What an id leads to."""
        into = self.into[topic_id]
        return topic_id if into is None else self.end_of(into)

    def inside(self, topic_id: str) -> Iterator[str]:
        """All that is in a topic, however deep."""
        for each, into in self.into.items():
            if into == topic_id:
                yield each
                yield from self.inside(each)

    def told(self, topic_id: str) -> dict[str, list[Any]]:
        """By field what a topic says with all that is in it, the newest first."""
        every: dict[str, list[Told]] = {}
        for each in (topic_id, *self.inside(topic_id)):
            for name, told in self.written[each].items():
                every.setdefault(name, []).extend(told)
        return {name: [value for _, value in sorted(told)[::-1]] for name, told in every.items()}
