"""Requests to consolidate, and to list what was consolidated."""

from typing import Annotated

from pydantic import Field

from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import Limit, Part
from membrane.domain.language.requests import OPTIONAL, FromQuery, OptionalScope, RequestPart

MAX_QUIET_MINUTES = 10_080
"""A week."""

USUAL_CONSOLIDATIONS = 20
"""Records on a page without a limit."""

MAX_CONSOLIDATIONS = 50
"""The most records on a page."""


class Consolidate(RequestPart):
    """Show what the evidence of a scope would become; with `dry_run: false` make it.

    Ended threads become traces, traces become skills and plans. Every piece of evidence counts
    once, so a repeat makes only what the first call left.
    """

    scope: OptionalScope = None
    """Scope of the evidence, which the key must be able to write. Absent or empty: the first scope
    of the key; the unscoped evidence for a key of all scopes."""
    dry_run: bool = True
    """Whether to show only. Absent: true."""
    quiet_minutes: Annotated[int, Field(ge=0, le=MAX_QUIET_MINUTES)] | None = None
    """Minutes without a step after which a thread has ended, 0 to 10,080. With 0, every thread has
    ended. Absent: the deployment's `ThreadQuietMinutes`."""


class ListConsolidations(Part):
    """List the traces, skills and plans that were made of evidence, the newest first."""

    scope: FromQuery[OptionalScope] = None
    """Scope of the records, without unscoped records. Absent or empty: all scopes of the key, and
    unscoped records."""
    limit: FromQuery[Limit] = 0
    """Records on the page, 0 to 10,000; 0 = 20, and more than 50 give 50."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""
