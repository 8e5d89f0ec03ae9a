"""The clients of AWS; each is made when first asked for, once per execution environment."""

from collections.abc import Callable
from functools import cache, partial, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import botocore
import botocore.session
from botocore.config import Config
from botocore.handlers import generate_idempotent_uuid

from membrane.table.dynamo import ItemParsers
from membrane.usecases.ports.surroundings import MAX_WORKERS

if TYPE_CHECKING:
    from types_boto3_bedrock_runtime import BedrockRuntimeClient
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_kms import KMSClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_s3 import S3Client
    from types_boto3_sqs import SQSClient

    from membrane.adapters.messaging import StatesClient
    from membrane.adapters.models.secrets import SecretsClient

CONNECT_TIMEOUT_S = 1

CLIENT_CONFIG = Config(
    connect_timeout=CONNECT_TIMEOUT_S,  # all attempts take 18 s at most, less than a function has
    read_timeout=5,
    max_pool_connections=MAX_WORKERS,
    retries={"mode": "standard", "total_max_attempts": 3},
    parameter_validation=False,
    user_agent=f"Membrane Botocore/{botocore.__version__}",
)
"""Saves a third of a put's CPU.

No validation of requests, which only our codec builds; and a fixed user agent, which botocore would
otherwise assemble for every request.
"""

PRESIGNING = Config(signature_version="s3v4", s3={"addressing_style": "virtual"})
"""For addresses of the bucket's own Region, under the signature version that covers headers."""

WAITS_OF_CHAT_S = (2, 4, 6, 8, 10, 13, 16, 20, 24, 30, 45, 60, 90, 120, 170)
"""The waits for an answer for which clients of Bedrock are made, each at the first use."""

_lock = Lock()
"""botocore does not promise that threads can make clients at the same time."""

Arguments = ParamSpec("Arguments")
Client = TypeVar("Client")


def _made_once(make: Callable[Arguments, Client]) -> Callable[Arguments, Client]:
    """The function, whose clients are kept by the arguments; several threads may ask at once."""
    kept: Any = cache(make)

    @wraps(make)
    def client(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Client:
        with _lock:
            made: Client = kept(*args, **kwargs)
        return made

    return client


def dynamodb_client(
    endpoint_url: str | None = None, config: Config = CLIENT_CONFIG
) -> "DynamoDBClient":
    """A DynamoDB client for programs outside of Lambda: a command, or the local stack."""
    client = session().create_client("dynamodb", config=config, endpoint_url=endpoint_url)
    return cast("DynamoDBClient", client)


@cache
def table_client() -> "DynamoDBClient":
    """The one client for the table.

    The client's session has no event handlers of botocore, which slow the start and every request.
    For DynamoDB, the handlers add two headers about retries and one about tracing, which DynamoDB
    does not need, and the token of a transaction, which is registered again here. moto relies on
    such a handler and does not see the client.
    """
    client = _table_session().create_client("dynamodb", config=CLIENT_CONFIG)
    client.meta.events.register(
        "before-parameter-build.dynamodb.TransactWriteItems", generate_idempotent_uuid
    )
    return cast("DynamoDBClient", client)


@_made_once
def s3_client() -> "S3Client":
    """For large documents."""
    client = session().create_client("s3", config=CLIENT_CONFIG.merge(PRESIGNING))
    return cast("S3Client", client)


@_made_once
def sqs_client() -> "SQSClient":
    return cast("SQSClient", session().create_client("sqs", config=CLIENT_CONFIG))


@_made_once
def lambda_client() -> "LambdaClient":
    return cast("LambdaClient", session().create_client("lambda", config=CLIENT_CONFIG))


@_made_once
def states_client() -> "StatesClient":
    """A client of Step Functions."""
    return cast("StatesClient", session().create_client("stepfunctions", config=CLIENT_CONFIG))


@_made_once
def kms_client() -> "KMSClient":
    return cast("KMSClient", session().create_client("kms", config=CLIENT_CONFIG))


@_made_once
def secrets_client() -> "SecretsClient":
    client = session().create_client("secretsmanager", config=CLIENT_CONFIG)
    return cast("SecretsClient", client)


def secret_of(arn: str, named: str) -> Callable[[], str] | None:
    """A reader of the secret, which is read once; None without an ARN."""
    if not arn:
        return None
    from membrane.adapters.models.secrets import read_secret

    return cache(partial(read_secret, secrets_client, arn, named))


def waiting_client(timeout_s: float) -> "BedrockRuntimeClient":
    """The client that connects and waits for an answer of a chat within `timeout_s` seconds.

    botocore fixes the wait when a client is made. One attempt: the use case repeats a question to a
    busy model. Raises NotAsked without time for the shortest.
    """
    fitting = [each for each in WAITS_OF_CHAT_S if each + CONNECT_TIMEOUT_S <= timeout_s]
    if not fitting:
        from membrane.domain.model_failures import NotAsked

        raise NotAsked("no time is left to ask the chat model")
    return bedrock_client(max(fitting), attempts=1)


@_made_once
def bedrock_client(
    read_timeout_s: int, attempts: int, connections: int = 10
) -> "BedrockRuntimeClient":
    """A client that waits for an answer of a model `read_timeout_s` seconds at most."""
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=connections,
    )
    client = session().create_client("bedrock-runtime", config=config)
    return cast("BedrockRuntimeClient", client)


@cache
def session() -> botocore.session.Session:
    """The session of all clients except the table's; the two sessions share data and parsers."""
    made = botocore.session.get_session()
    for shared in ("data_loader", "response_parser_factory"):
        made.register_component(shared, _table_session().get_component(shared))
    return made


@cache
def _table_session() -> botocore.session.Session:
    made = botocore.session.Session(include_builtin_handlers=False)
    made.register_component("response_parser_factory", ItemParsers())
    return made
