"""The copies and the leaves of signed anchors in the bucket, which a restore does not touch."""

from collections.abc import Iterator

from membrane.domain.integrity import anchors
from membrane.domain.integrity.leaves import Leaf, find_leaf
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import parse_json
from membrane.usecases.ports.surroundings import Signature
from membrane.usecases.ports.world import World


class LeavesChangedError(Exception):
    """The stored leaves of an anchor do not have the signed root."""


class AnchoredLeaves:
    """The leaves of an anchor; `find` and `shard` read each shard once and keep the shard."""

    def __init__(self, anchor: anchors.Anchor, world: World) -> None:
        self.anchor = anchor
        self._blobs = world.blobs
        self._roots = b""
        self._shards: dict[int, bytes] = {}

    def find(self, place: bytes) -> Leaf | None:
        """The leaf of a place; raises LeavesChangedError."""
        return find_leaf(self.shard(anchors.shard_of(place)), place)

    def shard(self, shard: int) -> bytes:
        """The sorted leaves of a shard; raises LeavesChangedError."""
        if shard not in self._shards:
            self._shards[shard] = self.read_shard(shard)
        return self._shards[shard]

    def read_shard(self, shard: int) -> bytes:
        """The sorted leaves of a shard, which are not kept; raises LeavesChangedError."""
        expected = self.roots()[shard * anchors.ROOT_BYTES : (shard + 1) * anchors.ROOT_BYTES]
        packed = self._blobs.get(anchors.shard_name(self.anchor.instant, shard)) or b""
        if anchors.shard_root(packed) != expected:
            raise LeavesChangedError(f"shard {shard:02x}")
        return packed

    def roots(self) -> bytes:
        """The roots of all shards; raises LeavesChangedError."""
        if not self._roots:
            roots = self._blobs.get(anchors.roots_name(self.anchor.instant)) or b""
            each = [
                roots[shard * anchors.ROOT_BYTES : (shard + 1) * anchors.ROOT_BYTES]
                for shard in range(anchors.SHARDS)
            ]
            if (
                len(roots) != anchors.SHARDS * anchors.ROOT_BYTES
                or anchors.merkle_root(each).hex() != self.anchor.root
            ):
                raise LeavesChangedError("the roots of the shards")
            self._roots = roots
        return self._roots


def is_signed(signed: anchors.SignedAnchor, world: World) -> bool:
    return world.signer.verify(signed.anchor.content, Signature(*signed.signature))


def anchors_in_bucket(world: World) -> Iterator[anchors.SignedAnchor]:
    """The copies from the newest back; the walk ends at a copy that is absent or unreadable."""
    name: str | None = anchors.NEWEST
    while name is not None:
        signed = _read(name, world)
        if signed is None:
            return
        yield signed
        previous = signed.anchor.previous
        name = None if previous is None else anchors.signed_name(previous)


def _read(name: str, world: World) -> anchors.SignedAnchor | None:
    content = world.blobs.get(name)
    if content is None:
        return None
    try:
        return anchors.SignedAnchor.of_json(parse_json(content))
    except (InvalidArgument, KeyError, TypeError, ValueError):
        return None
