"""Lead a conversation: route, questions to the model, and the tools that the model calls.

The steps are frames, which a stream sends as they come (MemState's stream, `llm/chat_api.py`).
"""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from membrane.domain.chat.dialogue import Message, dialogue_of, last_turns, turns_of
from membrane.domain.chat.hints import hints_of
from membrane.domain.chat.instructions import system_prompt
from membrane.domain.chat.intent import TIMEOUT_S, question_of_route, route_in
from membrane.domain.chat.replies import ChatReply
from membrane.domain.chat.requests import Chat, Route
from membrane.domain.chat.tool_log import ToolLog
from membrane.domain.chat.turns import (
    Answer,
    ModelTurn,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
)
from membrane.domain.language.errors import (
    DomainError,
    NotConfigured,
    ResourceExhausted,
    TooLarge,
    Unavailable,
)
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission
from membrane.domain.tools.requests import Profile
from membrane.usecases.chat.ask_model import Asker
from membrane.usecases.chat.route_tools import offer_of, tools_for
from membrane.usecases.chat.run_calls import Runner
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.chat_models import ChatModel
from membrane.usecases.ports.services_chat import ChatServices
from membrane.usecases.topics.reading.system_context import context_texts

Frame = JsonObject
"""A step of a conversation; `type` names the step."""

MAX_CALLS = 32
"""The most calls of one answer that run; the model may ask for the others again."""

HELP = "How can I help?"
"""The reply of a model that says nothing and calls nothing (MemState)."""


class Conversed(NamedTuple):
    """The end of a conversation."""

    reply: ChatReply
    stopped_by: DomainError | None = None
    """The failure after which the conversation could not go on, although tools had run."""


def chat(request: Chat, call: Call, services: ChatServices) -> Conversed:
    """The end of the conversation; see `converse`."""
    steps = converse(request, call, services)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            conversed: Conversed = end.value
            return conversed


def converse(
    request: Chat, call: Call, services: ChatServices
) -> Generator[Frame, None, Conversed]:
    """The frames of a conversation, then the end.

    Raises InvalidArgument for a dialogue without a last message of the user; NotConfigured without
    a model; TooLarge, OutOfTokens, OutOfTime, BusyModel and Unavailable before a tool has run.
    """
    dialogue = last_turns(dialogue_of(request.messages), request.intent_turns)
    asker = Asker(_model(services), call.principal, services)
    route = request.intent_override or _route(dialogue, asker)
    source = "override" if request.intent_override else "classifier"
    yield {"type": "intent", "route": route.value, "intent_source": source}
    profile = request.profile or Profile.MEMSTATE
    runner = Runner(tools_for(route, profile, call.principal), call, services)
    may_read = Permission.READ in call.principal.permissions
    system = system_prompt(profile, route, context_texts(services) if may_read else ())
    log = ToolLog()
    said, stopped_by = yield from _rounds(
        Question(system, turns_of(dialogue), [offer_of(each) for each in runner.tools.values()]),
        request.max_tool_rounds,
        asker,
        runner,
        log,
    )
    yield {"type": "reply", "text": said}
    reply: ChatReply = {
        "reply": said,
        "tool_log": log.calls,
        "model": asker.answered_by,
        "provider": asker.model.provider,
        "intent": route,
        "intent_source": source,
        "max_tool_rounds": request.max_tool_rounds,
        "tokens": {"used": asker.tokens, "questions": asker.questions},
    }
    return Conversed(reply, stopped_by)


def _model(services: ChatServices) -> ChatModel:
    if services.chat_model is None:
        raise NotConfigured("no model leads conversations: the parameter ChatModel is none")
    return services.chat_model


def _route(dialogue: Sequence[Message], asker: Asker) -> Route:
    return route_in(asker.ask(question_of_route(dialogue), TIMEOUT_S).text)


def _rounds(
    question: Question, most: int, asker: Asker, runner: Runner, log: ToolLog
) -> Generator[Frame, None, tuple[str, DomainError | None]]:
    """The text for the user, and the failure that ended the rounds early, if tools had run."""
    turns: list[Turn] = [*question.turns]
    for _ in range(most):
        yield {"type": "llm_round"}
        try:
            answer = asker.ask(question._replace(turns=turns))
        except (ResourceExhausted, Unavailable, TooLarge) as error:
            if not log.calls:
                raise
            return _early_end(error, log), error
        if not answer.calls:
            return answer.text.strip() or ("" if log.calls else HELP), None
        turns += yield from _calls(answer, runner, log)
    return (
        f"Stopped after {most} tool rounds (max {most}); check tool_log for partial results."
    ), None


def _calls(
    answer: Answer, runner: Runner, log: ToolLog
) -> Generator[Frame, None, tuple[ModelTurn, ResultsTurn]]:
    """Run the calls of an answer in order; the two turns that the next question has in addition.

    Without time left, no further call runs: the next question is not asked either.
    """
    results: list[ToolResult] = []
    for each in answer.calls[:MAX_CALLS]:
        if runner.is_out_of_time:
            break
        result = yield from _one_call(each, runner, log)
        results.append(result)  # no comprehension may yield
    return ModelTurn(answer.text, answer.calls[: len(results)]), ResultsTurn(results)


def _one_call(asked: ToolCall, runner: Runner, log: ToolLog) -> Generator[Frame, None, ToolResult]:
    args = asked.arguments if isinstance(asked.arguments, dict) else {}
    step = {"index": len(log.calls), "tool": asked.name}
    yield {
        "type": "tool_start",
        **step,
        "args": log.cut_to_fit(asked.arguments),
        "viz": hints_of(asked.name, args, None),
    }
    answer = runner.run(asked)
    entry = log.add(asked.name, asked.arguments, answer.reply)
    yield {
        "type": "tool_end",
        **step,
        "args": entry["args"],
        "viz": hints_of(asked.name, args, answer.reply),
        "result": entry["result"],
    }
    return ToolResult(asked.id, answer.text, is_error=answer.is_error)


def _early_end(error: DomainError, log: ToolLog) -> str:
    return f"Stopped after {len(log.calls)} calls of tools, which stand: {error}."
