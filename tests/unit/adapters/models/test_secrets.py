"""The secret of an endpoint: read from Secrets Manager, and in no error."""

from collections.abc import Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from membrane.adapters.models.secrets import read_secret
from membrane.domain.model_failures import NotAsked

ARN = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:interpreter"
DENIED = ClientError(
    {"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "GetSecretValue"
)


class SecretsManager:
    """A client that knows one secret, or fails."""

    def __init__(self, secret: Mapping[str, Any], failure: Exception | None = None) -> None:
        self._secret = secret
        self._failure = failure

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, Any]:  # noqa: N803 - AWS's name
        """See SecretsClient."""
        assert SecretId == ARN
        if self._failure is not None:
            raise self._failure
        return self._secret


def read(secret: Mapping[str, Any], failure: Exception | None = None) -> str:
    return read_secret(lambda: SecretsManager(secret, failure), ARN)


def test_the_text_is_read_without_white_space_around() -> None:
    assert read({"SecretString": " sk-1\n"}) == "sk-1"


@pytest.mark.parametrize(
    "secret",
    [
        {},
        {"SecretBinary": b"sk-hidden"},
        {"SecretString": ""},
        {"SecretString": "sk-hidden\r\nX-Other: 1"},
        {"SecretString": '{"key": "sk-hidden", "b": 1}'},
        {"SecretString": "sk-hidden-ä"},
        {"SecretString": "sk-hidden" * 1_000},
    ],
)
def test_a_secret_that_fits_no_header_asks_nothing_and_is_not_repeated(
    secret: Mapping[str, Any],
) -> None:
    with pytest.raises(NotAsked, match="no text of visible ASCII") as caught:
        read(secret)

    assert "hidden" not in str(caught.value)


def test_a_secret_that_cannot_be_read_asks_nothing() -> None:
    for failure in (DENIED, EndpointConnectionError(endpoint_url="https://secrets")):
        with pytest.raises(NotAsked):
            read({}, failure)


@pytest.mark.parametrize("failure", [None, DENIED])
def test_an_error_names_the_model_that_the_secret_is_for(failure: Exception | None) -> None:
    with pytest.raises(NotAsked, match="the secret of the interpreter"):
        read({}, failure)

    with pytest.raises(NotAsked, match="the secret of the chat model"):
        read_secret(lambda: SecretsManager({}, failure), ARN, "the chat model")
