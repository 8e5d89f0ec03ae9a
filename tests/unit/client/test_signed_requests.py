"""The example of docs/operate.md signs the client's requests for API Gateway, and no others."""

import re
from collections.abc import Callable

import httpx2
import pytest

from membrane_client import Membrane
from membrane_client.errors import ServerError
from tests.worlds.pages import manual

URL = "https://api.example"
SIGNATURE = (
    r"AWS4-HMAC-SHA256 Credential=testing/\d{8}/eu-central-1/execute-api/aws4_request, "
    r"SignedHeaders=host;x-amz-date, Signature=[0-9a-f]{64}"
)


@pytest.fixture
def signed(monkeypatch: pytest.MonkeyPatch) -> Callable[[httpx2.Request], httpx2.Request]:
    """The function of the example."""
    monkeypatch.setenv("MEMBRANE_URL", URL)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")  # a stack in this process has put its own
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    (example,) = [each for each in manual("operate").snippets if "SigV4Auth" in each.text]
    names: dict[str, Callable[[httpx2.Request], httpx2.Request]] = {}
    exec(example.text, names)  # noqa: S102 - a snippet of the repository
    return names["signed"]


def test_a_request_of_the_client_has_a_signature_in_place_of_a_key(
    signed: Callable[[httpx2.Request], httpx2.Request],
) -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(503)

    http = httpx2.Client(auth=signed, transport=httpx2.MockTransport(answer))
    memory = Membrane(URL, "none", http_client=http, max_retries=0)
    with pytest.raises(ServerError):
        memory.remember("tea")

    (request,) = sent
    assert re.fullmatch(SIGNATURE, request.headers["authorization"])
    assert request.headers["x-amz-date"]


def test_an_address_of_the_bucket_is_sent_without_a_second_signature(
    signed: Callable[[httpx2.Request], httpx2.Request],
) -> None:
    request = signed(httpx2.Request("GET", "https://bucket.s3.amazonaws.com/blobs/1?X-Amz-Date=1"))

    assert "authorization" not in request.headers
