"""The bench of captures: replies compared with the findings of a careful reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.bench import capture
from tests.bench.capture import LEAST, Asking, Outcome, figures_of, outcome_of
from tests.bench.capture_desk import LocalDesk, Refused
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
from tests.bench.question_sets import Fold, UnusableSet
from tests.bench.tallies import Findings, Tally
from tests.worlds.api import Reply

KINDS = {"event", "tool_output", "observation", "agent_turn", "working_state"}


@pytest.fixture(scope="module")
def fortnight() -> CaptureSet:
    return read_capture_set()


def test_the_fortnight_is_large_enough_to_tell(fortnight: CaptureSet) -> None:
    counts = [
        sum(len(getattr(each, kind)) for each in fortnight.captures) for kind in Findings._fields
    ]

    assert (len(fortnight.entities), len(fortnight.captures)) == (16, 60)
    assert (len(fortnight.two_links), len(fortnight.one_link)) == (25, 10)
    assert counts == [99, 14, 13]
    assert {each.request["source_kind"] for each in fortnight.captures} == KINDS


def test_the_folds_share_captures_and_questions_by_turns(fortnight: CaptureSet) -> None:
    tuning, held_out = (read_capture_set(fold=fold) for fold in (Fold.TUNING, Fold.HELD_OUT))

    assert tuning.captures == held_out.captures == fortnight.captures == fortnight.judged
    assert (tuning.judged, held_out.judged) == (fortnight.captures[::2], fortnight.captures[1::2])
    assert [len(tuning.two_links), len(held_out.two_links)] == [13, 12]
    assert [len(tuning.one_link), len(held_out.one_link)] == [5, 5]


@pytest.mark.parametrize("text", ["", "{}", '{"scope": "s", "entities": [], "captures": [1]}'])
def test_a_file_without_a_set_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tiny.json"
    path.write_text(text, "utf-8")

    with pytest.raises(UnusableSet, match=r"tiny\.json"):
        read_capture_set(path)


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


def test_a_mention_needs_surface_and_entity() -> None:
    returned = [mention("Bob", "r"), mention("@bobm", "other"), mention("Tuesday", "t")]

    tally = Reader({"robert": "r"}).read(captured(BOB, HANDLE), reply(returned)).mentions

    assert [tally.precision, tally.recall] == pytest.approx([1 / 3, 1 / 2])
    assert tally.missing == ["one: @bobm"]
    assert tally.needless == ["one: @bobm", "one: Tuesday"]


OWNED = ExpectedFact(EntityKey("api"), "is owned by", EntityKey("priya"))
LIMITED = ExpectedFact(EntityKey("api"), "allows", 400)


def test_the_entities_of_a_fact_stand_as_ids_or_at_the_end_of_edges() -> None:
    reader = Reader({"api": "a", "priya": "p1"})
    edges = [edge("p", "derived_semantic", "f"), edge("f", "object_entity", "p1")]
    fact = semantic("f", subject="a", predicate="is owned by", object="Priya Raman")

    tally = reader.read(captured(facts=[OWNED, LIMITED]), reply([], edges, [fact])).facts

    assert (tally.precision, tally.recall) == (1, 1 / 2)
    assert tally.missing == ["one: allows"]


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
