"""The routes of conversations."""

from typing import TYPE_CHECKING

from membrane.adapters.aws_lambda.http import bodies
from membrane.adapters.aws_lambda.http.operations import Operation
from membrane.adapters.aws_lambda.http.problems import problem
from membrane.domain.chat.requests import Chat
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.chat.converse import Conversed, chat, converse
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_chat import ChatServices

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


def answer_whole(request: Chat, call: Call, services: ChatServices) -> "ChatReply":
    """The reply at the end of the conversation; raises as `converse`."""
    return chat_reply(chat(request, call, services))


CHAT = Operation(
    Chat,
    "POST /v1/chat",
    Permission.READ,
    bodies.body_alone,
    answer_whole,
    also_for=Permission.INGEST,
)

CHATS = (CHAT,)

CHAT_STREAM = CHAT._replace(route="POST /v1/chat/stream", run=converse)
"""The result of the use case is the steps, which `chat.endpoint` sends."""
