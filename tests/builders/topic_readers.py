"""Readers of topics: what they ask for, and what they are answered."""

from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.violations import validate
from membrane.domain.topics.requests.editing import ChangeSystemContext
from membrane.domain.topics.requests.reading import (
    ListTopics,
    ReadField,
    ReadGraph,
    ReadSystemContext,
    ReadTopic,
)
from membrane.usecases.machinery.calls import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.reading.list_topics import list_topics
from membrane.usecases.topics.reading.read_graph import read_graph
from membrane.usecases.topics.reading.read_topic import read_field, read_topic
from membrane.usecases.topics.reading.system_context import (
    change_system_context,
    read_system_context,
)
from tests.builders.requests import OWNER, call

Shown = dict[str, Any]


def topic(
    services: TopicServices, topic_id: str, principal: Principal = OWNER, **asked: Any
) -> Shown:
    """A topic by its id."""
    request = validate(ReadTopic, {"id": topic_id, **asked})
    return dict(read_topic(request, call(request, principal), services).body)


def field(
    services: TopicServices, topic_id: str, name: str, principal: Principal = OWNER, **asked: Any
) -> Shown:
    """One of its fields."""
    request = validate(ReadField, {"id": topic_id, "name": name, **asked})
    return dict(read_field(request, call(request, principal), services).body)


def listed(services: TopicServices, principal: Principal = OWNER, **asked: Any) -> Shown:
    """A page of a list."""
    request = validate(ListTopics, asked)
    return dict(list_topics(request, call(request, principal), services).body)


def graph(services: TopicServices, principal: Principal = OWNER, **asked: Any) -> Shown:
    """A page of a graph, or what is around a topic."""
    request = validate(ReadGraph, asked)
    return dict(read_graph(request, call(request, principal), services).body)


def context(services: TopicServices, principal: Principal = OWNER) -> Shown:
    """The system context."""
    request = ReadSystemContext()
    return dict(read_system_context(request, call(request, principal), services).body)


def put_context(
    services: TopicServices,
    role: str,
    runtime: str,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
) -> ReplyBody:
    """Another one in its place."""
    request = validate(ChangeSystemContext, {"system_role": role, "runtime_context": runtime})
    return change_system_context(request, call(request, principal, key=key), services)


def values(shown: Shown) -> list[Any]:
    """Of a field, the newest first."""
    return [each["value"] for each in shown["history"]]


def ids(page: Shown) -> list[str]:
    """Of a list's topics or a graph's nodes, in order."""
    return [each["id"] for each in page["topics" if "topics" in page else "nodes"]]
