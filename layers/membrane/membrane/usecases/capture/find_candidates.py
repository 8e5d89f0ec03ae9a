"""Find known entities and records that a capture may mean, for the question to a model."""

from collections.abc import Mapping, Sequence
from itertools import chain, islice

from membrane.domain.capture.interpreter_prompt import MAX_CANDIDATES
from membrane.domain.capture.references import refs_in
from membrane.domain.entities.known_names import (
    MAX_KNOWN_NAMES,
    known_spans,
    known_terms,
    names_by_word,
    words_to_look_up,
)
from membrane.domain.language.names import term_of
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.entities_by_name import entities_among
from membrane.usecases.capture.episodes_by_ref import episode_ids_by_ref
from membrane.usecases.capture.linkable_records import linkable_to
from membrane.usecases.capture.read_material import Material
from membrane.usecases.names.known_entities import names_in_view
from membrane.usecases.ports.world import World

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
