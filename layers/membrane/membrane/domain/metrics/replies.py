"""The reply with the metrics."""

from typing import Annotated

from typing_extensions import TypedDict

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.replies import with_shape
from membrane.domain.metrics.snapshot import Snapshot


class Metrics(TypedDict):
    """The metrics of the visible records."""

    snapshot: Annotated[JsonObject, with_shape(Snapshot)]
    """The numbers as of one instant."""
