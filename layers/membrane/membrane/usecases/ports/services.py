"""The world of a use case, and the smaller things in it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.trust import Principal, Trust
from membrane.domain.language.json_text import JsonObject
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults

if TYPE_CHECKING:
    from membrane.domain.metrics.snapshot import Snapshot
    from membrane.usecases.ports.bucket import BlobStore, ImportStore
    from membrane.usecases.ports.indexes import DueIndex, NaturalIndex, RankIndex
    from membrane.usecases.ports.keys import KeyStore
    from membrane.usecases.ports.operators import Measure, Report
    from membrane.usecases.ports.records import RecordStore
    from membrane.usecases.ports.ticket_queues import TicketQueues
    from membrane.usecases.ports.uploads import UploadStore


Clock = Callable[[], datetime]
"""The time now, with its zone."""

MAX_WORKERS = 16
"""Threads that use the ports at once, so connections that a client keeps."""

LONGEST_PAUSE = 100
"""The longest pause of `Services.back_off`, as a multiple of the first: the limit of doubling."""

InvokeLater = Callable[[str, JsonObject], None]
"""Start the function of that name or ARN with that event, and do not wait for it."""


def longest_pause(tries: int) -> int:
    """The limit of the pause that `Services.back_off(tries)` draws, as a multiple of the first."""
    return min(1 << tries, LONGEST_PAUSE)


class SourcePrincipals(NamedTuple):
    """As whom the sources without a key act; None = that source is closed (design 5)."""

    bus: Principal | None = None
    queue: Principal | None = None
    direct: Principal | None = None
    imports: Principal | None = None


@dataclass(frozen=True, slots=True)
class Services:
    records: "RecordStore"
    ticket_queues: "TicketQueues"
    keys: "KeyStore"
    blobs: "BlobStore"
    uploads: "UploadStore"
    imports: "ImportStore"
    now: Clock
    new_id: Callable[[], str]
    new_salt: Callable[[], str]
    back_off: Callable[[int], None]
    """Wait a random time before try number n + 1."""
    report: "Report"
    measure: "Measure"
    due: "DueIndex"
    ranks: "RankIndex"
    natural: "NaturalIndex"
    draw: Callable[[int], int]
    """A random number from 0 up to, and without, the one given."""
    elapsed_s: Callable[[], float]
    """Seconds since some moment, by a clock that is never set."""
    invoke_later: InvokeLater
    policy: PolicyDefaults = field(default_factory=PolicyDefaults)
    retention: Retention = field(default_factory=Retention)
    sources: SourcePrincipals = field(default_factory=SourcePrincipals)
    snapshots: "dict[tuple[Principal, Trust], tuple[datetime, Snapshot]]" = field(
        default_factory=dict
    )
    """The metrics that each principal was last given, and when."""
