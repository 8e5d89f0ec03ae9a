"""Sealing: text that only this service can read, and that nobody else can make.

A synthetic initialisation vector (the construction of RFC 5297) over keyed BLAKE2b (RFC 7693): the
tag is a MAC of the content and of what it belongs to, and begins the stream that hides it. So
nothing has to be random, and what was altered does not open.
"""

from hashlib import blake2b
from hmac import compare_digest
from itertools import count

KEY_BYTES = 32
TAG_BYTES = 16

_BLOCK_BYTES = blake2b.MAX_DIGEST_SIZE


def sealed(content: bytes, belonging_to: bytes, key: bytes) -> bytes:
    """The content hidden, TAG_BYTES longer; `key` has KEY_BYTES."""
    tag = _tag(content, belonging_to, key)
    return tag + _hidden(content, tag, key)


def opened(text: bytes, belonging_to: bytes, key: bytes) -> bytes | None:
    """The inverse of `sealed`; None for what was not sealed so."""
    tag, hidden = text[:TAG_BYTES], text[TAG_BYTES:]
    content = _hidden(hidden, tag, key)
    return content if compare_digest(tag, _tag(content, belonging_to, key)) else None


def _tag(content: bytes, belonging_to: bytes, key: bytes) -> bytes:
    parts = len(belonging_to).to_bytes(8, "big") + belonging_to + content
    return blake2b(parts, digest_size=TAG_BYTES, key=key, person=b"tag").digest()


def _hidden(content: bytes, tag: bytes, key: bytes) -> bytes:
    """Exclusive or with a stream of which each block is a MAC of the tag and its number."""
    stream = bytearray()
    for number in count():
        if len(stream) >= len(content):
            break
        block = tag + number.to_bytes(8, "big")
        stream += blake2b(block, key=key, person=b"stream").digest()
    length = len(content)
    mixed = int.from_bytes(content, "big") ^ int.from_bytes(stream[:length], "big")
    return mixed.to_bytes(length, "big")
