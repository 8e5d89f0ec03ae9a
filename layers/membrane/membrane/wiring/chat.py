"""The composition root of conversations; only the chosen model is imported."""

import os
import time
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.models.token_budget import DynamoTokenBudget
from membrane.adapters.https.endpoints import endpoint_at
from membrane.domain.models.failures import NotAsked
from membrane.usecases.ports.services_chat import ChatServices
from membrane.usecases.ports.services_tools import BearerServices
from membrane.wiring import services as wiring
from membrane.wiring.bearer import bearer_services
from membrane.wiring.chat_settings import ChatSettings, read_chat_settings
from membrane.wiring.model_endpoints import CONNECT_TIMEOUT_S, bedrock_client, secret_of

if TYPE_CHECKING:
    from types_boto3_bedrock_runtime import BedrockRuntimeClient
    from types_boto3_dynamodb import DynamoDBClient

    from membrane.usecases.ports.chat_models import ChatModel

PURSE = "chat-tokens"
"""The partition of the sums of tokens."""

READ_TIMEOUTS_S = (2, 4, 6, 8, 10, 13, 16, 20, 24, 30, 45, 60, 90, 120, 170)
"""The waits for an answer for which clients of Bedrock are made, each at the first use."""

ATTEMPTS = 1
"""The use case repeats a question to a busy model."""


def chat_services() -> ChatServices:
    """The services of the environment, or the replacement by `services.serving`.

    The time of a request is unlimited; the edge replaces `remaining_s`.
    """
    return wiring.replacement_of(ChatServices) or _from_environment()


def build_chat(
    usual: BearerServices,
    table: str,
    model: "ChatModel | None",
    settings: ChatSettings,
    dynamodb: "DynamoDBClient",
) -> ChatServices:
    return ChatServices(
        **{each.name: getattr(usual, each.name) for each in fields(BearerServices)},
        chat_model=model,
        chat_budget=DynamoTokenBudget(dynamodb, table, usual.now, PURSE),
        chat_limits=settings.limits,
        remaining_s=lambda: float("inf"),
        pause=time.sleep,
        count_tokens=_count_tokens,
    )


def _count_tokens(text: str) -> int:
    """The tokens of the encoder's tokenizer, which is loaded with the first document."""
    from membrane.adapters.encoder.sentence_encoder import count_tokens

    return count_tokens(text)


def chat_model_of(settings: ChatSettings, *, allows_loopback: bool = False) -> "ChatModel | None":
    """The model that the settings name; None = no model leads conversations."""
    if not settings.model:
        return None
    if not settings.url:
        from membrane.adapters.models.bedrock_chat import BedrockChat

        return BedrockChat(waiting_client, settings.model)
    from membrane.adapters.models.openai_chat import OpenAIChat

    return OpenAIChat(
        endpoint_at(settings.url, allows_loopback=allows_loopback),
        settings.model,
        secret_of(settings.secret_arn, "the chat model"),
        time.monotonic,
    )


def waiting_client(timeout_s: float) -> "BedrockRuntimeClient":
    """The client that connects and waits for an answer within `timeout_s` seconds.

    botocore fixes the wait when a client is made. Raises NotAsked without time for the shortest.
    """
    fitting = [each for each in READ_TIMEOUTS_S if each + CONNECT_TIMEOUT_S <= timeout_s]
    if not fitting:
        raise NotAsked("no time is left to ask the chat model")
    return bedrock_client(max(fitting), ATTEMPTS)


@cache
def _from_environment() -> ChatServices:
    settings = read_chat_settings(os.environ)
    table = wiring.environment_settings().table
    model = chat_model_of(settings)
    return build_chat(bearer_services(), table, model, settings, wiring.table_client())


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    chat_services()
