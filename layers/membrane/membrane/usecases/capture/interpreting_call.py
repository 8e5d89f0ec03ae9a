"""The call by which the service adds what a model reads, and the records that a model may link."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from membrane.domain.access.principals import INTERPRETER, Principal, Source
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.capture import proposals
from membrane.domain.capture.reading import refs_in
from membrane.domain.entities import known_names
from membrane.domain.language.errors import Aborted
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.names import first_word_of, term_of
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records import payloads
from membrane.domain.records.interpretation import CONTENT, CONTEXT, REASON
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.domain.search.rendering import readable
from membrane.usecases.capture.resolve_reading import episode_ids_by_ref
from membrane.usecases.known_entities import NamesInView, entities_of, names_in_view
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.revision.heads import inline_value


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


def candidate_of(held: StoredRecord) -> proposals.Candidate:
    """The candidate for a model: id, name and aliases, nothing else of the record."""
    payload = held.record.payload
    if isinstance(payload, payloads.EntityPayload):
        aliases = tuple(each.value for each in payload.aliases)
        return proposals.Candidate(held.id, payload.canonical_name, aliases, is_entity=True)
    return proposals.Candidate(held.id, readable(held.record, proposals.MAX_CANDIDATE_CHARACTERS))


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


def entities_by_name(
    terms: Iterable[str], capture: StoredRecord, world: World
) -> tuple[Mapping[str, StoredRecord], NamesInView]:
    """The entities that a capture means by the terms, and the names as read; two requests.

    An empty term names nothing, and is no key of the table.
    Known are entities in the scope of the capture or unscoped, up to the sensitivity of the
    capture.
    """
    wanted = dict.fromkeys(filter(None, terms))
    words = map(first_word_of, wanted)
    names = names_in_view(words, capture.scope, capture.sensitivity, world)
    return entities_among(wanted, names, world), names


def entities_among(
    terms: Iterable[str], names: NamesInView, world: World
) -> Mapping[str, StoredRecord]:
    """The entities by term, among `names`; one request."""
    candidates = {term: names.candidates(term) for term in terms}
    ids = list(dict.fromkeys(each for found in candidates.values() for each in found))
    loaded = world.records.load_each(ids) if ids else {}
    return entities_of(candidates, names.scope, names.ceiling, world, loaded)


Material = tuple[str, str]
"""The texts of content and context that a model reads."""


def read_material(held: StoredRecord, world: World) -> Material:
    """Content and context of the capture, large values from the bucket included.

    A capture keeps content, context and reason in the environment. Arguments and results of a tool
    call, and the fields of a working state, belong to the content, too. Of any other record the
    content is the record in words.
    """
    match held.record.payload:
        case (
            payloads.EpisodicPayload(
                environment=payloads.EnvironmentSnapshot(context=context)
            ) as payload
        ):
            kept = inline_value(context, world)
            in_calls = (each for node in payload.tool_graph for each in (node.args, node.result))
            return _material(kept, _lines(*(inline_value(each, world) for each in in_calls)))
        case payloads.WorkingPayload() as payload:
            snapshot = payload.environment or payloads.EnvironmentSnapshot()
            kept = inline_value(snapshot.context, world)
            return _material(kept, _state_in_words(held, payload, kept))
        case _:
            return readable(held.record, proposals.MAX_CONTENT_CHARACTERS), ""


def _material(kept: JsonObject, in_fields: str) -> Material:
    """The material from the environment, and from the part of the content in other fields."""
    return _lines(kept.get(CONTENT), in_fields), _lines(kept.get(REASON), kept.get(CONTEXT))


def _state_in_words(held: StoredRecord, payload: payloads.WorkingPayload, kept: JsonObject) -> str:
    """The fields of the working state, without a summary that is the reason of the capture."""
    reason = str(kept.get(REASON, "")).strip()
    summary = "" if payload.context_summary.strip() == reason else payload.context_summary
    state = payload.model_copy(update={"environment": None, "context_summary": summary})
    return readable(
        held.record.model_copy(update={"payload": state}), proposals.MAX_CONTENT_CHARACTERS
    )


def _lines(*values: Any) -> str:
    return "\n".join(filter(None, map(proposals.readable_text, values)))


MAX_CANDIDATE_REFS = 8
"""Refs of events whose newest episodes are candidates: a ref takes up to two Queries."""


def find_candidates(held: StoredRecord, material: Material, world: World) -> Sequence[StoredRecord]:
    """At most MAX_CANDIDATES records, the likeliest first.

    Entities named in the text come first, in the order of the text. Records linked to the capture
    follow. The newest episodes with a ref of the capture or of the text are last. All candidates
    are in the scope of the capture or unscoped, up to the sensitivity of the capture. Three
    requests, and two Queries for a ref.
    """
    text = "\n\n".join(filter(None, material))
    named = _entities_named(text, held, world)
    linked = [each.target_id for each in held.record.relations]
    ids = list(dict.fromkeys([*linked, *_ids_of_episodes(text, held, world)]))
    others = world.records.load_each(ids) if ids else {}
    in_order = (others[each] for each in ids if each in others)
    found = linkable_to(held, chain(named.values(), in_order))
    return [*islice(found.values(), proposals.MAX_CANDIDATES)]


def _entities_named(text: str, held: StoredRecord, world: World) -> Mapping[str, StoredRecord]:
    words = known_names.words_to_look_up(text)
    names = names_in_view(words, held.scope, held.sensitivity, world)
    terms = known_names.known_terms(text, names.by_word)[: known_names.MAX_KNOWN_NAMES]
    entities = entities_among(terms, names, world)
    spans = known_names.known_spans(
        text, known_names.names_by_word({term: each.id for term, each in entities.items()})
    )
    named = dict.fromkeys(term_of(text[each.start : each.end]) for each in spans)
    return {term: entities[term] for term in named}


def _ids_of_episodes(text: str, held: StoredRecord, world: World) -> list[str]:
    """Ids of the newest episodes whose first event has a ref of the capture or of the text."""
    payload = held.record.payload
    own = (
        [each.ref for each in payload.timeline]
        if isinstance(payload, payloads.EpisodicPayload)
        else []
    )
    refs = list(dict.fromkeys(filter(None, [*own, *refs_in(text)])))[:MAX_CANDIDATE_REFS]
    return [*chain(*episode_ids_by_ref(refs, held.scope, world).values())]
