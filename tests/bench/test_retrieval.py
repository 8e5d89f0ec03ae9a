"""The bench of retrieval: its sets, its scores, and what the project's own set must reach."""

import json
from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.wiring.environment import EmbedderKind
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
from tests.bench.retrieval import LEAST, Chosen, figures, main, outcomes, settings_of
from tests.bench.scores import scores

HALVES = (Fold.TUNING, Fold.HELD_OUT)


@pytest.fixture(params=(*OWN, OTHER_LANGUAGES), ids=lambda path: path.stem)
def own_set(request: pytest.FixtureRequest) -> QuestionSet:
    return read_set(request.param)


def test_every_answer_that_a_set_expects_is_in_it(own_set: QuestionSet) -> None:
    assert own_set.complaints == ()
    assert all(len(query.expected) <= 4 for query in own_set.queries)
    assert all(query.k >= 10 for query in own_set.queries)


def test_the_sets_are_large_enough_to_tell() -> None:
    assert sizes(AGENT_MEMORY) == (333, 140, 0)
    assert sizes(CONVERSATIONS) == (554, 145, 0)
    assert sizes(SHORT_FACTS) == (80, 80, 10)
    assert sizes(OTHER_LANGUAGES) == (40, 20, 0)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_the_folds_of_a_set_share_its_questions_by_turns(path: Path) -> None:
    whole, tuning, held_out = (read_set(path, fold) for fold in (Fold.ALL, *HALVES))

    assert tuning.queries == whole.queries[::2]
    assert held_out.queries == whole.queries[1::2]
    assert tuning.records == held_out.records == whole.records


def test_each_fold_has_questions_that_nothing_answers() -> None:
    assert [sizes(SHORT_FACTS, fold) for fold in HALVES] == [(80, 40, 5), (80, 40, 5)]


def test_a_fold_without_an_answered_question_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, ZOO, [FOUND, UNANSWERED])

    assert read_set(path, Fold.TUNING).queries == read_set(path).queries[:1]
    with pytest.raises(UnusableSet, match="fold: held-out"):
        read_set(path, Fold.HELD_OUT)


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
