"""Merkle roots over ordered values, after RFC 9162, section 2.1.

The hashes of values and of pairs have different prefixes, so no value can stand for a pair.
"""

import hashlib
from collections.abc import Iterable

EMPTY = hashlib.sha256().digest()
"""The root over no values."""


def merkle_root(values: Iterable[bytes]) -> bytes:
    """The root; an odd hash at the end of a level moves up unchanged."""
    level = [hashlib.sha256(b"\x00" + value).digest() for value in values]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [hashlib.sha256(b"\x01" + left + right).digest() for left, right in pairs]
        level = [*above, level[-1]] if len(level) % 2 else above
    return level[0] if level else EMPTY
