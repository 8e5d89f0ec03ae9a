"""The dependencies of a use case: ports, clock, ids and settings."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.access.guards import Guard
from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults

if TYPE_CHECKING:
    from membrane.domain.access.trust import Trust
    from membrane.domain.metrics.snapshot import Snapshot
    from membrane.usecases.ports.archive import ExportStore, RestoreStore
    from membrane.usecases.ports.bucket import BlobStore, ImportStore
    from membrane.usecases.ports.fences import Fences
    from membrane.usecases.ports.indexes import DueIndex, NaturalIndex, RankIndex
    from membrane.usecases.ports.integrity import IntegrityStore
    from membrane.usecases.ports.keys import KeyStore
    from membrane.usecases.ports.learning import LearningIndex
    from membrane.usecases.ports.names import EntityNames
    from membrane.usecases.ports.operators import Measure, Report
    from membrane.usecases.ports.records import RecordStore
    from membrane.usecases.ports.search import AnswerReceipts
    from membrane.usecases.ports.signing import Signer
    from membrane.usecases.ports.ticket_queues import TicketQueues
    from membrane.usecases.ports.uploads import UploadStore
    from membrane.usecases.ports.walks import WalkStore


Clock = Callable[[], datetime]
"""The current time with a time zone."""

MAX_WORKERS = 16
"""The most threads that use the ports at once; clients keep as many connections."""

InvokeLater = Callable[[str, JsonObject], None]
"""Start a Lambda function, given by name or ARN, with an event; do not wait for the end.

May raise Unavailable.
"""

SendToInterpreter = Callable[[str, int, int], None]
"""Send id and version of a capture to the interpreting function, after 0 to 900 seconds.

May raise Unavailable.
"""


class SourcePrincipals(NamedTuple):
    """The principals of event sources, which send no key; None = the source is closed."""

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
    fences: "Fences"
    signer: "Signer"
    imports: "ImportStore"
    exports: "ExportStore"
    restores: "RestoreStore"
    walks: "WalkStore"
    now: Clock
    new_id: Callable[[], str]
    new_salt: Callable[[], str]
    back_off: Callable[[int], None]
    """Sleep a random time before try number n + 1."""
    report: "Report"
    measure: "Measure"
    due: "DueIndex"
    ranks: "RankIndex"
    natural: "NaturalIndex"
    learning: "LearningIndex"
    names: "EntityNames"
    integrity: "IntegrityStore"
    receipts: "AnswerReceipts"
    draw: Callable[[int], int]
    """A random integer from 0 up to, and without, the argument."""
    elapsed_s: Callable[[], float]
    """Seconds of a monotonic clock."""
    invoke_later: InvokeLater
    policy: PolicyDefaults = field(default_factory=PolicyDefaults)
    retention: Retention = field(default_factory=Retention)
    learning_policy: LearningPolicy = field(default_factory=LearningPolicy)
    sources: SourcePrincipals = field(default_factory=SourcePrincipals)
    guard: Guard = field(default_factory=Guard)
    export_function: str = ""
    """The name of the function that writes exports; empty where no route needs the function."""
    consolidate_function: str = ""
    """The name of the function that consolidates; empty where no change ends a thread."""
    send_to_interpreter: SendToInterpreter | None = None
    """None = no model interprets captures."""
    snapshots: "dict[tuple[Principal, Trust], tuple[datetime, Snapshot]]" = field(
        default_factory=dict
    )
    """The last metrics of each principal, with the time of the count."""
