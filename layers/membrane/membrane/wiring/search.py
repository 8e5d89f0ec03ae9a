"""The composition root of retrieval and of the search index.

A separate module: importing numpy would slow the start of all other functions.
"""

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from botocore.config import Config

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.search.cursor_key import CursorKey
from membrane.adapters.dynamodb.search.scope_registry import ScopeRegistry
from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.adapters.dynamodb.search.vector_search import (
    Filtering,
    VectorSearch,
    route_searches,
)
from membrane.adapters.dynamodb.search.vector_store import DynamoVectors
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace
from membrane.adapters.messaging.sqs import Send, send_message, set_aside
from membrane.usecases.ports.search import Embedder
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.embedder_change import Changeover
from membrane.wiring import services as wiring
from membrane.wiring.search_settings import (
    EmbedderKind,
    SearchSettings,
    VectorFilters,
    read_search_settings,
)
from membrane.wiring.services import sqs_client

if TYPE_CHECKING:
    from types_boto3_bedrock_runtime import BedrockRuntimeClient
    from types_boto3_dynamodb import DynamoDBClient

    from membrane.domain.access.trust import Trust
    from membrane.domain.records.stored import StoredRecord
    from membrane.usecases.ports.search import NamedTopic

IN_LAMBDA = "AWS_LAMBDA_RUNTIME_API" in os.environ
"""In Lambda, the start makes clients and loads the model with a whole processor."""

MODEL_CLIENT_CONFIG = Config(
    connect_timeout=1,  # seconds; all attempts with pauses take 23 at most
    read_timeout=3,  # seconds; a text takes a tenth of a second
    retries={"mode": "standard", "total_max_attempts": 4},
)
"""More attempts than for the table: many texts go to a model at once, and models are often busy."""


def reading_services() -> ReadingServices:
    return wiring.replacement_of(ReadingServices) or _from_environment()


def build_reading(
    usual: Services,
    table: str,
    search: SearchSettings,
    dynamodb: "DynamoDBClient",
    *,
    send: Send | None = None,
    embedders: Sequence[Embedder] = (),
) -> ReadingServices:
    """The usual services plus the services for retrieval, over the same table."""
    embedders = embedders or _embedders(search)
    catalogue = DynamoCatalogue(dynamodb, table, _encoding(embedders[0]), usual.now)
    index, vectors = build_index(dynamodb, table, search, embedders, usual, RECORDS)
    return ReadingServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        search=index,
        vectors=vectors,
        embedder=_question_embedder(embedders, catalogue),
        embedders=embedders,
        set_aside=partial(set_aside, send or partial(send_message, sqs_client), search.queue),
        catalogue=catalogue,
        cursor_key=CursorKey(dynamodb, table, wiring.new_cursor_key),
        weights=search.weights,
        score_floor=search.score_floor,
        topics_of_entities=partial(_topics_of_entities, usual, table, dynamodb),
    )


def _topics_of_entities(
    usual: Services,
    table: str,
    dynamodb: "DynamoDBClient",
    entities: "Sequence[StoredRecord]",
    trust: "Trust",
) -> "Sequence[NamedTopic]":
    """The topics that refer to the entities; the store of topics is loaded for the first."""
    from membrane.usecases.topics.topics_of_entities import topics_of_entities
    from membrane.wiring.topic_store import build_topic_store

    return topics_of_entities(entities, trust, usual, build_topic_store(usual, table, dynamodb))


def build_index(  # noqa: PLR0917 - the parts of an index: table, settings, embedders, services, space
    dynamodb: "DynamoDBClient",
    table: str,
    settings: SearchSettings,
    embedders: Sequence[Embedder],
    usual: Services,
    space: SearchSpace,
) -> "tuple[VectorSearch, DynamoVectors]":
    """The vectors of a space: an index for searches and a store for writes."""
    route_searches(dynamodb)
    registry = ScopeRegistry(dynamodb, table, space, usual.elapsed_s)
    encodings, shards = [_encoding(each) for each in embedders], settings.shards
    filtering = Filtering(usual.measure, by_in=settings.filters is VectorFilters.IN)
    search = VectorSearch(dynamodb, table, encodings, shards, registry, filtering, usual.now)
    return search, DynamoVectors(dynamodb, table, encodings, shards, registry, usual.now)


def _encoding(embedder: Embedder) -> Encoding:
    return Encoding(embedder.dimensions, embedder.name)


def _question_embedder(embedders: Sequence[Embedder], catalogue: "DynamoCatalogue") -> Embedder:
    """The embedder of questions: the present, or until a re-index is done the former embedder."""
    match embedders:
        case [present, former]:
            return Changeover(present, former, catalogue.progress)
        case _:
            return embedders[0]


def _embedders(settings: SearchSettings) -> Sequence[Embedder]:
    """The present embedder, and the former embedder if the former vectors have a separate index."""
    present = _embedder(settings)
    if settings.former_dimensions == settings.dimensions:
        return (present,)
    of_former = replace(
        settings,
        embedder=settings.former_embedder,
        model=settings.former_model,
        dimensions=settings.former_dimensions,
    )
    return present, _embedder(of_former)


def _embedder(settings: SearchSettings) -> Embedder:
    """The embedder that the settings name; only the chosen adapter is imported."""
    match settings.embedder:
        case EmbedderKind.ENCODER:
            from membrane.adapters.encoder.sentence_encoder import SentenceEncoder

            encoder = SentenceEncoder()
            if IN_LAMBDA:
                encoder.load()
            return encoder
        case EmbedderKind.BEDROCK:
            from membrane.adapters.models.bedrock_embedder import BedrockEmbedder

            return BedrockEmbedder(
                lambda: bedrock_client(settings.concurrency),
                settings.model,
                settings.dimensions,
                settings.concurrency,
            )


def bedrock_client(connections: int) -> "BedrockRuntimeClient":
    """A client for models, made for the first text."""
    with wiring.client_lock:
        return _bedrock_client(connections)


@cache
def _bedrock_client(connections: int) -> "BedrockRuntimeClient":
    config = MODEL_CLIENT_CONFIG.merge(Config(max_pool_connections=connections))
    client = wiring.session().create_client("bedrock-runtime", config=config)
    return cast("BedrockRuntimeClient", client)


@cache
def _from_environment() -> ReadingServices:
    table, search = wiring.environment_settings().table, read_search_settings(os.environ)
    return build_reading(wiring.services(), table, search, wiring.table_client())


if IN_LAMBDA:
    reading_services()
