"""Fields of paged requests: page size, cursor, consistency tokens."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.tokens.cursors import MAX_CURSOR_CHARACTERS

MAX_LIMIT = 10_000
MAX_TOKEN_CHARACTERS = 256

MAX_TOKENS = 100
"""Consistency tokens in one request: the most that one write of messages or one batch returns."""


def _limit(value: Any) -> Any:
    """Refuse a number out of range with Membrane's error text."""
    if isinstance(value, int) and not isinstance(value, bool) and not 0 <= value <= MAX_LIMIT:
        raise PydanticCustomError("limit", f"limit must be between 0 and {MAX_LIMIT}")
    return value


Limit = Annotated[int, BeforeValidator(_limit)]
Cursor = Annotated[str, Field(max_length=MAX_CURSOR_CHARACTERS)]
Token = Annotated[str, Field(max_length=MAX_TOKEN_CHARACTERS)]
Tokens = Annotated[tuple[Token, ...], Field(strict=False, max_length=MAX_TOKENS, fail_fast=True)]
