"""The bench of retrieval: its sets, its scores, and what the project's own set must reach."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from math import log2
from pathlib import Path
from typing import Any

import pytest

from membrane.adapters.aws_lambda.routes.ingest_batch import INGESTS
from membrane.adapters.aws_lambda.routes.search import RETRIEVE
from membrane.domain.ingest import policy
from membrane.domain.ingest.candidates import candidate_from
from membrane.domain.ingest.reports import IngestRequest
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.search.score import Weights
from membrane.wiring.search_settings import EmbedderKind
from tests.bench.library import MEMORY
from tests.bench.question_sets import (
    AGENT_MEMORY,
    CONVERSATIONS,
    OTHER_LANGUAGES,
    OWN,
    SHORT_FACTS,
    Fold,
    QuestionSet,
    UnusableSet,
    read_set,
)
from tests.bench.retrieval import LEAST, Chosen, figures, main, outcomes, settings_of, without
from tests.bench.scores import discounted_gain, mean, recall, reciprocal_rank, restraint, scores
from tests.fakes.clock import MORNING

HALVES = (Fold.TUNING, Fold.HELD_OUT)


@pytest.fixture(params=(*OWN, OTHER_LANGUAGES), ids=lambda path: path.stem)
def own_set(request: pytest.FixtureRequest) -> QuestionSet:
    return read_set(request.param)


def test_every_record_of_a_set_can_be_ingested(own_set: QuestionSet) -> None:
    for given in own_set.records:
        request = validate(INGESTS[given.rpc].request, dict(given.fields))
        if isinstance(request, IngestRequest):
            policy.check(candidate_from(request, rfc3339(MORNING)))  # type: ignore[arg-type]  # every report but an outcome


def test_every_question_of_a_set_can_be_asked(own_set: QuestionSet) -> None:
    for query in own_set.queries:
        validate(RETRIEVE.request, {"task_descriptor": query.text, **query.fields})


def test_every_answer_that_a_set_expects_is_in_it(own_set: QuestionSet) -> None:
    assert own_set.complaints == ()
    assert all(len(query.expected) <= 4 for query in own_set.queries)
    assert all(query.k >= 10 for query in own_set.queries)


def test_no_question_and_no_record_stands_twice_in_a_set(own_set: QuestionSet) -> None:
    texts = Counter(query.text for query in own_set.queries)
    contents = Counter(json.dumps(given.fields) for given in own_set.records)

    assert max(texts.values()) == 1
    assert max(contents.values()) == 1


def test_the_sets_are_large_enough_to_tell() -> None:
    assert sizes(AGENT_MEMORY) == (333, 140, 0)
    assert sizes(CONVERSATIONS) == (554, 145, 0)
    assert sizes(SHORT_FACTS) == (80, 80, 10)
    assert sizes(OTHER_LANGUAGES) == (40, 20, 0)


@pytest.mark.parametrize("path", [SHORT_FACTS, OTHER_LANGUAGES], ids=lambda path: path.stem)
def test_a_question_about_short_facts_may_see_the_facts_that_answer_it(path: Path) -> None:
    facts = read_set(path)
    scopes = {given.key: given.fields["scope"] for given in facts.records}

    for query in facts.queries:
        assert {scopes[key] for key in query.expected} <= set(query.fields["trust"]["scopes"])
    assert len(set(scopes.values())) >= 3


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_the_folds_of_a_set_share_its_questions_by_turns(path: Path) -> None:
    whole, tuning, held_out = (read_set(path, fold) for fold in (Fold.ALL, *HALVES))

    assert tuning.queries == whole.queries[::2]
    assert held_out.queries == whole.queries[1::2]
    assert tuning.records == held_out.records == whole.records


def test_each_fold_has_questions_that_nothing_answers() -> None:
    assert [sizes(SHORT_FACTS, fold) for fold in HALVES] == [(80, 40, 5), (80, 40, 5)]


def test_the_memory_of_agents_has_records_of_every_kind() -> None:
    records = read_set(AGENT_MEMORY).records

    kinds = Counter(each.fields["record"]["type"] for each in records if "record" in each.fields)
    elsewhere = {"IngestOutcome", "IngestMessages", "CaptureMemory"}
    assert {each.rpc for each in records} == INGESTS.keys() - elsewhere
    assert kinds.keys() == {"competence", "plan_graph", "entity"}


def test_a_set_with_two_records_of_one_key_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [turn("one", "Hello"), turn("one", "Hello again")], [])

    with pytest.raises(UnusableSet, match="has two records 'one'"):
        read_set(path)


def test_a_set_that_answers_none_of_its_questions_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ZOO, [UNANSWERED])

    with pytest.raises(UnusableSet, match=r"tiny\.json has no question with an answer"):
        read_set(path)


def test_a_fold_without_an_answered_question_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ZOO, [FOUND, UNANSWERED])

    assert read_set(path, Fold.TUNING).queries == read_set(path).queries[:1]
    with pytest.raises(UnusableSet, match="fold: held-out"):
        read_set(path, Fold.HELD_OUT)


def test_recall_is_the_share_of_what_is_expected_that_comes_in_time() -> None:
    ranking = ["a", "b", "c", "d"]

    assert recall(ranking, {"b", "d", "x", "y"}, 2) == 1 / 4
    assert recall(ranking, {"b", "d", "x", "y"}, 5) == 2 / 4


def test_the_reciprocal_rank_is_that_of_the_first_hit() -> None:
    assert reciprocal_rank(["a", "b", "c"], {"c", "b"}) == 1 / 2
    assert reciprocal_rank(["a", "b", "c"], {"x"}) == 0


def test_a_hit_gains_less_the_lower_it_stands() -> None:
    ranking = ["a", "b", "c"]

    assert discounted_gain(ranking, {"a", "b"}, 10) == 1
    assert discounted_gain(ranking, {"a", "c"}, 10) == pytest.approx(
        (1 + 1 / log2(4)) / (1 + 1 / log2(3))
    )
    assert discounted_gain(ranking, set("abcd"), 2) == 1


@pytest.mark.parametrize(("place", "score"), [(1, 1.0), (3, 1.0), (4, 0.0)])
def test_a_question_counts_for_the_top_3_where_one_answer_is_among_them(
    place: int, score: float
) -> None:
    ranking = ["x", "y", "z", "w"]
    ranking[place - 1] = "answer"

    assert scores(ranking, {"answer", "absent"}, 10)["top-3"] == score


def test_restraint_is_to_return_nothing_where_nothing_answers() -> None:
    assert restraint([]) == {"left out": 1.0, "returned": 0.0}
    assert restraint(["a", "b"]) == {"left out": 0.0, "returned": 2.0}


def test_a_mean_is_taken_score_by_score() -> None:
    assert mean([{"MRR": 1.0, "recall@5": 0.0}, {"MRR": 0.5, "recall@5": 0.5}]) == {
        "MRR": 0.75,
        "recall@5": 0.25,
    }
    assert mean([]) == {}


OTTER = {"text": "Where does the otter sleep?", "expected": ["otter"]}
FOUND, HALF_FOUND, NOT_FOUND = (
    OTTER,
    {"text": "Which invoice was paid late?", "expected": ["invoice", "absent"]},
    {**OTTER, "memory_types": ["semantic"]},
)
UNANSWERED = {"text": "Which otter sleeps on its back?", "expected": [], "limit": 1}
UNSEEN = {"text": "Who feeds the parrot?", "expected": [], "memory_types": ["semantic"]}
"""Nothing is returned for it: the zoo has episodes alone."""


def test_what_is_printed_is_the_mean_over_the_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, ZOO, [FOUND, HALF_FOUND, NOT_FOUND])

    status = main([str(path)])

    printed = lines(capsys.readouterr().out)
    assert status == 0
    (line,) = printed
    assert (line["queries"], line["unanswerable"]) == (3, 0)
    assert "left out" not in line
    assert line["recall@5"] == line["recall@20"] == line["recall@k"] == 0.5
    assert line["MRR"] == round(2 / 3, 4)
    assert line["nDCG@10"] == round((1 + 1 / (1 + 1 / log2(3))) / 3, 4)
    assert 0 < line["p50_ms"] <= line["p95_ms"]


def test_questions_that_nothing_answers_count_for_restraint_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, ZOO, [FOUND, UNANSWERED, UNSEEN])

    main([str(path)])
    (line,) = lines(capsys.readouterr().out)
    main([str(path), "--fold", "tuning"])
    (tuning,) = lines(capsys.readouterr().out)

    assert (line["queries"], line["unanswerable"], line["MRR"], line["top-3"]) == (3, 2, 1, 1)
    assert (line["left out"], line["returned"]) == (0.5, 0.5)
    assert "fold" not in line
    assert (tuning["fold"], tuning["queries"], tuning["unanswerable"]) == ("tuning", 2, 1)
    assert (tuning["left out"], tuning["returned"]) == (1, 0)


def test_keys_that_no_record_has_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, ZOO, [HALF_FOUND])

    main([str(path)])

    assert capsys.readouterr().err == (
        "bench: tiny expects 1 keys that no record has; they count as missed\n"
    )


def test_each_part_of_the_score_is_left_out_in_turn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, ZOO, [FOUND])

    main([str(path), "--ablate"])

    printed = lines(capsys.readouterr().out)
    parts = [each.name for each in fields(Weights)]
    assert [line.get("without") for line in printed] == [None, *parts]
    assert without("dense", Weights(lexical=2.0, dense=3.0)) == Weights(lexical=2.0, dense=0.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dimensions", "many"], "MEMBRANE_EMBEDDING_DIMENSIONS"),
        (["nowhere.json"], "nowhere.json"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    options: Sequence[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        main(options)

    assert words in f"{refused.value} {capsys.readouterr().err}"


def test_a_record_that_cannot_be_ingested_stops_the_bench(tmp_path: Path) -> None:
    path = written(tmp_path, [turn("one", "Hello") | {"ref": ""}], [FOUND])

    with pytest.raises(InvalidArgument, match="event ref is required"):
        main([str(path)])


def test_agents_find_what_they_remember() -> None:
    search = settings_of(EmbedderKind.ENCODER)

    (outcome,) = outcomes(Chosen([read_set(AGENT_MEMORY)], MEMORY, search))

    assert outcome.scores["recall@10"] >= LEAST["agent_memory"]["recall@10"]


def test_what_must_be_reached_is_a_score_of_an_own_set() -> None:
    assert {*LEAST} == {path.stem for path in OWN}
    assert {score for scores_ in LEAST.values() for score in scores_} <= {*scores([], {"a"}, 1)}


def test_what_agents_must_find_has_a_limit(tmp_path: Path) -> None:
    path = written(tmp_path, ZOO, [HALF_FOUND]).rename(tmp_path / AGENT_MEMORY.name)

    found = {figure.name: figure for figure in figures([path])}

    (missed,) = (figure for figure in found.values() if figure.missed)
    assert missed.complaint == (
        "agent_memory all-MiniLM-L6-v2-int8-1, recall@10 is 0.5, less than 0.855"
    )


def turn(key: str, summary: str) -> dict[str, Any]:
    return {
        "key": key,
        "rpc": "IngestEvent",
        "source": "keeper",
        "event_kind": "message",
        "ref": f"zoo:{key}",
        "summary": summary,
        "timestamp": "2026-02-01T10:00:00Z",
    }


ZOO = [
    turn("otter", "The otter sleeps on its back in the upper pond."),
    turn("invoice", "The invoice for the March hay was paid late."),
    turn("parrot", "A parrot has learned the ticket seller's laugh."),
]


def written(folder: Path, records: Sequence[Any], queries: Sequence[Any]) -> Path:
    """A file of that set."""
    path = folder / "tiny.json"
    path.write_text(json.dumps({"records": records, "queries": queries}), "utf-8")
    return path


def sizes(path: Path, fold: Fold = Fold.ALL) -> tuple[int, int, int]:
    """Of a set: its records, its questions, and those of them that nothing answers."""
    asked = read_set(path, fold)
    unanswerable = sum(not query.expected for query in asked.queries)
    return len(asked.records), len(asked.queries), unanswerable


def lines(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]
