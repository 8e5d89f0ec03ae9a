"""The receipt of an answer: the stored explanation of a retrieval."""

from collections.abc import Mapping
from dataclasses import dataclass

from membrane.domain.language.json_text import JsonObject

NO_RECEIPT = "receipt not found"


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate of an answer, with the parts of the score."""

    record_id: str
    score: float
    parts: Mapping[str, float]
    handed_out: bool = False
    """Whether the page had the record. Receipts of earlier releases do not say so."""


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """A retrieval: the principal, the request, the trust, and the candidates with scores."""

    id: str
    principal: str
    """The actor id, as shown."""
    identity: str
    """The identity of the principal, who alone may read the receipt beside `admin`; never shown."""
    asked_at: str
    query: JsonObject
    """The request without trust, cursor and consistency tokens; long texts are cut."""
    trust: JsonObject
    """The widest trust of the read: `max_sensitivity` and `scopes` (null = every scope)."""
    returned: int
    explained: tuple[ExplainedCandidate, ...]
    """The best first; as many as the item has room for."""
    considered: int
    """The number of candidates, explained or not."""
    left_out: int
    """Candidates with a score for the task below the score floor."""
    withheld: int
    """A lower bound of the candidates kept back by the narrower trust of the request alone."""
    hidden: int
    """Candidates that the key may not see; shown to `admin` alone."""
