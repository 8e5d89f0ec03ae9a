"""The other topics that a topic's audit trail and its revisions name.

They are told of as far as they may be seen. An id that may not be is null, and what would tell of
that topic besides is left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.revisions import LINKS_TOPIC, Revision

BESIDE: Mapping[str, tuple[str, ...]] = {
    "to_topic_id": ("kind",),
    "ref_topic_id": (),
    "child_topic_id": ("relationship_kind",),
    "parent_topic_id": ("relationship_kind",),
    "topic_id": ("fields", "agreement", "similarity"),
}
"""By key of an event's detail whose value is the id of a topic, what else tells of that topic."""

EDGES = "edges"
"""The key of the edges that an event tells of, each a detail of its own."""


def named_in(detail: JsonObject) -> Iterator[str]:
    """The ids that the detail of an event names."""
    yield from (detail[key] for key in BESIDE if isinstance(detail.get(key), str))
    for edge in detail.get(EDGES, ()):
        yield from named_in(edge)


def seen_detail(detail: JsonObject, seen: Collection[str]) -> JsonObject:
    """The detail of an event for whoever sees these topics and no others."""
    hidden = [key for key in BESIDE if isinstance(detail.get(key), str) and detail[key] not in seen]
    left_out = {each for key in hidden for each in BESIDE[key]}
    shown = {name: each for name, each in detail.items() if name not in left_out}
    shown |= dict.fromkeys(hidden)
    if EDGES in detail:
        shown[EDGES] = [seen_detail(each, seen) for each in detail[EDGES]]
    return shown


def linked_by(revisions: Iterable[Revision]) -> Iterator[str]:
    """The ids of topics that the reasons of revisions name."""
    for each in revisions:
        if each.operation == LINKS_TOPIC and each.ref_topic_id is not None:
            yield each.ref_topic_id


def seen_revision(revision: Revision, seen: Collection[str]) -> Revision:
    """The same, without its reason where that names a topic that is not among those seen."""
    if revision.operation != LINKS_TOPIC or revision.ref_topic_id in seen:
        return revision
    return replace(revision, why_changed=None)
