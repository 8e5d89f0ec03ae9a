"""Settings of the search: embedder, vector index, and weights of the score.

A separate module: reading the settings would slow the start of functions that do not search.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

from membrane.domain.language.json_text import parse_json
from membrane.domain.search.score import Weights
from membrane.wiring.environment import Reader, number, shards, whole, word

BEDROCK_MODEL = "amazon.titan-embed-text-v2:0"

SCORE_FLOOR = 0.1
"""Tuned on one fold of the data sets of `tests/bench`: few wanted records score lower."""

MAX_CONCURRENCY = 64
MAX_WEIGHT = 1_000.0


class EmbedderKind(StrEnum):
    """The source of vectors of texts."""

    ENCODER = "encoder"
    BEDROCK = "bedrock"


DIMENSIONS = {EmbedderKind.ENCODER: (384,), EmbedderKind.BEDROCK: (256, 512, 1_024)}
"""Dimensions of all-MiniLM-L6-v2 and of Titan Text Embeddings V2; the first is the default."""


class VectorFilters(StrEnum):
    """The filter expressions of searches of the vector index."""

    EQUALITY = "equality"
    """A search for every scope, shard, level of sensitivity and type."""
    IN = "in"
    """A search for every scope and shard."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The operator's settings of the search."""

    embedder: EmbedderKind
    model: str
    """The id of the model on Bedrock."""
    dimensions: int
    former_embedder: EmbedderKind
    """In use until a re-index is done, if the dimensions have changed."""
    former_dimensions: int
    former_model: str
    concurrency: int
    """Texts that Bedrock embeds at once."""
    shards: int
    filters: VectorFilters
    weights: Weights
    score_floor: float
    """The least score of an answer to a task."""
    queue: str
    """The address of the queue for sources that could not be indexed; empty in most functions."""


def read_search_settings(environment: Mapping[str, str]) -> SearchSettings:
    """Raises SettingError."""
    reader = Reader(environment)
    embedder = reader.read("EMBEDDER", EmbedderKind.ENCODER, word(EmbedderKind))
    dimensions = reader.read(
        "EMBEDDING_DIMENSIONS", DIMENSIONS[embedder][0], _dimensions_of(embedder)
    )
    former = reader.read("FORMER_EMBEDDER", embedder, word(EmbedderKind))
    return SearchSettings(
        embedder=embedder,
        model=reader.read("EMBEDDING_MODEL", BEDROCK_MODEL, str),
        dimensions=dimensions,
        former_embedder=former,
        former_dimensions=reader.read(
            "FORMER_EMBEDDING_DIMENSIONS", dimensions, _dimensions_of(former)
        ),
        former_model=reader.read("FORMER_EMBEDDING_MODEL", BEDROCK_MODEL, str),
        concurrency=reader.read("EMBEDDING_CONCURRENCY", "8", whole(1, MAX_CONCURRENCY)),
        shards=reader.read("SEARCH_SHARDS", "1", shards),
        filters=reader.read("VECTOR_FILTERS", VectorFilters.EQUALITY, word(VectorFilters)),
        weights=reader.read("RANKING_WEIGHTS", "{}", _weights),
        score_floor=reader.read("SCORE_FLOOR", SCORE_FLOOR, number(0.0, 1.0)),
        queue=reader.read("INDEX_QUEUE", "", str),
    )


def _dimensions_of(embedder: EmbedderKind) -> Callable[[str], int]:
    def parse(value: str) -> int:
        made = {str(dimensions): dimensions for dimensions in DIMENSIONS[embedder]}
        if value not in made:
            raise ValueError(f"must be {' or '.join(made)} with the embedder {embedder}")
        return made[value]

    return parse


def _weights(value: str) -> Weights:
    """`{"lexical": 1, ...}`; an absent name has the default weight."""
    given = parse_json(value)
    names = [each.name for each in fields(Weights)]
    if not isinstance(given, dict):
        raise ValueError("must be a JSON object of weights by name")  # noqa: TRY004 - a setting
    if unknown := sorted(given.keys() - set(names)):
        listed = ", ".join(names)
        raise ValueError(f"there is no weight {unknown[0]!r}; the weights are: {listed}")
    return Weights(**{name: _weight(name, weight) for name, weight in given.items()})


def _weight(name: str, weight: object) -> float:
    if (
        isinstance(weight, bool)
        or not isinstance(weight, int | float)
        or not 0 <= weight <= MAX_WEIGHT
    ):
        raise ValueError(f"{name} must be a number from 0 to {MAX_WEIGHT:g}")
    return float(weight)
