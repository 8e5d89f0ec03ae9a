"""The history of a field, merged from its lines; and a topic as of an instant."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import merge
from itertools import islice

from membrane.domain.language.timestamps import is_before
from membrane.domain.topics.deleted_names import MARK
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Archive, Field, Topic


def newest_first(lines: Iterable[Sequence[Revision]], limit: int | None = None) -> list[Revision]:
    """The revisions of several lines in one list, at most `limit` revisions.

    The lines must be newest first.
    """
    together = merge(*lines, key=lambda revision: revision.place, reverse=True)
    return list(islice(together, limit))


def held_by(instant: str, revision: Revision) -> bool:
    """Whether the value of the revision already held at the instant."""
    return not is_before(instant, revision.valid_from)


def is_needed(
    archive: Archive, known: Sequence[Revision], limit: int | None, until: str | None
) -> bool:
    """Whether an archive may have some of the newest `limit` revisions up to `until`.

    `known` are the newest revisions found; back-dated revisions stay in the table, behind archives.
    """
    if until is not None and is_before(until, archive.oldest):
        return False
    if limit is None or len(known) < limit:
        return True
    return not is_before(archive.newest, known[-1].valid_from)


def fair_limit(lengths: Iterable[int], most: int, room: int) -> int:
    """The most revisions that each history may show, if all histories share the room.

    At least one and at most `most`; a short history leaves its room to longer ones.
    """
    waiting = sorted(min(length, most) for length in lengths)
    for position, length in enumerate(waiting):
        share = room // (len(waiting) - position)
        if length > share:
            return max(1, share)
        room -= length
    return most


def fields_then(topic: Topic, instant: str) -> Mapping[str, Field]:
    """The fields of today and of the instant, without displaced ones."""
    return {
        name: field
        for name, field in topic.fields.items()
        if field.deleted_at is None or (MARK not in name and is_before(instant, field.deleted_at))
    }


def as_of(topic: Topic, instant: str, values: Mapping[str, Revision]) -> Topic | None:
    """The topic with the values of the instant; None before its creation, if no value held yet.

    Title, summary and groups are today's; groups made later are left out. An earlier value comes
    with the reference from the time of its writing, the current value with today's reference.
    """
    if not values and is_before(instant, topic.created_at):
        return None
    fields = {name: _field_then(topic.fields[name], value) for name, value in values.items()}
    groups = {name: group for name, group in topic.groups.items() if held_by(instant, group.made)}
    return replace(topic, fields=fields, groups=groups)


def _field_then(field: Field, value: Revision) -> Field:
    is_current = field.current is not None and field.current.id == value.id
    ref = field.ref_topic_id if is_current else value.ref_topic_id
    return replace(field, type=value.field_type, current=value, ref_topic_id=ref, deleted_at=None)
