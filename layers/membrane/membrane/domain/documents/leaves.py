"""The leaves of a document and of a chunk of its list in an anchor."""

from math import ceil

from membrane.domain.documents.items import Chunk
from membrane.domain.documents.model import Document, Ending, sha256_of
from membrane.domain.integrity import leaves
from membrane.domain.language.json_text import canonical_json, digest

_MAX = 2**63


def leaf_of_part(place_id: str, part: Document | Chunk) -> leaves.Leaf:
    """The leaf of a document or chunk. Raises ValueError for a number too large for it."""
    end = leaves.NEVER_S if part.expires_at_s is None else ceil(part.expires_at_s)
    entries = part.version if isinstance(part, Document) else part.revision
    if not (0 < entries < _MAX and 0 <= end < _MAX):
        raise ValueError("a version, a revision or an end is out of range")
    if isinstance(part, Document):
        place, head = (
            leaves.place_of(leaves.LeafKind.DOCUMENT, place_id),
            leaves.head_digest(part.current.entry.hash),
        )
        return leaves.Leaf(
            place, entries, head, leaves.UNKEPT + bytes(16), _state_digest(part), end
        )
    said = [part.items, part.at, part.principal, part.generation]
    state = _digest_of([*said, part.taken, part.skipped, part.is_floor])
    own, of_list = (
        leaves.place_of(leaves.LeafKind.CHUNK, place_id, str(part.start)),
        place_of_list(place_id),
    )
    # the places of a list and of its chunks are in one part of those that are asked for together
    place = bytes([of_list[0] & 0xF0 | own[0] & 0x0F]) + own[1:]
    return leaves.Leaf(place, entries, bytes(32), leaves.UNKEPT + of_list[:16], state, end)


def place_of_list(place_id: str) -> bytes:
    """What a walk notes for a document whose list was removed."""
    return leaves.place_of(leaves.LeafKind.CHUNK, place_id)


def has_ended(leaf: leaves.Leaf, ending: Ending, now_s: float) -> bool:
    """Whether the document of a leaf has ended since, by a put of its version or of a later one."""
    if ending.end_s > now_s:
        return False
    is_same = (leaf.entries, leaf.head) == (ending.version, leaves.head_digest(ending.hash))
    return is_same or leaf.entries < ending.version


def _state_digest(document: Document) -> bytes:
    """The digest of everything that only a new version changes; the chain has the values, too."""
    passages = digest(*map(bytes.hex, document.passages))
    state = [
        *(document.sensitivity, document.created_at, document.shown_from),
        *(document.ttl_s, document.half_life_s, document.removed_at_s),
        *(document.index, document.embedder, passages.hex()),
        [[entry.action, sha256_of(value)] for entry, value in document.versions],
    ]
    return _digest_of(state)


def _digest_of(value: object) -> bytes:
    return digest(canonical_json(value).decode())
