"""Findings of a verification: what the stored data show that honest work never leaves."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, Self

from membrane.domain.integrity.leaves import NO_CONTENT, Leaf
from membrane.domain.language.json_text import JsonObject


class FindingKind(StrEnum):
    meaning: str

    UNREADABLE = "unreadable", "an item cannot be read as the service wrote it"
    BROKEN_CHAIN = "broken_chain", "an audit entry was changed, removed or moved"
    TRUNCATED = "truncated", "the audit trail has fewer entries than an anchor recorded"
    REWRITTEN = (
        "rewritten",
        "the audit trail does not pass through the head that an anchor recorded",
    )
    CHANGED = "changed", "the content changed without an audit entry since an anchor"
    GONE = "gone", "an anchor has a leaf, but the table has neither the item nor a tombstone"
    ANCHOR_FORGED = "anchor_forged", "the signature or the chain of an anchor does not hold"
    ANCHOR_MISSING = (
        "anchor_missing",
        (
            "the bucket has an anchor that the table lacks: the table is an older copy, or the "
            "anchor was removed"
        ),
    )
    ANCHOR_ONLY_IN_TABLE = "anchor_only_in_table", "the table has an anchor that the bucket lacks"
    SHARDS_CHANGED = "shards_changed", "the stored leaves of an anchor do not have the signed root"
    HEAD_MISSING = "head_missing", "an active fact is not named by the head of its subject"
    EDGE_WITHOUT_INVERSE = "edge_without_inverse", "a relation has no edge at its target"
    EDGE_OUTDATED = (
        "edge_outdated",
        "the edge of a relation has a different scope or sensitivity than the record",
    )
    VECTOR_MISSING = "vector_missing", "a searchable record has no vector"
    NAME_MISSING = "name_missing", "an active entity is not found by a name that no other bears"
    BLOB_DAMAGED = "blob_damaged", "a large value is absent, or has a different SHA-256"

    def __new__(cls, word: str, meaning: str) -> Self:
        found = str.__new__(cls, word)
        found._value_ = word
        found.meaning = meaning
        return found


class Finding(NamedTuple):
    kind: FindingKind
    id: str
    """The id of a record, a topic or an anchor; of a lost item the digest of its id."""
    detail: str = ""
    is_repaired: bool = False

    def as_json(self) -> JsonObject:
        return {
            "kind": self.kind,
            "id": self.id,
            "meaning": self.kind.meaning,
            "detail": self.detail,
            "repaired": self.is_repaired,
        }


def departure_from(
    leaf: Leaf,
    present: Leaf,
    head_at: Callable[[int], bytes | None],
    content_at: Callable[[int], bytes],
    has_end_after: Callable[[int], bool],
) -> FindingKind | None:
    """How the present record or topic departs from an anchored leaf; None for honest work.

    `head_at` returns the digest of the hash of the entry at a position, None for a missing entry.
    `content_at` returns the digest of the content as of a number of entries, NO_CONTENT for an
    erased content. `has_end_after` says
    whether an entry after so many entries ends the record, so that the content may be gone.
    """
    if present.entries < leaf.entries:
        return FindingKind.TRUNCATED
    if head_at(leaf.entries - 1) != leaf.head:
        return FindingKind.REWRITTEN
    if present.entries == leaf.entries:
        return None if present.state == leaf.state else FindingKind.CHANGED
    if leaf.content == NO_CONTENT:
        return None
    if present.content == NO_CONTENT:
        return None if has_end_after(leaf.entries) else FindingKind.CHANGED
    found = content_at(leaf.entries)
    return None if found in (leaf.content, NO_CONTENT) else FindingKind.CHANGED
