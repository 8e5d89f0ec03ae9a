"""Verify the table page by page, in steps that keep no state: the caller carries the progress."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from membrane.domain.integrity.anchors import SHARDS, SignedAnchor
from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.usecases.integrity.verify_anchors import verify_anchors
from membrane.usecases.integrity.verify_derived import verify_derived
from membrane.usecases.integrity.verify_sources import (
    find_gone,
    load_records,
    place_of_record,
    seen_part,
    verify_record,
    verify_topics,
)
from membrane.usecases.machinery.anchored_leaves import AnchoredLeaves
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.ports.world import World

MAX_SEEN = 200_000
"""Records and topics of a step at most: the reply has 8 bytes for each, and 6 MB at most."""

MAX_FINDINGS = 5_000
"""Findings after which a step ends: a finding has about 250 bytes in the reply."""

PARTS = 16
"""Parts of the leaves in which the caller asks for what is gone."""


@dataclass(frozen=True, slots=True)
class VerifiedPages:
    findings: Sequence[Finding]
    seen: Sequence[bytes]
    """A part of the place of each visited record and topic, for `verify_gone`."""
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
    anchors = [AnchoredLeaves(each.anchor, world) for each in given]
    seen: list[bytes] = []
    while True:
        page = world.integrity.sources(after)
        findings += [Finding(FindingKind.UNREADABLE, each, "a stray item") for each in page.strays]
        records, unreadable = load_records(page.record_ids, world)
        findings += unreadable
        ids = [*(held.id for held in records), *(each.id for each in unreadable)]
        seen += [seen_part(place_of_record(each)) for each in ids]
        for held in records:
            findings += verify_record(held, anchors, world)
        findings += verify_derived(records, world, repair=repair)
        found, places = verify_topics(page.topic_ids, anchors, world)
        findings += found
        seen += map(seen_part, places)
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
    anchors = [AnchoredLeaves(each.anchor, world) for each in given]
    shards = range(part * size, (part + 1) * size)
    found, left_out = list[Finding](), 0
    for each in find_gone(shards, seen, anchors, world):
        if len(found) < MAX_FINDINGS:
            found.append(each)
        else:
            left_out += 1
    return found, left_out
