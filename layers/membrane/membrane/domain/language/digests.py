"""Digests of texts, and hash chains: a link carries the hash of the link before.

    text_hash = SHA-256(salt || canonical JSON of the free text)
    hash      = SHA-256(canonical JSON of the parts of the link, including text_hash)

The hash of a link covers the salted hash of the free text, not the text. Text and salt can
therefore be erased without breaking the chain. The first link follows the empty hash.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from membrane.domain.language.json_text import canonical_json


def digest(*parts: str) -> bytes:
    """The 32 bytes of SHA-256 over the UTF-8 of each part, prefixed with the part's length."""
    hasher = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        hasher.update(len(encoded).to_bytes(4, "big") + encoded)
    return hasher.digest()


FIRST = ""
"""The previous hash of the first link."""


class Link(Protocol):
    """An entry of an audit trail."""

    @property
    def previous_hash(self) -> str:
        """The hash of the previous link."""

    @property
    def hash(self) -> str:
        """The hash of the link."""


AnyLink = TypeVar("AnyLink", bound=Link)


def text_hash_of(salt: str, *text: Any) -> str:
    """The hash of a link's free text; `salt` is random hex."""
    return hashlib.sha256(salt.encode() + canonical_json(list(text))).hexdigest()


def hash_of(*parts: str | float) -> str:
    return hashlib.sha256(canonical_json(parts)).hexdigest()


def last_hash(links: Sequence[Link]) -> str:
    return links[-1].hash if links else FIRST


def first_broken(
    links: Iterable[AnyLink],
    expected_hash_of: Callable[[AnyLink], str | None],
    *,
    written: int | None = None,
    follows: str = FIRST,
) -> int | None:
    """The position of the first link that breaks the chain, or None if the chain holds.

    `expected_hash_of` computes the hash of a link from its parts; None if the parts contradict
    each other. `written` is the expected number of links: the chain alone does not show a
    missing end. `follows` is the hash of the link before the first link given.
    """
    expected, count = follows, 0
    for link in links:
        if link.previous_hash != expected or link.hash != expected_hash_of(link):
            return count
        expected = link.hash
        count += 1
    return None if written is None or written == count else min(written, count)
