"""The composition root of the interpretation of captures; only the chosen model is imported."""

import os
import time
from dataclasses import fields
from functools import cache, partial
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.capture.claims import DynamoClaims
from membrane.adapters.dynamodb.models.token_budget import DynamoTokenBudget
from membrane.adapters.https.endpoints import endpoint_at
from membrane.adapters.messaging.sqs import hide_message
from membrane.usecases.ports.interpreters import HoldBack, Interpreter
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_capture import InterpretingServices
from membrane.wiring import services as wiring
from membrane.wiring.interpreter_settings import (
    InterpreterKind,
    InterpreterSettings,
    read_interpreter_settings,
)
from membrane.wiring.model_endpoints import bedrock_client, secret_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

READ_TIMEOUT_S = 60
"""An answer of thousands of tokens takes most of a minute."""

ATTEMPTS = 2
"""Few: the queue repeats what a busy model did not answer."""


def interpreting_services() -> InterpretingServices:
    """The services of the environment, or the replacement by `services.serving`."""
    return wiring.replacement_of(InterpretingServices) or _from_environment()


def build_interpreting(
    usual: Services,
    table: str,
    interpreter: Interpreter | None,
    settings: InterpreterSettings,
    dynamodb: "DynamoDBClient",
    *,
    hold_back: HoldBack,
) -> InterpretingServices:
    return InterpretingServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        interpreter=interpreter,
        claims=DynamoClaims(dynamodb, table, usual.now),
        token_budget=DynamoTokenBudget(dynamodb, table, usual.now),
        hold_back=hold_back,
        most_tries=settings.most_tries,
        daily_tokens=settings.daily_tokens,
    )


def interpreter_of(
    settings: InterpreterSettings, *, allows_loopback: bool = False
) -> Interpreter | None:
    """The model that the settings name; None = no model interprets."""
    match settings.kind:
        case InterpreterKind.NONE:
            return None
        case InterpreterKind.BEDROCK:
            from membrane.adapters.models.bedrock_interpreter import BedrockInterpreter

            return BedrockInterpreter(
                partial(bedrock_client, READ_TIMEOUT_S, ATTEMPTS), settings.model
            )
        case InterpreterKind.OPENAI:
            from membrane.adapters.models.openai_interpreter import OpenAIInterpreter

            return OpenAIInterpreter(
                endpoint_at(settings.url, allows_loopback=allows_loopback),
                settings.model,
                secret_of(settings.secret_arn, "the interpreter"),
                time.monotonic,
            )


@cache
def _from_environment() -> InterpretingServices:
    usual, settings = wiring.environment_settings(), read_interpreter_settings(os.environ)
    return build_interpreting(
        wiring.services(),
        usual.table,
        interpreter_of(settings),
        settings,
        wiring.table_client(),
        hold_back=partial(hide_message, wiring.sqs_client, usual.interpreter_queue),
    )


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    interpreting_services()
