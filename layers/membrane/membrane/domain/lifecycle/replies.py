"""The reply to a preview of decay."""

from dataclasses import dataclass
from typing import Annotated

from typing_extensions import TypedDict

from membrane.domain.language.fields import Count, Timestamp
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.replies import with_shape
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.usefulness import Usefulness


@dataclass(frozen=True, slots=True)
class DecayForecast:
    """How many of the visible records of one scope and type would be pruned, by instant."""

    scope: str
    """The scope; empty for unscoped records."""
    type: MemoryType
    """The memory type of the records."""
    candidates: Count
    """The number of records that fade: all but pinned and retracted ones."""
    today: tuple[Count, ...]
    """By instant, how many would be pruned under the present settings."""
    preview: tuple[Count, ...]
    """By instant, how many would be pruned if the policy of the request applied from now on."""
    error_bound: Count
    """By how much each number may be off, by more with a probability of at most 1 %; 0 where the
    numbers are exact."""


@dataclass(frozen=True, slots=True)
class UsedRecord:
    """A record with credit by outcomes that the previewed policy would prune."""

    id: str
    """The id of the record."""
    scope: str
    """The scope; empty for an unscoped record."""
    prunable_at: Timestamp
    """When the previewed policy would prune the record."""
    usefulness: Annotated[JsonObject, with_shape(Usefulness)]
    """How often tasks succeeded and failed in which the record had a part."""
    note: str
    """The use in words, as in `used 3 times, last on 2026-03-01`."""


class DecayPreview(TypedDict):
    """How many records a decay policy would prune, by instant."""

    now: Timestamp
    """The instant of the preview."""
    instants: list[Timestamp]
    """The instants that the numbers of a forecast stand for, in order."""
    candidates: Count
    """The sum of the candidates of all forecasts."""
    exact: bool
    """Whether every number is a count, and none an estimate."""
    forecasts: list[Annotated[JsonObject, with_shape(DecayForecast)]]
    """A forecast for each scope and type with candidates."""
    used: list[Annotated[JsonObject, with_shape(UsedRecord)]]
    """The records with credit by outcomes among the 100 that the previewed policy would prune
    first, by the last instant; the most useful first."""
