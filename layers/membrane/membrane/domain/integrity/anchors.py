"""Signed anchors: the state of the whole table at an instant, as a Merkle root over all leaves.

Each anchor has the hash of the anchor before, so a removed anchor breaks the chain. The leaves lie
in shards, by the first byte of the place.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from membrane.domain.integrity.leaves import WIDTH, unpack_leaves
from membrane.domain.language.json_text import JsonObject, canonical_json

SHARDS = 256
ROOT_BYTES = 32

EMPTY = hashlib.sha256().digest()
"""The root over no values."""

FOLDER = "anchors/"
"""The prefix of all objects of anchors in the bucket."""

PORTIONS = FOLDER + "portions/"
"""The prefix of the leaves of a walk under way; a rule of the bucket removes what a run leaves."""

NEWEST = FOLDER + "newest"
"""The object with the newest signed anchor; each anchor names the anchor before."""


class Anchor(NamedTuple):
    """The signed statement. JSON has the same names."""

    instant: str
    """The start of the walk over the table, RFC 3339; the name of the anchor."""
    leaves: int
    root: str
    """The Merkle root over the roots of all shards, in hex."""
    previous: str | None
    """The instant of the anchor before; None for the first anchor."""
    previous_hash: str
    """The hash of the anchor before; empty for the first anchor."""

    @property
    def content(self) -> bytes:
        """The bytes that are signed."""
        return canonical_json(self._asdict())

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_HASH = re.compile(r"[0-9a-f]{64}")


class SignedAnchor(NamedTuple):
    """An anchor with the parts of its signature: key id, algorithm and base64 value."""

    anchor: Anchor
    signature: tuple[str, str, str]

    def as_json(self) -> JsonObject:
        return {"anchor": self.anchor._asdict(), "signature": list(self.signature)}

    @classmethod
    def of_json(cls, kept: JsonObject) -> "SignedAnchor":
        """The inverse of `as_json`; raises KeyError, TypeError or ValueError for other JSON."""
        key_id, algorithm, value = kept["signature"]
        anchor = Anchor(**kept["anchor"])
        if not (_is_anchor(anchor) and all(isinstance(each, str) for each in kept["signature"])):
            raise ValueError("not an anchor")
        return cls(anchor, (key_id, algorithm, value))


def _is_anchor(anchor: Anchor) -> bool:
    """Whether each field has the type and the form of an anchor's."""
    texts = (anchor.instant, anchor.root, anchor.previous_hash, anchor.previous or "")
    if not (all(isinstance(each, str) for each in texts) and isinstance(anchor.leaves, int)):
        return False
    instant, root, previous_hash, previous = texts
    is_first = anchor.previous is None and previous_hash == ""
    follows = _INSTANT.fullmatch(previous) and _HASH.fullmatch(previous_hash)
    return bool(_INSTANT.fullmatch(instant) and _HASH.fullmatch(root) and (is_first or follows))


def anchor_after(
    previous: Anchor | None, instant: str, leaves: int, roots: Sequence[bytes]
) -> Anchor:
    """The anchor over the roots of all shards; `previous` is the newest earlier anchor."""
    root = merkle_root(roots).hex()
    if previous is None:
        return Anchor(instant, leaves, root, None, "")
    return Anchor(instant, leaves, root, previous.instant, previous.hash)


def shard_of(place: bytes) -> int:
    return place[0]


def shard_root(packed: bytes) -> bytes:
    """The Merkle root over the packed leaves of a shard."""
    step = range(0, len(packed), WIDTH)
    return merkle_root(packed[start : start + WIDTH] for start in step)


def sorted_shard(packed_leaves: Sequence[bytes]) -> bytes:
    """The leaves ordered by place, each place once: the last leaf of a place counts."""
    by_place = {leaf.place: leaf for packed in packed_leaves for leaf in unpack_leaves(packed)}
    return b"".join(by_place[place].pack() for place in sorted(by_place))


def shard_name(instant: str, shard: int) -> str:
    return f"{FOLDER}{instant}/{shard:02x}"


def roots_name(instant: str) -> str:
    """The object with the roots of all shards, ROOT_BYTES each."""
    return f"{FOLDER}{instant}/roots"


def signed_name(instant: str) -> str:
    """The object with a copy of the signed anchor; a restore of the table does not touch it."""
    return f"{FOLDER}{instant}/signed"


def portion_name(token: str) -> str:
    """The object with unsorted leaves of a walk under way; each has a name of its own."""
    return PORTIONS + token


def merkle_root(values: Iterable[bytes]) -> bytes:
    """The Merkle root over the ordered values, after RFC 9162, section 2.1.

    An odd hash at the end of a level moves up unchanged. The hashes of values and of pairs have
    different prefixes, so no value can stand for a pair.
    """
    level = [hashlib.sha256(b"\x00" + value).digest() for value in values]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [hashlib.sha256(b"\x01" + left + right).digest() for left, right in pairs]
        level = [*above, level[-1]] if len(level) % 2 else above
    return level[0] if level else EMPTY
