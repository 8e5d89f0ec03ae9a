"""The call by which the service adds what a model reads, and the records that a model may link."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeGuard

from membrane.domain.access.principals import INTERPRETER, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.capture.interpreter_prompt import MAX_CANDIDATE_CHARACTERS, Candidate
from membrane.domain.language.errors import Aborted
from membrane.domain.language.names import first_word_of
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.search.rendering import readable
from membrane.usecases.machinery.calls import Call
from membrane.usecases.names.known_entities import NamesInView, entities_of, names_in_view
from membrane.usecases.ports.world import World


def linkable_to(capture: StoredRecord, found: Iterable[AnyRecord]) -> Mapping[str, StoredRecord]:
    """The records by id: in the scope of the capture or unscoped, up to the capture's sensitivity.

    Without the capture itself, deleted records and retracted records.
    """
    return {
        each.id: each
        for each in found
        if is_alive(each)
        and each.id != capture.id
        and each.scope in (capture.scope, "")
        and each.sensitivity.level <= capture.sensitivity.level
        and not is_retracted(each.record.payload)
    }


def candidate_of(held: StoredRecord) -> Candidate:
    """The candidate for a model: id, name and aliases, nothing else of the record."""
    payload = held.record.payload
    if isinstance(payload, EntityPayload):
        aliases = tuple(each.value for each in payload.aliases)
        return Candidate(held.id, payload.canonical_name, aliases, is_entity=True)
    return Candidate(held.id, readable(held.record, MAX_CANDIDATE_CHARACTERS))


def is_alive(held: AnyRecord | None) -> TypeGuard[StoredRecord]:
    return isinstance(held, StoredRecord) and held.tombstone is None


INTERPRET = "InterpretCapture"
"""The operation in reports, and in the mark of an interpreted record."""

_PERMISSIONS = frozenset((Permission.INGEST, Permission.READ))


def interpreting_call(held: StoredRecord, *, key: str = "") -> Call:
    """A call by a principal limited to the scope and the sensitivity of the capture.

    The key is the id of the capture unless one is given: so the capture is interpreted once.
    """
    scopes = (held.scope or ALL_SCOPES,)
    principal = Principal(INTERPRETER, _PERMISSIONS, scopes, held.sensitivity, Source.SERVICE)
    return Call(principal, INTERPRET, key or held.id, fingerprint=bytes(32))


def is_interpreted(held: StoredRecord) -> bool:
    """Whether a model has interpreted the capture."""
    return interpreting_call(held).operation in held.operations


class CaptureGoneError(Exception):
    """The capture was deleted, erased or retracted since the model was asked."""


def load_standing(held: StoredRecord, world: World) -> StoredRecord:
    """The newest version of the capture, for a model that was asked about the version `held`.

    Raises CaptureGoneError, and the error of `require_same_place`.
    """
    newest = world.records.load(held.id)
    if not is_alive(newest) or is_retracted(newest.record.payload):
        raise CaptureGoneError
    require_same_place(held, newest)
    return newest


def require_same_place(held: StoredRecord, newest: StoredRecord) -> None:
    """Raise Aborted for a capture that was reclassified: the model was offered other records.

    What the model read would be written under the earlier scope and sensitivity.
    """
    if (newest.scope, newest.sensitivity) != (held.scope, held.sensitivity):
        raise Aborted("the capture was reclassified while a model interpreted the capture")


class NamedEntities(NamedTuple):
    """The entities by term, and the names as read."""

    entities: Mapping[str, StoredRecord]
    names: NamesInView


def entities_by_name(terms: Iterable[str], capture: StoredRecord, world: World) -> NamedEntities:
    """The entities that a capture means by the terms; two requests.

    An empty term names nothing, and is no key of the table.
    Known are entities in the scope of the capture or unscoped, up to the sensitivity of the
    capture.
    """
    wanted = dict.fromkeys(filter(None, terms))
    words = map(first_word_of, wanted)
    names = names_in_view(words, capture.scope, capture.sensitivity, world)
    return NamedEntities(entities_among(wanted, names, world), names)


def entities_among(
    terms: Iterable[str], names: NamesInView, world: World
) -> Mapping[str, StoredRecord]:
    """The entities by term, among `names`; one request."""
    candidates = {term: names.candidates(term) for term in terms}
    ids = list(dict.fromkeys(each for found in candidates.values() for each in found))
    loaded = world.records.load_each(ids) if ids else {}
    return entities_of(candidates, names.scope, names.ceiling, world, loaded)
