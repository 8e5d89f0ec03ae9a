"""Verify records, topics and documents: the chain of each, and each against the anchors."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain

from membrane.domain.documents import model
from membrane.domain.documents.items import Chunk
from membrane.domain.documents.leaves import has_ended, leaf_of_part, place_of_list
from membrane.domain.integrity import leaves
from membrane.domain.integrity.findings import Finding, FindingKind, departure_from
from membrane.domain.language.timestamps import epoch_seconds, seconds_of
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records import records
from membrane.domain.records.stored import AnyRecord
from membrane.domain.topics import events
from membrane.domain.topics.form import leaf_of_topic
from membrane.domain.topics.topic import Topic
from membrane.table.items import CorruptItem
from membrane.usecases.integrity.verify_derived import is_intact
from membrane.usecases.machinery.anchored_leaves import AnchoredLeaves, LeavesChangedError
from membrane.usecases.machinery.calls import load_undamaged
from membrane.usecases.ports.world import World

SEEN_BYTES = 8
"""Bytes of a place by which a walk notes what it has seen."""

ENDINGS = (AuditAction.DELETE, AuditAction.DECAY)
"""Actions after which the content of a record may be gone."""

_IMPOSSIBLE = b""
"""The digest of a content that a damaged history cannot restore; equals no digest."""

_TRIES = 3
"""Times that a document is verified which writers change meanwhile."""


def load_records(
    record_ids: Sequence[str], world: World
) -> tuple[Sequence[AnyRecord], list[Finding]]:
    """The records, with complete trails and histories; a finding for each damaged record."""
    found, damaged = load_undamaged(record_ids, partial(world.records.load_each, whole=True))
    return list(found.values()), [_unreadable(each, error) for each, error in damaged.items()]


def verify_record(
    held: AnyRecord, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[Finding]:
    """The findings of a record that was loaded whole."""
    broken = records.first_broken(held.id, held.trail, held.written_entries)
    if broken is not None:
        yield Finding(FindingKind.BROKEN_CHAIN, held.id, f"entry {broken}")

    def head_at(position: int) -> bytes | None:
        trail = held.trail
        return leaves.head_digest(trail[position].hash) if position < len(trail) else None

    def content_at(entries: int) -> bytes:
        try:
            return leaves.content_digest(held, entries)
        except ValueError:
            return _IMPOSSIBLE

    def has_end_after(entries: int) -> bool:
        return any(entry.action in ENDINGS for entry in held.trail[entries:])

    try:
        present = leaves.leaf_of_record(held)
    except ValueError as error:
        yield _unreadable(held.id, error)
        return

    def departs(leaf: leaves.Leaf) -> FindingKind | None:
        return departure_from(leaf, present, head_at, content_at, has_end_after)

    yield from _departure(held.id, present, departs, anchors, world)


def verify_topics(
    topic_ids: Sequence[str],
    anchors: Sequence[AnchoredLeaves],
    world: World,
) -> tuple[list[Finding], list[bytes]]:
    """The findings, and the places of the topics that there are."""
    found, damaged = load_undamaged(topic_ids, world.topics.load_all)
    findings = [_unreadable(each, error) for each, error in damaged.items()]
    for topic in found.values():
        findings += _verify_topic(topic, anchors, world)
    return findings, [leaves.place_of(leaves.LeafKind.TOPIC, each) for each in (*found, *damaged)]


def _verify_topic(
    topic: Topic, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[Finding]:
    trail = world.topics.events(topic)
    broken = events.first_broken(topic.id, trail, topic.events)
    if broken is not None:
        yield Finding(FindingKind.BROKEN_CHAIN, topic.id, f"event {broken}")

    def head_at(position: int) -> bytes | None:
        return leaves.head_digest(trail[position].hash) if position < len(trail) else None

    present = leaf_of_topic(topic)
    # a topic's leaf has no content of earlier events, and no event ends a topic
    departs = partial(_without_content, present, head_at)
    yield from _departure(topic.id, present, departs, anchors, world)


def verify_documents(
    parts: Sequence[tuple[str, model.Document | Chunk | model.Ending]],
    anchors: Sequence[AnchoredLeaves],
    world: World,
) -> tuple[list[Finding], list[bytes]]:
    """The findings, and the places of what there is, was removed or has ended as it should."""
    findings: list[Finding] = []
    places: list[bytes] = []
    for place_id, part in parts:
        own, place = _id_of(place_id), leaves.place_of(leaves.LeafKind.DOCUMENT, place_id)
        try:
            match part:
                case model.Document():
                    places += [place, *([place_of_list(place_id)] if part.is_deleted else [])]
                    findings += _verify_unchanged(part, anchors, world)
                case Chunk():
                    present = leaf_of_part(place_id, part)
                    places.append(present.place)
                    findings += _verify_chunk(own, part.start, present, anchors, world)
                case model.Ending():
                    newest = next(_leaves_of(place, anchors, world), None)
                    if newest and has_ended(newest[0], part, epoch_seconds(world.now())):
                        places.append(place)
        except (CorruptItem, KeyError, ValueError) as error:
            findings.append(_unreadable(own, error))
    return findings, places


def _verify_chunk(
    own: str, start: int, present: leaves.Leaf, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[Finding]:
    departs = partial(_without_content, present, lambda _: present.head)
    yield from _departure(own, present, departs, anchors, world, f", items from {start}")


def _verify_unchanged(
    document: model.Document, anchors: Sequence[AnchoredLeaves], world: World
) -> list[Finding]:
    """The findings of a document; once more after a writer has changed the document meanwhile."""
    found: list[Finding] = []
    for _ in range(_TRIES):
        found = [*_verify_document(document, anchors, world)]
        present = world.documents.load(document.place) if found else document
        if present is None:
            return []
        if present.writes == document.writes:
            break
        document = present
    return found


def _verify_document(
    document: model.Document, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[Finding]:
    place, own = document.place, _id_of(document.place.id)
    where = f", {'/'.join((*place.namespace, place.key))} in scope {place.scope or '-'}"
    now_s, kept_s = epoch_seconds(world.now()), world.retention.tombstone.total_seconds()
    heads: dict[int, bytes] = {}
    broken, is_erased = None, False
    later: model.Versions = ()
    former = world.documents.former(document, document.versions[0].entry.version)
    for versions in chain([document.versions], former):
        broken = model.first_broken(place, (*versions, *later[:1])) or broken
        for entry, value in reversed(versions):
            heads[entry.version] = leaves.head_digest(entry.hash)
            is_erased = is_erased or entry.action is model.DocumentAction.ERASE
            if not (entry.salt or is_erased):
                broken = entry.version
            if isinstance(value, LargeValue) and not is_intact(value, world):
                yield Finding(FindingKind.BLOB_DAMAGED, own, f"{value.sha256}{where}")
        later = versions
        if seconds_of(versions[0].entry.at) + kept_s <= now_s:
            break  # what is older lies beside no longer
    else:
        broken = min(heads) - 1 or broken
    if broken is not None:
        yield Finding(FindingKind.BROKEN_CHAIN, own, f"version {broken}{where}")
    present = leaf_of_part(place.id, document)

    def departs(leaf: leaves.Leaf) -> FindingKind | None:
        expired = leaf.head if leaf.entries < min(heads) else None
        kind = _without_content(present, lambda at: heads.get(at + 1, expired), leaf)
        has_earlier_end = kind and any(has_ended(leaf, each, now_s) for each in earlier_endings())
        return None if has_earlier_end else kind

    @cache
    def earlier_endings() -> Sequence[model.Ending]:
        endings = world.documents.endings(place.id)
        return [each for each in endings if each.born_s != document.born_s]

    yield from _departure(own, present, departs, anchors, world, where)


def _id_of(place_id: str) -> str:
    return f"doc.{place_id}"


def _without_content(
    present: leaves.Leaf, head_at: Callable[[int], bytes | None], leaf: leaves.Leaf
) -> FindingKind | None:
    """How a topic, document or chunk departs: its leaf has no content that a history restores."""
    return departure_from(leaf, present, head_at, lambda _: leaf.content, lambda _: False)


def _departure(  # noqa: PLR0917 - of what, from what, over which ports
    source_id: str,
    present: leaves.Leaf,
    departs: Callable[[leaves.Leaf], FindingKind | None],
    anchors: Sequence[AnchoredLeaves],
    world: World,
    where: str = "",
) -> Iterator[Finding]:
    """The newest anchored leaf from which the present leaf departs."""
    for leaf, instant in _leaves_of(present.place, anchors, world):
        kind = departs(leaf)
        if kind is not None:
            yield Finding(kind, source_id, f"the anchor of {instant}{where}")
            return


def _leaves_of(
    place: bytes, anchors: Sequence[AnchoredLeaves], world: World
) -> Iterator[tuple[leaves.Leaf, str]]:
    """The place's leaves of the present life, with the instants of the anchors."""
    found = []
    for each in anchors:
        with suppress(LeavesChangedError):  # `verify_anchors` reports the damage
            leaf = each.find(place)
            if leaf is not None:
                found.append((leaf, each.anchor.instant))
    for index, (leaf, instant) in enumerate(found):
        if _is_over(leaf, found[index + 1 :], world):
            return
        yield leaf, instant


def _is_over(leaf: leaves.Leaf, older: Sequence[tuple[leaves.Leaf, str]], world: World) -> bool:
    """Whether the tombstone has expired, and was made no later than the expiry allows.

    A tombstone lasts for the shorter retention at least. So the expiry is forged if an older
    anchor within that time still has a leaf without a tombstone. The end of a document moves
    forward with a new version alone, and the end of a chunk with a new revision.
    """
    now_s = epoch_seconds(world.now())
    if leaf.content.startswith(leaves.UNKEPT):
        same = [each for each, _ in older if each[:3] == leaf[:3]]
        return leaf.is_over(now_s) and all(each.is_over(leaf.expires_at_s) for each in same)
    retention = min(world.retention.tombstone, world.retention.episodic_tombstone)
    return leaf.is_over(now_s) and not any(
        each.expires_at_s == leaves.NEVER_S
        and seconds_of(instant) + retention.total_seconds() > now_s
        for each, instant in older
    )


def place_of_record(record_id: str) -> bytes:
    return leaves.place_of(leaves.LeafKind.RECORD, record_id)


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
        unseen: dict[bytes, list[tuple[leaves.Leaf, str]]] = {}
        for each in anchors:
            for leaf in _readable_leaves(each, shard):
                if seen_part(leaf.place) not in seen:
                    unseen.setdefault(leaf.place, []).append((leaf, each.anchor.instant))
        for place, [(newest, instant), *older] in unseen.items():
            of_list = newest.content.removeprefix(leaves.UNKEPT)
            if seen_part(of_list) not in seen and not _is_over(newest, older, world):
                yield Finding(FindingKind.GONE, place.hex(), f"the anchor of {instant}")


def _readable_leaves(anchored: AnchoredLeaves, shard: int) -> Iterator[leaves.Leaf]:
    """The leaves of the shard; `verify_anchors` reports a shard that is damaged."""
    with suppress(LeavesChangedError):
        yield from leaves.unpack_leaves(anchored.read_shard(shard))


def _unreadable(source_id: str, error: Exception) -> Finding:
    return Finding(FindingKind.UNREADABLE, source_id, type(error).__name__)
