"""The question that finds out the route of a conversation, and the reading of the answer."""

import re
from collections.abc import Sequence

from membrane.domain.chat.dialogue import Message
from membrane.domain.chat.requests import Route
from membrane.domain.chat.turns import Question, UserTurn

MAX_MESSAGE_CHARACTERS = 4_000
MAX_TRANSCRIPT_CHARACTERS = 8_000
"""The limits of the transcript (MemState, `intent_router.py`)."""

TIMEOUT_S = 60.0
"""The longest wait for the answer (MemState, `intent_router.py`)."""

_MAX_ANSWER_TOKENS = 256
"""One word needs fewer: a model that reasons before the word needs the room."""

_CUT = "…"

_INSTRUCTIONS = (
    "Classify the last message of the user. Answer with one word.\n"
    "query: the user asks, lists or summarises, and nothing changes.\n"
    "ingest: the user gives something to store, change, delete or link.\n"
    "both: the message needs reading and writing.\n"
    "If you are not sure, answer both."
)

_WORD = re.compile(rf"\b({'|'.join(Route)})\b", re.IGNORECASE)


def question_of_route(dialogue: Sequence[Message]) -> Question:
    """The question about the route, without tools."""
    turns = [UserTurn(transcript_of(dialogue))]
    return Question(_INSTRUCTIONS, turns, max_tokens=_MAX_ANSWER_TOKENS, temperature=0.0)


def route_in(answer: str) -> Route:
    """The first of the three words in the answer; `both` for an answer without any."""
    found = _WORD.search(answer)
    return Route(found[0].lower()) if found else Route.BOTH


def transcript_of(dialogue: Sequence[Message]) -> str:
    """The end of the dialogue, with long messages cut."""
    blocks = (f"{each.role}: {_beginning(each.text)}" for each in dialogue)
    whole = "\n\n".join(blocks)
    if len(whole) <= MAX_TRANSCRIPT_CHARACTERS:
        return whole
    return _CUT + whole[-MAX_TRANSCRIPT_CHARACTERS:]


def _beginning(text: str) -> str:
    if len(text) <= MAX_MESSAGE_CHARACTERS:
        return text
    return text[:MAX_MESSAGE_CHARACTERS] + _CUT
