"""Tenants with users over one memory of fakes, asked by any of their keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from membrane.adapters.aws_lambda.http.operations import perform
from membrane.adapters.aws_lambda.routes.table import OPERATIONS
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.topics.indexing import index_topics
from tests.builders.requests import standing
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics

BY_RPC = {operation.rpc: operation for operation in OPERATIONS}


def tenant(name: str, *, required: bool = False) -> Principal:
    """A key of all that a tenant has."""
    return principal_of(
        name,
        Permission,
        [f"tenant:{name}:*"],
        "hyper",
        user_prefix=f"tenant:{name}:user:",
        user_required=required,
    )


def limited(*scopes: str) -> Principal:
    """A key of these scopes and prefixes, without users."""
    return principal_of("limited", Permission, scopes, "hyper")


@dataclass(slots=True)
class Tenancy:
    """Records and topics that are indexed as soon as they are written."""

    records: FakeRecords = field(default_factory=lambda: FakeRecords(FakeClock()))
    topics: FakeTopics = field(init=False)
    services: TopicServices = field(init=False)

    def __post_init__(self) -> None:
        self.topics = FakeTopics(self.records)
        self.services = topical(topics=self.topics)

    def ask(self, rpc: str, asked: Mapping[str, Any], key: Principal, **more: Any) -> Any:
        """The body of the reply; raises DomainError."""
        operation = BY_RPC[rpc]
        return operation.present(perform(operation, {**asked, **more}, key, self.services))

    def told(self, key: Principal, **more: Any) -> str:
        """The id of an event that says something."""
        asked = {"source": "chat", "event_kind": "note", "ref": "n", "summary": "likes green tea"}
        made = str(self.ask("IngestEvent", asked, key, **more)["record"]["id"])
        assert not index_records(
            [ChangedSource(made, (self.scope_of(made),))], self.services
        ).failed
        return made

    def topic(self, key: Principal, **more: Any) -> str:
        """The id of a topic."""
        title = f"green tea {len(self.topics.topics)}"
        topic_id = str(self.ask("CreateTopic", {"title": title}, key, **more)["topic_id"])
        changed = ChangedSource(topic_id, (self.scope_of(topic_id),))
        assert not index_topics([changed], self.services).failed
        return topic_id

    def scope_of(self, place: str) -> str:
        """Of a record or topic, by its id."""
        if place in self.topics.topics:
            return self.topics.topics[place].scope
        return standing(place, self.records).scope

    def reads(self, rpc: str, place: str, key: Principal, **more: Any) -> bool:
        """Whether what has that id is there for the key."""
        try:
            self.ask(rpc, {"id": place}, key, **more)
        except NotFound:
            return False
        return True

    def listed(self, key: Principal, **more: Any) -> dict[str, set[str]]:
        """The ids that each route shows which names none, by the route."""
        about = {"task_descriptor": "green tea"}
        return {
            "list": _ids(self.ask("ListRecords", {}, key, **more)["records"]),
            "salient": _ids(self.ask("Retrieve", {}, key, **more)["records"]),
            "task": _ids(self.ask("Retrieve", about, key, **more)["records"]),
            "topics": set(self.ask("ListTopics", {}, key, **more)["topic_ids"]),
            "graph": _ids(self.ask("ReadGraph", {}, key, **more)["nodes"]),
            "query": {
                each["topic_id"]
                for each in self.ask("QueryTopics", {"q": "green tea"}, key, **more)["candidates"]
            },
        }


def _ids(shown: Any) -> set[str]:
    return {each["id"] for each in shown}
