"""Verify records and topics: the chain of each audit trail, and each against the anchors."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from membrane.domain.integrity.findings import Finding, FindingKind, departure_from
from membrane.domain.integrity.leaves import (
    NEVER_S,
    NO_CONTENT,
    Leaf,
    LeafKind,
    content_digest,
    head_digest,
    leaf_of_record,
    place_of,
    unpack_leaves,
)
from membrane.domain.language.timestamps import epoch_seconds, seconds_of
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.records import first_broken
from membrane.domain.records.stored import AnyRecord
from membrane.domain.topics import events
from membrane.domain.topics.leaves import leaf_of_topic
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.anchored_leaves import AnchoredLeaves, LeavesChangedError
from membrane.usecases.machinery.side_by_side import load_undamaged
from membrane.usecases.ports.world import World

SEEN_BYTES = 8
"""Bytes of a place by which a walk notes what it has seen."""

ENDINGS = (AuditAction.DELETE, AuditAction.DECAY)
"""Actions after which the content of a record may be gone."""

_IMPOSSIBLE = b""
"""The digest of a content that a damaged history cannot restore; equals no digest."""


def load_records(
    record_ids: Sequence[str], world: World
) -> tuple[Sequence[AnyRecord], list[Finding]]:
    """The records, with complete trails and histories; a finding for each damaged record."""
    found, damaged = load_undamaged(
        record_ids,
        lambda ids: world.records.load_each(ids, whole=True),
        lambda record_id: world.records.load(record_id, whole=True),
    )
    return list(found.values()), [_unreadable(each, error) for each, error in damaged.items()]


def verify_record(
    held: AnyRecord, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[Finding]:
    """The findings of a record that was loaded whole."""
    broken = first_broken(held.id, held.trail, held.written_entries)
    if broken is not None:
        yield Finding(FindingKind.BROKEN_CHAIN, held.id, f"entry {broken}")

    def head_at(position: int) -> bytes | None:
        trail = held.trail
        return head_digest(trail[position].hash) if position < len(trail) else None

    def content_at(entries: int) -> bytes:
        try:
            return content_digest(held, entries)
        except ValueError:
            return _IMPOSSIBLE

    def has_end_after(entries: int) -> bool:
        return any(entry.action in ENDINGS for entry in held.trail[entries:])

    try:
        present = leaf_of_record(held)
    except ValueError as error:
        yield _unreadable(held.id, error)
        return
    for leaf, instant in _leaves_of(present, anchors, world):
        kind = departure_from(leaf, present, head_at, content_at, has_end_after)
        if kind is not None:
            yield Finding(kind, held.id, f"the anchor of {instant}")
            return


def verify_topics(
    topic_ids: Sequence[str],
    anchors: Sequence[AnchoredLeaves],
    world: World,
) -> tuple[list[Finding], list[bytes]]:
    """The findings, and the places of the topics that there are."""
    found, damaged = load_undamaged(topic_ids, world.topics.load_all, world.topics.load)
    findings = [_unreadable(each, error) for each, error in damaged.items()]
    for topic in found.values():
        findings += _verify_topic(topic, anchors, world)
    return findings, [place_of(LeafKind.TOPIC, each) for each in (*found, *damaged)]


def _verify_topic(
    topic: Topic, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[Finding]:
    trail = world.topics.events(topic)
    broken = events.first_broken(topic.id, trail, topic.events)
    if broken is not None:
        yield Finding(FindingKind.BROKEN_CHAIN, topic.id, f"event {broken}")

    def head_at(position: int) -> bytes | None:
        return head_digest(trail[position].hash) if position < len(trail) else None

    present = leaf_of_topic(topic)
    for leaf, instant in _leaves_of(present, anchors, world):
        # a topic's leaf has no content of earlier events, and no event ends a topic
        kind = departure_from(leaf, present, head_at, lambda _: NO_CONTENT, lambda _: False)
        if kind is not None:
            yield Finding(kind, topic.id, f"the anchor of {instant}")
            return


def _leaves_of(
    present: Leaf, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[tuple[Leaf, str]]:
    """The leaves of the place that count, with the instants of the anchors.

    A new record may have the id of a record whose tombstone has expired.
    """
    found = []
    for each in anchors:
        with suppress(LeavesChangedError):  # `verify_anchors` reports the damage
            leaf = each.find(present.place)
            if leaf is not None:
                found.append((leaf, each.anchor.instant))
    for index, (leaf, instant) in enumerate(found):
        if _is_over(leaf, found[index + 1 :], world):
            return
        yield leaf, instant


def _is_over(leaf: Leaf, older: Sequence[tuple[Leaf, str]], world: World) -> bool:
    """Whether the tombstone has expired, and was made no later than the expiry allows.

    A tombstone lasts for the shorter retention at least. So the expiry is forged if an older
    anchor within that time still has a leaf without a tombstone.
    """
    now_s = epoch_seconds(world.now())
    retention = min(world.retention.tombstone, world.retention.episodic_tombstone)
    return leaf.is_over(now_s) and not any(
        each.expires_at_s == NEVER_S and seconds_of(instant) + retention.total_seconds() > now_s
        for each, instant in older
    )


def place_of_record(record_id: str) -> bytes:
    return place_of(LeafKind.RECORD, record_id)


def seen_part(place: bytes) -> bytes:
    return place[:SEEN_BYTES]


def find_gone(
    shards: Sequence[int],
    seen: Collection[bytes],
    anchors: Sequence[AnchoredLeaves],
    world: World,
) -> Iterator[Finding]:
    """Leaves of the shards whose places the walk has not seen, and whose tombstones still last.

    The newest leaf of a place decides. A leaf has no id: the finding has the digest.
    """
    for shard in shards:
        unseen: dict[bytes, list[tuple[Leaf, str]]] = {}
        for each in anchors:
            for leaf in _readable_leaves(each, shard):
                if seen_part(leaf.place) not in seen:
                    unseen.setdefault(leaf.place, []).append((leaf, each.anchor.instant))
        for place, [(newest, instant), *older] in unseen.items():
            if not _is_over(newest, older, world):
                yield Finding(FindingKind.GONE, place.hex(), f"the anchor of {instant}")


def _readable_leaves(anchored: AnchoredLeaves, shard: int) -> Iterator[Leaf]:
    """The leaves of the shard; `verify_anchors` reports a shard that is damaged."""
    with suppress(LeavesChangedError):
        yield from unpack_leaves(anchored.read_shard(shard))


def _unreadable(source_id: str, error: Exception) -> Finding:
    return Finding(FindingKind.UNREADABLE, source_id, type(error).__name__)
