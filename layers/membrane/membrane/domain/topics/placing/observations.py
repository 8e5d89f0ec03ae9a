"""An observation: values for one topic, which topics may take the values, and a topic's text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from operator import mul
from typing import TYPE_CHECKING

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import canonical_json, compact_json, digest
from membrane.domain.language.names import normalise_text
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry, stems_of, terms_of, unpack_dense, unpack_terms
from membrane.domain.search.rendering import flat_words, text_of
from membrane.domain.search.searchable import Searchable, marks_of
from membrane.domain.topics import titles
from membrane.domain.topics.appending import KEEP, FieldWrite
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.domain.topics.versions import working_set

if TYPE_CHECKING:
    from membrane.domain.topics.requests.ingest import IngestTopic


class Placement(StrEnum):
    """The placement, in the words of the API; a decided placement is never `auto`."""

    AUTO = "auto"
    NEW_TOPIC = "new_topic"
    EXTEND_TOPIC = "extend_topic"
    VERSION_FIELD = "version_field"


EdgeWrite = tuple[str, str]
"""The id of the topic at the far end, and the kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The values observed for one topic; None leaves an attribute unchanged."""

    placement: Placement = Placement.AUTO
    topic_id: str | None = None
    scope: str | None = None
    sensitivity: Sensitivity | None = None
    title: str = ""
    summary: str | None = None
    kind: str | None = None
    salience: float | None = None
    writes: tuple[FieldWrite, ...] = ()
    edges: tuple[EdgeWrite, ...] = ()
    retypes: bool = False
    """Whether a value of a different type changes the type of its field, unless a type is given."""

    @property
    def mentioned_ids(self) -> list[str]:
        target = [self.topic_id] if self.topic_id else []
        refs = [each.ref for each in self.writes if isinstance(each.ref, str)]
        return [*target, *refs, *(to_id for to_id, _ in self.edges)]


def observation_of(request: "IngestTopic") -> Observation:
    """Raises InvalidArgument for an unknown placement, without its id, or without one field."""
    try:
        placement = Placement.AUTO if request.placement is None else Placement(request.placement)
    except ValueError:
        raise InvalidArgument("unknown placement") from None
    if placement is Placement.EXTEND_TOPIC and not request.topic_id:
        raise InvalidArgument("extend_topic requires topic_id")
    is_one = bool(request.topic_id) and len(request.fields) == 1
    if placement is Placement.VERSION_FIELD and not is_one:
        raise InvalidArgument("version_field requires topic_id and exactly one field")
    return Observation(
        placement=placement,
        topic_id=request.topic_id,
        scope=request.scope,
        sensitivity=request.sensitivity,
        title=request.title,
        summary=request.summary,
        kind=request.topic_kind,
        salience=request.salience,
        writes=tuple(
            FieldWrite(
                name=each.name,
                value=each.value,
                field_type=each.field_type,
                ref=(each.ref_topic_id or None) if each.names_reference else KEEP,
                provenance=each.provenance,
                why_changed=each.why_changed,
                impact_expected=each.impact_expected,
                valid_from=each.valid_from,
                position=position,
            )
            for position, each in enumerate(request.fields)
        ),
        edges=tuple((each.to_topic_id, each.kind) for each in request.edges),
    )


def resolve_links(observation: Observation, ends: Mapping[str, str]) -> Observation:
    """The observation with aliases resolved by `ends`; raises InvalidArgument for unknown ids."""
    for write in observation.writes:
        if isinstance(write.ref, str) and write.ref not in ends:
            raise InvalidArgument(f"ref_topic_id not found: {write.ref}")
    for to_id, _ in observation.edges:
        if to_id not in ends:
            raise InvalidArgument(f"edges: topic not found: {to_id}")
    writes = (
        replace(write, ref=ends[write.ref]) if isinstance(write.ref, str) else write
        for write in observation.writes
    )
    edges = ((ends[to_id], kind) for to_id, kind in observation.edges)
    return replace(observation, writes=tuple(writes), edges=tuple(edges))


def content_key(scope: str, observation: Observation) -> bytes | None:
    """SHA-256 of scope, kind, summary and fields, for a missing title; None without content."""
    summary = (observation.summary or "").strip()
    if not observation.writes and not summary:
        return None
    fields = sorted((each.name, canonical_json(each.value).decode()) for each in observation.writes)
    said = compact_json([summary, fields])
    return digest("topic by content", scope, normalise_text(observation.kind or ""), said)


def similarity(dense: Sequence[float], entry: Entry) -> float:
    """The cosine of a text's vector and an entry's, both of length 1 or 0; from -1 to 1."""
    return float(sum(map(mul, dense, unpack_dense(entry.dense))))


def may_be_of(topic: Topic, observation: Observation) -> bool:
    """Whether the observation may extend a topic found by similarity.

    A different kind, a contradicting title, or a sensitivity above the topic's excludes the topic.
    The sections of a document take only observations of their kind, and the document's own topic
    takes none.
    """
    return (
        topic.status is TopicStatus.ACTIVE
        and (bool(observation.kind) or not titles.is_of_study(topic.kind))
        and not titles.stands_for_document(topic)
        and (not observation.kind or normalise_text(observation.kind) == normalise_text(topic.kind))
        and (
            observation.sensitivity is None
            or observation.sensitivity.level <= topic.sensitivity.level
        )
        and not titles_contradict(observation.title, topic.title)
    )


def may_have_title(title: str, terms: bytes) -> bool:
    """Whether the terms of an entry contain all terms of the title."""
    return terms_of(title).keys() <= unpack_terms(terms).keys()


def titles_contradict(one: str, other: str) -> bool:
    """Whether two titles cannot name one thing.

    Both have a word that the second title lacks (`Alice Smith`, `Bob Smith`), or their numbers
    differ (`Invoice 17`, `Invoice`). An empty title contradicts no title.
    """
    if (
        titles.is_untitled(one)
        or titles.is_untitled(other)
        or normalise_text(one) == normalise_text(other)
    ):
        return False
    said, also_said = set(stems_of(one)), set(stems_of(other))
    if not said or not also_said or _numbers(said) != _numbers(also_said):
        return True
    return bool(said - also_said and also_said - said)


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if any(each.isdigit() for each in word)}


TYPES = frozenset((MemoryType.ENTITY,))
"""The memory type of all index entries of topics."""


def searchable_topic(topic: Topic) -> Searchable:
    """The topic for the search index, dated by the latest `valid_from` of its values."""
    text = text_of(_lines(topic))
    kind = _kind_in_words(topic)
    names = [kind] if titles.is_untitled(topic.title) else [topic.title, kind]
    return Searchable(
        text=text,
        terms=terms_of(text) | marks_of(text, names=names),
        happened_s=_happened_s(topic),
    )


def _kind_in_words(topic: Topic) -> str:
    """The kind; empty for the kind of a document's topics, which is an id and says nothing."""
    return "" if titles.is_of_study(topic.kind) else topic.kind


def _lines(topic: Topic) -> Iterator[str]:
    """Title, kind, summary, then the fields, newest first: the index cuts the end."""
    yield "" if titles.is_untitled(topic.title) else topic.title
    yield _kind_in_words(topic)
    yield topic.summary
    written = sorted(
        working_set(topic),
        key=lambda named: datetime.fromisoformat(named[1].recorded_at),
        reverse=True,
    )
    for name, revision in written:
        if revision.value is not None:
            said = "" if titles.is_of_study(topic.kind) and titles.says_nothing(name) else name
            yield f"{said} {flat_words(revision.value)}".strip()


def _happened_s(topic: Topic) -> float:
    instants = [datetime.fromisoformat(each.valid_from) for _, each in working_set(topic)]
    return epoch_seconds(max(instants)) if instants else topic.base.born_s
