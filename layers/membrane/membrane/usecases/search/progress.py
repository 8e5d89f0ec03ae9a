"""How far a retrieval has come, as its cursor carries it from page to page.

Nobody is believed for a cursor: it says what was given already and where to go on, and never where
to look or what may be seen.
"""

import math
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tokens.cursors import decode, encode, foreign_cursor
from membrane.usecases.ports.search import MAX_FOUND

MAX_GIVEN = 400
"""Marks that a cursor carries at most: the fused results, and what tokens brought in."""

MARK_BYTES = 6
MARK_CHARACTERS = 8
_LATEST_S = 253_402_300_800
"""The end of the calendar."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What earlier pages gave; in the beginning nothing."""

    at_s: float
    """The instant of the first page, in seconds since 1970: all pages are ordered as of then."""
    given: tuple[str, ...] = ()
    """Marks of records that are not to be given again; those given by score stand first.

    Of the others a cursor carries the newest, MAX_GIVEN marks in all.
    """
    fused: int | None = 0
    """How many were given by score; None once salience alone decides."""
    rank: JsonObject | None = None
    """Where the order by salience goes on; None at its beginning."""

    def cursor(self, binding: bytes, key: bytes) -> str:
        fused, others = self.given[:MAX_FOUND], self.given[MAX_FOUND:]
        newest = others[-(MAX_GIVEN - MAX_FOUND) :]
        state = {"at": self.at_s, "given": "".join((*fused, *newest))}
        optional = {"fused": self.fused, "rank": self.rank}
        return encode(state | {k: v for k, v in optional.items() if v is not None}, binding, key)


def progress_of(
    cursor: str | None, binding: bytes, now_s: float, key: Callable[[], bytes]
) -> Progress:
    """What the cursor says; raises InvalidArgument for one of another request."""
    if cursor is None:
        return Progress(now_s)
    match decode(cursor, binding, key()):
        case {"at": int() | float() as at_s, "given": str(given), **rest} if _is_instant(at_s):
            fused, rank = rest.get("fused"), rest.get("rank")
            if not (fused is None or _is_count(fused)) or not isinstance(rank, dict | None):
                raise foreign_cursor()
            return Progress(min(at_s, now_s), _marks(given), fused, rank)
        case _:
            raise foreign_cursor()


def marks_of(record_ids: Iterable[str]) -> tuple[str, ...]:
    """Short digests by which what was given is known again."""
    return tuple(map(mark_of, record_ids))


def mark_of(record_id: str) -> str:
    return urlsafe_b64encode(digest(record_id)[:MARK_BYTES]).decode()


def _is_instant(at_s: Any) -> bool:
    return not isinstance(at_s, bool) and math.isfinite(at_s) and 0 <= at_s < _LATEST_S


def _is_count(fused: Any) -> bool:
    return isinstance(fused, int) and not isinstance(fused, bool) and 0 <= fused <= MAX_FOUND


def _marks(joined: str) -> tuple[str, ...]:
    if len(joined) > MAX_GIVEN * MARK_CHARACTERS or len(joined) % MARK_CHARACTERS:
        raise foreign_cursor()
    steps = range(0, len(joined), MARK_CHARACTERS)
    return tuple(joined[start : start + MARK_CHARACTERS] for start in steps)
