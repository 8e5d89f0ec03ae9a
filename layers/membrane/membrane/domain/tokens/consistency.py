"""Consistency tokens: a write returns a token, and a read with the token sees the write.

A token grants no right: the named record is read under the reader's own trust.
"""

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.tokens.cursors import bytes_of, text_of

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
