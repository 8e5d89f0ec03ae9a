"""The revisions of topics: a log ordered by `valid_from` that takes values of the past.

    rev#<line>#<valid>#<recorded>#<order>#<id>   a revision
    stored#<line>#<digest>                       an archive: revisions in the bucket

A revision is an item beside the head of the topic under which its line was written.
`docs/decisions.md` says why the `Log` of `table.entity` does not hold revisions.

A value of a revision is stored under `value`, a value in the bucket under `large`: no value of a
caller can pose as a reference into the bucket.
"""

import hashlib
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from membrane.adapters.dynamodb.topics import topic_items
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.values import LargeValue
from membrane.domain.topics import form
from membrane.domain.topics.topic import Archive, Line, LineKey, Revision, key_of
from membrane.table import items
from membrane.table.blobs import VALUES, BlobStore, Packing, text_in
from membrane.table.keys import blob_name
from membrane.table.long import See
from membrane.usecases.ports.topics import TopicChange

REVISION = "rev#"

ARCHIVE = "stored#"
"""Sorts after REVISION, for readers of a whole partition.

A reader may miss a revision that moves into an archive meanwhile; the item that names the archive
is then still to come.
"""

_AFTER_ALL = "~"
"""Sorts after every digit and letter."""

_YEAR_1 = datetime(1, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class TopicRevisions(topic_items.TopicKind):
    """The part of DynamoTopics about revisions."""

    def history(
        self,
        line: Line,
        *,
        limit: int | None = None,
        until: str | None = None,
        oldest_first: bool = False,
    ) -> Sequence[Revision]:
        """At most `limit` revisions of a line in the table, ordered by `Revision.place`.

        The newest first unless `oldest_first`; with a `valid_from` of `until` at the latest. One
        Query a megabyte, of the requested revisions only.
        """
        last = datetime.max.replace(tzinfo=UTC) if until is None else datetime.fromisoformat(until)
        first = revisions_of(line.id)
        span = first, f"{first}{_micros(last)}#{_AFTER_ALL}"

        def read(see: See) -> list[Revision]:
            partition, backwards = topic_items.topic_partition(line.topic_id), not oldest_first
            found = self.between(partition, *span, limit=limit, backwards=backwards)
            revisions = (revision_in(item, self.blobs) for item in see(found))
            valid = (
                each for each in revisions if not until or not is_before(until, each.valid_from)
            )
            return list(islice(valid, limit))

        return self.long.read_whole(read)

    def find_revisions(
        self, places: Sequence[tuple[Line, Revision]]
    ) -> Sequence[tuple[Line, Revision]]:
        """The whole revisions at the places, as far as stored in the table, in few requests.

        A place is a line and a revision without the value. A strongly consistent BatchGetItem for
        100 places.
        """
        keys = [revision_key(*each) for each in places]
        lines = {items.place_in(key): line for key, (line, _) in zip(keys, places, strict=True)}

        return self.long.read_whole(
            lambda see: [
                (lines[items.place_in(item)], revision_in(item, self.blobs))
                for item in see(self.items_at(keys))
            ]
        )

    def load_archive(self, line: Line, archive: Archive) -> Sequence[Revision]:
        """The revisions of an archive, newest first; raises CorruptItem. One GetObject."""
        item = _archive_key(line, archive)
        packed = self.blobs.get(archive_blob(line, archive)) or zlib.compress(b"")
        content = text_in(item | {"archive": items.binary(packed)}, "archive")
        if hashlib.sha256(content.encode()).hexdigest() != archive.sha256:
            raise items.CorruptItem(item, "the archive is absent or altered")
        listed = items.parse_text(item, "archive", content, list)
        with items.raising_corrupt_item(item):
            return [*map(form.revision_of_json, listed)]

    def written_lines(self, topic_id: str) -> frozenset[str]:
        """The ids of the lines in the partition of the topic.

        Archived revisions count, and revisions of unfinished changes. One Query a megabyte of the
        whole partition.
        """
        lines = map(_line_of, self.items_of_topic(topic_id))
        return frozenset(each for each in lines if each is not None)

    def forget_lines(self, topic_id: str, line_ids: Collection[str]) -> None:
        """Remove all revisions of lines in the partition of the topic, with archives and values.

        A blob that the rest of the partition names stays. One Query a megabyte of the whole
        partition; blobs first, then items in transactions.
        """
        if not line_ids:
            return
        leaving: list[items.Item] = []
        blobs: set[str] = set()
        named: set[str] = set()
        for item in self.settled_items(topic_id):
            if _line_of(item) in line_ids:
                leaving.append(item)
                blobs |= topic_items.blobs_of(item)
            else:
                named |= topic_items.blobs_of(item)
        for name in sorted(blobs - named):
            self.blobs.erase(name)
        self.delete([items.key_in(item) for item in leaving])


def revision_key(line: Line, revision: Revision) -> dict[str, items.Value]:
    """Sorts the revisions of a line by `Revision.place`, in microseconds since the year 1."""
    valid, recorded, order = revision.place
    place = f"{_micros(valid)}#{_micros(recorded)}#{order:020d}#{revision.id}"
    return topic_items.topic_key(line.topic_id, f"{revisions_of(line.id)}{place}")


def revision_item(line: Line, revision: Revision) -> Packing:
    """The item of a revision, in the partition of the line's topic."""
    item = revision_key(line, revision) | _names(_large_in([revision]))
    packing = Packing(form.owner_of_values(line.topic_id), item)
    packing.add({topic_items.DOCUMENT: compact_json(form.revision_json(revision))})
    return packing


def revision_in(item: items.Item, blobs: BlobStore) -> Revision:
    """The revision of an item; raises CorruptItem for a damaged item."""
    document = topic_items.json_in(item, topic_items.DOCUMENT, blobs, dict)
    with items.raising_corrupt_item(item):
        return form.revision_of_json(document)


def archive_blob(line: Line, archive: Archive) -> str:
    """The name of an archive in the bucket."""
    return blob_name(form.owner_of_values(line.topic_id), archive.sha256)


def archive_item(line: Line, revisions: Sequence[Revision]) -> Packing:
    """The item that names an archive and its large values; revisions come newest first."""
    archive, content = form.archive_of(revisions)
    item = _archive_key(line, archive) | _names({archive.sha256, *_large_in(revisions)})
    blobs = {archive_blob(line, archive): zlib.compress(content)}
    return Packing(form.owner_of_values(line.topic_id), item, blobs=blobs)


def archive_items(change: TopicChange) -> Iterator[Packing]:
    """The archives of revisions that leave the table, and of what is left of former archives."""
    lines: dict[LineKey, list[Revision]] = {}
    for line, revision in change.removed:
        lines.setdefault(key_of(line), []).append(revision)
    for key, several in lines.items():
        yield archive_item(Line(*key), form.newest_first(several))
    for each in change.departed:
        if each.rest:
            yield archive_item(each.line, each.rest)


def removals(change: TopicChange) -> Iterator[items.Write]:
    """The removals of revisions and archives that a change takes out of the table."""
    departed = (
        revision_key(each.line, each.revision)
        if each.archive is None
        else _archive_key(each.line, each.archive)
        for each in change.departed
    )
    for key in (*(revision_key(*each) for each in change.removed), *departed):
        yield items.Write("Delete", items.lost_race, key=key)


def _line_of(item: items.Item) -> str | None:
    kind, _, place = items.read_text(item, "sk").partition("#")
    return place.partition("#")[0] if f"{kind}#" in (REVISION, ARCHIVE) else None


def revisions_of(line_id: str) -> str:
    """The beginning of the sort keys of the revisions of a line."""
    return f"{REVISION}{line_id}#"


def archives_of(line_id: str) -> str:
    return f"{ARCHIVE}{line_id}#"


def _archive_key(line: Line, archive: Archive) -> dict[str, items.Value]:
    return topic_items.topic_key(line.topic_id, f"{archives_of(line.id)}{archive.sha256}")


def _names(blobs: set[str]) -> dict[str, items.Value]:
    joined = b"".join(bytes.fromhex(each) for each in sorted(blobs))
    return {VALUES: items.binary(joined)} if joined else {}


def _large_in(revisions: Iterable[Revision]) -> set[str]:
    return {each.value.sha256 for each in revisions if isinstance(each.value, LargeValue)}


def _micros(instant: datetime) -> str:
    return f"{(instant - _YEAR_1) // _MICROSECOND:018d}"
