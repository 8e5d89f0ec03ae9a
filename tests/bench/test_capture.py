"""The bench of captures: replies compared with the findings of a careful reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.bench import capture
from tests.bench.capture import LEAST, Asking, Outcome, figures_of, outcome_of
from tests.bench.capture_desk import LocalDesk, Refused, with_ids
from tests.bench.capture_scores import Reader
from tests.bench.capture_sets import (
    Capture,
    CaptureSet,
    EntityKey,
    ExpectedFact,
    ExpectedMention,
    LinkedQuestion,
    read_capture_set,
)
from tests.bench.question_sets import Fold
from tests.bench.tallies import Findings, Tally
from tests.worlds.api import Reply


@pytest.fixture(scope="module")
def fortnight() -> CaptureSet:
    return read_capture_set()


def test_a_perfect_stack_reaches_every_score(fortnight: CaptureSet) -> None:
    outcome = outcome_of(fortnight, PerfectDesk(fortnight), Asking())

    assert set(outcome.scores.values()) == {1.0}
    assert list(outcome.explanation()) == []
    assert outcome.scores.keys() >= LEAST.keys()


def test_only_the_captures_and_questions_of_the_fold_count() -> None:
    held_out = read_capture_set(fold=Fold.HELD_OUT)

    outcome = outcome_of(held_out, PerfectDesk(held_out), Asking())

    assert outcome.findings.mentions.expected == sum(len(each.mentions) for each in held_out.judged)
    assert outcome.answered["two links, graph"].expected == 12
    assert {each.least for each in figures_of(held_out, outcome)} == {None}


def test_a_score_under_its_limit_is_missed(fortnight: CaptureSet) -> None:
    outcome = Outcome(Findings(), {"two links, graph": Tally(2, ["Who owns it? (owner)"])})

    (missed,) = [each for each in figures_of(fortnight, outcome) if each.missed]

    assert missed.complaint == "fortnight, two links, graph is 0.5, less than 0.8"
    assert list(outcome.explanation()) == ["two links, graph, missing: Who owns it? (owner)"]


BOB = ExpectedMention("Bob", "robert")
HANDLE = ExpectedMention("@bobm", "robert")
API = ExpectedMention("checkout-api", "checkout-api")


def test_a_mention_needs_surface_and_entity() -> None:
    returned = [mention("Bob", "r"), mention("@bobm", "other"), mention("Tuesday", "t")]

    tally = Reader({"robert": "r"}).read(captured(BOB, HANDLE), reply(returned)).mentions

    assert [tally.precision, tally.recall] == pytest.approx([1 / 3, 1 / 2])
    assert tally.missing == ["one: @bobm"]
    assert tally.needless == ["one: @bobm", "one: Tuesday"]


@pytest.mark.parametrize("surface", ["bobm", "@bobm", "`@BobM`"])
def test_marks_around_a_surface_do_not_count(surface: str) -> None:
    tally = Reader({"robert": "r"}).read(captured(HANDLE), reply([mention(surface, "r")])).mentions

    assert (tally.precision, tally.recall) == (1, 1)


def test_an_alias_of_a_mention_is_a_surface_too() -> None:
    merged = mention("Bob", "r", aliases=["@bobm"])

    tally = Reader({"robert": "r"}).read(captured(BOB, HANDLE), reply([merged])).mentions

    assert (tally.precision, tally.recall) == (1, 1)


def test_each_surface_counts_once() -> None:
    twice = [mention("Bob", "r"), mention("Bob", "r")]

    tally = Reader({"robert": "r"}).read(captured(BOB), reply(twice)).mentions

    assert (tally.precision, tally.recall) == (1 / 2, 1)


@pytest.mark.parametrize("entity_id", ["", "r"])
def test_a_new_entity_has_an_id_of_its_own(entity_id: str) -> None:
    reader = Reader({"robert": "r"})

    tally = reader.read(captured(API), reply([mention("checkout-api", entity_id)])).mentions

    assert (tally.precision, tally.recall) == (0, 0)


def test_a_new_entity_keeps_its_id() -> None:
    reader = Reader({})
    reader.read(captured(API), reply([mention("checkout-api", "first")], primary="1"))

    again = reader.read(captured(API), reply([mention("checkout-api", "first")], primary="2"))
    anew = reader.read(captured(API), reply([mention("checkout-api", "second")], primary="3"))

    assert (again.mentions.recall, anew.mentions.recall) == (1, 0)


def test_links_are_the_edges_to_other_records() -> None:
    reader = Reader({}, {"alert": "a", "note": "n"})
    edges = [
        edge("p", "references_record", "a"),
        edge("p", "references_record", "p"),
        edge("p", "references_record", "x"),
        edge("a", "referenced_by", "p"),
    ]

    tally = reader.read(captured(links=["alert", "note"]), reply([], edges)).links

    assert (tally.precision, tally.recall) == (1 / 2, 1 / 2)
    assert (tally.missing, tally.needless) == (["one: note"], ["one: x"])


OWNED = ExpectedFact(EntityKey("api"), "is owned by", EntityKey("priya"))
LIMITED = ExpectedFact(EntityKey("api"), "allows", 400)


def test_the_entities_of_a_fact_stand_as_ids_or_at_the_end_of_edges() -> None:
    reader = Reader({"api": "a", "priya": "p1"})
    edges = [edge("p", "derived_semantic", "f"), edge("f", "object_entity", "p1")]
    fact = semantic("f", subject="a", predicate="is owned by", object="Priya Raman")

    tally = reader.read(captured(facts=[OWNED, LIMITED]), reply([], edges, [fact])).facts

    assert (tally.precision, tally.recall) == (1, 1 / 2)
    assert tally.missing == ["one: allows"]


def test_a_name_without_an_edge_is_no_entity_of_a_fact() -> None:
    reader = Reader({"api": "a", "priya": "p1"})
    fact = semantic("f", subject="a", predicate="is owned by", object="Priya Raman")
    derived = [edge("p", "derived_semantic", "f")]

    tally = reader.read(captured(facts=[OWNED]), reply([], derived, [fact])).facts

    assert (tally.precision, tally.recall) == (0, 0)


def test_a_fact_that_an_earlier_capture_made_is_known() -> None:
    reader = Reader({"api": "a"})
    fact = semantic("f", subject="a", predicate="allows", object=400)
    limited = captured(facts=[LIMITED])
    reader.read(limited, reply([], [edge("p", "derived_semantic", "f")], [fact]))

    later = reply([], [edge("q", "derived_semantic", "f")], primary="q")
    again = reader.read(replace(limited, key="two"), later).facts

    assert (again.precision, again.recall) == (1, 1)


def test_evidence_is_a_capture_or_its_fact_among_the_first_ten() -> None:
    reader = Reader({}, {"alert": "a", "owner": "o"}, {"alert": set(), "owner": {"f"}})
    others = [f"x{number}" for number in range(8)]

    assert reader.absent(["alert", "owner"], [*others, "a", "f"]) == []
    assert reader.absent(["alert", "owner"], [*others, "a", "y", "o"]) == ["owner"]


def test_ids_take_the_places_of_their_keys() -> None:
    body = {"context": {"record_id": "{id:one}"}, "list": ["see {id:two}", 3]}

    assert with_ids(body, {"one": "1", "two": "2"}) == {
        "context": {"record_id": "1"},
        "list": ["see 2", 3],
    }


def test_the_stack_is_asked_through_its_routes(fortnight: CaptureSet) -> None:
    api: Any = ScriptedApi()
    desk = LocalDesk(api, fortnight)
    (asked, *_) = fortnight.two_links

    desk.add_entity(fortnight.entities[0])
    desk.capture(fortnight.captures[0], {})
    desk.wait()
    assert desk.graph_answer(asked, {"max_hops": 2}) == ["n"]
    assert desk.plain_answer(asked) == ["r"]

    paths = [path for path, _ in api.requests]
    assert paths == [
        "/_dev/clock",
        "/v1/records",
        "/v1/capture",
        "/_dev/queues?wait",
        "/v1/retrieve/graph",
        "/v1/retrieve",
    ]
    assert api.requests[2][1]["scope"] == fortnight.scope
    assert api.requests[4][1]["max_hops"] == 2


def test_a_refusal_stops_the_bench(monkeypatch: pytest.MonkeyPatch, fortnight: CaptureSet) -> None:
    api: Any = ScriptedApi(refused="/v1/capture")
    desk = LocalDesk(api, fortnight)
    monkeypatch.setattr(
        capture, "local_outcome", lambda asked, asking: outcome_of(asked, desk, asking)
    )

    with pytest.raises(Refused, match="/v1/capture: 400"):
        outcome_of(fortnight, desk, Asking())
    with pytest.raises(SystemExit, match="bench: /v1/capture: 400"):
        capture.main([])


def captured(
    *mentions: ExpectedMention, links: Sequence[str] = (), facts: Sequence[ExpectedFact] = ()
) -> Capture:
    return Capture("one", {}, mentions, links, facts)


def mention(surface: str, entity_id: str, **fields: Any) -> dict[str, Any]:
    return {"surface": surface, "canonical_entity_id": entity_id, **fields}


def edge(source: str, predicate: str, target: str) -> dict[str, Any]:
    return {"source_id": source, "predicate": predicate, "target_id": target, "weight": 1}


def semantic(record_id: str, **payload: Any) -> dict[str, Any]:
    return {"id": record_id, "type": "semantic", "payload": {"kind": "semantic", **payload}}


def reply(
    mentions: Sequence[Any],
    edges: Sequence[Any] = (),
    created: Sequence[Any] = (),
    primary: str = "p",
) -> dict[str, Any]:
    return {
        "primary_record": {"id": primary, "interpretation": {"mentions": mentions}},
        "created_records": created,
        "edges": edges,
    }


@dataclass(slots=True)
class PerfectDesk:
    """Finds what the reader of the set found; ids are the set's keys."""

    asked: CaptureSet
    facts: dict[ExpectedFact, str] = field(default_factory=dict)

    def add_entity(self, entity: Mapping[str, Any]) -> str:
        return f"entity {entity['key']}"

    def capture(self, capture: Capture, ids: Mapping[str, str]) -> Mapping[str, Any]:
        assert all(key in ids for key in capture.links)
        new = [fact for fact in capture.facts if fact not in self.facts]
        self.facts |= {fact: f"fact {len(self.facts) + place}" for place, fact in enumerate(new)}
        return reply(
            [mention(each.surface, f"entity {each.entity}") for each in capture.mentions],
            [
                *(edge(capture.key, "references_record", ids[key]) for key in capture.links),
                *(
                    edge(capture.key, "derived_semantic", self.facts[each])
                    for each in capture.facts
                ),
            ],
            [semantic(self.facts[each], **payload_of(each)) for each in new],
            primary=capture.key,
        )

    def wait(self) -> None:
        pass

    def graph_answer(self, question: LinkedQuestion, fields: Mapping[str, Any]) -> Sequence[str]:
        assert fields == {"max_hops": 2}
        return question.evidence

    def plain_answer(self, question: LinkedQuestion) -> Sequence[str]:
        return question.evidence


def payload_of(fact: ExpectedFact) -> dict[str, Any]:
    subject, value = (
        f"entity {each.key}" if isinstance(each, EntityKey) else each
        for each in (fact.subject, fact.object)
    )
    return {"subject": subject, "predicate": fact.predicate, "object": value}


@dataclass(slots=True)
class ScriptedApi:
    """Notes requests, and replies as the routes do."""

    refused: str = ""
    requests: list[tuple[str, Any]] = field(default_factory=list)

    def post(self, path: str, body: Any) -> Reply:
        self.requests.append((path, body))
        if path == self.refused:
            return Reply(400, {}, {"code": "INVALID_ARGUMENT"})
        record = {"id": "r"}
        nodes = [{"record": {"id": "n"}, "root": True, "hop": 0}]
        return Reply(200, {}, {"record": record, "records": [record], "nodes": nodes})

    def get(self, path: str) -> Reply:
        self.requests.append((path, None))
        return Reply(200, {}, {})
