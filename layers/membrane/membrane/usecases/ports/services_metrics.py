"""The world of the use cases that count records, and of those that read what was counted."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.usecases.ports.counters import Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingServices(Services):
    """What counting needs, beside what all have."""

    counters: "Counters"
