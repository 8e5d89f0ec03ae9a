"""An observation: values for one topic, before the topic is determined."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.topics.appending import FieldWrite


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


def placement_of(word: str | None) -> Placement:
    if word is None:
        return Placement.AUTO
    try:
        return Placement(word)
    except ValueError:
        raise InvalidArgument("unknown placement") from None


def require_whole(observation: Observation) -> None:
    """Raise InvalidArgument for a placement without its id, or without exactly one field."""
    match observation.placement:
        case Placement.EXTEND_TOPIC if not observation.topic_id:
            raise InvalidArgument("extend_topic requires topic_id")
        case Placement.VERSION_FIELD if not observation.topic_id or len(observation.writes) != 1:
            raise InvalidArgument("version_field requires topic_id and exactly one field")
        case _:
            pass


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
