"""The embedder of questions during a change of the embedder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from membrane.table.items import Checkpoint
from membrane.usecases.ports.search import Embedder
from membrane.usecases.search.reindex import ReindexProgress


@dataclass(frozen=True, slots=True)
class Changeover:
    """An Embedder that uses the former model until the re-index has replaced every vector.

    A search uses the index with the dimensions of the question's vector. A question that was
    embedded just before the end of the re-index is therefore still answered by the former index.
    """

    present: Embedder
    former: Embedder
    progress: Callable[[], Checkpoint | None]
    """The progress of the newest re-index, read for every question until the re-index is done."""
    done: list[bool] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.current().name

    @property
    def dimensions(self) -> int:
        return self.current().dimensions

    @property
    def concurrency(self) -> int | None:
        return self.current().concurrency

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self.current().embed(texts)

    def current(self) -> Embedder:
        """The embedder of questions now; a later call may return the present one instead."""
        if not self.done and self._is_reindexed():
            self.done.append(True)
        return self.present if self.done else self.former

    def _is_reindexed(self) -> bool:
        kept = self.progress()
        if kept is None:
            return False
        reindexed = ReindexProgress.of_json(kept.progress)
        return reindexed.is_done and reindexed.embedder == self.present.name


def embedder_in_use(embedder: Embedder) -> Embedder:
    """An embedder that stays the same for the length of a request."""
    return embedder.current() if isinstance(embedder, Changeover) else embedder
