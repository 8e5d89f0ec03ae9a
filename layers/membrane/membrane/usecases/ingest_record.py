"""Ingest a full record of any type, as a caller wrote it or as this service returned it."""

from membrane.domain import policy
from membrane.domain.builder import build_given
from membrane.domain.errors import InvalidArgument, NotFound
from membrane.domain.idempotency import is_keyed_id
from membrane.domain.records import as_json
from membrane.domain.requests.records import IngestRecord, RecordInput
from membrane.domain.stored import StoredRecord
from membrane.domain.timestamps import rfc3339
from membrane.domain.values import references_in
from membrane.usecases.calls import Call, Result
from membrane.usecases.claiming import claimed
from membrane.usecases.creating import create, earlier, id_for
from membrane.usecases.ports.records import Receipt
from membrane.usecases.ports.services import Services
from membrane.usecases.racing import until_won
from membrane.usecases.visibility import load_visible, require_alive


def ingest_record(request: IngestRecord, call: Call, services: Services) -> Result:
    """Check and write a full record with its relations.

    Raises InvalidArgument, PermissionDenied, AlreadyExists, Aborted, and NotFound where a relation
    points at a record that is absent or may not be seen; for an upload what `claimed` does.
    """
    given = request.record
    if given.id is not None and is_keyed_id(given.id):
        raise InvalidArgument("validation error for id: UUIDs of version 8 are the server's own")
    scope = call.principal.scope_for_writing(given.scope)
    call.principal.require_write(scope, given.sensitivity)
    making = call.making(given.id or id_for(call, services), services.now(), services)
    lifecycle = policy.lifecycle_for(
        given.type, given.lifecycle, services.policy, rfc3339(making.now)
    )
    references = references_in(given.payload)
    done = earlier(making.record_id, call, services) if references else None
    if done is not None:
        return done
    whole, uploads = claimed(given, references, making.record_id, call, services)
    record = build_given(whole, as_json(whole), lifecycle, scope, making)
    receipt = _receipt(given, call, services)

    def attempt() -> Result:
        try:
            targets = _targets(given, call, services)
        except NotFound:
            done = earlier(record.id, call, services)
            if done is None:
                raise
            return done
        return create(
            record,
            making.now,
            call,
            services,
            targets=targets,
            receipt=receipt,
            claimed=uploads,
        )

    return until_won(attempt, services)


def _receipt(given: RecordInput, call: Call, services: Services) -> Receipt | None:
    """An id chosen by the client says nothing of the key, so the key needs a mark of its own."""
    if given.id is None or call.key is None:
        return None
    return Receipt(id_for(call, services), call.fingerprint)


def _targets(given: RecordInput, call: Call, services: Services) -> tuple[StoredRecord, ...]:
    targets = []
    for target_id in dict.fromkeys(relation.target_id for relation in given.relations):
        try:
            target = require_alive(load_visible(target_id, call.principal, services))
        except NotFound:
            raise NotFound("a relation's target: record not found") from None
        targets.append(target)
    return tuple(targets)
