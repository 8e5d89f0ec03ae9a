"""What the reader may not see changes no word of a graph, and no place in it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.trust import ALL_SCOPES, Gate, View
from membrane.domain.graph.replies import Graph
from membrane.domain.graph.requests import RetrieveGraph
from membrane.domain.language.requests import validate
from membrane.domain.language.vocabulary import Sensitivity
from tests.builders.requests import full_record, relation
from tests.fakes.clock import MORNING
from tests.worlds.depth import examples
from tests.worlds.graphs import GraphMemory, edges_in

SCOPES = ("", "alpha", "beta")
LEVELS = tuple(Sensitivity)
WORDS = ("linker", "cache", "Atlas", "Orchid", "Orchid Deploy", "lamp")
TASKS = ("", "Who broke the linker cache?", "what of Atlas and the Orchid Deploy", "lamp")
PREDICATES = ("mentions_entity", "subject_entity", "references_record", "cites")


@dataclass(frozen=True)
class Sample:
    """A record to be remembered, with edges to other records, which may not exist."""

    id: str
    is_entity: bool
    scope: str
    level: Sensitivity
    salience: int
    words: tuple[str, ...]
    edges: tuple[tuple[str, str, int], ...]
    """Predicate, target and weight in tenths."""

    def keep(self, memory: GraphMemory) -> None:
        """Put the record and its edges, which the index learns of later."""
        if self.is_entity:
            first, *others = dict.fromkeys(self.words)
            payload: dict[str, Any] = {"kind": "entity", "canonical_name": first, "aliases": others}
        else:
            said = {"t": "2026-01-01T00:00:00Z", "event_kind": "note", "ref": self.id}
            payload = {"kind": "episodic", "timeline": [{**said, "summary": " ".join(self.words)}]}
        memory.add_unindexed(
            full_record(
                id=self.id,
                type=payload["kind"],
                scope=self.scope or None,
                sensitivity=self.level,
                salience=self.salience / 10,
                payload=payload,
            )
        )
        if self.edges:
            made_at = {"created_at": "2026-01-02T00:00:00Z"}
            relations = [
                relation(target, predicate, weight=weight / 10, **made_at)
                for predicate, target, weight in self.edges
            ]
            memory.alter(self.id, relations=tuple(relations))


NUMBER = 8
IDS = [f"r{number}" for number in range(NUMBER)]
EDGES = st.lists(
    st.tuples(st.sampled_from(PREDICATES), st.sampled_from(IDS), st.integers(1, 10)),
    max_size=4,
    unique_by=lambda edge: edge[:2],
).map(tuple)
NAMES = st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS))


def samples(record_id: str) -> st.SearchStrategy[Sample]:
    """A record of that id."""
    return st.builds(
        Sample,
        id=st.just(record_id),
        is_entity=st.booleans(),
        scope=st.sampled_from(SCOPES),
        level=st.sampled_from(LEVELS[:4]),
        salience=st.integers(1, 10),
        words=NAMES,
        edges=EDGES,
    )


REMEMBERED = st.integers(2, NUMBER).flatmap(
    lambda count: st.tuples(*(samples(each) for each in IDS[:count]))
)
READERS = st.builds(
    lambda scopes, level: principal_of("reader", ["read"], scopes, level),
    st.one_of(st.just((ALL_SCOPES,)), st.sets(st.sampled_from(SCOPES[1:]), min_size=1).map(tuple)),
    st.sampled_from(LEVELS[:3]),
)
ASKED = st.fixed_dictionaries(
    {"task_descriptor": st.sampled_from(TASKS), "max_hops": st.integers(0, 3)},
    optional={
        "root_limit": st.integers(1, 3),
        "node_limit": st.integers(1, 4),
        "edge_limit": st.integers(1, 4),
        "min_score": st.sampled_from([0.3, 1.0]),
        "min_salience": st.sampled_from([0.5]),
        "memory_types": st.sampled_from([["entity"], ["episodic"]]),
        "node_types": st.sampled_from([["entity"], ["episodic"]]),
        "predicates": st.sampled_from([["mentioned_in"], ["cites", "mentions_entity"]]),
        "trust": st.fixed_dictionaries({"max_sensitivity": st.sampled_from(LEVELS[:3])}),
    },
)


def view_of(sample: Sample, reader: Principal, asked: Mapping[str, Any]) -> View:
    """How the reader sees the record."""
    gate = Gate.of(reader.trust, validate(RetrieveGraph, asked).trust)
    return gate.view(sample.scope, sample.level)


def remembering(
    several: Sequence[Sample], admitted: Callable[[Sample], bool] = lambda _: True
) -> GraphMemory:
    """A memory of the admitted records, each at the same instant whoever else is admitted."""
    memory, made = GraphMemory(), list[str]()
    for number, each in enumerate(several):
        memory.clock.now = MORNING + timedelta(seconds=number)
        if admitted(each):
            each.keep(memory)
            made.append(each.id)
    memory.index(*made)
    memory.clock.now = MORNING + timedelta(minutes=1)
    return memory


def said(pages: Sequence[Graph]) -> list[Any]:
    """The pages; of cursors whether there is one."""
    return [page | {"next_cursor": "next_cursor" in page} for page in pages]


@settings(max_examples=examples(40))
@given(several=REMEMBERED, reader=READERS, asked=ASKED)
def test_hidden_records_and_edges_change_nothing_in_the_graph(
    several: Sequence[Sample], reader: Principal, asked: dict[str, Any]
) -> None:
    everything = remembering(several)
    shown = {View.FULL, View.REDACTED}
    visible = remembering(several, lambda each: view_of(each, reader, asked) in shown)

    pages = everything.graph_pages(reader, **asked)

    assert said(pages) == said(visible.graph_pages(reader, **asked))


@settings(max_examples=examples(10))
@given(
    several=REMEMBERED,
    reader=READERS,
    asked=ASKED,
    hub=st.sampled_from(IDS[:2]),
    number=st.sampled_from([1, 40, 120]),
)
def test_a_crowd_of_hidden_records_around_a_hub_changes_nothing(
    several: Sequence[Sample], reader: Principal, asked: dict[str, Any], hub: str, number: int
) -> None:
    alone, crowded = remembering(several), remembering(several)
    crowded.crowd(hub, number, scope="gamma", sensitivity=LEVELS[4])
    crowded.clock.now = alone.clock.now

    assert said(crowded.graph_pages(reader, **asked)) == said(alone.graph_pages(reader, **asked))


@settings(max_examples=examples(40))
@given(several=REMEMBERED, reader=READERS, asked=ASKED, data=st.data())
def test_what_is_not_seen_in_full_may_say_anything_and_relate_to_anything(
    several: Sequence[Sample], reader: Principal, asked: dict[str, Any], data: st.DataObject
) -> None:
    others = [
        each
        if view_of(each, reader, asked) is View.FULL
        else replace(each, words=data.draw(NAMES), edges=data.draw(EDGES))
        for each in several
    ]
    first, second = remembering(several), remembering(others)

    assert said(first.graph_pages(reader, **asked)) == said(second.graph_pages(reader, **asked))


@settings(max_examples=examples(40))
@given(several=REMEMBERED, reader=READERS, asked=ASKED)
def test_a_graph_holds_what_may_be_seen_and_each_path_consists_of_edges(
    several: Sequence[Sample], reader: Principal, asked: dict[str, Any]
) -> None:
    known = {each.id: each for each in several}
    pages = remembering(several).graph_pages(reader, **asked)

    nodes = {node["record"]["id"]: node for page in pages for node in page["nodes"]}
    for record_id, node in nodes.items():
        view = view_of(known[record_id], reader, asked)
        assert view is (View.FULL if node["record"]["payload"] is not None else View.REDACTED)
        assert len(node["path"]) == node["hop"] <= asked["max_hops"]
        assert node["root"] == (not node["path"])
        for step in node["path"]:
            assert step["from_id"] in nodes
            assert view_of(known[step["from_id"]], reader, asked) is View.FULL
    assert sum(len(page["nodes"]) for page in pages) == len(nodes)
    for page in pages:
        for source, _, target in edges_in(page):
            assert {source, target} <= nodes.keys()
            assert view_of(known[source], reader, asked) is View.FULL
