"""The composition root of the interpreting model; only the chosen adapter is imported."""

import time
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from botocore.config import Config

from membrane.adapters.models.endpoints import endpoint_at
from membrane.usecases.ports.interpreters import Interpreter
from membrane.wiring import services as wiring
from membrane.wiring.interpreter_settings import InterpreterKind, InterpreterSettings

if TYPE_CHECKING:
    from types_boto3_bedrock_runtime import BedrockRuntimeClient

    from membrane.adapters.models.secrets import SecretsClient

MODEL_CLIENT_CONFIG = Config(
    connect_timeout=1,  # seconds
    read_timeout=60,  # seconds; an answer of thousands of tokens takes most of a minute
    retries={"mode": "standard", "total_max_attempts": 2},
)
"""Few attempts: the queue repeats what a busy model did not answer."""


def interpreter_of(
    settings: InterpreterSettings, *, allows_loopback: bool = False
) -> Interpreter | None:
    """The model that the settings name; None = no model interprets."""
    match settings.kind:
        case InterpreterKind.NONE:
            return None
        case InterpreterKind.BEDROCK:
            from membrane.adapters.models.bedrock_interpreter import BedrockInterpreter

            return BedrockInterpreter(bedrock_client, settings.model)
        case InterpreterKind.OPENAI:
            from membrane.adapters.models.openai_interpreter import OpenAIInterpreter
            from membrane.adapters.models.secrets import read_secret

            arn = settings.secret_arn
            return OpenAIInterpreter(
                endpoint_at(settings.url, allows_loopback=allows_loopback),
                settings.model,
                cache(partial(read_secret, secrets_client, arn)) if arn else None,
                time.monotonic,
            )


@cache
def bedrock_client() -> "BedrockRuntimeClient":
    """A client for models, made for the first question."""
    client = wiring.session().create_client("bedrock-runtime", config=MODEL_CLIENT_CONFIG)
    return cast("BedrockRuntimeClient", client)


@cache
def secrets_client() -> "SecretsClient":
    """A client of Secrets Manager, made for the first question."""
    client = wiring.session().create_client("secretsmanager", config=wiring.CLIENT_CONFIG)
    return cast("SecretsClient", client)
