"""Environment variables: the words that choose an adapter, and parsers for words and numbers."""

import math
import os
from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

IN_LAMBDA = "AWS_LAMBDA_RUNTIME_API" in os.environ
"""In Lambda, the start makes clients and loads the model with a whole processor."""

PREFIX = "MEMBRANE_"
MAX_SHARDS = 1_024

Word = TypeVar("Word", bound=StrEnum)


class SettingError(Exception):
    """An unusable setting; the message names the variable and the permitted values."""


def present(value: str) -> str:
    if not value:
        raise ValueError("must be set")
    return value


def word(words: type[Word]) -> Callable[[str], Word]:
    def parse(value: str) -> Word:
        try:
            return words(value)
        except ValueError:
            raise ValueError(f"must be one of: {', '.join(words)}") from None

    return parse


def switch(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError("must be one of: true, false")
    return value == "true"


def whole(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not (value.isascii() and value.isdigit() and low <= int(value) <= high):
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(value)

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    def parse(value: str) -> float:
        try:
            parsed = float(value)
        except ValueError:
            parsed = math.nan
        if not low <= parsed <= high:
            raise ValueError(f"must be a number from {low:g} to {high:g}")
        return parsed

    return parse


shards = whole(1, MAX_SHARDS)
"""The number of partitions of an index."""


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
