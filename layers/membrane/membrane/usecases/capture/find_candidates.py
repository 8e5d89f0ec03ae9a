"""Read a capture for the question to a model, and find records that the capture may mean."""

from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from membrane.domain.capture.interpreter_prompt import (
    MAX_CANDIDATES,
    MAX_CONTENT_CHARACTERS,
    readable_text,
)
from membrane.domain.capture.references import refs_in
from membrane.domain.entities.known_names import (
    MAX_KNOWN_NAMES,
    known_spans,
    known_terms,
    names_by_word,
    words_to_look_up,
)
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.names import term_of
from membrane.domain.records.captured import CONTENT, CONTEXT, REASON
from membrane.domain.records.payloads import EnvironmentSnapshot, EpisodicPayload, WorkingPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.rendering import readable
from membrane.usecases.capture.interpreting_call import entities_among, linkable_to
from membrane.usecases.capture.resolve_reading import episode_ids_by_ref
from membrane.usecases.names.known_entities import names_in_view
from membrane.usecases.ports.world import World
from membrane.usecases.revision.heads import inline_value


class Material(NamedTuple):
    """The texts of a capture that a model reads."""

    content_text: str
    context_text: str


def read_material(held: StoredRecord, world: World) -> Material:
    """Content and context of the capture, large values from the bucket included.

    A capture keeps content, context and reason in the environment. Arguments and results of a tool
    call, and the fields of a working state, belong to the content, too. Of any other record the
    content is the record in words.
    """
    match held.record.payload:
        case EpisodicPayload(environment=EnvironmentSnapshot(context=context)) as payload:
            kept = inline_value(context, world)
            in_calls = (each for node in payload.tool_graph for each in (node.args, node.result))
            return _material(kept, _lines(*(inline_value(each, world) for each in in_calls)))
        case WorkingPayload() as payload:
            snapshot = payload.environment or EnvironmentSnapshot()
            kept = inline_value(snapshot.context, world)
            return _material(kept, _state_in_words(held, payload, kept))
        case _:
            return Material(readable(held.record, MAX_CONTENT_CHARACTERS), "")


def _material(kept: JsonObject, in_fields: str) -> Material:
    """The material from the environment, and from the part of the content in other fields."""
    return Material(
        _lines(kept.get(CONTENT), in_fields), _lines(kept.get(REASON), kept.get(CONTEXT))
    )


def _state_in_words(held: StoredRecord, payload: WorkingPayload, kept: JsonObject) -> str:
    """The fields of the working state, without a summary that is the reason of the capture."""
    reason = str(kept.get(REASON, "")).strip()
    summary = "" if payload.context_summary.strip() == reason else payload.context_summary
    state = payload.model_copy(update={"environment": None, "context_summary": summary})
    return readable(held.record.model_copy(update={"payload": state}), MAX_CONTENT_CHARACTERS)


def _lines(*values: Any) -> str:
    """The values as text, without empty texts."""
    return "\n".join(filter(None, map(readable_text, values)))


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
    return [*islice(found.values(), MAX_CANDIDATES)]


def _entities_named(text: str, held: StoredRecord, world: World) -> Mapping[str, StoredRecord]:
    """The known entities named in the text, by term."""
    words = words_to_look_up(text)
    names = names_in_view(words, held.scope, held.sensitivity, world)
    terms = known_terms(text, names.by_word)[:MAX_KNOWN_NAMES]
    entities = entities_among(terms, names, world)
    spans = known_spans(text, names_by_word({term: each.id for term, each in entities.items()}))
    named = dict.fromkeys(term_of(text[each.start : each.end]) for each in spans)
    return {term: entities[term] for term in named}


def _ids_of_episodes(text: str, held: StoredRecord, world: World) -> list[str]:
    """Ids of the newest episodes whose first event has a ref of the capture or of the text."""
    payload = held.record.payload
    own = [each.ref for each in payload.timeline] if isinstance(payload, EpisodicPayload) else []
    refs = list(dict.fromkeys(filter(None, [*own, *refs_in(text)])))[:MAX_CANDIDATE_REFS]
    return [*chain(*episode_ids_by_ref(refs, held.scope, world).values())]
