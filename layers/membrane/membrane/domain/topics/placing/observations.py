"""What somebody tells of a topic, on its way to where it belongs."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.appending import FieldWrite
from membrane.domain.topics.names import CONTROL, MAX_NAME_CHARACTERS, MAX_TITLE_CHARACTERS

PROVENANCE = "observation"
"""Of a revision that a record tells."""


class Placement(StrEnum):
    """Where it goes, in the words of the wire; what is decided is one of the last three."""

    AUTO = "auto"
    NEW_TOPIC = "new_topic"
    EXTEND_TOPIC = "extend_topic"
    VERSION_FIELD = "version_field"


EdgeWrite = tuple[str, str]
"""The topic at the other end, and the kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What is told of one topic; what is None is not spoken of."""

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
    """Whether a value of another type changes that of its field, where none is given."""

    @property
    def mentioned(self) -> list[str]:
        """Ids of all topics that it names."""
        target = [self.topic_id] if self.topic_id else []
        refs = [each.ref for each in self.writes if isinstance(each.ref, str)]
        return [*target, *refs, *(to_id for to_id, _ in self.edges)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A fact that a record tells, and that a topic shall tell, too."""

    subject: str
    predicate: str
    object: Any
    """Any JSON value, or the `LargeValue` in its place."""
    scope: str
    sensitivity: Sensitivity
    record_id: str
    observed_at: str | None = None
    """RFC 3339; None where it is not known."""


def told_by(observed: Observed, value: Any, now: str) -> Observation:
    """What a fact tells of the topic that is its subject; `value` is its object, in place.

    What was observed is never kept back for its type: a field takes that of what is told last.
    Raises InvalidArgument where subject or predicate names nothing.
    """
    title, name = _named(observed.subject), _named(observed.predicate)
    if not title or not name:
        raise InvalidArgument("an observation needs a subject and a predicate to be placed")
    is_past = observed.observed_at is not None and not is_before(now, observed.observed_at)
    write = FieldWrite(
        name=name[:MAX_NAME_CHARACTERS],
        value=value,
        provenance=PROVENANCE,
        valid_from=observed.observed_at if is_past else None,
        evidence=observed.record_id,
    )
    return Observation(
        scope=observed.scope,
        sensitivity=observed.sensitivity,
        title=title[:MAX_TITLE_CHARACTERS],
        writes=(write,),
        retypes=True,
    )


def _named(text: str) -> str:
    """Without control characters, which no name has."""
    plain = (" " if unicodedata.category(each) == CONTROL else each for each in text)
    return "".join(plain).strip()


def placement_of(word: str | None) -> Placement:
    """The placement that a request asks for; raises InvalidArgument for an unknown word."""
    if word is None:
        return Placement.AUTO
    try:
        return Placement(word)
    except ValueError:
        raise InvalidArgument("unknown placement") from None


def require_whole(told: Observation) -> None:
    """Raises InvalidArgument where the placement asked for lacks what it needs (spec 2.4)."""
    match told.placement:
        case Placement.EXTEND_TOPIC if not told.topic_id:
            raise InvalidArgument("extend_topic requires topic_id")
        case Placement.VERSION_FIELD if not told.topic_id or len(told.writes) != 1:
            raise InvalidArgument("version_field requires topic_id and exactly one field")
        case _:
            pass


def linked(told: Observation, ends: Mapping[str, str]) -> Observation:
    """The same, with the id of a living topic in each reference and edge.

    `ends` has them by the id that is told. Raises InvalidArgument for what is not there.
    """
    for write in told.writes:
        if isinstance(write.ref, str) and write.ref not in ends:
            raise InvalidArgument(f"ref_topic_id not found: {write.ref}")
    for to_id, _ in told.edges:
        if to_id not in ends:
            raise InvalidArgument(f"edges: topic not found: {to_id}")
    writes = (
        replace(write, ref=ends[write.ref]) if isinstance(write.ref, str) else write
        for write in told.writes
    )
    edges = ((ends[to_id], kind) for to_id, kind in told.edges)
    return replace(told, writes=tuple(writes), edges=tuple(edges))
