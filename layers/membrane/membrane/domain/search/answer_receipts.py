"""What is kept of an answer, so that it can be explained afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass

from membrane.domain.language.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class Explained:
    """A record that an answer considered, and what its place in it comes from."""

    record_id: str
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """A retrieval: who asked what, under which trust, and what came of it."""

    id: str
    principal: str
    """Actor id, as shown."""
    identity: str
    """Of the principal, who alone reads the receipt beside `admin`; never shown."""
    asked_at: str
    query: JsonObject
    """The request, without what says nothing of its meaning; long texts are cut."""
    trust: JsonObject
    """What the read could see at most: `max_sensitivity` and `scopes` (null = every scope)."""
    returned: int
    explained: tuple[Explained, ...]
    """The best first; as many as the item has room for."""
    considered: int
    """How many candidates there were, explained or not."""
    left_out: int
    """Candidates that score less for the task than the floor."""
    withheld: int
    """Candidates that the request's own narrower trust kept back; at least so many."""
    hidden: int
    """Candidates that the key itself may not see; told to `admin` alone."""
