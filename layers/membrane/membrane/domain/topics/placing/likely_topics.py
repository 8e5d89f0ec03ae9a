"""Find the topic of an observation when the title alone does not identify the topic."""

from collections.abc import Sequence
from operator import mul

from membrane.domain.language.json_text import canonical_json, compact_json, digest
from membrane.domain.language.names import normalise_text
from membrane.domain.search.entries import Entry, unpack_dense, unpack_terms
from membrane.domain.search.terms import stems_of, terms_of
from membrane.domain.topics.kinds import is_of_study, stands_for_document
from membrane.domain.topics.placing.observations import Observation
from membrane.domain.topics.titles import is_untitled
from membrane.domain.topics.topic import Topic, TopicStatus


def content_key(scope: str, observation: Observation) -> bytes | None:
    """SHA-256 of scope, kind, summary and fields in any order, in place of a missing title.

    None without fields and summary.
    """
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
        and (bool(observation.kind) or not is_of_study(topic.kind))
        and not stands_for_document(topic)
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
    if is_untitled(one) or is_untitled(other) or normalise_text(one) == normalise_text(other):
        return False
    said, also_said = set(stems_of(one)), set(stems_of(other))
    if not said or not also_said or _numbers(said) != _numbers(also_said):
        return True
    return bool(said - also_said and also_said - said)


def _numbers(words: set[str]) -> set[str]:
    return {word for word in words if any(each.isdigit() for each in word)}
