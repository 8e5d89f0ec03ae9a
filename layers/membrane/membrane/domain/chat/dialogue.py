"""The dialogue in a request: the messages that count, and the turns that the model reads."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from membrane.domain.chat.requests import ChatMessage
from membrane.domain.chat.turns import ModelTurn, Turn, UserTurn
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
    """The messages of user and assistant with a text.

    Raises InvalidArgument without any, and if the last is not the user's.
    """
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
