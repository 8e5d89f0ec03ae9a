"""A scripted model, and messages that are held back."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.capture.proposals import InterpreterPrompt, Proposal
from membrane.usecases.ports.models import Proposed
from tests.builders.proposals import proposal


@dataclass(slots=True)
class FakeInterpreter:
    """An Interpreter that answers in order, the last answer again and again."""

    answers: Sequence[Proposal | Exception] = field(default_factory=lambda: [proposal()])
    tokens: int = 1_000
    name: str = "scripted"
    asked: list[InterpreterPrompt] = field(default_factory=list)

    def interpret(self, prompt: InterpreterPrompt) -> Proposed:
        """See Interpreter."""
        self.asked.append(prompt)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return Proposed(answer, self.tokens)


@dataclass(slots=True)
class HeldBack:
    """A HoldBack that notes receipts and seconds."""

    messages: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, receipt: str, seconds: int) -> None:
        """See HoldBack."""
        self.messages.append((receipt, seconds))
