"""The request of the metrics."""

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.requests import FromQuery, RequestPart


class GetMetrics(RequestPart):
    """Count the records of the requested scopes, and their salience as of now."""

    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Scopes and highest sensitivity of the records to count; unscoped records are always included.
    Without scopes: the scopes of the key, at most 50; all scopes together need `admin` over all
    scopes."""
