"""Prepare a full record sent by a caller for the store: id, values, receipt, relation targets."""

from collections.abc import Iterable

from membrane.domain.ingest.builder import Making, build_full_record
from membrane.domain.ingest.full_records import RecordInput
from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.values import references_in
from membrane.domain.records.idempotency import is_keyed_id
from membrane.domain.records.records import MemoryRecord, Relation, as_json
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import lifecycle_for
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.visibility import load_alive
from membrane.usecases.ports.records import Claimed, Receipt
from membrane.usecases.ports.world import World
from membrane.usecases.records.resolve_references import resolve_references


def id_of(given: RecordInput, call: Call, world: World) -> str:
    """The given id, else a new id; raises InvalidArgument for an id reserved for the server."""
    if given.id is not None and is_keyed_id(given.id):
        raise InvalidArgument("validation error for id: UUIDs of version 8 are the server's own")
    return given.id or call.new_id(world)


def prepare_record(
    given: RecordInput, scope: str, making: Making, call: Call, world: World
) -> tuple[MemoryRecord, Claimed]:
    """The record with lifecycle and resolved references, and the claimed uploads.

    Raises the errors of `lifecycle_for`, `build_full_record` and `resolve_references`.
    """
    lifecycle = lifecycle_for(given.type, given.lifecycle, world.policy, making.timestamp)
    whole, uploads = resolve_references(
        given, references_in(given.payload), making.record_id, call, world
    )
    return build_full_record(whole, as_json(whole), lifecycle, scope, making), uploads


def receipt_of(given: RecordInput, call: Call, world: World) -> Receipt | None:
    """The receipt of the idempotency key; needed only if the client chose the id."""
    if given.id is None or call.key is None:
        return None
    return Receipt(call.new_id(world), call.fingerprint)


def targets_of(relations: Iterable[Relation], call: Call, world: World) -> tuple[StoredRecord, ...]:
    """The targets of the relations; raises NotFound for an absent or hidden target."""
    targets = []
    for target_id in dict.fromkeys(relation.target_id for relation in relations):
        try:
            target = load_alive(target_id, call.principal, world)
        except NotFound:
            raise NotFound("a relation's target: record not found") from None
        targets.append(target)
    return tuple(targets)
