"""The composition root of erasures: the usual services, the store of topics and of erasures."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.events.erasures import ERASE
from membrane.adapters.dynamodb.erasure.erasure_store import DynamoErasures
from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S
from membrane.adapters.messaging.dead_letters import SqsDeadLetters
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_erasure import ErasureServices
from membrane.usecases.ports.services_topics import TopicStoreServices, TopicWritingServices
from membrane.usecases.ports.surroundings import InvokeLater
from membrane.wiring import services as wiring
from membrane.wiring.environment import Reader, number, whole
from membrane.wiring.services import sqs_client
from membrane.wiring.topic_settings import read_topic_settings
from membrane.wiring.topic_store import topic_store

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

    from membrane.usecases.ports.surroundings import DeadLetters

LONGEST_CALL_S = 29
"""Seconds between the look at the fences and the last write of a call, at most."""


@dataclass(frozen=True, slots=True)
class ErasureSettings:
    """The operator's settings of erasures."""

    function: str
    """The name of the function that carries out erasures."""
    recovery_days: int
    fence_wait_s: float
    dead_letters: tuple[str, ...]
    """The addresses of the dead-letter queues."""


def read_erasure_settings(environment: Mapping[str, str]) -> ErasureSettings:
    """Raises SettingError."""
    reader = Reader(environment)
    usual_wait_s = FENCE_PERIOD_S + LONGEST_CALL_S
    return ErasureSettings(
        function=reader.read("ERASE_FUNCTION", "", str),
        recovery_days=reader.read("RECOVERY_DAYS", 35, whole(1, 35)),
        fence_wait_s=reader.read("FENCE_WAIT_SECONDS", usual_wait_s, number(0.0, 300.0)),
        dead_letters=reader.read("DEAD_LETTERS", "", lambda value: tuple(value.split())),
    )


def erasure_services() -> ErasureServices:
    return wiring.replacement_of(ErasureServices) or _from_environment()


def build_erasure(
    usual: TopicWritingServices,
    table: str,
    settings: ErasureSettings,
    dynamodb: "DynamoDBClient",
    *,
    dead_letters: "DeadLetters | None" = None,
    pause: Callable[[float], None] = time.sleep,
) -> ErasureServices:
    return ErasureServices(
        **{each.name: getattr(usual, each.name) for each in fields(TopicStoreServices)},
        erasures=DynamoErasures(dynamodb, table, usual.blobs, usual.now),
        dead_letters=dead_letters or SqsDeadLetters(sqs_client, settings.dead_letters),
        start_erasing=partial(_start, usual.invoke_later, settings.function),
        pause=pause,
        recovery_days=settings.recovery_days,
        fence_wait_s=settings.fence_wait_s,
    )


def _start(invoke_later: InvokeLater, function: str, erasure_id: str) -> None:
    invoke_later(function, {ERASE: {"id": erasure_id}})


@cache
def _from_environment() -> ErasureServices:
    table, settings = wiring.environment_settings().table, read_erasure_settings(os.environ)
    return build_erasure(_topic_store_services(), table, settings, wiring.table_client())


def _topic_store_services() -> TopicStoreServices:
    usual = wiring.services()
    return TopicStoreServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        topics=topic_store(),
        topic_policy=read_topic_settings(os.environ).policy,
    )


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    erasure_services()
