"""Consistency tokens: a write's reply has one, and a read that carries it sees the write.

A token is no right: what it names is read under the reader's own trust.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import RECORD_ID

_FOREIGN = "a consistency token is not one of ours"


def token_of(record_id: str, version: int) -> str:
    return urlsafe_b64encode(f"{version}.{record_id}".encode()).decode().rstrip("=")


def record_named(token: str) -> str:
    """The id of the record that a token names; raises InvalidArgument for what is no token."""
    try:
        padded = token.encode() + b"=" * (-len(token) % 4)
        version, _, record_id = urlsafe_b64decode(padded).decode().partition(".")
    except (binascii.Error, UnicodeError) as error:
        raise InvalidArgument(_FOREIGN) from error
    is_version = version.isascii() and version.isdecimal()
    if not is_version or not RECORD_ID.fullmatch(record_id):
        raise InvalidArgument(_FOREIGN)
    if token_of(record_id, int(version)) != token:
        raise InvalidArgument(_FOREIGN)
    return record_id
