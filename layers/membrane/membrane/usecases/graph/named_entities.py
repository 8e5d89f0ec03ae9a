"""The entities named in a task: by the stored names, and among the entries of a search."""

from collections.abc import Iterator, Sequence
from itertools import product

from membrane.domain.access.trust import View
from membrane.domain.graph.named import Named, TaskWords, longest
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
"""Names whose entities are read; the longest names come first."""


def names_in_task(inquiry: Inquiry, services: ReadingServices) -> Sequence[Named]:
    """The names in the task that belong to entities the reader may see, by one request.

    With many scopes fewer words are looked up; the search may still find the remaining names.
    """
    scopes = inquiry.scopes
    words = TaskWords(inquiry.task)
    looked_up = words.best(MAX_PLACES // max(1, len(scopes)))
    if MemoryType.ENTITY not in inquiry.types or not looked_up:
        return []
    places = [NamePlace(scope, word) for word, scope in product(looked_up, scopes)]
    found = services.names.buckets(places, consistent=False)
    named = [
        each
        for place, levels in found.items()
        for level, bucket in levels.items()
        if inquiry.gate.view(place.scope, level) is View.FULL
        for each in words.names_among(place.word, bucket.entity_ids)
    ]
    distinct = sorted(set(named), key=lambda each: (-len(each.term), each.start, each.entity_id))
    return distinct[:MAX_NAMED]


def candidates_named(
    names: Sequence[Named], scores: ByScore | None, judge: Judge
) -> Sequence[Candidate]:
    """The living entities behind the names, and the found entities that the task names.

    A part of a longer name counts only if no entity has the longer name any longer. A superseded
    entity leads to the successor.
    """
    held = judge.hydration.living(each.entity_id for each in names)
    borne = [each for each in names if _bears(held.get(each.entity_id), each.term)]
    leading = {each: _leads_to(held[each.entity_id], judge) for each in borne}
    ids = [leading[each] for each in longest(each for each in borne if leading[each])]
    ids += [] if scores is None else named_entities(scores.question, scores.entries)
    found = judge.hydration.living(each for each in ids if each is not None)
    candidates = (judge.candidate_of(each) for each in found.values())
    return [each for each in candidates if each is not None and each.view is View.FULL]


def _bears(stored: StoredRecord | None, term: str) -> bool:
    return stored is not None and term in map(term_of, _names(stored.record))


def _names(record: MemoryRecord) -> Iterator[str]:
    return names_of(record.payload) if isinstance(record.payload, EntityPayload) else iter(())


def _leads_to(stored: StoredRecord, judge: Judge) -> str | None:
    """The id of the entity, or of the successor; None for an entity that is no answer."""
    if judge.inquiry.gate.view(stored.scope, stored.sensitivity) is not View.FULL:
        return None
    successor = successor_of(stored.record.payload)
    return successor or (stored.id if judge.candidate_of(stored) else None)
