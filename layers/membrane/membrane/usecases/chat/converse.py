"""Lead a conversation: the route, then an answer with tools, or the study of a long message."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from membrane.domain.chat.dialogue import Message, dialogue_of, last_turns, turns_of
from membrane.domain.chat.instructions import system_prompt
from membrane.domain.chat.intent import TIMEOUT_S, question_of_route, route_in
from membrane.domain.chat.replies import ChatReply
from membrane.domain.chat.requests import Chat, Route
from membrane.domain.chat.tool_log import ToolLog
from membrane.domain.chat.turns import Question
from membrane.domain.language.errors import DomainError, NotConfigured
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.chat.ask_model import Asker
from membrane.usecases.chat.rounds import Answered, Frame, Talk, rounds
from membrane.usecases.chat.run_calls import Runner, offer_of, tools_for
from membrane.usecases.chat.study_message import is_long, study_message
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.models import ChatModel
from membrane.usecases.ports.world import World
from membrane.usecases.topics.reading.system_context import context_texts


class Conversed(NamedTuple):
    """The end of a conversation."""

    reply: ChatReply
    stopped_by: DomainError | None = None
    """The failure after which the conversation could not go on, although tools had run."""


def chat(request: Chat, call: Call, world: World) -> Conversed:
    """The end of the conversation; see `converse`."""
    steps = converse(request, call, world)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            conversed: Conversed = end.value
            return conversed


def converse(request: Chat, call: Call, world: World) -> Generator[Frame, None, Conversed]:
    """The frames of a conversation, then the end.

    Raises InvalidArgument for a dialogue without a last message of the user; NotConfigured without
    a model; TooLarge, OutOfTokens, OutOfTime, BusyModel and Unavailable before a tool has run.
    """
    dialogue = last_turns(dialogue_of(request.messages), request.intent_turns)
    asker = Asker(_model(world), call.principal, world)
    route = request.intent_override or _route(dialogue, asker)
    source = "override" if request.intent_override else "classifier"
    yield {"type": "intent", "route": route.value, "intent_source": source}
    may_read = Permission.READ in call.principal.permissions
    context = context_texts(world) if may_read else ()
    talk = Talk(request, dialogue, route, context, asker, call, world)
    answered = yield from (study_message(talk) if is_long(talk) else _answer(talk))
    yield {"type": "reply", "text": answered.text}
    return Conversed(_reply(talk, answered, source), answered.stopped_by)


def _model(world: World) -> ChatModel:
    if world.chat_model is None:
        raise NotConfigured("no model leads conversations: the parameter ChatModel is none")
    return world.chat_model


def _route(dialogue: Sequence[Message], asker: Asker) -> Route:
    return route_in(asker.ask(question_of_route(dialogue), TIMEOUT_S).text)


def _answer(talk: Talk) -> Generator[Frame, None, Answered]:
    """Answer the last message with the tools of the route."""
    tools = tools_for(talk.route, talk.profile, talk.call.principal)
    question = Question(
        system_prompt(talk.profile, talk.route, talk.context),
        turns_of(talk.dialogue),
        [offer_of(each) for each in tools.values()],
    )
    log, most = ToolLog(), talk.request.max_tool_rounds
    runner = Runner(tools, talk.call, talk.world)
    ended = yield from rounds(question, most, talk.asker, runner, log)
    return Answered(ended.text, log.calls, ended.stopped_by, most_rounds=most)


def _reply(talk: Talk, answered: Answered, source: str) -> ChatReply:
    reply: ChatReply = {
        "reply": answered.text,
        "tool_log": [*answered.calls],
        "model": talk.asker.answered_by,
        "provider": talk.asker.model.provider,
        "intent": talk.route,
        "intent_source": source,
        "max_tool_rounds": answered.most_rounds,
        "tokens": {"used": talk.asker.tokens, "questions": talk.asker.questions},
    }
    if answered.session_kind:
        reply["study_ingest"] = True
        reply["study_session_kind"] = answered.session_kind
        reply["study_phases"] = 2
    return reply
