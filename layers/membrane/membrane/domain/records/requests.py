"""Reading what a record was before."""

from typing import Annotated

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import Part
from membrane.domain.language.requests import OPTIONAL
from membrane.domain.search.requests import Cursor, Limit


class ReadVersions(Part):
    """The versions of one record, the oldest first."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    limit: Limit = 0
    cursor: Annotated[Cursor | None, OPTIONAL] = None
