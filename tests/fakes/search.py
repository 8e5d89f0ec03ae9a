"""An embedder that remembers what it was asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.fakes.hashing import HashingEmbedder


@dataclass(slots=True)
class FakeEmbedder:
    """The hashing embedder under some name, which remembers what it was asked."""

    name: str = "lexical"
    dimensions: int = 64
    concurrency: int | None = None
    asked: list[Sequence[str]] = field(default_factory=list)
    failing: Callable[[Sequence[str]], None] = lambda _: None
    """Asked first; raises what the embedder shall raise."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See Embedder."""
        self.failing(texts)
        self.asked.append(texts)
        return HashingEmbedder(self.dimensions).embed(texts)
