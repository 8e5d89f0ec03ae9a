"""The system context over its use cases."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from membrane.domain.language.errors import AlreadyExists, InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import rfc3339
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.requests import OWNER
from tests.builders.topic_readers import context, put_context
from tests.fakes.clock import MORNING, FakeClock
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics

OTHER_ADMIN = OWNER._replace(actor_id="alpha")


def test_at_first_there_is_none(services: TopicServices) -> None:
    assert context(services) == {"configured": False, "system_context": None}


def test_what_was_put_is_read(services: TopicServices, clock: FakeClock) -> None:
    put_context(services, " a pilot ", "in Rome")
    clock.advance(days=1)
    put = put_context(services, "a sailor", "in Oslo", OTHER_ADMIN)

    assert context(services) == put.body
    assert put.body == {
        "configured": True,
        "system_context": {
            "key": "global",
            "system_role": "a sailor",
            "runtime_context": "in Oslo",
            "created_at": rfc3339(MORNING),
            "updated_at": rfc3339(clock()),
            "updated_by": "alpha",
            "changes": [
                {"at": rfc3339(MORNING), "by": "owner"},
                {"at": rfc3339(clock()), "by": "alpha"},
            ],
        },
    }


def test_the_same_texts_again_change_nothing(services: TopicServices, clock: FakeClock) -> None:
    first = put_context(services, "a pilot", "in Rome")
    clock.advance(days=1)

    assert put_context(services, "a pilot", "in Rome").body == first.body


def test_a_repeated_key_does_not_undo_what_came_after_it(services: TopicServices) -> None:
    put_context(services, "a pilot", "in Rome", key="k")
    put_context(services, "a sailor", "in Oslo")

    again = put_context(services, "a pilot", "in Rome", key="k")

    assert again.replayed
    assert again.body["system_context"]["system_role"] == "a sailor"
    with pytest.raises(AlreadyExists):
        put_context(services, "a cook", "in Rome", key="k")
    assert not put_context(services, "a cook", "in Rome", OTHER_ADMIN, key="k").replayed


def test_blank_and_overlong_texts_are_refused(services: TopicServices) -> None:
    for role, runtime in (("", "x"), ("x", " \n"), ("x" * 30_001, "x")):
        with pytest.raises(InvalidArgument):
            put_context(services, role, runtime)
    assert context(services)["configured"] is False


@dataclass(slots=True)
class Overtaken(FakeTopics):
    """Lets somebody else write first, once."""

    first: list[Callable[[], object]] = field(default_factory=list)

    def keep_document(
        self, name: str, scope: str, document: JsonObject, before: Checkpoint | None
    ) -> Checkpoint:
        """See DynamoTopics."""
        if self.first:
            self.first.pop()()
        return FakeTopics.keep_document(self, name, scope, document, before)


def test_of_two_writers_at_once_the_slower_one_writes_after_the_other() -> None:
    topics = Overtaken()
    services = topical(topics=topics)
    topics.first.append(lambda: put_context(services, "a pilot", "in Rome", OTHER_ADMIN))

    put_context(services, "a sailor", "in Oslo", OWNER)

    told = context(services)["system_context"]
    assert told["system_role"] == "a sailor"
    assert [each["by"] for each in told["changes"]] == ["alpha", "owner"]
