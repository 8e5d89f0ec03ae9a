"""Reading one record: as it is, as it was, its versions, its audit trail."""

from typing import Annotated, Literal

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import Part
from membrane.domain.language.requests import OPTIONAL, OptionalTimestamp
from membrane.domain.tokens.fields import Cursor, Limit


class RetrieveById(Part):
    """One record, as it is or as it was; or the newest of those that replaced it."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    as_of: OptionalTimestamp = None
    resolve: Annotated[Literal["latest"] | None, OPTIONAL] = None


class ReadAudit(Part):
    """The audit trail of one record, which may have been deleted, the oldest entry first."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    limit: Limit = 0
    cursor: Annotated[Cursor | None, OPTIONAL] = None
    verify: bool = False


class ReadVersions(Part):
    """The versions of one record, the oldest first."""

    id: str
    trust: TrustInput = Field(default_factory=TrustInput)
    limit: Limit = 0
    cursor: Annotated[Cursor | None, OPTIONAL] = None
