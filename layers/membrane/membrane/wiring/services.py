"""The composition root: settings, clock, ids and clients, made once per execution environment."""

import os
import random
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, TypeVar, cast
from uuid import uuid4

import botocore
import botocore.session
from botocore.config import Config
from botocore.handlers import generate_idempotent_uuid

from membrane.adapters.aws_lambda import telemetry
from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.records.items import Codec, Shards
from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.adapters.dynamodb.table.failures import measure_throttles
from membrane.adapters.dynamodb.table.parsing import ItemParsers
from membrane.domain.language.json_text import JsonObject
from membrane.domain.salience.decay_defaults import implied_classes, reserved_classes
from membrane.domain.tokens.cursors import KEY_BYTES
from membrane.usecases.erasure.fenced_stores import fence_records
from membrane.usecases.machinery.retries import FIRST_PAUSE_S, longest_pause
from membrane.usecases.ports.operators import Measure, Report
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.surroundings import MAX_WORKERS, Clock, InvokeLater, SendToInterpreter
from membrane.wiring.rare_ports import BucketPorts, TablePorts, kms_signer, on_first_use
from membrane.wiring.settings import Settings, read_settings

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_kms import KMSClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_s3 import S3Client
    from types_boto3_sqs import SQSClient

    from membrane.adapters.dynamodb.erasure.fences import DynamoFences
    from membrane.adapters.messaging.invoking import StatesClient
    from membrane.adapters.messaging.sqs import Send
    from membrane.usecases.ports.bucket import BlobStore, ImportStore
    from membrane.usecases.ports.signing import Signer
    from membrane.usecases.ports.uploads import Links

CLIENT_CONFIG = Config(
    connect_timeout=1,  # seconds; all attempts take 18 at most, so that a function can still answer
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

client_lock = Lock()
"""botocore does not promise that threads can make clients at the same time."""

Kind = TypeVar("Kind", bound=Services)

_serving: ContextVar[tuple[Services, ...]] = ContextVar("serving", default=())


def services() -> Services:
    """The services of the environment, or the replacement by `serving`."""
    return replacement_of(Services) or _from_environment()


def replacement_of(kind: type[Kind]) -> Kind | None:
    """The first replacement of the kind by `serving`, if any.

    Raises TypeError if every replacement lacks services that a function of the kind needs.
    """
    serving = _serving.get()
    for each in serving:
        if isinstance(each, kind):
            return each
    if not serving:
        return None
    names = " or ".join(type(each).__name__ for each in serving)
    raise TypeError(f"a function of {kind.__name__} cannot be served by {names}")


@contextmanager
def serving(*replacements: Services) -> Iterator[None]:
    """Replace the services of handlers called in this context: by a test's or the local stack's."""
    token = _serving.set(replacements)
    try:
        yield
    finally:
        _serving.reset(token)


def build(
    settings: Settings,
    dynamodb: "DynamoDBClient",
    blobs: "BlobStore",
    now: Clock,
    report: Report | None = None,
    *,
    measure: Measure | None = None,
    links: "Links",
    imports: "ImportStore",
    signer: "Signer",
    fences: "DynamoFences | None" = None,
    invoke_later: InvokeLater,
    send: "Send | None" = None,
) -> Services:
    policy = settings.policy
    shards = Shards(settings.rank_shards, settings.due_shards)
    namespace = telemetry.namespace_of(settings.stack)
    codec = Codec(
        shards,
        policy.custom_curves,
        blobs,
        policy.prune_threshold,
        settings.retention.retracted,
    )
    implied = cache(partial(implied_classes, defaults=settings.policy))
    rare = TablePorts(dynamodb, settings.table, now)
    reserved = partial(reserved_classes, defaults=settings.policy)
    registry = ClassRegistry(dynamodb, settings.table, implied, reserved, settings.rank_shards, now)
    fences = fences or on_first_use(partial(rare.fences, time.monotonic))
    records = DynamoRecords(dynamodb, settings.table, codec, blobs, links, registry, now)
    return Services(
        records=fence_records(records, fences),
        fences=fences,
        exports=on_first_use(partial(rare.exports, blobs, links)),
        restores=on_first_use(partial(rare.restores, codec, registry)),
        walks=on_first_use(rare.walks),
        ticket_queues=on_first_use(rare.ticket_queues),
        keys=on_first_use(rare.keys),
        blobs=blobs,
        uploads=on_first_use(partial(rare.uploads, blobs, links)),
        imports=imports,
        signer=signer,
        now=now,
        new_id=new_id,
        new_salt=new_salt,
        back_off=back_off,
        report=report or telemetry.reporter(now, namespace),
        measure=measure or telemetry.meter(now, namespace),
        due=on_first_use(partial(rare.due, settings.due_shards)),
        ranks=on_first_use(partial(rare.ranks, registry, settings.rank_shards)),
        natural=on_first_use(rare.natural),
        learning=on_first_use(rare.learning),
        names=on_first_use(rare.names),
        integrity=on_first_use(partial(rare.integrity, codec, blobs)),
        receipts=on_first_use(rare.receipts),
        draw=draw,
        elapsed_s=time.monotonic,
        invoke_later=invoke_later,
        policy=settings.policy,
        retention=settings.retention,
        learning_policy=settings.learning,
        sources=settings.sources,
        guard=settings.guard,
        export_function=settings.export_function,
        consolidate_function=settings.consolidate_function,
        send_to_interpreter=_capture_sender(settings.interpreter_queue, send),
    )


def _capture_sender(queue: str, send: "Send | None") -> SendToInterpreter | None:
    """Sends captures to the queue of the interpreting function; None without a queue."""
    if not queue:
        return None
    from membrane.adapters.messaging.sqs import send_capture, send_message

    return partial(send_capture, send or partial(send_message, sqs_client), queue)


def system_clock() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())


def new_salt() -> str:
    """128 random bits in hex."""
    return secrets.token_hex(16)


def new_cursor_key() -> bytes:
    """256 random bits."""
    return secrets.token_bytes(KEY_BYTES)


def new_secret() -> str:
    """256 random bits as text that fits a header; a command line would take a "-" for an option."""
    secret = secrets.token_urlsafe(32)
    return new_secret() if secret.startswith("-") else secret


def back_off(tries: int) -> None:
    """Wait for a random time, up to a limit that doubles with every try (full jitter)."""
    longest_s = FIRST_PAUSE_S * longest_pause(tries)
    time.sleep(random.SystemRandom().uniform(0, longest_s))  # unseeded: SnapStart would copy a seed


def draw(count: int) -> int:
    return random.SystemRandom().randrange(count)


def dynamodb_client(
    endpoint_url: str | None = None, config: Config = CLIENT_CONFIG
) -> "DynamoDBClient":
    """A DynamoDB client for programs outside of Lambda: a command, or the local stack."""
    client = session().create_client("dynamodb", config=config, endpoint_url=endpoint_url)
    return cast("DynamoDBClient", client)


def s3_client() -> "S3Client":
    """An S3 client, made for the first large document, by one thread even if several need it."""
    with client_lock:
        return _s3_client()


@cache
def _s3_client() -> "S3Client":
    client = session().create_client("s3", config=CLIENT_CONFIG.merge(PRESIGNING))
    return cast("S3Client", client)


def invoke_later(name_or_arn: str, event: JsonObject) -> None:
    """Start a function by name or ARN; few functions ever do."""
    from membrane.adapters.messaging.invoking import invoke

    invoke(lambda_client(), name_or_arn, event)


@cache
def lambda_client() -> "LambdaClient":
    """A Lambda client, made when a function hands over unfinished work."""
    return cast("LambdaClient", session().create_client("lambda", config=CLIENT_CONFIG))


@cache
def states_client() -> "StatesClient":
    """A client of Step Functions, made when a function starts an execution."""
    return cast("StatesClient", session().create_client("stepfunctions", config=CLIENT_CONFIG))


def sqs_client() -> "SQSClient":
    """An SQS client, made for the first message, by one thread even if several need it."""
    with client_lock:
        return _sqs_client()


@cache
def _sqs_client() -> "SQSClient":
    return cast("SQSClient", session().create_client("sqs", config=CLIENT_CONFIG))


@cache
def kms_client() -> "KMSClient":
    """A KMS client, made for the first signature."""
    return cast("KMSClient", session().create_client("kms", config=CLIENT_CONFIG))


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


@cache
def environment_settings() -> Settings:
    """Raises SettingError."""
    return read_settings(os.environ)


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


@cache
def _from_environment() -> Services:
    settings = environment_settings()
    bucket = BucketPorts(s3_client, settings.bucket)
    built = build(
        settings,
        table_client(),
        on_first_use(bucket.blobs),
        system_clock,
        links=on_first_use(bucket.links),
        imports=on_first_use(bucket.imports),
        signer=on_first_use(partial(kms_signer, kms_client, settings.signing_key)),
        invoke_later=invoke_later,
    )
    measure_throttles(table_client(), built.measure)  # once, for the client that all services share
    return built


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # Lambda gives the start a whole processor, but a request at 512 MB less than a third of one.
    services()
