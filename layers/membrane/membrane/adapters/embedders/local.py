"""Vectors by a model on this machine, where a package that runs such models is installed."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any

Encode = Callable[[Sequence[str]], Iterable[Any]]
"""An array of numbers for each text."""

PACKAGES = ("sentence-transformers", "fastembed")
"""Whose models are used; the first one that is installed."""

_loading = Lock()


class UnusableModel(Exception):
    """No model can be run here, or it does not make the vectors that the settings ask for."""


@dataclass(frozen=True, slots=True)
class LocalEmbedder:
    """An Embedder whose model is loaded when the first text is embedded."""

    package: str
    model: str
    dimensions: int

    @classmethod
    def installed(cls, model: str, dimensions: int) -> "LocalEmbedder":
        """By the package that is installed here; raises UnusableModel."""
        found = next((each for each in PACKAGES if find_spec(_module(each)) is not None), None)
        if found is None:
            raise UnusableModel(
                f"a local model needs {' or '.join(PACKAGES)}: run `pip install {PACKAGES[0]}`"
            )
        return cls(found, model, dimensions)

    @property
    def name(self) -> str:
        """With the package's: the same model may be stored there in another precision."""
        return f"{self.package}-{self.model}-{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One call of the model for all of them."""
        asked = [text for text in texts if text.strip()]
        vectors = map(self._checked, _encoder(self.package, self.model)(asked) if asked else ())
        return [next(vectors) if text.strip() else (0.0,) * self.dimensions for text in texts]

    def _checked(self, made: Any) -> Sequence[float]:
        """Of length 1: not every model sees to it itself."""
        vector: list[float] = made.tolist()
        if len(vector) != self.dimensions:
            raise UnusableModel(
                f"{self.model} makes vectors of {len(vector)} dimensions and not of "
                f"{self.dimensions}: set MEMBRANE_EMBEDDING_DIMENSIONS to {len(vector)}"
            )
        length = math.hypot(*vector)
        return [component / length for component in vector] if length else vector


def _module(package: str) -> str:
    return package.replace("-", "_")


def _encoder(package: str, model: str) -> Encode:
    """Loaded once, though several threads may ask for it at once."""
    with _loading:
        return _loaded(package, model)


@cache
def _loaded(package: str, model: str) -> Encode:
    module = import_module(_module(package))
    if package == "fastembed":
        embed: Encode = module.TextEmbedding(model_name=model).embed
        return embed
    transformer = module.SentenceTransformer(model)
    return lambda texts: transformer.encode(list(texts), show_progress_bar=False)
