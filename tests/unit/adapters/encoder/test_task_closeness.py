"""How many tasks in other words the encoder recognises, and how many it mistakes."""

import math
from collections.abc import Iterable

import pytest

from membrane.adapters.encoder.sentence_encoder import SentenceEncoder
from membrane.domain.learning.likeness import MIN_CLOSENESS
from membrane.usecases.learning.task_closeness import TaskCloseness
from membrane.usecases.machinery.long_jobs import never
from tests.builders.traces import a_trace, alike
from tests.builders.worded_tasks import CHOSEN_ON, SHOWN_ON, Fold
from tests.fakes.world import make_services

CLOSENESS = TaskCloseness(make_services(task_embedder=SentenceEncoder()), never)


def joined_by_closeness_alone(pairs: Iterable[tuple[str, str]]) -> int:
    """The number of pairs that are alike by closeness and not by words."""
    traces = [(a_trace(task=task), a_trace(task=other)) for task, other in pairs]
    return sum(alike(a, b, CLOSENESS) and not alike(a, b) for a, b in traces)


@pytest.mark.parametrize(("fold", "recognised"), [(CHOSEN_ON, 1), (SHOWN_ON, 2)])
def test_some_tasks_in_other_words_are_recognised_and_no_other_task_is_mistaken(
    fold: Fold, recognised: int
) -> None:
    assert joined_by_closeness_alone(fold.same) == recognised
    assert joined_by_closeness_alone(fold.different) == 0


def test_a_lower_threshold_would_mistake_a_task_of_the_first_fold() -> None:
    found = [CLOSENESS(task, other) for task, other in CHOSEN_ON.different]
    highest = max(cosine for cosine in found if cosine is not None)

    assert math.floor(highest * 20) / 20 == MIN_CLOSENESS - 0.05
