"""Requests that read one record: now, in the past, the versions, the audit trail."""

from typing import Annotated, Literal

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import Limit, Part
from membrane.domain.language.requests import OPTIONAL, FromPath, FromQuery, OptionalTimestamp


class RetrieveById(Part):
    """Read one record, as of now or of an instant, or the newest successor."""

    id: FromPath[str]
    """Id of the record."""
    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows what the key may see; a record that only the narrowed trust excludes is refused with
    403."""
    as_of: FromQuery[OptionalTimestamp] = None
    """Instant to show the record of, in RFC 3339, not in the future. Before the creation of the
    record the answer is 404. Absent or empty: now. Not together with `resolve`."""
    resolve: FromQuery[Annotated[Literal["latest"] | None, OPTIONAL]] = None
    """`latest`: follow the successors of a superseded record to the newest, at most 500 steps.
    Absent or empty: the record itself."""


class ReadAudit(Part):
    """Read the audit trail of a record, deleted or not, the oldest entry first."""

    id: FromPath[str]
    """Id of the record."""
    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows what the key may see; a record that only the narrowed trust excludes is refused with
    403."""
    limit: FromQuery[Limit] = 0
    """Entries on the page, 0 to 10,000; 0 and more than 1,000 give 1,000."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""
    verify: FromQuery[bool] = False
    """Verify the hash chain: with the first page, the whole trail up to 50,000 entries; with a
    later page, the entries of the page. Also compare the record with the newest anchor."""


class ReadVersions(Part):
    """Read the versions of a record, the oldest first."""

    id: FromPath[str]
    """Id of the record."""
    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Narrows what the key may see; a record that only the narrowed trust excludes is refused with
    403. A version from a time beyond the narrowed trust is shown without content, as `withheld`."""
    limit: FromQuery[Limit] = 0
    """Versions on the page, 0 to 10,000; 0 = as many as a reply carries."""
    cursor: FromQuery[Annotated[Cursor | None, OPTIONAL]] = None
    """The `next_cursor` of the previous page. Absent or empty: the first page."""
