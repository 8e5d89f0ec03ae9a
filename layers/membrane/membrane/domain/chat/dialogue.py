"""The dialogue in a request: the messages that count, the turns that a model reads, and the route.

The route of a conversation is the answer of the model to a question of one word.
"""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from membrane.domain.chat.requests import ChatMessage, Route
from membrane.domain.chat.turns import ModelTurn, Question, Turn, UserTurn
from membrane.domain.language.errors import InvalidArgument


class Role(StrEnum):
    """Who said a message."""

    USER = "user"
    ASSISTANT = "assistant"


class Message(NamedTuple):
    role: Role
    text: str
    """Never blank, without white space around."""


def dialogue_of(messages: Iterable[ChatMessage]) -> Sequence[Message]:
    """The messages with a text. Raises InvalidArgument unless the last is the user's."""
    dialogue = [
        Message(Role(each.role), each.content.strip())
        for each in messages
        if each.role in set(Role) and each.content.strip()
    ]
    if not dialogue:
        raise InvalidArgument("At least one non-empty user message is required.").at("messages")
    if dialogue[-1].role is not Role.USER:
        raise InvalidArgument("Last message must be from the user.").at("messages")
    return dialogue


def last_turns(dialogue: Sequence[Message], count: int) -> Sequence[Message]:
    """The messages of the newest turns.

    A turn begins with a message of the user; messages of the assistant before the first message of
    the user are a turn.
    """
    starts = [at for at, each in enumerate(dialogue) if each.role is Role.USER or at == 0]
    return dialogue[starts[-count] :] if count <= len(starts) else dialogue


def turns_of(dialogue: Sequence[Message]) -> Sequence[Turn]:
    """The dialogue as turns of a question: user and model alternate, and the user begins.

    Messages in a row of one speaker become one turn. A beginning by the assistant is told in the
    first turn of the user, because models refuse a dialogue that the assistant begins.
    """
    spoken = [
        Message(role, "\n\n".join(each.text for each in said))
        for role, said in groupby(dialogue, key=lambda each: each.role)
    ]
    if spoken[0].role is Role.ASSISTANT:
        before, first, *rest = spoken
        told = f"(You said before: {before.text})\n\n{first.text}"
        spoken = [Message(Role.USER, told), *rest]
    return [
        UserTurn(each.text) if each.role is Role.USER else ModelTurn(each.text) for each in spoken
    ]


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
