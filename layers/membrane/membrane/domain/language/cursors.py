"""Cursors: opaque tokens in replies, by which a later request continues a list.

A cursor is the place where a list continues, as text bound to one reader and one request. A cursor
may hold the place of a hidden record, which the reader must not learn. So a cursor is sealed with
AES-SIV (RFC 5297), which needs no random number: equal contents have equal seals, and an altered
seal does not open. A cursor decides how far a reading has come, never the visibility of records. A
cursor into a list that only grows at its end is a plain count.
"""

import zlib
from hashlib import sha256
from hmac import compare_digest
from typing import Annotated

from pydantic import Field

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import bytes_of, count_in, text_of
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


Cursor = Annotated[str, Field(max_length=MAX_CURSOR_CHARACTERS)]
