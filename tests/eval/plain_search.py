"""The baseline: the nearest facts among all that was ever written."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.usecases.ports.search import Embedder
from tests.eval.facts import Fact


@dataclass(slots=True)
class PlainSearch:
    """A vector store without a lifecycle: every fact stays, and the cosine alone ranks.

    The embedder is the embedder of the service.
    """

    embedder: Embedder
    vectors: dict[Fact, Sequence[float]] = field(default_factory=dict)

    def tell(self, fact: Fact) -> None:
        """Keep a fact; a fact that is known already is kept once."""
        (self.vectors[fact],) = self.embedder.embed([fact.text])

    def ask(self, question: str, limit: int) -> list[Fact]:
        """The nearest facts, the nearest first."""
        (asked,) = self.embedder.embed([question])
        cosines = {
            fact: sum(a * b for a, b in zip(asked, vector, strict=True))
            for fact, vector in self.vectors.items()
        }
        return sorted(cosines, key=lambda fact: -cosines[fact])[:limit]
