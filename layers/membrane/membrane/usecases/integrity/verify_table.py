"""Verify the table page by page, in steps that keep no state: the caller carries the progress."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.integrity.anchors import SHARDS
from membrane.domain.integrity.findings import Finding
from membrane.domain.integrity.leaves import LeafKind, place_of
from membrane.usecases.integrity.verify_anchors import trusted_leaves, verify_anchors
from membrane.usecases.integrity.verify_derived import verify_derived
from membrane.usecases.integrity.verify_sources import (
    find_gone,
    load_records,
    seen_part,
    verify_record,
    verify_topics,
)
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.topics import TopicStore

MAX_SEEN = 200_000
"""Records and topics of a step at most: the reply has 8 bytes for each, and 6 MB at most."""

PARTS = 16
"""Parts of the leaves in which the caller asks for what is gone."""


@dataclass(frozen=True, slots=True)
class VerifiedPages:
    findings: Sequence[Finding]
    seen: Sequence[bytes]
    """A part of the place of each visited record and topic, for `verify_gone`."""
    next: str | None
    """The start of the next step; None at the end of the table."""


def verify_pages(
    after: str | None,
    services: Services,
    topics: TopicStore,
    is_out_of_time: IsOutOfTime,
    *,
    repair: bool = False,
) -> VerifiedPages:
    """The findings of the next pages, at least one; the first step verifies the anchors as well.

    `repair` writes again what the service derives from records: see `verify_derived`.
    """
    findings = verify_anchors(services) if after is None else []
    anchors = trusted_leaves(services)
    seen: list[bytes] = []
    while True:
        page = services.integrity.sources(after)
        seen += [seen_part(place_of(LeafKind.RECORD, each)) for each in page.record_ids]
        seen += [seen_part(place_of(LeafKind.TOPIC, each)) for each in page.topic_ids]
        records, unreadable = load_records(page.record_ids, services)
        findings += unreadable
        for held in records:
            findings += verify_record(held, anchors, services)
        findings += verify_derived(records, services, repair=repair)
        findings += verify_topics(page.topic_ids, anchors, topics, services)
        after = page.next
        if after is None or len(seen) >= MAX_SEEN or is_out_of_time():
            return VerifiedPages(findings, seen, after)


def verify_gone(part: int, seen: frozenset[bytes], services: Services) -> Sequence[Finding]:
    """What the anchors hold of a part of the leaves and the walk has not seen."""
    size = SHARDS // PARTS
    shards = range(part * size, (part + 1) * size)
    return list(find_gone(shards, seen, trusted_leaves(services), services))
