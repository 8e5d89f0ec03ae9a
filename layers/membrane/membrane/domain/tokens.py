"""Opaque tokens in replies, for later requests: cursors and consistency tokens.

A cursor is the place where a list continues, as text bound to one reader and one request. A cursor
may hold the place of a hidden record, which the reader must not learn. So a cursor is sealed with
AES-SIV (RFC 5297), which needs no random number: equal contents have equal seals, and an altered
seal does not open. A cursor decides how far a reading has come, never the visibility of records. A
cursor into a list that only grows at its end is a plain count.

A write returns a consistency token, and a read with the token sees the write. The token grants no
right: the named record is read under the reader's own trust.
"""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from hmac import compare_digest
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import RECORD_ID, count_in
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json

MAX_CURSOR_CHARACTERS = 16_384
MAX_STATE_BYTES = 262_144
"""The limit for the JSON text in a cursor: protects from a decompression bomb."""

KEY_BYTES = 32
TAG_BYTES = 16
"""The growth of a text by the seal."""

_DEPTH = 8
_PLAIN, _DEFLATED = b"\x03", b"\x04"
"""The first byte: the version of the format."""
_BINDING_BYTES = 12


def text_of(content: bytes) -> str:
    """URL-safe base64 without padding."""
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def bytes_of(text: str) -> bytes:
    """The inverse of `text_of`; raises ValueError for any other text."""
    content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if text_of(content) != text:
        raise ValueError("not base64 without padding")
    return content


def seal(content: bytes, belonging_to: bytes, key: bytes) -> bytes:
    """The content encrypted, and authenticated together with `belonging_to`; TAG_BYTES longer."""
    # Few requests have a cursor, and cryptography takes 33 ms of CPU to load.
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415

    return AESSIV(key).encrypt(content, [belonging_to])


def unseal(text: bytes, belonging_to: bytes, key: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - the same
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415 - the same

    try:
        return AESSIV(key).decrypt(text, [belonging_to])
    except InvalidTag:
        return None


def encode(state: JsonObject, binding: bytes, key: bytes) -> str:
    """The cursor of a state, bound to reader and request by `binding`, and sealed with `key`.

    Raises InvalidArgument for a large state.
    """
    text = compact_json(state).encode()
    deflated = zlib.compress(text, 9)
    form, body = (_DEFLATED, deflated) if len(deflated) < len(text) else (_PLAIN, text)
    head = form + _binding_digest(binding)
    cursor = text_of(head + seal(body, head, key))
    if len(cursor) > MAX_CURSOR_CHARACTERS or len(text) > MAX_STATE_BYTES:
        raise InvalidArgument(
            "the records fade in too many ways to go on: name fewer scopes or memory types"
        )
    return cursor


def decode(text: str, binding: bytes, key: bytes) -> JsonObject:
    """The state of a cursor made for the same binding; raises InvalidArgument for any other."""
    content = _content(text)
    head, rest = content[: 1 + _BINDING_BYTES], content[1 + _BINDING_BYTES :]
    form, bound = head[:1], head[1:]
    if form not in (_PLAIN, _DEFLATED) or not rest:
        raise foreign_cursor()
    if not compare_digest(bound, _binding_digest(binding)):
        raise InvalidArgument("the cursor belongs to another request")
    body = unseal(rest, head, key)
    if body is None:
        raise foreign_cursor()
    try:
        state = parse_json(_inflate(body) if form == _DEFLATED else body, _DEPTH)
    except InvalidArgument as error:
        raise foreign_cursor() from error
    if not isinstance(state, dict):
        raise foreign_cursor()
    return state


def foreign_cursor() -> InvalidArgument:
    return InvalidArgument("the cursor is not one of ours")


def _content(text: str) -> bytes:
    if len(text) > MAX_CURSOR_CHARACTERS:
        raise foreign_cursor()
    try:
        return bytes_of(text)
    except ValueError as error:
        raise foreign_cursor() from error


def _inflate(body: bytes) -> bytes:
    inflating = zlib.decompressobj()
    try:
        state = inflating.decompress(body, MAX_STATE_BYTES)
    except zlib.error as error:
        raise foreign_cursor() from error
    if not inflating.eof or inflating.unused_data:
        raise foreign_cursor()
    return state


def _binding_digest(binding: bytes) -> bytes:
    return sha256(binding).digest()[:_BINDING_BYTES]


def position_in(cursor: str | None) -> int:
    """The position at which a page begins, from a plain count; raises InvalidArgument."""
    if cursor is None:
        return 0
    count = count_in(cursor)
    if count is None:
        raise foreign_cursor()
    return count


_FOREIGN = "a consistency token is not one of ours"


def token_of(record_id: str, version: int) -> str:
    return text_of(f"{version}.{record_id}".encode())


def record_named(token: str) -> str:
    """The id of the record that a token names; raises InvalidArgument for a malformed token."""
    try:
        version, _, record_id = bytes_of(token).decode().partition(".")
    except ValueError as error:
        raise InvalidArgument(_FOREIGN) from error
    is_version = version.isascii() and version.isdecimal()
    if not is_version or not RECORD_ID.fullmatch(record_id):
        raise InvalidArgument(_FOREIGN)
    if token_of(record_id, int(version)) != token:
        raise InvalidArgument(_FOREIGN)
    return record_id


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
