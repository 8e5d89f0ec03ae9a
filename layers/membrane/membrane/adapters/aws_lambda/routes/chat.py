"""The routes of conversations."""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.adapters.aws_lambda.http.problems import problem
from membrane.domain.chat.requests import Chat
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.chat.converse import Conversed, chat, converse

if TYPE_CHECKING:
    from membrane.domain.chat.replies import ChatReply


def chat_reply(end: Conversed) -> "ChatReply":
    """The reply, with the problem that stopped the conversation early if there was one."""
    if end.stopped_by is None:
        return end.reply
    why = problem(end.stopped_by)
    return {
        **end.reply,
        "stopped": {"code": why["code"], "status": why["status"], "detail": why["detail"]},
    }


CHAT = Operation(
    Chat,
    "POST /v1/chat",
    Permission.READ,
    bodies.body_alone,
    chat,
    chat_reply,
    also_for=Permission.INGEST,
)

CHATS = (CHAT,)

CHAT_STREAM = CHAT._replace(route="POST /v1/chat/stream", run=converse)
"""The result of the use case is the steps, which `chat.endpoint` sends."""
