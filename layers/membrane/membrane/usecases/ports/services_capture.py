"""The dependencies of the interpretation of captures by a model."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.capture.claims import DynamoClaims
    from membrane.adapters.dynamodb.models.token_budget import DynamoTokenBudget
    from membrane.usecases.ports.interpreters import HoldBack, Interpreter


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpretingServices(Services):
    interpreter: "Interpreter | None"
    """None = no model interprets."""
    claims: "DynamoClaims"
    token_budget: "DynamoTokenBudget"
    hold_back: "HoldBack"
    most_tries: int
    """The deliveries of a message, before the queue moves the message to the dead letters."""
    daily_tokens: int
    """The most tokens of a day (UTC), of questions and answers together."""
