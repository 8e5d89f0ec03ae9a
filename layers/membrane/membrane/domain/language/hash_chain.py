"""Hash chains: each link carries the hash of the link before it, so that a changed link shows.

    text_hash = SHA-256(salt || canonical JSON of the free text)
    hash      = SHA-256(canonical JSON of the parts of the link, text_hash among them)

Free text enters a link through its salted hash alone. So the text and its salt can be erased, and
the chain still holds. The first link follows the empty hash.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from membrane.domain.language.json_text import canonical_json

FIRST = ""
"""The hash that comes before the first link."""


class Link(Protocol):
    """One entry of an audit trail."""

    @property
    def previous_hash(self) -> str:
        """The hash of the link before this one."""

    @property
    def hash(self) -> str:
        """The hash of this link."""


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
    """The position of the first link that does not follow from the links before it, or None.

    `recomputed` gives the hash that a link must have; None where the link contradicts itself.
    `written` is how many links there must be: the chain alone does not show a missing end.
    `follows` is the hash of the link before the first one.
    """
    expected, count = follows, 0
    for link in links:
        if link.previous_hash != expected or link.hash != expected_hash_of(link):
            return count
        expected = link.hash
        count += 1
    return None if written is None or written == count else min(written, count)
