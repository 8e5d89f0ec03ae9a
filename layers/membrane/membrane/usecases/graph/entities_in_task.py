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
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.named_entities import named_entities
from membrane.domain.search.searchable import names_of
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors
from membrane.usecases.search.by_score import ByScore
from membrane.usecases.search.inquiry import Inquiry
from membrane.usecases.search.judging import Candidate, Judge

MAX_PLACES = 100
"""Places of names to read in one request."""

MAX_NAMED = 40
"""Entities that are read for the names in a task; the longest names come first."""

Bearers = Mapping[str, Sequence[str]]
"""Ids of the entities that may bear a name, by term."""


def bearers_in_task(inquiry: Inquiry, world: World) -> Bearers:
    """The names in the task that belong to entities the reader may see, by one request.

    With many scopes fewer words are looked up; the search may still find the remaining names.
    """
    scopes = inquiry.scopes
    words = words_to_look_up(inquiry.task, MAX_PLACES // max(1, len(scopes)))
    if MemoryType.ENTITY not in inquiry.types or not words:
        return {}
    places = [NamePlace(scope, word) for word, scope in product(words, scopes)]
    found = world.names.buckets(places, consistent=False)
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

    Of overlapping names the longest counts, among the names that lead to an entity in view. A
    superseded entity leads to the last successor, by one request for each step of all names.
    """
    ids = chain.from_iterable(bearers.values())
    known = with_successors(ids, lambda several: _living_in_view(several, judge))
    meant = {term: _meant_by(term, ids, known, judge) for term, ids in bearers.items()}
    task = judge.inquiry.task
    names = names_by_word({term: several[0].id for term, several in meant.items() if several})
    places = known_spans(task, names)
    named = dict.fromkeys(term_of(task[each.start : each.end]) for each in places)
    by_id = {each.id: each for term in named for each in meant[term]}
    found = [] if scores is None else named_entities(scores.question, scores.entries)
    living = judge.hydration.living(each for each in found if each not in by_id)
    return [*by_id.values(), *_in_full(living.values(), judge)]


def _living_in_view(record_ids: Iterable[str], judge: Judge) -> Mapping[str, StoredRecord]:
    """The living records that the reader may see in full, by id."""
    living, view = judge.hydration.living(record_ids), judge.inquiry.gate.view
    return {
        each: held
        for each, held in living.items()
        if view(held.scope, held.sensitivity) is View.FULL
    }


def _meant_by(
    term: str, entity_ids: Iterable[str], known: Mapping[str, StoredRecord], judge: Judge
) -> Sequence[Candidate]:
    """The entities, or the last successors, of the entities that bear the term."""
    bearers = (known[each] for each in entity_ids if each in known and _bears(known[each], term))
    ends = (newest_known(each, known) for each in bearers)
    return _in_full((each for each in ends if each is not None), judge)


def _in_full(several: Iterable[StoredRecord], judge: Judge) -> Sequence[Candidate]:
    candidates = map(judge.candidate_of, several)
    return [each for each in candidates if each is not None and each.view is View.FULL]


def _bears(stored: StoredRecord, term: str) -> bool:
    return term in map(term_of, _names_of(stored.record))


def _names_of(record: MemoryRecord) -> Iterator[str]:
    return names_of(record.payload) if isinstance(record.payload, EntityPayload) else iter(())
