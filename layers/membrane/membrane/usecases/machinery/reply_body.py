"""The body of a reply that a use case makes itself, where no edge presents a result."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.language.json_text import Body
from membrane.domain.language.values import LargeValue
from membrane.usecases.ports.records import NO_VALUES

if TYPE_CHECKING:
    from membrane.domain.language.replies import PageReply


class ReplyBody(NamedTuple):
    """The body of a reply; `LargeValue`s in it are put in place, or linked to, at the edge."""

    body: Body
    replayed: bool = False
    values: Mapping[LargeValue, bytes] = NO_VALUES
    version: int | None = None
    """The version of the document in the body, for the header `ETag`; None = no header."""


def cursor_part(cursor: str | None) -> "PageReply":
    """The part of a reply that says where the next page begins."""
    return {} if cursor is None else {"next_cursor": cursor}
