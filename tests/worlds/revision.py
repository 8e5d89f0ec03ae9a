"""Facts under revision: the world in which they are revised, and what must hold of any state."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from threading import Lock
from typing import Any

from membrane.adapters.dynamodb.records.queues import LINE
from membrane.domain.access.principals import Principal
from membrane.domain.entities.merging import absorbed_ids
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestWorkingState,
)
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.records.payloads import EntityPayload, SemanticPayload, Validity
from membrane.domain.records.records import AuditEntry, as_json, first_broken, is_erased
from membrane.domain.records.standing import is_retracted, state_of
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.domain.revision.requests import (
    Contest,
    Fork,
    Merge,
    Reclassify,
    Resolve,
    Retract,
    Supersede,
)
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.machinery.calls import Result, Written
from membrane.usecases.revision.standing import (
    contest_record,
    reclassify_record,
    resolve_contest,
    retract_record,
)
from membrane.usecases.revision.supersede_fork_merge import (
    fork_record,
    merge_records,
    supersede_record,
)
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import OWNER, USE_CASES, call
from tests.fakes.chat_models import Metrics
from tests.fakes.clock import counted_salts
from tests.worlds.faults import SteppingBlobs, hooks
from tests.worlds.stores import SETTINGS, TUNING, Item, Store, table_store

KEEP, REPLACE, FORK, CONTEST = "keep", "replace", "fork", "contest"
REPLACED, FORKED, CONTESTED, KEPT = "name", "speaks", "owns", "likes"

POLICIES = {REPLACED: REPLACE, FORKED: FORK, CONTESTED: CONTEST, "*": KEEP}
"""What becomes of facts that conflict, by predicate."""

WRITING = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem")


def revising(table: Store) -> World:
    """World over the table, under the policies, with counted ids and salts and no waiting."""
    environment = {
        **SETTINGS,
        "MEMBRANE_TABLE": table.table,
        "MEMBRANE_TUNING": json.dumps({**TUNING, "ConflictPolicies": POLICIES}),
        "MEMBRANE_DUE_SHARDS": "2",  # so that a sweep is two requests
    }
    return table.under(environment=environment).but(
        back_off=table.back_off,
        new_id=table.services.new_id,
        new_salt=counted_salts(),
        measure=Metrics(),
    )


DEEDS: Mapping[type[Part], Callable[..., Result]] = {
    **{asked: deed for asked, deed in USE_CASES.items()},  # noqa: C416 - for wider keys
    IngestEvent: ingest,
    IngestObservation: ingest,
    IngestOutcome: ingest,
    IngestWorkingState: ingest,
    IngestRecord: ingest_record,
    Supersede: supersede_record,
    Fork: fork_record,
    Merge: merge_records,
    Retract: retract_record,
    Contest: contest_record,
    Resolve: resolve_contest,
    Reclassify: reclassify_record,
}
"""Everything that changes memory, by what asks for it."""


def done(
    request: Part, services: World, principal: Principal = OWNER, *, key: str | None = None
) -> Result:
    """What comes of the request."""
    return DEEDS[type(request)](request, call(request, principal, key=key), services)


def id_of(result: Result) -> str:
    """The record that the answer is about."""
    return result.record.id if isinstance(result, Written) else result.record_id


def fact(predicate: str, said: str, **fields: Any) -> dict[str, Any]:
    """A fact of the user, as a full record."""
    return {
        "type": "semantic",
        "sensitivity": "low",
        "payload": {
            "kind": "semantic",
            "subject": "user",
            "predicate": predicate,
            "object": said,
            "validity": {"mode": "global"},
        },
        "provenance": {"sources": [{"kind": "event", "ref": "talk:1"}]},
        **fields,
    }


# --- What was written ---------------------------------------------------------------------------


@dataclass(slots=True)
class Writes:
    """How many writes of a client the table has carried out."""

    done: int = 0


def counted_writes(table: Store) -> Writes:
    """Count them from now on."""
    writes, counting = Writes(), Lock()

    def count(http_response: Any, **_: object) -> None:
        with counting:
            writes.done += http_response.status_code == 200

    for operation in WRITING:
        hooks(table.client).register(f"after-call.dynamodb.{operation}", count)
    return writes


@contextmanager
def unchanged(table: Store) -> Iterator[None]:
    """The block leaves every item of the table as it was."""
    before = table.everything()
    yield
    assert table.everything() == before


# --- What must hold of any state ----------------------------------------------------------------


def require_audited(held: AnyRecord) -> None:
    """Its audit verifies from its first entry to its last, also that of a tombstone."""
    assert first_broken(held.id, held.trail, held.written_entries) is None, held.id


def require_standing_whole(stored: StoredRecord) -> None:
    """What replaced a record, its status and its salience say the same."""
    state = state_of(stored.record.payload)
    if state.superseded_by:
        assert is_retracted(stored.record.payload), stored.id
    if is_retracted(stored.record.payload):
        assert stored.anchor.salience == 0.0, stored.id
        assert state.since is not None, stored.id


def require_linked(found: Mapping[str, AnyRecord]) -> None:
    """Each record names what replaced it, and that one names it, in relation and state."""
    for stored in found.values():
        if isinstance(stored, StoredRecord):
            _require_links_of(stored, found)


def _require_links_of(stored: StoredRecord, found: Mapping[str, AnyRecord]) -> None:
    state = state_of(stored.record.payload)
    by = found.get(state.superseded_by)
    if isinstance(by, StoredRecord) and isinstance(by.record.payload, EntityPayload):
        assert stored.id in absorbed_ids(by.record.payload)
    elif isinstance(by, StoredRecord):
        assert relations_of(by) & {("supersedes", stored.id), ("derived_from", stored.id)}, (
            f"{by.id} does not know that it replaced {stored.id}"
        )
    replaced = {target for predicate, target in relations_of(stored) if predicate == "supersedes"}
    if state.supersedes:
        assert state.supersedes in replaced, f"{stored.id} lacks the relation to what it replaced"
    for old_id in replaced:
        old = found.get(old_id)
        if isinstance(old, StoredRecord):
            assert state_of(old.record.payload).superseded_by == stored.id, (
                f"{old_id} does not know that {stored.id} replaced it"
            )


def relations_of(stored: StoredRecord) -> set[tuple[str, str]]:
    """Predicate and target of each of its relations, none of them there twice."""
    pairs = [(each.predicate, each.target_id) for each in stored.record.relations]
    assert len(set(pairs)) == len(pairs), stored.id
    return set(pairs)


def require_paired_edges(items: Sequence[Item], found: Mapping[str, AnyRecord]) -> None:
    """Each relation is an edge in its target's partition, and no other edge is there.

    Of a record whose document is gone no edge is left, once the removal is complete. Edges of a
    record that TTL has removed, or is to remove, do not count.
    """
    settled = {held.id for held in found.values() if not _is_half_removed(held)}
    edges = Counter(
        (item["source_id"]["S"], item["predicate"]["S"], item["pk"]["S"].removeprefix("record#"))
        for item in items
        if "source_id" in item
    )
    told = Counter(
        (stored.id, predicate, target_id)
        for stored in found.values()
        if isinstance(stored, StoredRecord)
        for predicate, target_id in relations_of(stored)
    )
    of_those = Counter({edge: times for edge, times in edges.items() if edge[0] in settled})
    assert of_those == told


def _is_half_removed(held: AnyRecord) -> bool:
    return isinstance(held, RemovedRecord) and held.tombstone.due_s is not None


def conflicting(facts: Collection[StoredRecord]) -> set[frozenset[str]]:
    """The pairs of active facts that say something of the same thing, at the same time."""
    standing = [
        fact
        for fact in facts
        if fact.tombstone is None
        and isinstance(fact.record.payload, SemanticPayload)
        and not is_retracted(fact.record.payload)
    ]
    return {
        frozenset((one.id, other.id))
        for one, other in combinations(standing, 2)
        if _thing(one) == _thing(other) and _overlap(_validity(one), _validity(other))
    }


def require_no_rivals(found: Mapping[str, AnyRecord]) -> None:
    """Where one fact is to be active at a time, one is; of facts that all callers can see."""
    alone = [
        held
        for held in found.values()
        if isinstance(held, StoredRecord)
        and isinstance(held.record.payload, SemanticPayload)
        and POLICIES.get(held.record.payload.predicate) == REPLACE
    ]
    assert not conflicting(alone)


def _thing(fact: StoredRecord) -> tuple[str, str, str, bytes]:
    payload = fact.record.payload
    assert isinstance(payload, SemanticPayload)
    return (
        fact.scope,
        payload.subject,
        payload.predicate,
        canonical_json(payload.validity.conditions),
    )


def _validity(fact: StoredRecord) -> Validity:
    payload = fact.record.payload
    assert isinstance(payload, SemanticPayload)
    return payload.validity


def _overlap(one: Validity, other: Validity) -> bool:
    """Both windows are open at some instant; all of them are of one offset here."""
    return _begins_before_end(one, other) and _begins_before_end(other, one)


def _begins_before_end(one: Validity, other: Validity) -> bool:
    start, end = one.start, other.end
    if start in (None, NOT_GIVEN) or end in (None, NOT_GIVEN):
        return True
    assert start is not None
    assert end is not None
    return start < end


# --- A state, to be compared with others --------------------------------------------------------

WITH_SALTS = frozenset({"audit", "entries"})


@dataclass(frozen=True, slots=True)
class State:
    """All that a table holds, but for salts, what follows from them, and lines of writers."""

    items: Mapping[tuple[str, str], Mapping[str, Any]]
    trails: Mapping[str, Sequence[tuple[object, ...]]]


def state_in(table: Store) -> State:
    """The state, with all that must hold of any."""
    items = table.everything()
    found = held_in(table, items)
    require_whole(found, items)
    require_no_rivals(found)
    return State(
        {
            (item["pk"]["S"], item["sk"]["S"]): {
                name: value for name, value in item.items() if name not in WITH_SALTS
            }
            for item in items
            if item["sk"] != {"S": LINE}
        },
        {record_id: [essence(entry) for entry in held.trail] for record_id, held in found.items()},
    )


def held_in(table: Store, items: Sequence[Item] | None = None) -> dict[str, AnyRecord]:
    """All that is held, by id."""
    own = [
        item["pk"]["S"].removeprefix("record#")
        for item in (table.everything() if items is None else items)
        if item["sk"] == {"S": "record"} and "receipt_for" not in item
    ]
    loaded = {record_id: table.records.load(record_id, whole=True) for record_id in own}
    return {record_id: held for record_id, held in loaded.items() if held is not None}


def require_whole(found: Mapping[str, AnyRecord], items: Sequence[Item]) -> None:
    """Whatever was done or left undone: links agree, edges pair up, every audit verifies."""
    for held in found.values():
        require_audited(held)
        if isinstance(held, StoredRecord):
            require_standing_whole(held)
    require_linked(found)
    require_paired_edges(items, found)


def essence(entry: AuditEntry) -> tuple[object, ...]:
    """An audit entry without its salt and hashes."""
    said = (entry.actor, entry.rationale, entry.salience_before, entry.salience_after)
    return entry.action, entry.timestamp, entry.principal, is_erased(entry), *said


def told(stored: StoredRecord, now_s: float) -> dict[str, Any]:
    """What a reader sees of the record at that instant."""
    return dict(as_json(stored.as_of(now_s, {})))


@dataclass(slots=True)
class Stage:
    """One table, brought back to where something begins as often as it is asked for."""

    table: Store
    services: World
    requests: Sequence[Part]
    items: Sequence[Item]
    blobs: Mapping[str, bytes]

    @classmethod
    def of(cls, prepare: Callable[[World], Sequence[Part]]) -> "Stage":
        """What is there at first, and what is asked for then."""
        blobs = SteppingBlobs()
        table = table_store(blobs)
        services = revising(table)
        requests = prepare(services)
        return cls(table, services, requests, table.everything(), dict(blobs.blobs))

    def begin(self) -> None:
        """All is as it was at first."""
        for item in self.table.everything():
            if item not in self.items:
                self.table.remove(item)
        for item in self.items:
            self.table.put(item)
        assert isinstance(self.table.blobs, SteppingBlobs)
        self.table.blobs.blobs = dict(self.blobs)

    def act(self, number: int = 0) -> tuple[str, bool]:
        """What one request is answered: of which record, and whether as a repetition."""
        result = done(self.requests[number], self.services, key=f"key-{number}")
        return id_of(result), result.replayed

    def state(self) -> State:
        """All that there is now."""
        return state_in(self.table)
