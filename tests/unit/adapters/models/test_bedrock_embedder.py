"""Texts become vectors by a model of Bedrock's: what it is asked, and what its answers come to."""

import io
import json
from collections.abc import Callable, Iterator
from functools import cache
from threading import Barrier, Lock
from typing import Any

import botocore.session
import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)
from botocore.response import StreamingBody
from botocore.stub import Stubber

from membrane.adapters.models.bedrock_embedder import (
    HARMLESS,
    MAX_CHARACTERS,
    BedrockEmbedder,
    TooManyTokens,
    UnusableReply,
)
from membrane.domain.language.errors import ResourceExhausted, Unavailable

MODEL = "amazon.titan-embed-text-v2:0"
VECTOR = [0.6, 0.0, -0.8]
TOO_LONG = (
    "400 Bad Request: Too many input tokens. Max input tokens: 8192, "
    "request input token count: 11386 "
)
"""As Bedrock words it."""


@cache
def _session() -> botocore.session.Session:
    """One session for all tests: it reads the service's description once, in half a second."""
    return botocore.session.get_session()


class Model:
    """Bedrock on the other side of a stub: what it will answer, in order."""

    def __init__(self) -> None:
        self.client: Any = _session().create_client(
            "bedrock-runtime", config=Config(retries={"total_max_attempts": 1})
        )
        self.stub = Stubber(self.client)
        self.embedder = BedrockEmbedder(lambda: self.client, MODEL, len(VECTOR), concurrency=1)

    def takes(self, text: str, vector: list[float]) -> None:
        self.answers(text, json.dumps({"embedding": vector, "inputTextTokenCount": 3}).encode())

    def answers(self, text: str, content: bytes) -> None:
        body = StreamingBody(io.BytesIO(content), len(content))
        reply = {"body": body, "contentType": "application/json"}
        self.stub.add_response("invoke_model", reply, asked(text))

    def refuses(self, text: str, code: str, status: int, message: str = "no") -> None:
        self.stub.add_client_error(
            "invoke_model", code, message, status, expected_params=asked(text)
        )


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    with model.stub:
        yield model
        model.stub.assert_no_pending_responses()


def asked(text: str) -> dict[str, Any]:
    """The request for a text."""
    body = {"inputText": text, "dimensions": len(VECTOR), "normalize": True}
    return {
        "modelId": MODEL,
        "contentType": "application/json",
        "accept": "application/json",
        "body": json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode(),
    }


def test_each_text_is_asked_for_by_itself_and_the_vectors_keep_their_order(model: Model) -> None:
    model.takes("Nightly build failed", [0.6, 0.0, -0.8])
    model.takes("größer", [1, 0, 0])

    vectors = model.embedder.embed(["Nightly build failed", "größer"])

    assert [list(vector) for vector in vectors] == [[0.6, 0.0, -0.8], [1, 0, 0]]


def test_nothing_is_asked_for_a_text_without_anything_in_it(model: Model) -> None:
    model.takes("a", VECTOR)

    vectors = model.embedder.embed(["", "a", " \n"])

    assert [list(vector) for vector in vectors] == [[0, 0, 0], VECTOR, [0, 0, 0]]


def test_no_client_is_made_before_there_is_something_to_ask() -> None:
    def no_client() -> Any:
        pytest.fail("a client was made")

    embedder = BedrockEmbedder(no_client, MODEL, 256, concurrency=8)

    assert list(embedder.embed([])) == []
    assert [len(vector) for vector in embedder.embed(["", "\t"])] == [256, 256]


def test_its_name_tells_the_model_and_the_size() -> None:
    def named(dimensions: int) -> str:
        return BedrockEmbedder(lambda: Model().client, MODEL, dimensions, concurrency=8).name

    assert named(256) == "bedrock-amazon.titan-embed-text-v2:0-256"
    assert named(1_024) == "bedrock-amazon.titan-embed-text-v2:0-1024"


def test_of_a_long_text_as_many_characters_are_sent_as_the_model_takes(model: Model) -> None:
    text = "ab " * MAX_CHARACTERS
    model.takes(text[:MAX_CHARACTERS], VECTOR)

    (vector,) = model.embedder.embed([text])

    assert vector == VECTOR


def test_a_text_of_too_many_tokens_is_embedded_by_its_beginning(model: Model) -> None:
    text = "語" * 20_000
    for length in (20_000, 10_000):
        model.refuses(text[:length], "ValidationException", 400, TOO_LONG)
    model.takes(text[:5_000], VECTOR)

    (vector,) = model.embedder.embed([text])

    assert vector == VECTOR


def test_a_text_that_cannot_be_too_long_is_not_shortened_for_ever(model: Model) -> None:
    text = "a" * 4_000
    for length in (4_000, 2_000):
        model.refuses(text[:length], "ValidationException", 400, TOO_LONG)

    with pytest.raises(TooManyTokens):
        model.embedder.embed([text])


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 429, ResourceExhausted),
        ("ServiceQuotaExceededException", 400, ResourceExhausted),
        ("ModelNotReadyException", 429, Unavailable),
        ("ModelTimeoutException", 408, Unavailable),
        ("InternalServerException", 500, Unavailable),
        ("ServiceUnavailableException", 503, Unavailable),
        ("SomethingNew", 502, Unavailable),
        ("AccessDeniedException", 403, Unavailable),
        ("ExpiredTokenException", 403, Unavailable),
        ("ResourceNotFoundException", 404, Unavailable),
    ],
)
def test_what_is_no_fault_of_a_text_is_told_as_such(
    model: Model, code: str, status: int, error: type[Exception]
) -> None:
    model.refuses("a", code, status)

    with pytest.raises(error) as caught:
        model.embedder.embed(["a"])

    assert code in str(caught.value.__cause__)


REFUSALS = pytest.mark.parametrize(
    ("code", "status"), [("ValidationException", 400), ("ModelErrorException", 424)]
)


@REFUSALS
def test_a_refusal_by_a_model_that_takes_other_texts_is_the_text_s_own_fault(
    model: Model, code: str, status: int
) -> None:
    model.refuses("a", code, status)
    model.takes(HARMLESS, VECTOR)

    with pytest.raises(ClientError, match=code):
        model.embedder.embed(["a"])


@REFUSALS
def test_a_model_that_refuses_any_text_is_unavailable(model: Model, code: str, status: int) -> None:
    model.refuses("a", code, status)
    model.refuses(HARMLESS, code, status)

    with pytest.raises(Unavailable) as caught:
        model.embedder.embed(["a"])

    assert code in str(caught.value.__cause__)


def test_a_model_whose_every_answer_is_of_another_kind_is_unavailable(model: Model) -> None:
    for text in ("a", HARMLESS):
        model.answers(text, b'{"embeddings": [[0.6, 0.0, -0.8]]}')

    with pytest.raises(Unavailable) as caught:
        model.embedder.embed(["a"])

    assert isinstance(caught.value.__cause__, UnusableReply)


@pytest.mark.parametrize(
    "failure",
    [
        EndpointConnectionError(endpoint_url="https://bedrock-runtime"),
        NoCredentialsError(),
        ReadTimeoutError(endpoint_url="https://bedrock-runtime"),
    ],
)
def test_a_model_that_cannot_be_reached_is_unavailable(failure: Exception) -> None:
    def fail(**_: Any) -> None:
        raise failure

    embedder = listening(fail)

    with pytest.raises(Unavailable):
        embedder.embed(["a"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"embedding": null}',
        b'{"embedding": "0.6"}',
        b'{"embedding": [0.6, 0.0]}',
        b'{"embedding": [0.6, 0.0, -0.8, 0.0]}',
        b'{"embedding": [0.6, 0.0, "-0.8"]}',
        b'{"embedding": [0.6, 0.0, true]}',
        b'{"embedding": [0.6, 0.0, NaN]}',
        b'{"embedding": [0.6, 0.0, 1e999]}',
        b'{"embeddingsByType": {"float": [0.6, 0.0, -0.8]}}',
    ],
)
def test_what_is_no_vector_of_the_size_asked_for_is_a_fault_that_tells_no_number(
    model: Model, content: bytes
) -> None:
    model.answers("a", content)
    model.takes(HARMLESS, VECTOR)

    with pytest.raises(UnusableReply) as caught:
        model.embedder.embed(["a"])

    assert "0.6" not in str(caught.value)


def test_several_texts_are_asked_for_at_once_and_no_more_than_that() -> None:
    together, lock = Barrier(3, timeout=20), Lock()
    busy: list[int] = [0]
    most: list[int] = [0]

    def answer(**_: Any) -> AWSResponse:
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        together.wait()  # until there are three
        with lock:
            busy[0] -= 1
        return response({"embedding": VECTOR})

    vectors = listening(answer, concurrency=3).embed(["text"] * 9)

    assert len(vectors) == 9
    assert most == [3]


def test_one_refusal_ends_them_all() -> None:
    def answer(request: Any, **_: Any) -> AWSResponse:
        refused = b"bad" in request.body
        return response({"embedding": VECTOR}) if not refused else response({"message": ""}, 429)

    embedder = listening(answer, concurrency=2)

    with pytest.raises(ResourceExhausted):
        embedder.embed(["good", "bad", "good", "good"])


def listening(answer: Callable[..., AWSResponse | None], concurrency: int = 1) -> BedrockEmbedder:
    """An embedder whose requests are answered so, in the threads that send them."""
    client: Any = _session().create_client(
        "bedrock-runtime", config=Config(retries={"total_max_attempts": 1})
    )
    client.meta.events.register("before-send.bedrock-runtime.InvokeModel", answer)
    return BedrockEmbedder(lambda: client, MODEL, len(VECTOR), concurrency)


def response(content: dict[str, Any], status: int = 200) -> AWSResponse:
    """As it comes from the network."""
    headers: Any = {"content-type": "application/json"}
    if status != 200:
        headers["x-amzn-errortype"] = "ThrottlingException"
    return AWSResponse("https://bedrock-runtime", status, headers, Raw(json.dumps(content)))


class Raw(io.BytesIO):
    """A body that is read as urllib3's are."""

    def __init__(self, content: str) -> None:
        super().__init__(content.encode())

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()
