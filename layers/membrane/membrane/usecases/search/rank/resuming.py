"""The resume point of an order by salience, carried by a cursor.

A walk down the rank index has a lowest row: of all passed rows the last in order. A partition that
has passed exactly the rows up to the lowest row needs no place of its own; nearly all partitions
are of that kind.
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
"""The sort key of a row: (-salience, -creation in seconds, id)."""

NOTHING: RowKey = (-10 * MAX_SALIENCE, 0.0, "")
"""A key before the key of every row."""


def _sendable(position: Position) -> Position:
    """A position that DynamoDB accepts; raises ValueError for a forged one."""
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
    """A resume point that a cursor can carry."""

    __slots__ = ()

    def as_json(self) -> JsonObject:
        state: JsonObject = self._model().dump_python(self, mode="json", exclude_defaults=True)
        return state

    @classmethod
    def of_json(cls, state: object) -> Self:
        """Parse the result of `as_json`; raises InvalidArgument for any further value."""
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
    """The passed rows of a partition, where the lowest row of the walk does not imply them."""

    start: _Spot | None = None
    """Every row before this position was passed."""
    passed: Key | None = None
    """From `start`, the rows up to this key were passed; None = up to the lowest row."""
    end: _Spot | None = None
    """The end of a window that begins at `start`."""
    behind: Key | None = None
    """After `end`, the rows up to this key were passed; None = none."""


@dataclass(frozen=True, slots=True)
class Resume(Resumable):
    now_s: Annotated[float, Field(ge=0, le=1e11)]
    """The instant at which salience is computed, for all pages."""
    lowest: Key | None = None
    places: Annotated[Mapping[str, Place], Field(max_length=MAX_PLACES)] = field(
        default_factory=dict
    )
    """Places by the name of the partition."""
