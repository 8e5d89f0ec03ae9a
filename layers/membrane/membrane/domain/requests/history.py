"""Reading what a record was before."""

from typing import Annotated

from pydantic import Field

from membrane.domain.fields import Part
from membrane.domain.requests.base import OPTIONAL
from membrane.domain.requests.reads import TrustInput
from membrane.domain.requests.retrieval import Cursor, Limit


class ReadVersions(Part):
    """The versions of one record, the oldest first."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    limit: Limit = 0
    cursor: Annotated[Cursor | None, OPTIONAL] = None
