"""Those who tell of topics: what they say, and what they are answered."""

from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.violations import validate
from membrane.domain.records.idempotency import fingerprint_of
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.topics.indexing import index_topics
from membrane.usecases.topics.placing.place_topic import ingest_topic
from tests.builders.requests import OWNER
from tests.fakes.topic_world import fake_topics


def field(name: str, value: Any = "", **more: Any) -> dict[str, Any]:
    """What is told of one field."""
    return {"name": name, "value": value, **more}


def answered(
    services: TopicServices,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
    **body: Any,
) -> ReplyBody:
    """What the whole path from a body on answers."""
    call = Call(principal, "IngestTopic", key, fingerprint_of(body))
    return ingest_topic(validate(IngestTopic, body), call, services)


def tell(
    services: TopicServices,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
    **body: Any,
) -> dict[str, Any]:
    """The body of the answer."""
    return dict(answered(services, principal, key=key, **body).body)


def told(services: TopicServices, *fields: dict[str, Any], **body: Any) -> str:
    """The id of a topic that was made with these fields."""
    whole = {"placement": "new_topic", "fields": list(fields), **body}
    return str(tell(services, **whole)["topic_id"])


def indexed(services: TopicServices) -> None:
    """Let the search index have caught up with every topic."""
    every = fake_topics(services).topics.values()
    done = index_topics([ChangedSource(each.id, (each.scope,)) for each in every], services)
    assert not done.failed
