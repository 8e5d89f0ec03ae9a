"""Why tasks are not compared by the encoder: opposites are as close as paraphrases."""

from collections.abc import Sequence

from membrane.adapters.sentence_encoder import SentenceEncoder
from tests.builders.traces import a_trace, alike
from tests.builders.worded_tasks import CHOSEN_ON, SHOWN_ON

ENCODER = SentenceEncoder()


def cosines(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosines of the pairs that common words leave apart."""
    apart = [pair for pair in pairs if not alike(*(a_trace(task=each) for each in pair))]
    vectors = [ENCODER.embed(pair) for pair in apart]
    return [sum(x * y for x, y in zip(*each, strict=True)) for each in vectors]


def test_a_threshold_above_all_opposites_of_one_fold_recognises_no_task_of_the_other() -> None:
    threshold = max(cosines(CHOSEN_ON.opposite))

    assert threshold > max(cosines(CHOSEN_ON.same))
    assert [each for each in cosines(SHOWN_ON.same) if each > threshold] == []


def test_a_threshold_that_recognises_two_tasks_in_other_words_mistakes_opposites() -> None:
    threshold = sorted(cosines(SHOWN_ON.same))[-2]

    assert len([each for each in cosines(CHOSEN_ON.opposite) if each >= threshold]) >= 2
    assert len([each for each in cosines(SHOWN_ON.opposite) if each >= threshold]) >= 1
