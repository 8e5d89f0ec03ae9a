"""Whoever may not write is refused before anything is spent on the text."""

from collections.abc import Callable
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import PermissionDenied
from membrane.domain.language.requests import validate
from membrane.domain.search.questions import periods_in
from membrane.domain.topics.placing.apply_observation import place_in_topic
from membrane.domain.topics.placing.observations import searchable_topic
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.usecases.topics.place_topic import ingest_topic
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call
from tests.growth import calls
from tests.worlds.memory import make_world

WATCHER = principal_of("watcher", ["ingest"], ["alpha"], "low")


@pytest.fixture
def services() -> World:
    return make_world()


def tell(services: World, principal: Principal = OWNER, **body: Any) -> str:
    """The id of the topic that was told of."""
    request = validate(IngestTopic, body)
    return str(ingest_topic(request, call(request, principal), services).body["topic_id"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"scope": "beta"}, "the key does not cover this scope"),
        ({"sensitivity": "high"}, "the key's highest sensitivity is below the record's"),
        (
            {"sensitivity": "low", "trust": {"max_sensitivity": "public"}},
            "the request's trust does not cover what it would write",
        ),
    ],
)
@pytest.mark.parametrize("reader", [periods_in, searchable_topic])
def test_whoever_may_not_write_is_refused_before_the_text_is_read(
    services: World, asked: dict[str, Any], words: str, reader: Callable[..., object]
) -> None:
    def refuse() -> None:
        with pytest.raises(PermissionDenied, match=words):
            tell(services, WATCHER, title="Ada", summary="x may " * 16_000, **asked)

    assert calls(reader, refuse) == 0


def test_whoever_may_write_has_the_text_read(services: World) -> None:
    def write() -> None:
        tell(services, WATCHER, title="Ada", summary="x may ")

    assert calls(periods_in, write) == 1


def test_whoever_may_not_raise_a_named_topic_is_refused_before_the_text_is_read(
    services: World,
) -> None:
    made = tell(services, title="Ada", scope="alpha", sensitivity="low")

    def refuse() -> None:
        with pytest.raises(PermissionDenied, match="the key's highest sensitivity"):
            tell(services, WATCHER, topic_id=made, summary="x may " * 16_000, sensitivity="medium")

    assert calls(place_in_topic, refuse) == 0
