"""What retrieves and indexes is put together as the settings say."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import chain, repeat
from typing import Any

import botocore.session
import pytest
from botocore.awsrequest import AWSResponse

from membrane.domain.search.score import Weights
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.embedder_change import Changeover
from membrane.wiring.search import bedrock_client, build_reading, reading_services
from membrane.wiring.search_settings import read_search_settings
from membrane.wiring.services import serving
from tests.fakes.world import make_services


def built(usual: Services | None = None, **variables: str) -> ReadingServices:
    """Services by settings, over no table."""
    client: Any = botocore.session.get_session().create_client("dynamodb")
    settings = read_search_settings(variables)
    return build_reading(usual or make_services(), "memory", settings, client)


def test_the_usual_services_stay_what_they_are() -> None:
    usual = make_services()

    services = built(usual)

    assert all(getattr(services, each.name) is getattr(usual, each.name) for each in fields(usual))


@pytest.mark.parametrize(
    ("embedder", "dimensions", "name"),
    [
        ("bedrock", 512, "bedrock-amazon.titan-embed-text-v2:0-512"),
        ("encoder", 384, "all-MiniLM-L6-v2-int8-1"),
    ],
)
def test_the_embedder_is_the_one_that_the_settings_name(
    embedder: str, dimensions: int, name: str
) -> None:
    services = built(MEMBRANE_EMBEDDER=embedder, MEMBRANE_EMBEDDING_DIMENSIONS=str(dimensions))

    assert (services.embedder.name, services.embedder.dimensions) == (name, dimensions)


def test_while_the_embedder_is_changed_both_index_and_the_former_one_is_asked() -> None:
    services = built(
        MEMBRANE_EMBEDDER="bedrock",
        MEMBRANE_EMBEDDING_DIMENSIONS="512",
        MEMBRANE_FORMER_EMBEDDER="encoder",
        MEMBRANE_FORMER_EMBEDDING_DIMENSIONS="384",
    )

    assert [each.dimensions for each in services.embedders] == [512, 384]
    assert isinstance(services.embedder, Changeover)


def test_former_vectors_are_made_by_the_former_model() -> None:
    services = built(
        MEMBRANE_EMBEDDER="bedrock",
        MEMBRANE_EMBEDDING_MODEL="amazon.another:0",
        MEMBRANE_EMBEDDING_DIMENSIONS="512",
        MEMBRANE_FORMER_EMBEDDING_DIMENSIONS="256",
        MEMBRANE_FORMER_EMBEDDING_MODEL="amazon.former:0",
    )

    assert [each.name for each in services.embedders] == [
        "bedrock-amazon.another:0-512",
        "bedrock-amazon.former:0-256",
    ]


def test_an_embedder_that_is_not_changed_indexes_alone() -> None:
    services = built()

    assert list(services.embedders) == [services.embedder]


def test_a_score_weighs_its_parts_as_the_settings_say() -> None:
    services = built(MEMBRANE_RANKING_WEIGHTS='{"salience": 2}')

    assert services.weights == Weights(salience=2.0)


def test_a_record_is_set_aside_by_a_message_to_the_queue_of_the_settings() -> None:
    sent: list[tuple[str, str, int]] = []
    client: Any = botocore.session.get_session().create_client("dynamodb")
    settings = read_search_settings({"MEMBRANE_INDEX_QUEUE": "https://queue"})

    services = build_reading(
        make_services(), "memory", settings, client, send=lambda *message: sent.append(message)
    )
    services.set_aside("r-1", ["team:ops"])

    ((queue, body, delay_s),) = sent
    assert (queue, delay_s) == ("https://queue", 0)
    assert json.loads(body) == {"record_id": "r-1", "scopes": ["team:ops"]}


def test_a_function_that_reads_is_served_by_services_that_can_read() -> None:
    replacement = built()

    with serving(replacement):
        served = reading_services()

    assert served is replacement


def test_a_function_that_reads_is_not_served_by_less() -> None:
    with serving(make_services()), pytest.raises(TypeError, match="cannot be served by Services"):
        reading_services()


def test_a_model_that_is_busy_is_asked_again() -> None:
    bedrock = Bedrock(chain(["busy"], repeat("ready")))

    (vector,) = bedrock.embedder().embed(["text"])

    assert len(vector) == 256
    assert bedrock.asked == 2


@dataclass
class Bedrock:
    """A model that is busy or ready in turn, behind the client that a deployment makes."""

    states: Iterator[str]
    asked: int = 0

    def embedder(self) -> Any:
        client: Any = bedrock_client(8)
        client.meta.events.register(
            "before-send.bedrock-runtime.InvokeModel", self.answer, unique_id="model"
        )
        return built(MEMBRANE_EMBEDDER="bedrock").embedder

    def answer(self, **_: Any) -> AWSResponse:
        self.asked += 1
        if next(self.states) == "busy":
            return response(429, {"message": "slow"}, {"x-amzn-errortype": "ThrottlingException"})
        return response(200, {"embedding": [0.0] * 256}, {})


def response(status: int, content: Any, headers: Any) -> AWSResponse:
    return AWSResponse("https://model", status, headers, Body(content))


@dataclass
class Body:
    """As it comes from the network."""

    content: Any

    def read(self, *_: Any) -> bytes:
        return json.dumps(self.content).encode()

    def stream(self) -> Iterator[bytes]:
        yield self.read()
