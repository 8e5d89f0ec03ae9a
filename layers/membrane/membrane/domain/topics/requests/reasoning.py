"""What is asked of the reasoning about topics: to do it, to undo it, and to tell of it."""

from typing import Annotated

from membrane.domain.language.fields import Part, Scope, Text
from membrane.domain.language.requests import OPTIONAL, Request
from membrane.domain.tokens.fields import Cursor, Limit


class UnmergeTopic(Request):
    """Take a topic out again of the one that it was merged into; `id` is its own."""

    id: str
    why: Text = ""


class Reason(Request):
    """Look for duplicates and for what is to be forgotten in a scope; by default only look.

    Without a scope it is the one that the principal writes into.
    """

    scope: Annotated[Scope | None, OPTIONAL] = None
    dry_run: bool = True
    cursor: Annotated[Cursor | None, OPTIONAL] = None
    """Goes on where an earlier call of the same request ended."""


class ReadActions(Part):
    """What was done with the topics of a scope, the newest first."""

    scope: Annotated[Scope | None, OPTIONAL] = None
    limit: Limit = 0
    """0 = as many as one call reads."""
    cursor: Annotated[Cursor | None, OPTIONAL] = None
