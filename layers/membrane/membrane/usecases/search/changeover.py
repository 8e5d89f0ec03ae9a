"""Questions while the embedder is changed: asked of the former one until the re-index is done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.ports.search import Embedder
from membrane.usecases.search.indexing.reindex import Reindexed


@dataclass(frozen=True, slots=True)
class Changeover:
    """The Embedder of questions: the former one until all vectors of the present one are there.

    A search finds by the index whose vectors have the dimensions of the question's, so a question
    that is embedded just before the change is still searched by the former index.
    """

    present: Embedder
    former: Embedder
    progress: Callable[[], Checkpoint | None]
    """How far the newest re-index is; asked for each question until it is done."""
    done: list[bool] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.asked().name

    @property
    def dimensions(self) -> int:
        return self.asked().dimensions

    @property
    def portion(self) -> int:
        return self.asked().portion

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self.asked().embed(texts)

    def asked(self) -> Embedder:
        """The embedder that questions are asked of now; the next call may give the other one."""
        if not self.done and self._is_reindexed():
            self.done.append(True)
        return self.present if self.done else self.former

    def _is_reindexed(self) -> bool:
        kept = self.progress()
        if kept is None:
            return False
        reindexed = Reindexed.of_json(kept.progress)
        return reindexed.is_done and reindexed.embedder == self.present.name


def embedder_in_use(embedder: Embedder) -> Embedder:
    """The embedder of questions that stays the same for a request that needs it more than once."""
    return embedder.asked() if isinstance(embedder, Changeover) else embedder
