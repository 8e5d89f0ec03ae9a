"""Findings of a verification: what the stored data show that honest work never leaves."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from membrane.domain.integrity.leaves import NO_CONTENT, Leaf
from membrane.domain.language.json_text import JsonObject


class FindingKind(StrEnum):
    UNREADABLE = "unreadable"
    BROKEN_CHAIN = "broken_chain"
    TRUNCATED = "truncated"
    REWRITTEN = "rewritten"
    CHANGED = "changed"
    GONE = "gone"
    ANCHOR_FORGED = "anchor_forged"
    ANCHOR_MISSING = "anchor_missing"
    ANCHOR_ONLY_IN_TABLE = "anchor_only_in_table"
    SHARDS_CHANGED = "shards_changed"
    HEAD_MISSING = "head_missing"
    EDGE_WITHOUT_INVERSE = "edge_without_inverse"
    EDGE_OUTDATED = "edge_outdated"
    VECTOR_MISSING = "vector_missing"
    NAME_MISSING = "name_missing"
    BLOB_DAMAGED = "blob_damaged"


MEANINGS: Mapping[FindingKind, str] = {
    FindingKind.UNREADABLE: "an item cannot be read as the service wrote it",
    FindingKind.BROKEN_CHAIN: "an audit entry was changed, removed or moved",
    FindingKind.TRUNCATED: "the audit trail has fewer entries than an anchor recorded",
    FindingKind.REWRITTEN: "the audit trail does not pass through the head that an anchor recorded",
    FindingKind.CHANGED: "the content changed without an audit entry since an anchor",
    FindingKind.GONE: "an anchor has a leaf, but the table has neither the item nor a tombstone",
    FindingKind.ANCHOR_FORGED: "the signature or the chain of an anchor does not hold",
    FindingKind.ANCHOR_MISSING: (
        "the bucket has an anchor that the table lacks: the table is an older copy, or the anchor "
        "was removed"
    ),
    FindingKind.ANCHOR_ONLY_IN_TABLE: "the table has an anchor that the bucket lacks",
    FindingKind.SHARDS_CHANGED: "the stored leaves of an anchor do not have the signed root",
    FindingKind.HEAD_MISSING: "an active fact is not named by the head of its subject",
    FindingKind.EDGE_WITHOUT_INVERSE: "a relation has no edge at its target",
    FindingKind.EDGE_OUTDATED: (
        "the edge of a relation has a different scope or sensitivity than the record"
    ),
    FindingKind.VECTOR_MISSING: "a searchable record has no vector",
    FindingKind.NAME_MISSING: "an active entity is not found by a name that no other bears",
    FindingKind.BLOB_DAMAGED: "a large value is absent, or has a different SHA-256",
}


class Finding(NamedTuple):
    kind: FindingKind
    id: str
    """The id of a record, a topic or an anchor; of a lost item the digest of its id."""
    detail: str = ""
    is_repaired: bool = False

    @property
    def meaning(self) -> str:
        return MEANINGS[self.kind]

    def as_json(self) -> JsonObject:
        return {
            "kind": self.kind,
            "id": self.id,
            "meaning": self.meaning,
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
