"""Services of topics over fakes, with a default for every part."""

from dataclasses import fields, replace
from typing import Any

from membrane.adapters.dynamodb.search.vector_search import VectorSearch
from membrane.adapters.dynamodb.search.vector_store import DynamoVectors
from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.domain.topics.policy import TopicPolicy
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.ports.services_topics import SendToReasoning, TopicServices
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeSearch
from tests.fakes.told_reason import ToldReason
from tests.fakes.topics import FakeTopics
from tests.fakes.vectors import FakeVectors
from tests.fakes.world import make_reading_services, topics_over


def topical(
    *,
    topics: DynamoTopics | None = None,
    topic_search: VectorSearch | None = None,
    topic_vectors: DynamoVectors | None = None,
    send_to_reasoning: SendToReasoning | None = None,
    topic_policy: TopicPolicy | None = None,
    **others: Any,
) -> TopicServices:
    """TopicServices over fakes, but for the parts given; see `make_reading_services`."""
    if isinstance(topics, FakeTopics):
        others = {"records": topics.records, "now": topics.records.now} | others
    usual = make_reading_services(**others)
    records = usual.records if isinstance(usual.records, FakeRecords) else FakeRecords(usual.now)
    stored = topics or FakeTopics(records, usual.retention)
    indexed = stored if isinstance(stored, FakeTopics) else FakeTopics(records)
    kept = topic_vectors or FakeVectors(now=usual.now, ended=indexed.ended)
    known = kept if isinstance(kept, FakeVectors) else FakeVectors(now=usual.now)
    reading = replace(usual, topics_of_entities=topics_over(stored, usual))
    return TopicServices(
        **{each.name: getattr(reading, each.name) for each in fields(ReadingServices)},
        topics=stored,
        topic_search=topic_search or FakeSearch(known),
        topic_vectors=kept,
        send_to_reasoning=send_to_reasoning or ToldReason(),
        topic_policy=topic_policy or TopicPolicy(),
    )


def fake_topics(services: TopicServices) -> FakeTopics:
    """The store of services over fakes, to look into."""
    assert isinstance(services.topics, FakeTopics)
    return services.topics
