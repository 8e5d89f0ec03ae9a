"""The models of operators: a model interprets captures, and a model leads a conversation."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from membrane.domain.capture.proposals import InterpreterPrompt, Proposal
from membrane.domain.chat.turns import Answer, Question

MAX_ANSWER_TOKENS = 4_000
"""The most tokens of an answer."""


class Proposed(NamedTuple):
    """A model's answer."""

    proposal: Proposal
    tokens: int
    """The tokens of question and answer, as counted by the model or estimated."""


class Interpreter(Protocol):
    """A model that fills in `proposal_schema()`."""

    @property
    def name(self) -> str:
        """The name of the model, for the audit of what the model adds."""

    def interpret(self, prompt: InterpreterPrompt) -> Proposed:
        """Ask once, for an answer of MAX_ANSWER_TOKENS at most.

        Raises MalformedProposal for an answer that is not of the schema; ResourceExhausted and
        NotAsked for a question that took no tokens; Unavailable for any other failure.
        """


HoldBack = Callable[[str, int], None]
"""Hide a message, by its receipt, for seconds from now, 12 hours after the receive at most.

May raise Unavailable.
"""


class ChatModel(Protocol):
    """A model that answers a question with a text, or with calls of the offered tools."""

    @property
    def name(self) -> str:
        """The name of the model in the operator's settings."""

    @property
    def provider(self) -> str:
        """Who runs the model: `bedrock`, `openai` for a compatible endpoint, or `scripted`."""

    def answer(self, question: Question, timeout_s: float) -> Answer:
        """Ask once, and wait at most `timeout_s` seconds.

        Raises BusyModel for a throttled question, with the wait that the endpoint asks for;
        NotAsked for a question that took no tokens; GarbledAnswer for an answer whose calls of
        tools the endpoint could not read; Unavailable for any other failure.
        """
