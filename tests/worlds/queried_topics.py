"""Topics to ask about: written by the edits, indexed as the stream has it, and queried."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.violations import validate
from membrane.domain.tokens.consistency import token_of
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.requests.editing import AddRelationship, ChangeTopic, CreateTopic
from membrane.domain.topics.requests.query import QueryTopics
from membrane.domain.topics.topic import Topic
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.topics.indexing import index_topics
from membrane.usecases.topics.querying.query_topics import query_topics
from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
from tests.builders.requests import OWNER, call
from tests.builders.topic_editors import append, ask, standing
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import ToldReason, topical
from tests.fakes.topics import FakeTopics


@dataclass(slots=True)
class Asked:
    """A world of fakes."""

    policy: TopicPolicy = field(default_factory=TopicPolicy)
    clock: FakeClock = field(default_factory=FakeClock)
    topics: FakeTopics = field(init=False)
    told: ToldReason = field(default_factory=ToldReason)
    reports: Reports = field(default_factory=Reports)
    services: TopicServices = field(init=False)

    def __post_init__(self) -> None:
        self.topics = FakeTopics(FakeRecords(self.clock))
        self.services = topical(
            topics=self.topics,
            send_to_reasoning=self.told,
            report=self.reports,
            topic_policy=self.policy,
        )

    def add(
        self, topic_id: str, title: str, fields: Mapping[str, Any] | None = None, **others: Any
    ) -> str:
        """A topic of that id, title and fields, which is indexed."""
        self.add_unindexed(topic_id, title, fields, **others)
        self.index(topic_id)
        return topic_id

    def add_unindexed(
        self, topic_id: str, title: str, fields: Mapping[str, Any] | None = None, **others: Any
    ) -> str:
        """The same, before the index knows."""
        asked = {"topic_id": topic_id, "title": title, **others}
        ask(CreateTopic.model_validate(asked), self.services)
        for name, value in (fields or {}).items():
            self.append(topic_id, name, value)
        return topic_id

    def append(self, topic_id: str, name: str, value: Any, **more: Any) -> str:
        """One revision more."""
        return append(self.services, topic_id, name, value, **more)

    def relate(self, from_id: str, kind: str, to_id: str) -> None:
        """An edge between two topics."""
        ask(AddRelationship(id=from_id, to_topic_id=to_id, kind=kind), self.services)

    def change(self, topic_id: str, **changes: Any) -> None:
        """Other words for a topic, which is indexed."""
        ask(ChangeTopic.model_validate({"id": topic_id, **changes}), self.services)
        self.index(topic_id)

    def index(self, *topic_ids: str) -> None:
        """What the stream does after topics have changed."""
        changed = [ChangedSource(each, (self.standing(each).scope,)) for each in topic_ids]
        assert not index_topics(changed, self.services).failed

    def standing(self, topic_id: str) -> Topic:
        """The topic as it is stored."""
        return standing(self.services, topic_id)

    def token(self, topic_id: str) -> str:
        """The consistency token of the topic's last write."""
        return token_of(topic_id, self.standing(topic_id).version)

    def query(self, q: str = "", principal: Principal = OWNER, **asked: Any) -> JsonObject:
        """The reply to a query."""
        request = validate(QueryTopics, {"q": q, **asked})
        return dict(query_topics(request, call(request, principal), self.services).body)

    def candidates(self, q: str = "", principal: Principal = OWNER, **asked: Any) -> list[Any]:
        """Its candidates."""
        return list(self.query(q, principal, **asked)["candidates"])

    def found(self, q: str = "", principal: Principal = OWNER, **asked: Any) -> list[str]:
        """Their ids."""
        return [each["topic_id"] for each in self.candidates(q, principal, **asked)]

    def one(self, q: str = "", principal: Principal = OWNER, **asked: Any) -> JsonObject:
        """Its only candidate."""
        (candidate,) = self.candidates(q, principal, **asked)
        return dict(candidate)

    def deliver(self) -> None:
        """What the function that reasons does with what it was told; each message twice."""
        for message, _ in self.told.told:
            for _ in range(2):
                reinforce_topics(message["reinforce"], self.services)
        self.told.told.clear()


def values(candidate: JsonObject, name: str) -> list[Any]:
    """Of the history of a field, the newest first; the current one is the first of them."""
    (shown,) = (each for each in candidate["fields"] if each["name"] == name)
    assert shown["current"] == shown["history"][0]
    return [each["value"] for each in shown["history"]]


def names(candidate: JsonObject) -> list[str]:
    """Of its fields, in order."""
    return [each["name"] for each in candidate["fields"]]


def text(reply: JsonObject) -> str:
    """The reply, letter by letter."""
    return compact_json(reply)
