"""The rounds of a conversation: a question to the model, then the tools that the answer calls.

The steps are frames, which a stream sends as they come (MemState's stream, `llm/chat_api.py`).
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from membrane.domain.access.principals import Principal
from membrane.domain.chat.allowances import Allowance, allowances_of, out_of_tokens
from membrane.domain.chat.dialogue import Message
from membrane.domain.chat.requests import Chat, Route
from membrane.domain.chat.tool_log import LoggedCall, ToolLog, hints_of
from membrane.domain.chat.turns import (
    Answer,
    ModelTurn,
    Question,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
    tokens_of,
    tokens_of_answer,
    within_room,
)
from membrane.domain.language.errors import DomainError, ResourceExhausted, TooLarge, Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane.domain.model_failures import BusyModel, GarbledAnswer, NotAsked
from membrane.domain.tools.arguments import Profile
from membrane.usecases.chat.run_calls import LEAST_TIME_S, Runner
from membrane.usecases.machinery.calls import TRANSIENT, Call
from membrane.usecases.ports.models import ChatModel
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World

TOKENS = "ChatTokens"
"""The metric of the tokens that questions and answers took."""

RPC = "Chat"

OUT_OF_TOKENS = "ChatOutOfTokens"
"""The metric of questions that an allowance of the day did not suffice for."""

MAX_BUSY = 4
"""The most questions that a busy model is asked in a row."""

MAX_GARBLED = 3
"""The most questions in a row with answers whose calls cannot be read (MemState asks as often)."""

USUAL_WAIT_S = 3.0
"""The wait for a busy model that names no wait (MemState, `groq_chat.py`)."""


class OutOfTime(Unavailable):
    """The time of the request does not suffice for a further question."""


@dataclass(slots=True)
class Asker:
    """The questions of one conversation, with the tokens that they took."""

    model: ChatModel
    principal: Principal
    world: World
    tokens: int = 0
    questions: int = 0
    answered_by: str = field(init=False)
    """The name of the model that answered last."""

    def __post_init__(self) -> None:
        self.answered_by = self.model.name

    def ask(self, question: Question, limit_s: float = 180.0) -> Answer:
        """The model's answer; a busy model and a garbled answer are asked again.

        `limit_s` bounds the wait for an answer, beside the time of the request (180 s: MemState).
        Raises TooLarge; OutOfTokens; OutOfTime; BusyModel, GarbledAnswer, Unavailable as ChatModel.
        """
        question, busy, garbled = within_room(question), 0, 0
        while True:
            try:
                return self._ask_once(question, limit_s)
            except BusyModel as error:
                busy += 1
                if busy == MAX_BUSY:
                    raise
                self._wait(error)
            except GarbledAnswer:
                garbled += 1
                if garbled == MAX_GARBLED:
                    raise
                question = question._replace(temperature=0.0, must_call=bool(question.tools))

    def _ask_once(self, question: Question, limit_s: float) -> Answer:
        """The answer; tokens are reserved before the question, and corrected after the answer.

        A busy model and a refused question took none of the reserved tokens. A model that did not
        answer may have taken all.
        """
        left_s = self.world.remaining_s() - LEAST_TIME_S
        if left_s <= 0:
            raise OutOfTime("the time of the request is used up")
        asked = tokens_of(question)
        reserved = asked + question.max_tokens
        accounts = self._reserve(reserved)
        try:
            answer = self.model.answer(question, min(limit_s, left_s))
        except (BusyModel, NotAsked):
            self._correct(accounts, -reserved)
            raise
        except Unavailable:
            self._count(reserved)
            raise
        taken = answer.tokens or asked + tokens_of_answer(answer)
        self._correct(accounts, taken - reserved)
        self._count(taken)
        self.answered_by = answer.model
        return answer

    def _count(self, tokens: int) -> None:
        self.tokens += tokens
        self.questions += 1
        self.world.measure(TOKENS, tokens, "Count")

    def _reserve(self, tokens: int) -> Sequence[Allowance]:
        """Count the tokens in all allowances, or none. Raises OutOfTokens; the store's errors."""
        now, world = self.world.now(), self.world
        counted: list[Allowance] = []
        try:
            for each in allowances_of(self.principal, now, world.chat_limits):
                if not world.chat_budget.spend(each.account, tokens, each.limit):
                    world.measure(OUT_OF_TOKENS, 1, "Count")
                    raise out_of_tokens(each, now)
                counted.append(each)
        except TRANSIENT:
            self._correct(counted, -tokens)
            raise
        return counted

    def _correct(self, accounts: Sequence[Allowance], difference: int) -> None:
        """Correct the sums; a failure is reported to operators, because the answer counts more."""
        try:
            for each in accounts:
                self.world.chat_budget.correct(each.account, difference)
        except TRANSIENT as fault:
            self.world.report(RPC, FAULT, fault)

    def _wait(self, error: BusyModel) -> None:
        """Wait as long as the model asks; raises the error if the time does not suffice."""
        wait_s = error.retry_after_s or USUAL_WAIT_S
        if wait_s + LEAST_TIME_S >= self.world.remaining_s():
            raise error
        self.world.pause(wait_s)


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


def end_of(steps: Generator[Frame, None, End]) -> End:
    """The end of the steps, without the frames."""
    while True:
        try:
            next(steps)
        except StopIteration as last:
            end: End = last.value
            return end


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
