"""Stand-ins for models that answer in order or by a rule, and the time of a request."""

from collections.abc import Callable, Mapping, Sequence
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


@dataclass(slots=True)
class Reports:
    """What operators were told: RPC and code of each request, and the faults among them."""

    told: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)

    def __call__(self, rpc: str, code: str, fault: Exception | None = None) -> None:
        self.told.append((rpc, code))
        if fault is not None:
            self.faults.append(fault)


@dataclass(slots=True)
class Later:
    """Starts no function, and remembers what was asked for: what names it, and its event."""

    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def __call__(self, name_or_arn: str, event: dict[str, Any]) -> None:
        self.asked.append((name_or_arn, event))


@dataclass(slots=True)
class Drawn:
    """Draws what a test says, over and over; without it always 0."""

    numbers: Sequence[int] = (0,)
    drawn: int = 0

    def __call__(self, count: int) -> int:
        number = self.numbers[self.drawn % len(self.numbers)]
        self.drawn += 1
        assert 0 <= number < count
        return number


@dataclass(slots=True)
class Metrics:
    """What operators were told in numbers: metric, value and dimensions."""

    told: list[tuple[str, float, Mapping[str, str]]] = field(default_factory=list)

    def __call__(self, metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        assert unit in ("Count", "Seconds")
        self.told.append((metric, value, dimensions))


@dataclass(slots=True)
class ToldReason:
    """What the function that reasons was told, each with its delay in seconds."""

    told: list[tuple[dict[str, Any], int]] = field(default_factory=list)
    failing: Callable[[dict[str, Any]], None] = lambda _: None
    """Asked first; raises what sending shall raise."""

    def __call__(self, message: dict[str, Any], delay_s: int) -> None:
        self.failing(message)
        self.told.append((message, delay_s))
