"""Those who tell of topics: what they say, and what they are answered."""

from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.violations import validate
from membrane.domain.records.idempotency import fingerprint_of
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.placing.place_topic import ingest_topic
from tests.builders.requests import OWNER


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
