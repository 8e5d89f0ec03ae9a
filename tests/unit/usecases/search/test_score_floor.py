"""What scores less for a task than the floor is left out, and scores are told."""

from dataclasses import replace

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.revision.requests import Retract
from tests.worlds.retrieval import Memory, ids, receipt_of, semantic

TASK = "the linker cache"


@pytest.fixture
def memory() -> Memory:
    """A memory of what has to do with the task wholly, in part, and not at all."""
    memory = Memory()
    for record_id, text in (
        ("whole", "the linker cache"),
        ("part", "a cache of the shop beside the old harbour"),
        ("none", "Marta waters the plants"),
    ):
        memory.add(semantic(record_id, payload={"object": text}))
    return memory


def test_without_a_floor_what_is_salient_follows_what_was_found(memory: Memory) -> None:
    answer = memory.retrieve(task_descriptor=TASK, min_score=0.0)

    assert ids(answer)[0] == "whole"
    assert set(ids(answer)) == {"whole", "part", "none"}


def between(memory: Memory) -> float:
    """A floor between the scores of what matches wholly and in part."""
    scores = memory.retrieve(task_descriptor=TASK, min_score=0.0).scores
    assert scores is not None
    assert scores["whole"] > scores["part"]
    return (scores["whole"] + scores["part"]) / 2


def test_what_scores_below_the_floor_is_left_out_and_counted(memory: Memory) -> None:
    memory.services = replace(memory.services, score_floor=between(memory))

    answer = memory.retrieve(task_descriptor=TASK)

    assert ids(answer) == ["whole"]
    assert receipt_of(answer, memory).left_out == 2


def test_the_floor_of_the_request_wins(memory: Memory) -> None:
    memory.services = replace(memory.services, score_floor=1.0)

    assert ids(memory.retrieve(task_descriptor=TASK, min_score=between(memory))) == ["whole"]


def test_without_a_task_nothing_is_left_out(memory: Memory) -> None:
    memory.services = replace(memory.services, score_floor=1.0)

    answer = memory.retrieve()

    assert set(ids(answer)) == {"whole", "part", "none"}
    assert answer.scores is None


def test_what_is_retracted_and_asked_for_comes_whatever_the_floor(memory: Memory) -> None:
    memory.revise(Retract(id="part", actor="me", rationale="it is not so"))

    answer = memory.retrieve(task_descriptor=TASK, min_score=0.1, include_retracted=True)

    assert "part" in ids(answer)
    assert "part" not in ids(memory.retrieve(task_descriptor=TASK, min_score=0.1))


def test_scores_are_told_by_id_in_the_order_of_the_records(memory: Memory) -> None:
    answer = memory.retrieve(task_descriptor=TASK, min_score=0.01)

    assert answer.scores is not None
    assert list(answer.scores) == ids(answer)
    assert sorted(answer.scores.values(), reverse=True) == list(answer.scores.values())
    assert all(0.0 <= score <= 1.0 for score in answer.scores.values())


def test_the_best_answer_to_a_question_that_nothing_answers_scores_less(memory: Memory) -> None:
    def best(task: str) -> float:
        answer = memory.retrieve(task_descriptor=task, min_score=0.0)
        assert answer.scores is not None
        return max(answer.scores.values(), default=0.0)

    assert best("Which film won at Cannes?") < best(TASK)


@pytest.mark.parametrize("min_score", [-0.1, 1.1, "0.5", True])
def test_a_floor_that_is_no_share_is_refused_by_its_name(memory: Memory, min_score: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        memory.retrieve(task_descriptor=TASK, min_score=min_score)

    assert "min_score" in [each.field for each in refusal.value.violations]
