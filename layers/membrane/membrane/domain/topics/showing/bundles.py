"""What a query shows of a topic (spec 3.2)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.graph.graph import Direction
from membrane.domain.topics.nesting import NESTED, Container, shown_fields, whole_name
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.showing.naming import seen_revision
from membrane.domain.topics.showing.shapes import FAILED_SALIENCE
from membrane.domain.topics.topic import Field, Topic

if TYPE_CHECKING:
    from membrane.domain.topics.replies.query import (
        BundledField,
        BundledRevision,
        TopicBundle,
        TopicNeighbour,
    )

Shown = Field | Container

MAX_LINES = 5
"""Topics that the summary of a reply names."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    topic: Topic
    kind: str
    """Of the edge; `field:<name>` where a field refers to it."""
    direction: Direction

    def as_json(self) -> "TopicNeighbour":
        return {
            "id": self.topic.id,
            "title": self.topic.title,
            "kind": self.kind,
            "direction": self.direction,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A topic, and as much of it as the stages of a query show."""

    topic: Topic
    salience: float
    similarity: float | None
    neighbours: Sequence[Neighbour] = ()
    is_cut: bool = False
    """Whether there are more neighbours."""
    fields: "Sequence[BundledField]" = ()
    fields_cut: bool = False
    """Whether there are more fields than could be read."""
    history_limit: Literal[1] | None = None
    """To how many revisions some of its histories are cut, where these were not read."""
    explanation: JsonObject = field(default_factory=dict)
    """Empty where none was asked for."""

    def as_json(self) -> "TopicBundle":
        told: TopicBundle = {
            "topic_id": self.topic.id,
            "title": self.topic.title,
            "summary": self.topic.summary or None,
            "topic_kind": self.topic.kind or None,
            "salience": self.salience,
            "failed_salience": FAILED_SALIENCE,
            "neighbors": [each.as_json() for each in self.neighbours],
            "neighbors_truncated": self.is_cut,
            "fields": list(self.fields),
            "similarity": self.similarity,
        }
        if self.fields_cut:
            told["fields_cut"] = True
        if self.history_limit is not None:
            told["history_limit"] = self.history_limit
        if self.explanation:
            told["explanation"] = self.explanation
        return told


@dataclass(frozen=True, slots=True)
class Telling:
    histories: Mapping[str, Sequence[Revision]]
    """By whole name, the newest first; of any other field its current value alone."""
    saliences: Mapping[str, float]
    """By whole name."""
    refs: Mapping[str, str]
    """By the id that a field refers to, that of the topic at its end; none that is not seen."""
    seen: Collection[str] = ()
    """The ids of topics that may be named in the reason of a revision."""
    is_brief: bool = False
    """Whether a current value is told once, and no history with it."""


def wanted_fields(topic: Topic, names: Sequence[str]) -> Mapping[str, Shown]:
    """The fields and groups named, detached ones too; without names the working set, by name."""
    if not names:
        return shown_fields(topic, detached=False)
    shown = shown_fields(topic, detached=True)
    single: Mapping[str, Shown] = topic.living_fields
    there = {**single, **shown}
    return {name: there[name] for name in dict.fromkeys(names) if name in there}


def leaves(shown: Mapping[str, Shown]) -> Iterator[tuple[str, Field]]:
    """The fields themselves by their whole names, those of groups among them."""
    for name, each in shown.items():
        if isinstance(each, Field):
            yield name, each
        else:
            yield from ((whole_name(name, inner), one) for inner, one in each.fields.items())


def fields_out(shown: Mapping[str, Shown], telling: Telling) -> "list[BundledField]":
    """Each for a reply; what has no value yet is left out."""
    return [
        told for name, each in shown.items() if (told := _field(name, each, telling)) is not None
    ]


def version(revision: Revision, value: object, seen: Collection[str]) -> "BundledRevision":
    """A revision for a reply, with that value; `seen` as in Telling."""
    shown = seen_revision(revision, seen)
    return {
        "id": revision.id,
        "value": value,
        "valid_from": revision.valid_from,
        "provenance": revision.provenance,
        "why_changed": shown.why_changed,
        "impact_expected": revision.impact_expected,
    }


def summary_text(question: str, found: Iterable[tuple[str, str, float | None]]) -> str:
    """A line for each of the first topics: id, title and similarity, as Python spells them."""
    lines = [f"Top topics for {question!r}:"]
    lines += [
        f"- {topic_id} {title!r} sim={similarity}"
        for topic_id, title, similarity in islice(found, MAX_LINES)
    ]
    return "\n".join(lines)


def _field(name: str, shown: Shown, telling: Telling) -> "BundledField | None":
    if isinstance(shown, Container):
        return _container(name, shown, telling)
    if shown.current is None:
        return None
    return {
        "name": name,
        "field_type": shown.type,
        "ref_topic_id": _ref(shown, telling),
        "current": version(shown.current, shown.current.value, telling.seen),
        "history": [] if telling.is_brief else _history(name, shown, telling),
    }


def _container(name: str, container: Container, telling: Telling) -> "BundledField | None":
    """A group as the container that it is there; its own history has one revision."""
    inner = {
        each: _inner(whole_name(name, each), one, telling)
        for each, one in container.fields.items()
        if one.current is not None
    }
    if not inner:
        return None
    told = version(container.group.made, {NESTED: True, "fields": inner}, telling.seen)
    return {
        "name": name,
        "field_type": FieldType.JSON,
        "ref_topic_id": None,
        "current": told,
        "history": [] if telling.is_brief else [told],
    }


def _inner(name: str, each: Field, telling: Telling) -> JsonObject:
    return {
        "field_type": each.type,
        "ref_topic_id": _ref(each, telling),
        "salience": telling.saliences[name],
        "history": _history(name, each, telling),
    }


def _history(name: str, each: Field, telling: Telling) -> "list[BundledRevision]":
    alone = [] if each.current is None else [each.current]
    told = telling.histories.get(name, alone)
    return [version(revision, revision.value, telling.seen) for revision in told]


def _ref(each: Field, telling: Telling) -> str | None:
    return None if each.ref_topic_id is None else telling.refs.get(each.ref_topic_id)
