"""Clients of the AWS services that language models need."""

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from botocore.config import Config

from membrane.wiring import services as wiring

if TYPE_CHECKING:
    from types_boto3_bedrock_runtime import BedrockRuntimeClient

    from membrane.adapters.models.secrets import SecretsClient


CONNECT_TIMEOUT_S = 1


@cache
def bedrock_client(read_timeout_s: int, attempts: int) -> "BedrockRuntimeClient":
    """A client that waits for an answer of a model `read_timeout_s` seconds at most."""
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
    )
    client = wiring.session().create_client("bedrock-runtime", config=config)
    return cast("BedrockRuntimeClient", client)


def secret_of(arn: str, named: str) -> Callable[[], str] | None:
    """A reader of the secret, which is read once; None without an ARN."""
    if not arn:
        return None
    from membrane.adapters.models.secrets import read_secret

    return cache(partial(read_secret, secrets_client, arn, named))


@cache
def secrets_client() -> "SecretsClient":
    """A client of Secrets Manager, made for the first question."""
    client = wiring.session().create_client("secretsmanager", config=wiring.CLIENT_CONFIG)
    return cast("SecretsClient", client)
