"""The rounds of a conversation: a question to the model, then the tools that the answer calls.

The steps are frames, which a stream sends as they come (MemState's stream, `llm/chat_api.py`).
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from membrane.domain.chat.dialogue import Message
from membrane.domain.chat.hints import hints_of
from membrane.domain.chat.requests import Chat, Route
from membrane.domain.chat.tool_log import LoggedCall, ToolLog
from membrane.domain.chat.turns import (
    Answer,
    ModelTurn,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
)
from membrane.domain.language.errors import DomainError, ResourceExhausted, TooLarge, Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.requests import Profile
from membrane.usecases.chat.ask_model import Asker
from membrane.usecases.chat.run_calls import Runner
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World


@dataclass(frozen=True, slots=True)
class Talk:
    """A request whose dialogue and route are known."""

    request: Chat
    dialogue: Sequence[Message]
    """The newest turns."""
    route: Route
    context: Sequence[str]
    """The texts of the system context."""
    asker: Asker
    call: Call
    world: World

    @property
    def profile(self) -> Profile:
        """The set of tools."""
        return self.request.profile or Profile.MEMSTATE


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to the last message of the user."""

    text: str
    calls: Sequence[LoggedCall]
    stopped_by: DomainError | None = None
    """The failure after which the conversation could not go on, although tools had run."""
    session_kind: str = ""
    """The kind of the topics of a study session; empty without a session."""
    most_rounds: int = 0


Frame = JsonObject
"""A step of a conversation; `type` names the step."""

MAX_CALLS = 32
"""The most calls of one answer that run; the model may ask for the others again."""

HELP = "How can I help?"
"""The reply of a model that says nothing and calls nothing (MemState)."""


Sent = TypeVar("Sent")
End = TypeVar("End")


def with_each(
    steps: Generator[Frame, None, End], change: Callable[[Frame], Sent]
) -> Generator[Sent, None, End]:
    """Each frame as `change` makes it, then the end of the steps; closes the steps."""
    with closing(steps):
        while True:
            try:
                frame = next(steps)
            except StopIteration as last:
                end: End = last.value
                return end
            yield change(frame)


class Ended(NamedTuple):
    """The end of the rounds."""

    text: str
    """The text for the user."""
    stopped_by: DomainError | None = None
    """The failure after which no further round was possible, although tools had run."""


def rounds(
    question: Question, most: int, asker: Asker, runner: Runner, log: ToolLog
) -> Generator[Frame, None, Ended]:
    """Ask, run the called tools, and ask again with the results, `most` times at most.

    Raises TooLarge, OutOfTokens, OutOfTime, BusyModel and Unavailable before a tool has run.
    """
    turns: list[Turn] = [*question.turns]
    for _ in range(most):
        yield {"type": "llm_round"}
        try:
            answer = asker.ask(question._replace(turns=turns))
        except (ResourceExhausted, Unavailable, TooLarge) as error:
            if not log.calls:
                raise
            stopped = f"Stopped after {len(log.calls)} calls of tools, which stand: {error}."
            return Ended(stopped, error)
        if not answer.calls:
            return Ended(answer.text.strip() or ("" if log.calls else HELP))
        turns += yield from _calls(answer, runner, log)
    return Ended(
        f"Stopped after {most} tool rounds (max {most}); check tool_log for partial results."
    )


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
    args = asked.arguments
    if not isinstance(args, dict):
        args = {"unreadable": args}
    step = {"index": len(log.calls), "tool": asked.name}
    yield {
        "type": "tool_start",
        **step,
        "args": log.cut_to_fit(args),
        "viz": hints_of(asked.name, args, None),
    }
    answer = runner.run(asked)
    entry = log.add(asked.name, args, answer.reply)
    yield {
        "type": "tool_end",
        **step,
        "args": entry["args"],
        "viz": hints_of(asked.name, args, answer.reply),
        "result": entry["result"],
    }
    return ToolResult(asked.id, answer.text, is_error=answer.is_error)
