"""The reply with the metrics."""

from typing import Annotated

from typing_extensions import TypedDict

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.replies import shaped
from membrane.domain.metrics.snapshot import Snapshot


class Metrics(TypedDict):
    """The metrics of the visible records."""

    snapshot: Annotated[JsonObject, shaped(Snapshot)]
    """The numbers as of one instant."""
