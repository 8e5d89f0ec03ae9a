"""Questions are asked of the former embedder until the re-index for the present one is done."""

from dataclasses import replace

from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.search.embedder_change import Changeover, embedder_in_use
from membrane.usecases.search.indexing.reindex import ReindexProgress, Stage
from tests.fakes.search import FakeEmbedder

PRESENT, FORMER = FakeEmbedder("present", 32), FakeEmbedder("former", 64)
BEGUN = ReindexProgress("present", "2026-11-22T00:00:00Z")


def asked(progress: ReindexProgress | None) -> str:
    """The name of the embedder that is asked."""
    kept = None if progress is None else Checkpoint(progress.as_json(), 1)
    return Changeover(PRESENT, FORMER, lambda: kept).name


def test_the_former_embedder_is_asked_until_the_re_index_is_done() -> None:
    assert asked(None) == "former"
    assert asked(BEGUN) == "former"
    assert asked(replace(BEGUN, stage=Stage.CHECKING)) == "former"
    assert asked(replace(BEGUN, stage=Stage.DONE)) == "present"


def test_a_re_index_for_another_embedder_changes_nothing() -> None:
    assert asked(replace(BEGUN, embedder="another", stage=Stage.DONE)) == "former"


def test_once_it_is_done_nobody_asks_how_far_it_is() -> None:
    times = list[int]()

    def progress() -> Checkpoint:
        times.append(1)
        return Checkpoint(replace(BEGUN, stage=Stage.DONE).as_json(), 1)

    changeover = Changeover(PRESENT, FORMER, progress)
    dimensions = [len(changeover.embed(["a text"])[0]) for _ in range(3)]

    assert dimensions == [PRESENT.dimensions] * 3
    assert len(times) == 1


def test_an_embedder_that_is_in_use_stays_the_same_for_a_request() -> None:
    kept = [
        Checkpoint(replace(BEGUN, stage=Stage.DONE).as_json(), 1),
        Checkpoint(BEGUN.as_json(), 1),
    ]
    changeover = Changeover(PRESENT, FORMER, kept.pop)

    embedder = embedder_in_use(changeover)

    assert changeover.name == "present"
    assert embedder is FORMER
    assert embedder_in_use(PRESENT) is PRESENT
