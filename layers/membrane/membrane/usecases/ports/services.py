"""The dependencies of a use case: ports, clock, ids and settings."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.domain.access.guards import Guard
from membrane.domain.access.principals import Principal, SourcePrincipals
from membrane.domain.learning.policy import LearningPolicy
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ports.surroundings import Clock, InvokeLater, SendToInterpreter

if TYPE_CHECKING:
    from datetime import datetime

    from membrane.adapters.dynamodb.access.key_store import DynamoKeys
    from membrane.adapters.dynamodb.archive.exports import DynamoExports
    from membrane.adapters.dynamodb.archive.restores import DynamoRestores
    from membrane.adapters.dynamodb.archive.walks import DynamoWalks
    from membrane.adapters.dynamodb.erasure.fences import DynamoFences
    from membrane.adapters.dynamodb.indexes.due import DynamoDue
    from membrane.adapters.dynamodb.indexes.learning import DynamoLearning
    from membrane.adapters.dynamodb.indexes.names import DynamoNames
    from membrane.adapters.dynamodb.indexes.natural import DynamoNatural
    from membrane.adapters.dynamodb.indexes.rank import DynamoRanks
    from membrane.adapters.dynamodb.integrity.integrity_store import DynamoIntegrity
    from membrane.adapters.dynamodb.records.store import DynamoRecords
    from membrane.adapters.dynamodb.records.ticket_queues import DynamoTicketQueues
    from membrane.adapters.dynamodb.records.uploads import DynamoUploads
    from membrane.adapters.dynamodb.search.answer_receipts import DynamoReceipts
    from membrane.domain.access.trust import Trust
    from membrane.domain.metrics.snapshot import Snapshot
    from membrane.usecases.ports.bucket import BlobStore, ImportStore
    from membrane.usecases.ports.operators import Measure, Report
    from membrane.usecases.ports.signing import Signer


@dataclass(frozen=True, slots=True)
class Services:
    records: "DynamoRecords"
    ticket_queues: "DynamoTicketQueues"
    keys: "DynamoKeys"
    blobs: "BlobStore"
    uploads: "DynamoUploads"
    fences: "DynamoFences"
    signer: "Signer"
    imports: "ImportStore"
    exports: "DynamoExports"
    restores: "DynamoRestores"
    walks: "DynamoWalks"
    now: Clock
    new_id: Callable[[], str]
    new_salt: Callable[[], str]
    back_off: Callable[[int], None]
    """Sleep a random time before try number n + 1."""
    report: "Report"
    measure: "Measure"
    due: "DynamoDue"
    ranks: "DynamoRanks"
    natural: "DynamoNatural"
    learning: "DynamoLearning"
    names: "DynamoNames"
    integrity: "DynamoIntegrity"
    receipts: "DynamoReceipts"
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
