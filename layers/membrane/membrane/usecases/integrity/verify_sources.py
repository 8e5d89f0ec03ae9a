"""Verify records and topics: the chain of each audit trail, and each against the anchors."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from membrane.domain.integrity.findings import Finding, FindingKind, departure_from
from membrane.domain.integrity.leaves import (
    NO_CONTENT,
    Leaf,
    content_digest,
    head_digest,
    leaf_of_record,
    unpack_leaves,
)
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records import audit
from membrane.domain.records.stored import AnyRecord
from membrane.domain.topics import events
from membrane.domain.topics.leaves import leaf_of_topic
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.anchored_leaves import AnchoredLeaves, LeavesChangedError
from membrane.usecases.machinery.load_batch import load_undamaged
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.topics import TopicStore

SEEN_BYTES = 8
"""Bytes of a place by which a walk notes what it has seen."""

_IMPOSSIBLE = b""
"""The digest of a content that a damaged history cannot restore; equals no digest."""


def load_records(
    record_ids: Sequence[str], services: Services
) -> tuple[Sequence[AnyRecord], list[Finding]]:
    """The records, with complete trails and histories; a finding for each damaged record."""
    found, damaged = load_undamaged(
        record_ids,
        lambda ids: services.records.load_all(ids, whole=True),
        lambda record_id: services.records.load(record_id, whole=True),
    )
    return list(found.values()), [_unreadable(each, error) for each, error in damaged.items()]


def verify_record(
    held: AnyRecord, anchors: Sequence[AnchoredLeaves], services: Services
) -> Iterator[Finding]:
    """The findings of a record that was loaded whole."""
    broken = audit.first_broken(held.id, held.trail, held.written_entries)
    if broken is not None:
        yield Finding(FindingKind.BROKEN_CHAIN, held.id, f"entry {broken}")

    def head_at(position: int) -> bytes | None:
        trail = held.trail
        return head_digest(trail[position].hash) if position < len(trail) else None

    def content_at(entries: int) -> bytes:
        try:
            return content_digest(held, entries)
        except (ValueError, KeyError, TypeError, IndexError):
            return _IMPOSSIBLE

    present = leaf_of_record(held)
    for leaf, instant in _leaves_of(present, anchors, services):
        kind = departure_from(leaf, present, head_at, content_at)
        if kind is not None:
            yield Finding(kind, held.id, f"the anchor of {instant}")
            return


def verify_topics(
    topic_ids: Sequence[str],
    anchors: Sequence[AnchoredLeaves],
    topics: TopicStore,
    services: Services,
) -> Iterator[Finding]:
    found, damaged = load_undamaged(topic_ids, topics.load_all, topics.load)
    yield from (_unreadable(each, error) for each, error in damaged.items())
    for topic in found.values():
        yield from _verify_topic(topic, anchors, topics, services)


def _verify_topic(
    topic: Topic, anchors: Sequence[AnchoredLeaves], topics: TopicStore, services: Services
) -> Iterator[Finding]:
    trail = topics.events(topic)
    broken = events.first_broken(topic.id, trail, topic.events)
    if broken is not None:
        yield Finding(FindingKind.BROKEN_CHAIN, topic.id, f"event {broken}")

    def head_at(position: int) -> bytes | None:
        return head_digest(trail[position].hash) if position < len(trail) else None

    present = leaf_of_topic(topic)
    for leaf, instant in _leaves_of(present, anchors, services):
        kind = departure_from(leaf, present, head_at, _no_content)
        if kind is not None:
            yield Finding(kind, topic.id, f"the anchor of {instant}")
            return


def _no_content(_entries: int) -> bytes:
    """A topic's leaf has no content of earlier events."""
    return NO_CONTENT


def _leaves_of(
    present: Leaf, anchors: Sequence[AnchoredLeaves], services: Services
) -> Iterator[tuple[Leaf, str]]:
    """The leaves of the place that count, with the instants of the anchors.

    A new record may have the id of a record whose tombstone has expired.
    """
    now_s = epoch_seconds(services.now())
    for each in anchors:
        try:
            leaf = each.find(present.place)
        except LeavesChangedError:  # `verify_anchors` reports the damage
            continue
        if leaf is not None and leaf.is_over(now_s):
            return
        if leaf is not None:
            yield leaf, each.anchor.instant


def seen_part(place: bytes) -> bytes:
    return place[:SEEN_BYTES]


def find_gone(
    shards: Sequence[int],
    seen: Collection[bytes],
    anchors: Sequence[AnchoredLeaves],
    services: Services,
) -> Iterator[Finding]:
    """Leaves of the shards whose places the walk has not seen, and whose tombstones still last.

    The newest leaf of a place decides. A leaf has no id: the finding has the digest.
    """
    now_s = epoch_seconds(services.now())
    met: set[bytes] = set()
    for each in anchors:
        for leaf in _readable_leaves(each, shards):
            is_new = leaf.place not in met
            met.add(leaf.place)
            if is_new and seen_part(leaf.place) not in seen and not leaf.is_over(now_s):
                detail = f"the anchor of {each.anchor.instant}"
                yield Finding(FindingKind.GONE, leaf.place.hex(), detail)


def _readable_leaves(anchored: AnchoredLeaves, shards: Sequence[int]) -> Iterator[Leaf]:
    """The leaves of the shards; `verify_anchors` reports a shard that is damaged."""
    for shard in shards:
        with suppress(LeavesChangedError):
            yield from unpack_leaves(anchored.shard(shard))


def _unreadable(source_id: str, error: Exception) -> Finding:
    return Finding(FindingKind.UNREADABLE, source_id, type(error).__name__)
