"""The request of the metrics."""

from pydantic import Field

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.requests import Asked


class GetMetrics(Asked):
    """What there is, counted; `trust` names the scopes."""

    trust: TrustInput = Field(default_factory=TrustInput)
