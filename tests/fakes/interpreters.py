"""A scripted model, and claims over a plain dict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from membrane.domain.capture.interpreter_prompt import InterpreterPrompt
from membrane.domain.capture.proposals import Proposal
from membrane.usecases.ports.interpreters import Proposed
from membrane.usecases.ports.services import Clock
from tests.builders.proposals import proposal
from tests.fakes.stand_in import StandIn


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
class FakeClaims(StandIn):
    """A fake of DynamoClaims."""

    now: Clock
    held: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    def take(self, record_id: str, worker: str, seconds: int) -> bool:
        """See DynamoClaims."""
        holder, until = self.held.get(record_id, (worker, self.now()))
        is_free = holder == worker or until <= self.now()
        if is_free:
            self.held[record_id] = worker, self.now() + timedelta(seconds=seconds)
        return is_free

    def release(self, record_id: str, worker: str) -> None:
        """See DynamoClaims."""
        if self.held.get(record_id, ("",))[0] == worker:
            del self.held[record_id]


@dataclass(slots=True)
class HeldBack:
    """A HoldBack that notes receipts and seconds."""

    messages: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, receipt: str, seconds: int) -> None:
        """See HoldBack."""
        self.messages.append((receipt, seconds))
