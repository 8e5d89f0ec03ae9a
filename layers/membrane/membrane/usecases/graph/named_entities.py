"""The entities named in a task: by the stored names, and among the entries of a search."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product

from membrane.domain.access.trust import View
from membrane.domain.entities.known_names import (
    known_spans,
    known_terms,
    names_by_word,
    words_to_look_up,
)
from membrane.domain.language.names import term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.named_entities import named_entities
from membrane.domain.search.searchable import names_of
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.by_score import ByScore
from membrane.usecases.search.inquiry import Inquiry
from membrane.usecases.search.judging import Candidate, Judge

MAX_PLACES = 100
"""Places of names to read in one request."""

MAX_NAMED = 40
"""Entities that are read for the names in a task; the longest names come first."""

Bearers = Mapping[str, Sequence[str]]
"""Ids of the entities that may bear a name, by term."""


def bearers_in_task(inquiry: Inquiry, services: ReadingServices) -> Bearers:
    """The names in the task that belong to entities the reader may see, by one request.

    With many scopes fewer words are looked up; the search may still find the remaining names.
    """
    scopes = inquiry.scopes
    words = words_to_look_up(inquiry.task, MAX_PLACES // max(1, len(scopes)))
    if MemoryType.ENTITY not in inquiry.types or not words:
        return {}
    places = [NamePlace(scope, word) for word, scope in product(words, scopes)]
    found = services.names.buckets(places, consistent=False)
    visible = [
        bucket.entity_ids
        for place, levels in found.items()
        for level, bucket in levels.items()
        if inquiry.gate.view(place.scope, level) is View.FULL
    ]
    known = names_by_word(dict(chain.from_iterable(each.items() for each in visible)))
    terms = frozenset(known_terms(inquiry.task, known))
    pairs = {pair for each in visible for pair in each.items() if pair[0] in terms}
    bearers: dict[str, list[str]] = {}
    for term, entity_id in sorted(pairs, key=lambda pair: (-len(pair[0]), pair))[:MAX_NAMED]:
        bearers.setdefault(term, []).append(entity_id)
    return bearers


def candidates_named(bearers: Bearers, scores: ByScore | None, judge: Judge) -> Sequence[Candidate]:
    """The living entities behind the names, and the found entities that the task names.

    Of overlapping names the longest counts, among the names that entities still bear. A superseded
    entity leads to the successor.
    """
    held = judge.hydration.living(chain.from_iterable(bearers.values()))
    meant = {term: _meant_by(term, ids, held, judge) for term, ids in bearers.items()}
    task = judge.inquiry.task
    names = names_by_word({term: ids[0] for term, ids in meant.items() if ids})
    places = known_spans(task, names)
    named = dict.fromkeys(term_of(task[each.start : each.end]) for each in places)
    ids = [each for term in named for each in meant[term]]
    ids += [] if scores is None else named_entities(scores.question, scores.entries)
    found = judge.hydration.living(ids)
    candidates = (judge.candidate_of(each) for each in found.values())
    return [each for each in candidates if each is not None and each.view is View.FULL]


def _meant_by(
    term: str, entity_ids: Iterable[str], held: Mapping[str, StoredRecord], judge: Judge
) -> Sequence[str]:
    """The ids of the entities, or of the successors, of the entities that bear the term."""
    bearers = (held[each] for each in entity_ids if each in held and _bears(held[each], term))
    return [each for each in (_id_behind(stored, judge) for stored in bearers) if each is not None]


def _bears(stored: StoredRecord, term: str) -> bool:
    return term in map(term_of, _names_of(stored.record))


def _names_of(record: MemoryRecord) -> Iterator[str]:
    return names_of(record.payload) if isinstance(record.payload, EntityPayload) else iter(())


def _id_behind(stored: StoredRecord, judge: Judge) -> str | None:
    """The id of the entity, or of the successor; None for an entity that is no answer."""
    if judge.inquiry.gate.view(stored.scope, stored.sensitivity) is not View.FULL:
        return None
    successor = successor_of(stored.record.payload)
    return successor or (stored.id if judge.candidate_of(stored) else None)
