"""Which topics are one and the same, and which of them stays (spec 4.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import hypot
from operator import mul
from typing import TYPE_CHECKING, Any

from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.values import LargeValue
from membrane.domain.search.terms import words_of
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.titles import is_untitled, normalised
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
    """That is to become an alias of the keeper."""
    ground: Ground
    agreement: float
    similarity: float | None = None
    """Where it was needed."""

    @property
    def scores(self) -> "ActionScores":
        scores: ActionScores = {"agreement": self.agreement}
        return scores if self.similarity is None else {**scores, "similarity": self.similarity}


def duplicate_of(
    one: Topic, other: Topic, similarity: float | None, policy: TopicPolicy
) -> Duplicate | None:
    """The two as duplicates, if they are; `similarity` is the cosine of what they say, if known."""
    if not may_be_one(one, other):
        return None
    agreement = agreement_of(one, other)
    keeper, dropped = sorted((one, other), key=_rank)
    if normalised(one.title) == normalised(other.title):
        return Duplicate(keeper, dropped, Ground.TITLE, agreement)
    is_near = similarity is not None and similarity >= policy.duplicate_similarity
    is_alike = is_near and _numbers(one.title) == _numbers(other.title)
    if is_alike and agreement >= policy.agreement:
        return Duplicate(keeper, dropped, Ground.LIKENESS, agreement, similarity)
    return None


def may_be_one(one: Topic, other: Topic) -> bool:
    """Whether the two could be duplicates.

    A merge must neither hide nor reveal: scope, kind and sensitivity agree. Both have titles,
    nobody told them apart, and one is active.
    """
    statuses = {one.status, other.status}
    return (
        one.id != other.id
        and one.scope == other.scope
        and normalised(one.kind) == normalised(other.kind)
        and one.sensitivity is other.sensitivity
        and not is_untitled(one.title)
        and not is_untitled(other.title)
        and TopicStatus.ACTIVE in statuses
        and statuses <= {TopicStatus.ACTIVE, TopicStatus.ARCHIVED}
        and not _were_told_apart(one, other)
        and not one.lines.keys() & other.lines.keys()  # one history: they are meant to be two
    )


def agreement_of(one: Topic, other: Topic) -> float:
    """Which share of the living fields that both have says the same; 0 where they have none."""
    ours, theirs = _told(one.living_fields), _told(other.living_fields)
    common = ours.keys() & theirs.keys()
    if not common:
        return 0.0
    return sum(ours[name] == theirs[name] for name in common) / len(common)


def cosine_of(one: Sequence[float], other: Sequence[float]) -> float:
    """Of two vectors of one dimension; 0 where either is all zeros."""
    length = hypot(*one) * hypot(*other)
    return sum(map(mul, one, other)) / length if length else 0.0


def _numbers(title: str) -> list[str]:
    """The words that tell Invoice 17 from Invoice 18."""
    return [word for word in words_of(title) if any(each.isdigit() for each in word)]


def _rank(topic: Topic) -> tuple[bool, int, str, str]:
    """Sorts the keeper first: active, then the richer history, the older, the lesser id."""
    revisions = sum(each.history_length for each in topic.fields.values())
    is_active = topic.status is TopicStatus.ACTIVE
    return not is_active, -revisions, topic.created_at.removesuffix("Z"), topic.id


def _were_told_apart(one: Topic, other: Topic) -> bool:
    ours, theirs = {one.id, *one.absorbed}, {other.id, *other.absorbed}
    return not (theirs.isdisjoint(one.told_apart) and ours.isdisjoint(other.told_apart))


def _told(fields: Mapping[str, Field]) -> Mapping[str, bytes]:
    """What fields with a value say, in a form in which the same is equal."""
    return {
        name: canonical_json(_comparable(each.current.value))
        for name, each in fields.items()
        if each.current is not None and each.current.value is not None
    }


def _comparable(value: Any) -> Any:
    match value:
        case str():
            return normalised(value)
        case LargeValue():
            return ["large", value.sha256]
        case _:
            return value
