"""Records to store, with a default for every part."""

import random
import string
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.vocabulary import (
    AuditAction,
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    ProvenanceKind,
    Sensitivity,
)
from membrane.domain.records.payloads import EpisodicPayload, Payload, TimelineEvent
from membrane.domain.records.records import (
    AuditEntry,
    MemoryRecord,
    Provenance,
    ProvenanceSource,
    Relation,
    entry_after,
)
from membrane.domain.records.stored import Operation, StoredRecord, Tombstone
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from tests.fakes.clock import MORNING

DAY_S = 86_400.0
NOW = rfc3339(MORNING)
NOW_S = epoch_seconds(MORNING)

DEFAULT = DecayProfile(
    curve=DecayCurve.EXPONENTIAL, half_life_seconds=3_600, reinforcement_gain=0.2
)


def lifecycle(
    decay: DecayProfile = DEFAULT,
    *,
    pinned: bool = False,
    deletion_policy: DeletionPolicy = DeletionPolicy.AUTO_PRUNE,
) -> Lifecycle:
    """A lifecycle that began this morning."""
    return Lifecycle(
        decay=decay, last_reinforced_at=NOW, pinned=pinned, deletion_policy=deletion_policy
    )


def event(ref: str = "build:1", summary: str = "") -> EpisodicPayload:
    """An episode of one event."""
    return EpisodicPayload(
        kind="episodic",
        timeline=(TimelineEvent(t=NOW, event_kind="build", ref=ref, summary=summary),),
    )


def entry(record_id: str, previous: Sequence[AuditEntry] = (), *, actor: str = "me") -> AuditEntry:
    """The next entry of a trail."""
    return entry_after(
        previous,
        record_id=record_id,
        action=AuditAction.REVISE if previous else AuditAction.CREATE,
        actor=actor,
        rationale=f"entry {len(previous)}",
        principal="agent",
        timestamp=NOW,
        salt=f"{len(previous):032x}",
    )


def stored(
    record_id: str = "record-1",
    *,
    payload: Payload | None = None,
    scope: str = "project:alpha",
    sensitivity: Sensitivity = Sensitivity.LOW,
    salience: float = 1.0,
    kept: Lifecycle | None = None,
    tags: tuple[str, ...] = ("one", "two"),
    relations: tuple[Relation, ...] = (),
    fingerprint: bytes = b"",
    born_s: float = NOW_S,
) -> StoredRecord:
    """The first version of a record, made this morning unless it says otherwise."""
    born = rfc3339(from_epoch_seconds(born_s))
    body = payload or event()
    record = MemoryRecord(
        id=record_id,
        type=MemoryType(body.kind),
        sensitivity=sensitivity,
        confidence=0.8,
        salience=salience,
        scope=scope,
        tags=tags,
        created_at=born,
        updated_at=NOW,
        lifecycle=kept or lifecycle(),
        provenance=Provenance(
            sources=(ProvenanceSource(kind=ProvenanceKind.EVENT, ref="build:1", timestamp=NOW),),
            created_by="ingestion-service",
        ),
        relations=relations,
        payload=body,
        audit_log=(entry(record_id),),
    )
    anchor = Anchor(salience=salience, at_s=born_s, born_s=born_s)
    return StoredRecord(record, anchor, version=1, fingerprint=fingerprint)


def changed(
    before: StoredRecord, *, actor: str = "me", done: Operation | None = None
) -> StoredRecord:
    """The next version, with one more audit entry."""
    record = with_entry(
        before.record,
        AuditAction.REVISE,
        Why(actor, f"change {before.version}"),
        Making(before.id, "node", MORNING, "agent", f"{before.version:032x}", PolicyDefaults()),
    )
    return before.next_version(record).with_operation(done)


def buried(before: StoredRecord, *, restore_days: int = 30, stay_days: int = 400) -> StoredRecord:
    """The record deleted this morning."""
    grave = Tombstone(
        deleted_at_s=NOW_S,
        reason="deleted",
        due_s=int(NOW_S + restore_days * DAY_S) + 1,
        expires_at_s=int(NOW_S + stay_days * DAY_S) + 1,
    )
    return replace(changed(before), tombstone=grave)


@cache
def noise(characters: int, seed: int = 0) -> str:
    """Text that hardly compresses: 6 bits a character, always the same for a seed."""
    alphabet = string.ascii_letters + string.digits + "+/"
    return "".join(random.Random(seed).choices(alphabet, k=characters))
