"""How close two tasks are: the cosine of the embeddings, with every task embedded once in a run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import mul

from membrane.usecases.learning.consolidating_call import CONSOLIDATE
from membrane.usecases.machinery.long_jobs import IsOutOfTime
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services import Services

MAX_EMBEDDED = 2_000
"""Tasks that a run embeds: 28 seconds of a processor for tasks of 256 characters."""

MAX_LENGTH_ERROR = 0.01
"""Difference from length 1 above which a vector is not the embedding of a text."""

BEYOND_LATIN = "\u0250"
"""The first character behind the letters of the Latin script."""


@dataclass(slots=True)
class TaskCloseness:
    """A Closeness of the domain, by the embedder of tasks.

    Unknown for tasks in other scripts than Latin, which an encoder of English cannot tell apart;
    without an embedder; once the embedder has failed, once MAX_EMBEDDED tasks are embedded, and
    once time is up.
    """

    services: Services
    is_out_of_time: IsOutOfTime
    _vectors: dict[str, Sequence[float] | None] = field(default_factory=dict)
    _has_failed: bool = False

    def __call__(self, task: str, other: str) -> float | None:
        if not (_is_latin(task) and _is_latin(other)):
            return None
        one, two = self._vector(task), self._vector(other)
        return None if one is None or two is None else sum(map(mul, one, two))

    def _vector(self, task: str) -> Sequence[float] | None:
        """The vector of length 1; None if unknown."""
        if task not in self._vectors and self._may_embed():
            self._vectors[task] = self._embedding_of(task)
        return self._vectors.get(task)

    def _may_embed(self) -> bool:
        is_full = len(self._vectors) >= MAX_EMBEDDED
        return not (self._has_failed or is_full or self.is_out_of_time())

    def _embedding_of(self, task: str) -> Sequence[float] | None:
        embedder = self.services.task_embedder
        if embedder is None:
            return None
        try:
            (vector,) = embedder.embed([task])
        except Exception as error:  # noqa: BLE001 - without an encoder the words decide alone
            self._has_failed = True
            self.services.report(CONSOLIDATE, FAULT, error)
            return None
        return vector if abs(math.hypot(*vector) - 1) <= MAX_LENGTH_ERROR else None


def _is_latin(task: str) -> bool:
    return all(each < BEYOND_LATIN for each in task if each.isalpha())
