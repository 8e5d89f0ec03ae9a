"""The copies of anchors in the bucket, which a restore of the table does not touch."""

from collections.abc import Iterator

from membrane.domain.integrity.anchors import NEWEST, SignedAnchor, signed_name
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import parse_json
from membrane.usecases.ports.world import World


def anchors_in_bucket(world: World) -> Iterator[SignedAnchor]:
    """The copies from the newest back; the walk ends at a copy that is absent or unreadable."""
    name: str | None = NEWEST
    while name is not None:
        signed = _read(name, world)
        if signed is None:
            return
        yield signed
        previous = signed.anchor.previous
        name = None if previous is None else signed_name(previous)


def _read(name: str, world: World) -> SignedAnchor | None:
    content = world.blobs.get(name)
    if content is None:
        return None
    try:
        return SignedAnchor.of_json(parse_json(content))
    except (InvalidArgument, KeyError, TypeError, ValueError):
        return None
