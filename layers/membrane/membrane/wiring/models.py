"""The models and the issuer of the settings; only the adapters of the chosen ones are imported."""

import time
from functools import partial
from typing import TYPE_CHECKING

from membrane.wiring import clients
from membrane.wiring.environment import IN_LAMBDA, EmbedderKind, InterpreterKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from membrane.adapters.https import Endpoint
    from membrane.usecases.ports.keys import TokenVerifier
    from membrane.usecases.ports.models import ChatModel, Interpreter
    from membrane.usecases.ports.search import Embedder
    from membrane.usecases.ports.world import World
    from membrane.wiring.settings import ModelSettings, SearchSettings

INTERPRETATION_S = 60
"""An answer of thousands of tokens takes most of a minute."""

INTERPRETATION_ATTEMPTS = 2
"""Few: the queue repeats what a busy model did not answer."""

EMBEDDING_S = 3
"""A text takes a tenth of a second; all attempts with pauses take 23 seconds at most."""

EMBEDDING_ATTEMPTS = 4
"""More than for the table: many texts go to a model at once, and models are often busy."""


def embedders(world: "World") -> "Sequence[Embedder]":
    """The present embedder, and the former embedder if the former vectors have a separate index."""
    settings = world.search_settings
    present = _embedder(settings)
    if settings.former_dimensions == settings.dimensions:
        return (present,)
    of_former = settings._replace(
        embedder=settings.former_embedder,
        model=settings.former_model,
        dimensions=settings.former_dimensions,
    )
    return present, _embedder(of_former)


def _embedder(settings: "SearchSettings") -> "Embedder":
    match settings.embedder:
        case EmbedderKind.ENCODER:
            from membrane.adapters.sentence_encoder import SentenceEncoder

            encoder = SentenceEncoder()
            if IN_LAMBDA:
                encoder.load()
            return encoder
        case EmbedderKind.BEDROCK:
            from membrane.adapters.models.bedrock_embedder import BedrockEmbedder

            at_once = settings.concurrency
            client = partial(clients.bedrock_client, EMBEDDING_S, EMBEDDING_ATTEMPTS, at_once)
            return BedrockEmbedder(client, settings.model, settings.dimensions, at_once)


def interpreter(world: "World") -> "Interpreter | None":
    settings = world.interpreter_settings
    match settings.kind:
        case InterpreterKind.NONE:
            return None
        case InterpreterKind.BEDROCK:
            from membrane.adapters.models.bedrock_interpreter import BedrockInterpreter

            client = partial(clients.bedrock_client, INTERPRETATION_S, INTERPRETATION_ATTEMPTS)
            return BedrockInterpreter(client, settings.model)
        case InterpreterKind.OPENAI:
            from membrane.adapters.models.openai_interpreter import OpenAIInterpreter

            return OpenAIInterpreter(*_of_openai(settings, "the interpreter", world))


def chat_model(world: "World") -> "ChatModel | None":
    settings = world.chat_settings
    if not settings.model:
        return None
    if not settings.url:
        from membrane.adapters.models.bedrock_chat import BedrockChat

        return BedrockChat(clients.waiting_client, settings.model)
    from membrane.adapters.models.openai_chat import OpenAIChat

    return OpenAIChat(*_of_openai(settings, "the chat model", world))


def _of_openai(
    settings: "ModelSettings", named: str, world: "World"
) -> "tuple[Endpoint, str, Callable[[], str] | None, Callable[[], float]]":
    from membrane.adapters.https import endpoint_at

    endpoint = endpoint_at(settings.url, allows_loopback=world.allows_loopback)
    secret = clients.secret_of(settings.secret_arn, named)
    return endpoint, settings.model, secret, time.monotonic


def token_verifier(world: "World") -> "TokenVerifier":
    """Imports PyJWT."""
    from membrane.adapters.oidc import IssuerKeys, JwtVerifier, keys_reader

    settings, loopback = world.token_settings, world.allows_loopback
    read = keys_reader(settings.issuer, time.monotonic, allows_loopback=loopback)
    return JwtVerifier(settings.issuer, settings.audience, IssuerKeys(read, world.now))
