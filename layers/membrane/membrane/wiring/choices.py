"""The words of settings that choose an adapter."""

from enum import StrEnum


class EmbedderKind(StrEnum):
    """The source of vectors of texts."""

    ENCODER = "encoder"
    BEDROCK = "bedrock"


DIMENSIONS = {EmbedderKind.ENCODER: (384,), EmbedderKind.BEDROCK: (256, 512, 1_024)}
"""Dimensions of all-MiniLM-L6-v2 and of Titan Text Embeddings V2; the first is the default."""

BEDROCK_MODEL = "amazon.titan-embed-text-v2:0"


class VectorFilters(StrEnum):
    """The filter expressions of searches of the vector index."""

    EQUALITY = "equality"
    """A search for every scope, shard, level of sensitivity and type."""
    IN = "in"
    """A search for every scope and shard."""


class InterpreterKind(StrEnum):
    """The source of interpretations beyond the rules."""

    NONE = "none"
    BEDROCK = "bedrock"
    OPENAI = "openai"
    """Any endpoint that is compatible with OpenAI's chat completions."""
