"""The dependencies of conversations with a language model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_tools import BearerServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.models.token_budget import DynamoTokenBudget
    from membrane.domain.chat.allowances import Limits
    from membrane.usecases.ports.chat_models import ChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatServices(BearerServices):
    chat_model: "ChatModel | None"
    """None = the operator has chosen no model."""
    chat_budget: "DynamoTokenBudget"
    chat_limits: "Limits"
    remaining_s: Callable[[], float]
    """Seconds until the reply of the present request must be complete."""
    pause: Callable[[float], None]
    """Waits for seconds, such as a busy model asks for."""
    count_tokens: Callable[[str], int]
    """The tokens of a text, for the catalog of a document's units."""
