"""Where an order by salience goes on: all that a later call must be told.

A walk down the rank index has a lowest row, the last in order of all that were passed. A partition
needs no place of its own where everything up to that row was passed and nothing behind it: that is
so of nearly all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from membrane.domain.language.fields import MAX_SALIENCE, RECORD_ID, SMALLEST_NUMBER
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.lifecycle.ranking import RANK_OF_RETRACTED
from membrane.domain.tokens.cursors import foreign_cursor
from membrane.usecases.ports.indexes import Position

MAX_PLACES = 1_000

RowKey = tuple[float, float, str]
"""(-salience, -creation, id) of a row: rows come in the order of their keys."""

NOTHING: RowKey = (-10 * MAX_SALIENCE, 0.0, "")
"""Before every row's key."""


def _sendable(position: Position) -> Position:
    """A place that the store may be asked for, whoever made it up."""
    rank, record_id = abs(position.rank), position.record_id
    if rank > -RANK_OF_RETRACTED or 0 < rank < SMALLEST_NUMBER:
        raise ValueError("no record has such a rank")
    if record_id and RECORD_ID.fullmatch(record_id) is None:
        raise ValueError("no record has such an id")
    return position


Finite = Annotated[float, Field(allow_inf_nan=False)]
_Spot = Annotated[Position, AfterValidator(_sendable)]
Id = Annotated[str, Field(max_length=128)]
Key = tuple[Finite, Finite, Id]


class Resumable:
    """What a cursor carries of an order."""

    __slots__ = ()

    def as_json(self) -> JsonObject:
        """For a cursor."""
        printed: JsonObject = self._model().dump_python(self, mode="json", exclude_defaults=True)
        return printed

    @classmethod
    def of_json(cls, state: object) -> Self:
        """What `as_json` gave; raises InvalidArgument for anything else."""
        try:
            resumed: Self = cls._model().validate_json(compact_json(state), strict=True)
        except (ValidationError, ValueError) as error:
            raise foreign_cursor() from error
        return resumed

    @classmethod
    @cache
    def _model(cls) -> TypeAdapter[Any]:
        return TypeAdapter(cls)


@dataclass(frozen=True, slots=True)
class Place:
    """How far one partition was gone through, where the lowest row does not tell it."""

    start: _Spot | None = None
    """All before it was passed."""
    passed: Key | None = None
    """From the start on, what comes up to this key was passed; None = up to the lowest row."""
    end: _Spot | None = None
    """What lies between was read as one window."""
    behind: Key | None = None
    """Behind the end, what comes up to this key was passed, too; None = nothing."""


@dataclass(frozen=True, slots=True)
class Resume(Resumable):
    now_s: Annotated[float, Field(ge=0, le=1e11)]
    """The instant of which all saliences are, those of later pages too."""
    lowest: Key | None = None
    places: Annotated[Mapping[str, Place], Field(max_length=MAX_PLACES)] = field(
        default_factory=dict
    )
    """By the partition's name."""
