"""The dependencies of the interpretation of captures by a model."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.usecases.ports.interpreters import Claims, Interpreter, TokenBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpretingServices(Services):
    interpreter: "Interpreter | None"
    """None = no model interprets."""
    claims: "Claims"
    token_budget: "TokenBudget"
    daily_tokens: int
    """The most tokens of a day (UTC), of questions and answers together."""
    max_tries: int
    """How often the queue delivers a capture before the capture is set aside."""
