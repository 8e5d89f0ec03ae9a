"""What a read takes of the table, however much is stored, and what no read waits for."""

from dataclasses import dataclass, field
from threading import Event
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.entities.requests import ReadEntity
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import Permission
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.usecases.entities.read_entity import read_entity
from membrane.usecases.graph import hubs
from tests.builders.requests import call, full_record, relation
from tests.worlds.graphs import GraphMemory, node_ids
from tests.worlds.memory_table import Over
from tests.worlds.retrieval import Memory, all_ids, ids, semantic

ALPHA = principal_of("alpha", [Permission.READ], ["project:alpha"], "low")
AROUND_ATLAS: dict[str, Any] = {
    "task_descriptor": "Atlas",
    "memory_types": ["entity"],
    "root_limit": 1,
}


def mentioned_early() -> GraphMemory:
    """Three records mention an entity; the search finds none of the three."""
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    for name in ("one", "two", "three"):
        memory.clock.advance(seconds=1)
        edges = [relation("atlas", "subject_entity")]
        memory.add_unindexed(semantic(name, scope="project:alpha", relations=edges))
    return memory


# --- Graphs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("hops", [1, 3])
def test_a_graph_takes_few_requests_beyond_a_retrieval_however_many_mention_an_entity(
    hops: int,
) -> None:
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    for number in range(3):
        memory.episode(f"p{number}", f"the pager went off, {number}", "atlas")
    task: dict[str, Any] = {"task_descriptor": "whose pager went off? ask Atlas"}

    def beyond() -> int:
        of_retrieval = memory.requests(lambda: memory.retrieve(**task))
        return len(memory.requests(lambda: memory.graph(**task, max_hops=hops))) - len(of_retrieval)

    few = beyond()
    memory.crowd("atlas", 60)

    assert few <= 3 + 2 * hops
    assert beyond() <= few + 2


@pytest.mark.parametrize("hidden", [0, 99, 250])
def test_mentions_in_a_scope_of_others_change_nothing_in_a_graph(hidden: int) -> None:
    memory = mentioned_early()
    memory.crowd("atlas", hidden, scope="project:beta")

    pages = memory.graph_pages(ALPHA, **AROUND_ATLAS)

    assert [node_ids(page) for page in pages] == [["atlas", "three", "two", "one"]]


def test_pages_of_a_graph_go_on_behind_more_hidden_mentions_than_a_page_examines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hubs, "MAX_EXAMINED", 100)
    memory = mentioned_early()
    memory.crowd("atlas", 250, scope="project:beta")

    pages = memory.graph_pages(ALPHA, **AROUND_ATLAS)

    assert [each for page in pages for each in node_ids(page)] == ["atlas", "three", "two", "one"]


def test_a_node_of_a_rare_type_is_found_behind_newer_mentions_of_other_types() -> None:
    memory = GraphMemory()
    memory.entity("atlas", "Atlas")
    memory.add(full_record(id="skill", relations=[relation("atlas", "subject_entity")]))
    memory.crowd("atlas", 150)

    graph = memory.graph(**AROUND_ATLAS, node_types=["competence"])

    assert node_ids(graph) == ["atlas", "skill"]


# --- Entities -----------------------------------------------------------------------------------


def page_of(memory: Memory) -> Body:
    request = ReadEntity(id="atlas")
    return read_entity(request, call(request, ALPHA), memory.services).body


def test_hidden_mentions_displace_no_fact_of_an_entity_and_cost_few_requests() -> None:
    memory = mentioned_early()
    before = page_of(memory)
    few = memory.requests(lambda: page_of(memory))

    memory.crowd("atlas", 250, scope="project:beta")

    assert [each["record"]["id"] for each in before["facts"]] == ["three", "two", "one"]
    after = page_of(memory)
    assert [each["record"]["id"] for each in after["facts"]] == ["three", "two", "one"]
    assert len(memory.requests(lambda: page_of(memory))) <= len(few) + 250 // 100 + 1


# --- Retrievals ---------------------------------------------------------------------------------


@dataclass
class HangingReceipts(Over):
    """Keeps nothing before it is released, or its patience of a few seconds ends."""

    released: Event = field(default_factory=Event)

    def keep(self, receipt: AnswerReceipt) -> None:
        """See DynamoReceipts."""
        if not self.released.wait(timeout=5):
            self.inner.keep(receipt)


def test_a_receipt_that_is_long_in_being_kept_is_neither_waited_for_nor_promised() -> None:
    memory = Memory()
    memory.add(semantic("a"))
    hanging = HangingReceipts(memory.receipts)
    memory.services = memory.services.but(receipts=hanging, receipt_wait_s=0.01)

    try:
        answer = memory.retrieve()
    finally:
        hanging.released.set()

    assert (ids(answer), answer.receipt_id, memory.receipts.kept) == (["a"], None, [])
    assert memory.reports.told == [("Retrieve", "FAULT")]
    assert isinstance(memory.reports.faults[0], TimeoutError)


def test_a_page_takes_as_many_requests_however_much_is_stored() -> None:
    memory = Memory()
    memory.add(semantic("first"))
    few = memory.requests(lambda: memory.retrieve(limit=5))
    for number in range(60):
        memory.clock.advance(seconds=1)
        memory.add_unindexed(semantic(f"r{number}"))

    many = memory.requests(lambda: memory.retrieve(limit=5))

    assert len(many) <= len(few) + 1


def test_only_what_the_index_does_not_know_as_it_is_is_embedded_for_a_token() -> None:
    memory = Memory()
    memory.add(semantic("known"))
    memory.add_unindexed(semantic("new", payload={"object": "the linker cache"}))
    (embedder,) = memory.services.embedders
    embedder.asked.clear()  # type: ignore[attr-defined]

    tokens = [memory.token("known"), memory.token("new")]
    memory.retrieve(task_descriptor="linker cache", consistency_tokens=tokens)

    (question,), (text,) = embedder.asked  # type: ignore[attr-defined]
    assert question == "linker cache"
    assert "the linker cache" in text


def test_a_request_reads_no_further_once_its_time_is_over() -> None:
    memory = Memory()
    for number in range(120):
        tags = ["kept"] if number == 119 else []
        memory.add_unindexed(semantic(f"r{number}", salience=(150 - number) / 150, tags=tags))
    memory.services = memory.services.but(
        elapsed_s=lambda: 10_000.0 if len(memory.asked) > 1 else 0.0
    )
    memory.asked.clear()

    pages = [memory.retrieve(tags=["kept"], limit=100)]
    while pages[-1].next_cursor is not None:
        memory.asked.clear()
        pages.append(memory.retrieve(tags=["kept"], limit=100, cursor=pages[-1].next_cursor))

    assert all_ids(pages) == ["r119"]
    assert len(pages) > 1
