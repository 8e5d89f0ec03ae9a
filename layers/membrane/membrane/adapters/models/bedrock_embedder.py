"""Vectors by Titan Text Embeddings V2 on Amazon Bedrock, or a model with the same interface."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from membrane.adapters.models.bedrock_outages import outage_in
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.json_text import compact_json, parse_json

if TYPE_CHECKING:
    from types_boto3_bedrock_runtime import BedrockRuntimeClient

MAX_CHARACTERS = 50_000
"""The model's limit (Bedrock's guide, "Titan Text Embeddings V2"), beside 8,192 tokens."""

SURELY_TAKEN = 2_000
"""Characters that are never more than 8,192 tokens: a character has at most 4 bytes of UTF-8."""

HARMLESS = "memory"
"""A text that every model takes."""

_TOO_MANY_TOKENS = "too many input tokens"
_POSSIBLE_TEXT_REFUSALS = frozenset({"ModelErrorException", "ValidationException"})
"""Codes that may refuse the text, or any text: an absent model or a different interface."""


class UnusableReply(Exception):
    """The model answered without a vector of the requested kind."""


class TooManyTokens(Exception):
    """The text is longer than the model takes."""


@dataclass(frozen=True, slots=True)
class BedrockEmbedder:
    """An Embedder with one request a text, the API's limit, and several requests at once.

    The client is made for the first text. botocore retries throttled requests. A failure that is no
    fault of a text, such as an absent permission, is Unavailable.
    """

    client: Callable[[], "BedrockRuntimeClient"]
    model: str
    dimensions: int
    concurrency: int

    @property
    def name(self) -> str:
        """The model's name with the requested dimensions."""
        return f"bedrock-{self.model}-{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vectors of the texts; a text that is too long is embedded by the beginning."""
        with_text = [text for text in texts if text.strip()]
        vectors = iter(self._embed_each(with_text))
        nothing = (0.0,) * self.dimensions
        return [next(vectors) if text.strip() else nothing for text in texts]

    def _embed_each(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if len(texts) <= 1:
            return [self._vector(text) for text in texts]
        self.client()  # made here, before several threads need the client
        with ThreadPoolExecutor(min(self.concurrency, len(texts))) as pool:
            return list(pool.map(self._vector, texts))

    def _vector(self, text: str) -> Sequence[float]:
        try:
            return self._of_beginning(text)
        except (ClientError, UnusableReply):
            self._require_model()
            raise

    def _require_model(self) -> None:
        """Raises Unavailable if the model refuses any text."""
        try:
            self._invoke(HARMLESS)
        except (ClientError, UnusableReply) as error:
            raise Unavailable("the embedding model takes no text at all") from error

    def _of_beginning(self, text: str) -> Sequence[float]:
        """The vector of the longest beginning that the model takes; only the model can count."""
        beginning = text[:MAX_CHARACTERS]
        while len(beginning) > SURELY_TAKEN:
            try:
                return self._invoke(beginning)
            except TooManyTokens:
                beginning = beginning[: len(beginning) // 2]
        return self._invoke(beginning)

    def _invoke(self, text: str) -> Sequence[float]:
        request = {"inputText": text, "dimensions": self.dimensions, "normalize": True}
        with _translating_errors():
            reply = self.client().invoke_model(
                modelId=self.model,
                contentType="application/json",
                accept="application/json",
                body=compact_json(request).encode(),
            )
            content = reply["body"].read()
        return self._vector_in(content)

    def _vector_in(self, content: bytes) -> Sequence[float]:
        """The vector in a reply; errors hide the numbers, which reveal the text's content."""
        try:
            vector = parse_json(content)["embedding"]
        except (InvalidArgument, KeyError, TypeError) as error:
            raise UnusableReply(f"{self.model} answered without an embedding") from error
        if not isinstance(vector, list) or not all(map(_is_number, vector)):
            raise UnusableReply(f"{self.model} answered an embedding that is no vector")
        if len(vector) != self.dimensions:
            raise UnusableReply(
                f"{self.model} answered {len(vector)} dimensions instead of {self.dimensions}"
            )
        return vector


def _is_number(component: Any) -> bool:
    return type(component) in (int, float) and math.isfinite(component)


@contextmanager
def _translating_errors() -> Iterator[None]:
    """Raise ResourceExhausted or Unavailable, except for possible refusals of the text."""
    try:
        yield
    except BotoCoreError as error:
        raise Unavailable("the embedding model did not answer") from error
    except ClientError as error:
        outage = outage_in(error, "the embedding model")
        if outage is not None:
            raise outage from error
        code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
        if _TOO_MANY_TOKENS in message.lower():
            raise TooManyTokens from error
        if code not in _POSSIBLE_TEXT_REFUSALS:
            raise Unavailable(f"the embedding model cannot be asked: {code}") from error
        raise
