"""Cursors into what only ever grows at its end: how many elements earlier pages gave."""

from membrane.domain.language.counts import count_in
from membrane.domain.tokens.cursors import not_ours


def position_in(cursor: str | None) -> int:
    """The position at which a page begins; raises InvalidArgument for a cursor that is not ours."""
    if cursor is None:
        return 0
    count = count_in(cursor)
    if count is None:
        raise not_ours()
    return count
