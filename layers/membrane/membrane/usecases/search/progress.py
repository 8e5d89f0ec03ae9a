"""The progress of a retrieval from page to page, carried by the cursor.

A cursor is not trusted: it says which records were given and where to continue; scopes and trust
come from the request alone.
"""

import math
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from membrane.domain.language.cursors import decode, encode, foreign_cursor
from membrane.domain.language.json_text import JsonObject, digest
from membrane.usecases.ports.search import MAX_FOUND

MAX_GIVEN = 400
"""The most marks in a cursor: of records given by score, and of records from tokens."""

MAX_REACH = 4
"""The greatest reach of a page; see `Progress.reach`."""

MARK_BYTES = 6
MARK_CHARACTERS = 8
_LATEST_S = 253_402_300_800
"""The end of the calendar."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a page; the default is the state before the first page."""

    at_s: float
    """The instant of the first page, in seconds since 1970; all pages are ordered by it."""
    given: tuple[str, ...] = ()
    """Marks of given records, to be skipped; marks of records given by score come first.

    A cursor carries MAX_GIVEN marks: all by score, and the newest of the rest.
    """
    fused: int | None = 0
    """The number of records given by score; None once the order is by salience."""
    rank: JsonObject | None = None
    """The point at which the order by salience continues; None = the beginning."""
    reach: int = 1
    """How far a page of a graph reads behind hidden and ended records, as a multiple of the first
    page."""

    def cursor(self, binding: bytes, key: bytes) -> str:
        fused, others = self.given[:MAX_FOUND], self.given[MAX_FOUND:]
        newest = others[-(MAX_GIVEN - MAX_FOUND) :]
        state = {"at": self.at_s, "given": "".join((*fused, *newest))}
        reach = None if self.reach == 1 else self.reach
        optional = {"fused": self.fused, "rank": self.rank, "reach": reach}
        return encode(state | {k: v for k, v in optional.items() if v is not None}, binding, key)


def progress_of(
    cursor: str | None, binding: bytes, now_s: float, key: Callable[[], bytes]
) -> Progress:
    """The progress in a cursor; raises InvalidArgument for a cursor of a different request."""
    if cursor is None:
        return Progress(now_s)
    match decode(cursor, binding, key()):
        case {"at": int() | float() as at_s, "given": str(given), **rest} if _is_instant(at_s):
            fused, rank, reach = rest.get("fused"), rest.get("rank"), rest.get("reach", 1)
            is_sound = fused is None or _is_whole(fused, 0, MAX_FOUND)
            is_sound = is_sound and isinstance(rank, dict | None) and _is_whole(reach, 1, MAX_REACH)
            if not is_sound:
                raise foreign_cursor()
            return Progress(min(at_s, now_s), _marks(given), fused, rank, reach)
        case _:
            raise foreign_cursor()


def marks_of(record_ids: Iterable[str]) -> tuple[str, ...]:
    """Short digests of record ids, to recognise given records."""
    return tuple(map(mark_of, record_ids))


def mark_of(record_id: str) -> str:
    return urlsafe_b64encode(digest(record_id)[:MARK_BYTES]).decode()


def _is_instant(at_s: Any) -> bool:
    return not isinstance(at_s, bool) and math.isfinite(at_s) and 0 <= at_s < _LATEST_S


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _marks(joined: str) -> tuple[str, ...]:
    if len(joined) > MAX_GIVEN * MARK_CHARACTERS or len(joined) % MARK_CHARACTERS:
        raise foreign_cursor()
    steps = range(0, len(joined), MARK_CHARACTERS)
    return tuple(joined[start : start + MARK_CHARACTERS] for start in steps)
