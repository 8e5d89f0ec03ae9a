"""Records to store, and receipts of answers, with a default for every part."""

import hashlib
import random
import string
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue, references_in
from membrane.domain.language.vocabulary import (
    AuditAction,
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    ProvenanceKind,
    Sensitivity,
)
from membrane.domain.records.history import Delta, EarlierValue
from membrane.domain.records.payloads import EpisodicPayload, Payload, TimelineEvent, ToolNode
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
from membrane.domain.search.answer_receipts import AnswerReceipt, ExplainedCandidate
from membrane.table.entity import RESIDENT
from tests.builders.requests import OWNER
from tests.fakes.clock import MORNING
from tests.worlds.stores import Store

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


SECRET = "s3cret"
"""In all that the record says, and in every free text of its audit."""

TARGETS = ("target-1", "target-2")
CONTENT = f'"{SECRET} {noise(LARGE_VALUE_BYTES)}"'.encode()


def laden(store: Store, record_id: str = "record-1", *, entries: int = 20) -> StoredRecord:
    """A record with edges, a large document, a large value, and so many audit entries.

    Two entries have texts so large that theirs lie in a blob: an early one, that spills first, and
    the last. Another record points at it.
    """
    targets = [standing(store, name) or created(store, stored(name)) for name in TARGETS]
    relations = tuple(
        Relation(predicate=predicate, target_id=target.id, weight=0.5, created_at=NOW)
        for target in targets
        for predicate in ("cites", "p" * 256)
    )
    large = LargeValue(record_id, hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
    payload = EpisodicPayload(
        kind="episodic",
        timeline=(
            TimelineEvent(
                t=NOW, event_kind="tool_call", ref="node", summary=f"{SECRET} {noise(90_000)}"
            ),
        ),
        tool_graph=(ToolNode(id="node", tool="cat", result=large),),
    )
    trail: list[AuditEntry] = []
    for number in range(min(entries, RESIDENT)):
        trail.append(entry(record_id, trail, actor=_actor(number, entries)))
    new = stored(record_id, payload=payload, relations=relations, fingerprint=b"f" * 32)
    new = replace(new, record=new.record.model_copy(update={"audit_log": tuple(trail)}))
    store.records.create(new, targets=targets, values={large: CONTENT})
    whole = the(store, record_id)
    pointing = Relation(predicate="after", target_id=record_id, weight=1.0, created_at=NOW)
    store.records.create(stored(f"pointer-{record_id}", relations=(pointing,)), targets=[whole])
    for number in range(RESIDENT, entries):
        whole = the(store, record_id)
        store.records.replace(whole, changed(whole, actor=_actor(number, entries)))
    return the(store, record_id)


def _actor(number: int, entries: int) -> str:
    return f"{SECRET} {noise(60_000, seed=number) if number in (3, entries - 1) else number}"


def created(store: Store, new: StoredRecord) -> StoredRecord:
    """The record, stored and read again."""
    store.records.create(new)
    return the(store, new.id)


def standing(store: Store, record_id: str) -> StoredRecord | None:
    found = store.records.load(record_id, whole=True)
    return found if isinstance(found, StoredRecord) else None


def the(store: Store, record_id: str = "record-1") -> StoredRecord:
    """The record with its document, as it is stored now."""
    found = standing(store, record_id)
    assert found is not None
    return found


def values_of(stored: StoredRecord) -> list[LargeValue]:
    """The large values of a record."""
    return [each for each in references_in(stored.record.payload) if isinstance(each, LargeValue)]


def edges_of(table: Store) -> Counter[tuple[str, str]]:
    """How many edges the table has from each source to each target."""
    return Counter(
        (item["source_id"]["S"], item["pk"]["S"].removeprefix("record#"))
        for item in table.everything()
        if "source_id" in item
    )


def texts(table: Store) -> Iterator[str]:
    """All that the table and the bucket hold, in clear."""
    for item in table.everything():
        for value in item.values():
            yield from _texts_in(value)
    for blob in table.blobs.list_blobs():
        yield _clear(table.blobs.get(blob.name) or b"")


def _texts_in(value: Mapping[str, Any]) -> Iterator[str]:
    ((kind, content),) = value.items()
    yield _clear(content) if kind == "B" else str(content)


def _clear(content: bytes) -> str:
    with suppress(zlib.error):
        content = zlib.decompress(content)
    return content.decode(errors="replace")


def formerly_tagged(held: StoredRecord, tags: list[str]) -> StoredRecord:
    """The record with one former version, which differs in the tags."""
    return replace(held, history=(Delta(1, (EarlierValue(("tags",), tags),)),))


RECEIPT_ID = "receipt-1"


def answer_receipt(scores: Mapping[str, float], **fields: Any) -> AnswerReceipt:
    """A receipt of the owner; the records with scores were handed out."""
    usual: dict[str, Any] = {
        "id": RECEIPT_ID,
        "principal": OWNER.actor_id,
        "identity": OWNER.identity,
        "asked_at": NOW,
        "query": {},
        "trust": {"max_sensitivity": "hyper", "scopes": None},
        "returned": len(scores),
        "explained": tuple(
            ExplainedCandidate(record_id, score, {}, handed_out=True)
            for record_id, score in scores.items()
        ),
        "considered": len(scores),
        "left_out": 0,
        "withheld": 0,
        "hidden": 0,
    }
    return AnswerReceipt(**{**usual, **fields})
