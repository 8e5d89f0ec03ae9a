"""A chat model that answers in order, and the time of a request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from membrane.domain.chat.turns import Answer, Question, ToolCall

TOKENS = 100
"""The tokens of every answer."""

Step = Answer | Exception | Callable[[Question], Answer]


@dataclass(slots=True)
class FakeChatModel:
    """A ChatModel that answers in order, the last answer again and again."""

    steps: Sequence[Step]
    name: str = "scripted-1"
    provider: str = "scripted"
    asked: list[Question] = field(default_factory=list)
    timeouts_s: list[float] = field(default_factory=list)

    def answer(self, question: Question, timeout_s: float) -> Answer:
        """See ChatModel."""
        self.asked.append(question)
        self.timeouts_s.append(timeout_s)
        step = self.steps[min(len(self.asked), len(self.steps)) - 1]
        if isinstance(step, Exception):
            raise step
        return step(question) if callable(step) else step


def says(text: str, tokens: int | None = TOKENS) -> Answer:
    """An answer without calls."""
    return Answer(text, (), tokens, "scripted-1")


def calls(*asked: tuple[str, Any], text: str = "") -> Answer:
    """An answer that calls tools, each with its arguments."""
    made = [ToolCall(f"call_{at}", name, args) for at, (name, args) in enumerate(asked)]
    return Answer(text, made, TOKENS, "scripted-1")


@dataclass(slots=True)
class TimeLeft:
    """The time of a request, from which pauses take away."""

    seconds: float = 1_000.0
    pauses: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        """The seconds left."""
        return self.seconds

    def pause(self, seconds: float) -> None:
        """Take the seconds away."""
        self.pauses.append(seconds)
        self.seconds -= seconds
