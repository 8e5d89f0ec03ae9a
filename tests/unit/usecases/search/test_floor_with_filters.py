"""With a floor, filters that the search index does not know reach past what a search finds."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.vocabulary import Permission
from membrane.domain.revision.requests import Retract
from membrane.domain.search.entries import Entry
from membrane.usecases.ports.search import MAX_FOUND
from tests.fakes.search import FakeSearch
from tests.worlds.retrieval import Memory, all_ids, ids, receipt_of, semantic, skill

TASK = "the linker cache"
FLOOR = 0.2
ASKED: dict[str, Any] = {"task_descriptor": TASK, "min_score": FLOOR, "tags": ["wanted"]}

RELEVANT = ["near-0", "near-1", "near-2", "near-3"]
"""The most salient first."""

FILTERS = [
    {"tags": ["wanted"]},
    {"subject": "builder"},
    {"subject": "builder", "predicate": "has"},
    {"created_before": "2026-01-01T00:00:00Z"},
    {"min_salience": 0.6},
]
"""Each lets `wanted` records through alone."""


@dataclass(slots=True)
class NotingSearch(FakeSearch):
    """Notes whose entries are read by id."""

    read: list[str] = field(default_factory=list)

    def at(self, source_ids: Sequence[str], dimensions: int) -> Sequence[Entry]:
        """See VectorSearch."""
        self.read += source_ids
        return FakeSearch.at(self, source_ids, dimensions)


def wanted(record_id: str, text: str, salience: float, **fields: Any) -> Any:
    """A fact that every one of the FILTERS lets through."""
    payload = {"subject": "builder", "predicate": "has", "object": text}
    return semantic(record_id, payload=payload, tags=["wanted"], salience=salience, **fields)


@pytest.fixture
def memory() -> Memory:
    """A memory in which more records are nearer to the task than any that the filters let through.

    Of those wanted, some have to do with the task and some do not.
    """
    memory = Memory()
    for number in range(MAX_FOUND + 20):
        payload = {"subject": "linker", "predicate": "cache", "object": TASK}
        memory.add_unindexed(semantic(f"nearer-{number}", payload=payload, salience=0.5))
    for number, record_id in enumerate(RELEVANT):
        text = f"the linker cache of the office with the {'very ' * 8}old harbour lamps"
        memory.add_unindexed(wanted(record_id, text, 0.9 - number / 20))
        memory.add_unindexed(wanted(f"off-{number}", "Marta waters plants", 0.88 - number / 20))
    memory.index(*memory.records.places)
    return memory


def create_earlier(memory: Memory) -> None:
    """Make the wanted records as old as the filter by time asks for."""
    for record_id in [each for each in memory.records.places if not each.startswith("nearer")]:
        memory.alter(record_id, created_at="2025-07-01T00:00:00Z")


@pytest.mark.parametrize("filters", FILTERS)
def test_what_the_filters_let_through_comes_although_a_search_did_not_find_it(
    memory: Memory, filters: dict[str, Any]
) -> None:
    if "created_before" in filters:
        create_earlier(memory)

    answer = memory.retrieve(task_descriptor=TASK, min_score=FLOOR, **filters)

    assert ids(answer) == RELEVANT
    assert answer.next_cursor is None


def test_what_reaches_the_floor_has_a_score_and_its_parts(memory: Memory) -> None:
    answer = memory.retrieve(**ASKED)

    assert answer.scores is not None
    assert list(answer.scores) == RELEVANT
    assert all(FLOOR <= score <= 1.0 for score in answer.scores.values())
    explained = {each.record_id: each for each in receipt_of(answer, memory).explained}
    assert 0.0 < explained["near-0"].parts["lexical"] < 1.0
    assert explained["near-0"].score == answer.scores["near-0"]


def test_what_is_below_the_floor_is_left_out_and_counted(memory: Memory) -> None:
    receipt = receipt_of(memory.retrieve(**ASKED), memory)

    assert receipt.left_out == len(["off-0", "off-1", "off-2", "off-3"])
    assert receipt.considered == MAX_FOUND + 8
    assert ids(memory.retrieve(**ASKED | {"min_score": 1.0})) == []


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_the_floor_holds_on_every_page_and_nothing_comes_twice(memory: Memory, limit: int) -> None:
    memory.alter("nearer-0", tags=["wanted"])

    pages = memory.pages(limit=limit, **ASKED)

    assert all_ids(pages) == ["nearer-0", *RELEVANT]
    assert all(page.scores is not None and list(page.scores) == ids(page) for page in pages)


def test_a_record_has_the_same_score_whichever_page_it_is_on(memory: Memory) -> None:
    whole = memory.retrieve(**ASKED).scores

    pages = memory.pages(limit=1, **ASKED)

    assert {each: score for page in pages for each, score in (page.scores or {}).items()} == whole


def test_what_a_search_found_and_the_floor_refused_does_not_come_by_salience() -> None:
    memory = Memory()
    memory.add(wanted("whole", TASK, 0.1))
    memory.add(wanted("off", "Marta waters the plants", 0.9))

    pages = memory.pages(limit=1, **ASKED)

    assert all_ids(pages) == ["whole"]
    assert receipt_of(pages[0], memory).left_out == 1


def test_what_a_search_first_finds_on_a_later_page_is_not_lost(memory: Memory) -> None:
    first = memory.retrieve(limit=2, **ASKED)
    for number in range(MAX_FOUND + 20):
        memory.revise(Retract(id=f"nearer-{number}", actor="me", rationale="it is not so"))

    second = memory.retrieve(limit=2, **ASKED, cursor=first.next_cursor)

    assert ids(first) + ids(second) == RELEVANT


def test_only_what_the_filters_let_through_is_measured(memory: Memory) -> None:
    noting = NotingSearch(memory.vectors)
    memory.services = replace(memory.services, search=noting)

    memory.retrieve(**ASKED)
    of_filtered = sorted(noting.read)
    noting.read.clear()
    memory.retrieve(task_descriptor=TASK, min_score=FLOOR)
    memory.retrieve(task_descriptor=TASK, min_score=0.0, tags=["wanted"])

    assert of_filtered == sorted([*RELEVANT, "off-0", "off-1", "off-2", "off-3"])
    assert noting.read == []


def test_without_filters_a_search_finds_all_that_comes(memory: Memory) -> None:
    found = all_ids(memory.pages(task_descriptor=TASK, min_score=FLOOR))

    assert len(found) == len(set(found)) == MAX_FOUND
    assert not set(found) & set(RELEVANT)


def test_without_a_floor_the_filters_alone_decide(memory: Memory) -> None:
    answer = memory.retrieve(**ASKED | {"min_score": 0.0})

    assert len(ids(answer)) == 8
    assert answer.scores == {}


def test_what_is_not_indexed_yet_has_no_score_and_comes_with_its_token_alone(
    memory: Memory,
) -> None:
    memory.add_unindexed(wanted("new", TASK, 1.0))

    without = memory.retrieve(**ASKED)
    with_token = memory.retrieve(**ASKED, consistency_tokens=[memory.token("new")])

    assert ids(without) == RELEVANT
    assert ids(with_token) == ["new", *RELEVANT]


def test_a_token_of_a_later_page_counts_there_if_its_record_reaches_the_floor(
    memory: Memory,
) -> None:
    first = memory.retrieve(limit=2, **ASKED)
    memory.add_unindexed(wanted("new", TASK, 0.01))
    memory.add_unindexed(wanted("off-new", "Marta waters the plants", 0.01))
    tokens = [memory.token("new"), memory.token("off-new")]

    second = memory.retrieve(limit=9, **ASKED, cursor=first.next_cursor, consistency_tokens=tokens)

    assert ids(first) + ids(second) == [*RELEVANT, "new"]


def test_a_redacted_record_has_no_score_and_stays_away(memory: Memory) -> None:
    memory.add(wanted("secret", TASK, 1.0, sensitivity="high"))
    reader = principal_of("reader", [Permission.READ], ["*"], "medium")

    assert "secret" not in all_ids(memory.pages(reader, **ASKED))
    assert "secret" in all_ids(memory.pages(reader, **ASKED | {"min_score": 0.0}))


def test_what_is_retracted_and_asked_for_comes_whatever_the_floor(memory: Memory) -> None:
    memory.revise(Retract(id="near-3", actor="me", rationale="it is not so"))

    answer = memory.retrieve(**ASKED, include_retracted=True)

    assert set(ids(answer)) >= set(RELEVANT)
    assert ids(memory.retrieve(**ASKED)) == RELEVANT[:3]


def test_a_skill_that_comes_by_salience_can_be_selected(memory: Memory) -> None:
    for number in range(MAX_FOUND):
        memory.add_unindexed(skill(f"nearer-skill-{number}", TASK))
    memory.add_unindexed(skill("wanted-skill", "linker cache of the harbour", tags=["wanted"]))
    memory.index(*memory.records.places)

    answer = memory.retrieve(**ASKED, memory_types=["competence"])

    assert ids(answer) == ["wanted-skill"]
    assert answer.selection is not None
    assert answer.selection.selected == ("wanted-skill",)
