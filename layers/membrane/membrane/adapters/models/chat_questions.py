"""Rules for questions to a chat model that hold for every provider."""

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.model_failures import NotAsked

CHAT_MODEL = "the chat model"
"""The model's name in errors."""


def require_time(timeout_s: float) -> None:
    """Raises NotAsked if no time is left for a question."""
    if timeout_s <= 0:
        raise NotAsked(f"no time is left to ask {CHAT_MODEL}")


def arguments_in(text: str) -> JsonObject | str:
    """The object in a text of strict JSON; the text as written if the text is no object."""
    try:
        parsed = parse_json(text)
    except InvalidArgument:
        return text
    return parsed if isinstance(parsed, dict) else text


def repeated_arguments(arguments: JsonObject | str) -> JsonObject:
    """The arguments of an earlier call as a later question repeats the call.

    Endpoints refuse arguments that are no object, and an unreadable text would end the dialogue.
    """
    return arguments if isinstance(arguments, dict) else {}
