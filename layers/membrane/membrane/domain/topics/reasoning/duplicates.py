"""Which two topics of a scope are one thing, and which of the two is the keeper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import hypot
from operator import mul
from typing import TYPE_CHECKING, Any

from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.names import normalise_text
from membrane.domain.language.values import LargeValue
from membrane.domain.search.entries import words_of
from membrane.domain.topics.salience import TopicPolicy
from membrane.domain.topics.titles import is_kept_apart, is_untitled, stands_for_document
from membrane.domain.topics.topic import Field, Topic, TopicStatus

if TYPE_CHECKING:
    from membrane.domain.topics.replies.editing import ActionScores


class Ground(StrEnum):
    TITLE = "same scope, kind and title"
    LIKENESS = "same scope and kind, alike in meaning and in their fields"


@dataclass(frozen=True, slots=True)
class Duplicate:
    keeper: Topic
    other: Topic
    """The topic to become an alias of the keeper."""
    ground: Ground
    agreement: float
    similarity: float | None = None
    """Set if the decision needed the similarity."""

    @property
    def scores(self) -> "ActionScores":
        scores: ActionScores = {"agreement": self.agreement}
        return scores if self.similarity is None else {**scores, "similarity": self.similarity}


def duplicate_of(
    one: Topic, other: Topic, similarity: float | None, policy: TopicPolicy
) -> Duplicate | None:
    """The topics as duplicates, else None; `similarity` is a cosine, if known."""
    if not may_be_one(one, other):
        return None
    agreement = agreement_of(one, other)
    keeper, dropped = sorted((one, other), key=_rank)
    if normalise_text(one.title) == normalise_text(other.title):
        return Duplicate(keeper, dropped, Ground.TITLE, agreement)
    is_near = similarity is not None and similarity >= policy.duplicate_similarity
    is_alike = is_near and _numbers(one.title) == _numbers(other.title)
    if is_alike and agreement >= policy.agreement:
        return Duplicate(keeper, dropped, Ground.LIKENESS, agreement, similarity)
    return None


def may_be_one(one: Topic, other: Topic) -> bool:
    """Whether the two topics could be duplicates.

    A merge must neither hide nor reveal, so scope, kind and sensitivity agree. Both topics have
    titles, neither is a document or of a document, no caller unmerged one from the other, and at
    least one is active.
    """
    statuses = {one.status, other.status}
    return (
        one.id != other.id
        and one.scope == other.scope
        and normalise_text(one.kind) == normalise_text(other.kind)
        and one.sensitivity is other.sensitivity
        and not is_kept_apart(one.kind)
        and not (stands_for_document(one) or stands_for_document(other))
        and not is_untitled(one.title)
        and not is_untitled(other.title)
        and TopicStatus.ACTIVE in statuses
        and statuses <= {TopicStatus.ACTIVE, TopicStatus.ARCHIVED}
        and not _were_unmerged(one, other)
        and not one.lines.keys()
        & other.lines.keys()  # topics with a common history are two on purpose
    )


def agreement_of(one: Topic, other: Topic) -> float:
    """The share of common living fields with equal values; 0 without common fields."""
    ours, theirs = _comparable_values(one.living_fields), _comparable_values(other.living_fields)
    common = ours.keys() & theirs.keys()
    if not common:
        return 0.0
    return sum(ours[name] == theirs[name] for name in common) / len(common)


def cosine_of(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors of one dimension; 0 for a vector of zeros."""
    length = hypot(*one) * hypot(*other)
    return sum(map(mul, one, other)) / length if length else 0.0


def _numbers(title: str) -> list[str]:
    """The words that distinguish Invoice 17 from Invoice 18."""
    return [word for word in words_of(title) if any(each.isdigit() for each in word)]


def _rank(topic: Topic) -> tuple[bool, int, str, str]:
    """The sort key with the keeper first: active, longer history, older, lower id."""
    revisions = sum(each.history_length for each in topic.fields.values())
    is_active = topic.status is TopicStatus.ACTIVE
    return not is_active, -revisions, topic.created_at.removesuffix("Z"), topic.id


def _were_unmerged(one: Topic, other: Topic) -> bool:
    ours, theirs = {one.id, *one.absorbed}, {other.id, *other.absorbed}
    return not (theirs.isdisjoint(one.unmerged_from) and ours.isdisjoint(other.unmerged_from))


def _comparable_values(fields: Mapping[str, Field]) -> Mapping[str, bytes]:
    """The values of fields in a canonical form: equal values have equal bytes."""
    return {
        name: canonical_json(_comparable(each.current.value))
        for name, each in fields.items()
        if each.current is not None and each.current.value is not None
    }


def _comparable(value: Any) -> Any:
    match value:
        case str():
            return normalise_text(value)
        case LargeValue():
            return ["large", value.sha256]
        case _:
            return value
