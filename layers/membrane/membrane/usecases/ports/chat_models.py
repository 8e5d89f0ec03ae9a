"""A language model that leads a conversation with tools."""

from typing import Protocol

from membrane.domain.chat.turns import Answer, Question


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
