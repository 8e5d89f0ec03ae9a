"""Verify the table page by page, in steps that keep no state: the caller carries the progress."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from membrane.domain.integrity.anchors import SHARDS, Anchor, SignedAnchor
from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.usecases.integrity import verify_sources
from membrane.usecases.integrity.anchor_table import KEPT, progress_of_anchor
from membrane.usecases.integrity.verify_derived import verify_derived
from membrane.usecases.machinery import anchored_leaves
from membrane.usecases.machinery.calls import IsOutOfTime
from membrane.usecases.ports.world import World

Copies = Mapping[str, SignedAnchor | None]
"""Anchors by instant; None for an item that is no anchor of this instant."""


def verify_anchors(world: World) -> tuple[list[Finding], list[SignedAnchor]]:
    """The findings of all anchors; and the newest genuine anchors that keep leaves, newest first.

    A genuine anchor has a valid signature, or is named by hash in the genuine anchor after.
    """
    in_table = _in_table(world)
    in_bucket = {each.anchor.instant: each for each in anchored_leaves.anchors_in_bucket(world)}
    found = [*_lacking(in_table, in_bucket, world)]
    genuine = _genuine(in_table, in_bucket, world)
    forged = (in_table.keys() | in_bucket.keys()) - genuine.keys()
    found += [Finding(FindingKind.ANCHOR_FORGED, each, "the signature") for each in sorted(forged)]
    ordered = [genuine[instant] for instant in sorted(genuine)]
    found += _breaks_in([each.anchor for each in ordered])
    newest_first = ordered[-KEPT:][::-1]
    for signed in newest_first:
        damage = _damage_of_leaves(anchored_leaves.AnchoredLeaves(signed.anchor, world))
        if not damage:
            continue
        newest = world.integrity.newest_anchors(KEPT)  # leaves of others may be gone by now
        if any(each.instant == signed.anchor.instant for each in newest):
            found += damage
    return found, newest_first


def _in_table(world: World) -> dict[str, SignedAnchor | None]:
    return {each.instant: each.signed for each in world.integrity.newest_anchors()}


def _genuine(in_table: Copies, in_bucket: Copies, world: World) -> dict[str, SignedAnchor]:
    """The genuine anchors by instant, from the newest back."""
    genuine: dict[str, SignedAnchor] = {}
    named: tuple[str | None, str] = (None, "")
    for instant in sorted(in_table.keys() | in_bucket.keys(), reverse=True):
        copies = [each[instant] for each in (in_table, in_bucket) if instant in each]
        signed = next((each for each in copies if _is_genuine(each, named, world)), None)
        if signed is None or any(each is None or each.anchor != signed.anchor for each in copies):
            continue
        genuine[instant] = signed
        named = (signed.anchor.previous, signed.anchor.previous_hash)
    return genuine


def _is_genuine(signed: SignedAnchor | None, named: tuple[str | None, str], world: World) -> bool:
    """Whether the genuine anchor after names the anchor, or the signature holds."""
    if signed is None:
        return False
    return (signed.anchor.instant, signed.anchor.hash) == named or anchored_leaves.is_signed(
        signed, world
    )


def _lacking(in_table: Copies, in_bucket: Copies, world: World) -> Iterator[Finding]:
    """Anchors with one copy, without an anchor that a run is about to keep."""
    only_in_bucket = in_bucket.keys() - in_table.keys()
    if only_in_bucket:
        progress = progress_of_anchor(world)
        under_way = None if progress is None or progress.is_done else progress.instant
        only_in_bucket -= {under_way, *_in_table(world)}
    for instant in sorted(only_in_bucket):
        yield Finding(FindingKind.ANCHOR_MISSING, instant)
    for instant in sorted(in_table.keys() - in_bucket.keys()):
        yield Finding(FindingKind.ANCHOR_ONLY_IN_TABLE, instant)


def _breaks_in(ordered: Sequence[Anchor]) -> Iterator[Finding]:
    """Breaks of the chain; the first anchor has no anchor before."""
    for first in ordered[:1]:
        if first.previous is not None:
            yield Finding(FindingKind.ANCHOR_FORGED, first.instant, "the anchor before is gone")
    for before, after in pairwise(ordered):
        if (after.previous, after.previous_hash) != (before.instant, before.hash):
            yield Finding(FindingKind.ANCHOR_FORGED, after.instant, "the chain of anchors")


def _damage_of_leaves(leaves: anchored_leaves.AnchoredLeaves) -> list[Finding]:
    try:
        leaves.roots()
    except anchored_leaves.LeavesChangedError as error:
        return [Finding(FindingKind.SHARDS_CHANGED, leaves.anchor.instant, str(error))]
    found = []
    for shard in range(SHARDS):
        try:
            leaves.read_shard(shard)
        except anchored_leaves.LeavesChangedError as error:
            found.append(Finding(FindingKind.SHARDS_CHANGED, leaves.anchor.instant, str(error)))
    return found


MAX_SEEN = 200_000
"""Records, topics and documents of a step at most: each has 8 bytes in the reply, of 6 MB."""

MAX_FINDINGS = 5_000
"""Findings after which a step ends: a finding has about 250 bytes in the reply."""

PARTS = 16
"""Parts of the leaves in which the caller asks for what is gone."""


@dataclass(frozen=True, slots=True)
class VerifiedPages:
    findings: Sequence[Finding]
    seen: Sequence[bytes]
    """A part of the place of each visited record, topic and document, for `verify_gone`."""
    anchors: Sequence[SignedAnchor]
    """The anchors that every step compares with."""
    next: str | None
    """The start of the next step; None at the end of the table."""


def verify_pages(
    after: str | None,
    given: Sequence[SignedAnchor],
    world: World,
    is_out_of_time: IsOutOfTime,
    *,
    repair: bool = False,
) -> VerifiedPages:
    """The findings of the next pages, at least one.

    The first step verifies the anchors as well, and chooses the anchors that later steps are
    `given`: an anchor that is made meanwhile has leaves that the walk has not seen. `repair` writes
    again what the service derives from records: see `verify_derived`.
    """
    findings: list[Finding] = []
    if after is None:
        findings, given = verify_anchors(world)
    anchors = [anchored_leaves.AnchoredLeaves(each.anchor, world) for each in given]
    seen: list[bytes] = []
    while True:
        page = world.integrity.sources(after)
        findings += [Finding(FindingKind.UNREADABLE, *each) for each in page.unreadable]
        records, unreadable = verify_sources.load_records(page.record_ids, world)
        findings += unreadable
        ids = [*(held.id for held in records), *(each.id for each in unreadable)]
        seen += [verify_sources.seen_part(verify_sources.place_of_record(each)) for each in ids]
        for held in records:
            findings += verify_sources.verify_record(held, anchors, world)
        findings += verify_derived(records, world, repair=repair)
        found, places = verify_sources.verify_topics(page.topic_ids, anchors, world)
        findings += found
        of_documents, places_of_parts = verify_sources.verify_documents(
            page.of_documents, anchors, world
        )
        findings += of_documents
        seen += map(verify_sources.seen_part, [*places, *places_of_parts])
        after = page.next
        is_full = len(seen) >= MAX_SEEN or len(findings) >= MAX_FINDINGS
        if after is None or is_full or is_out_of_time():
            return VerifiedPages(findings, seen, given, after)


def verify_gone(
    part: int, seen: Collection[bytes], given: Sequence[SignedAnchor], world: World
) -> tuple[Sequence[Finding], int]:
    """What the anchors hold of a part of the leaves and the walk has not seen.

    MAX_FINDINGS of them at most; and the number of those left out.
    """
    size = SHARDS // PARTS
    anchors = [anchored_leaves.AnchoredLeaves(each.anchor, world) for each in given]
    shards = range(part * size, (part + 1) * size)
    found, left_out = list[Finding](), 0
    for each in verify_sources.find_gone(shards, seen, anchors, world):
        if len(found) < MAX_FINDINGS:
            found.append(each)
        else:
            left_out += 1
    return found, left_out
