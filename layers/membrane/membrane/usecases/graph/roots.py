"""The roots of a graph: the named entities, then the best records of a retrieval."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product

from membrane.domain.access.trust import View
from membrane.domain.entities import known_names
from membrane.domain.language.names import term_of
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.questions import named_entities
from membrane.domain.search.searchable import names_of
from membrane.usecases.ports.records import NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_known, with_successors
from membrane.usecases.search.by_score import ByScore, by_score
from membrane.usecases.search.inquiry import Inquiry, marks_of
from membrane.usecases.search.judging import Candidate, Judge
from membrane.usecases.search.paging import BySalience, order_of
from membrane.usecases.search.rank.order import Allowance

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
    words = known_names.words_to_look_up(inquiry.task, MAX_PLACES // max(1, len(scopes)))
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
    known = known_names.names_by_word(dict(chain.from_iterable(each.items() for each in visible)))
    terms = frozenset(known_names.known_terms(inquiry.task, known))
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
    names = known_names.names_by_word(
        {term: several[0].id for term, several in meant.items() if several}
    )
    places = known_names.known_spans(task, names)
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
    payload = stored.record.payload
    return isinstance(payload, EntityPayload) and term in map(term_of, names_of(payload))


MOST_LOOKED_AT = 100
"""Records by salience examined in search of redacted roots."""

MAX_ROWS = 5_000
"""Rows of the rank index, of a memory type, to read in search of roots, most of them hidden from
the reader; a page with a greater reach reads this number times the reach."""


@dataclass(frozen=True, slots=True)
class Roots:
    """The roots in the order of rank."""

    candidates: Sequence[Candidate]
    named: frozenset[str] = frozenset()
    """The ids of the entities named in the task."""
    scores: ByScore | None = None
    """The scores of the task's candidates; None without a task."""
    is_cut: bool = False
    """Whether roots are lacking behind rows that this page may not read."""

    def score_of(self, record_id: str) -> float | None:
        """The score of a loaded record; None for a record that the search did not find."""
        found = [] if self.scores is None else self.scores.candidates_of([record_id])
        return found[0].score if found else None


def find_roots(
    judge: Judge,
    fresh: Sequence[Candidate],
    world: World,
    begun_s: float,
    *,
    reach: int,
) -> Roots:
    """The roots; `fresh` are the records that consistency tokens name.

    Named entities need no score and come first. A page with a greater `reach` reads further by
    salience. Raises WrongEmbedder as `by_score`.
    """
    asked, walks = judge.inquiry, _Walks(judge, fresh, world, begun_s, MAX_ROWS * reach)
    if not (asked.task and asked.types):
        most_salient = list(islice(walks.by_salience(), asked.limit))
        return Roots(most_salient, is_cut=walks.are_cut)
    bearers = bearers_in_task(asked, world)
    judge.hydration.read_ahead(chain.from_iterable(bearers.values()))
    scores = by_score(fresh, judge, world)
    best = list(islice(scores.candidates(asked.limit), asked.limit))
    named = {each.id: each for each in candidates_named(bearers, scores, judge)}
    named |= {each.id: each for each in scores.candidates_of(named)}
    first = sorted(named.values(), key=lambda each: each.fused_place)
    others = (each for each in best if each.id not in named)
    candidates = list(islice(chain(first, others), asked.limit))
    if len(candidates) < asked.limit and (not asked.has_floor or asked.is_beyond_index):
        rest = walks.by_salience([each.id for each in candidates], scores)
        candidates += islice(rest, asked.limit - len(candidates))
    if not candidates and asked.has_floor:  # without a floor, the walk has met the redacted records
        candidates = walks.redacted_roots()
    return Roots(candidates, frozenset(named), scores, walks.are_cut)


@dataclass(slots=True)
class _Walks:
    """Walks by salience, each from the beginning."""

    judge: Judge
    fresh: Sequence[Candidate]
    world: World
    begun_s: float
    rows: int
    """Rows of the rank index that a walk may read of a memory type."""
    are_cut: bool = False
    """Whether a walk ended before the index did, for want of rows or of time."""

    def by_salience(
        self, given: Sequence[str] = (), scores: ByScore | None = None
    ) -> Iterator[Candidate]:
        """The candidates without `given`, and without candidates below a score floor."""
        floored = scores if self.judge.inquiry.has_floor else None
        refused = () if floored is None else floored.below_floor
        order = order_of(self.judge, None, self.world, Allowance(a_type=self.rows))
        marks = frozenset(marks_of([*given, *refused]))
        walk = BySalience(order, self.fresh, marks, self.judge, self.world, self.begun_s, floored)
        yield from walk.candidates(self.judge.inquiry.limit - len(given))
        self.are_cut |= not order.exhausted

    def redacted_roots(self) -> list[Candidate]:
        """Redacted records among the MOST_LOOKED_AT most salient: the roots where nothing answers.

        A redacted record takes no part in the search, and is listed by salience alone.
        """
        ranked = islice(self.by_salience(), MOST_LOOKED_AT)
        found = (each for each in ranked if each.view is View.REDACTED)
        return list(islice(found, self.judge.inquiry.limit))
