"""Conversations with a model that answers in order."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.chat.requests import Chat
from membrane.domain.language.violations import validate
from membrane.usecases.chat.converse import Conversed, chat, converse
from membrane.usecases.chat.rounds import Frame
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services_chat import ChatServices
from tests.fakes.chat_models import FakeChatModel, Step, chatting
from tests.worlds.memstate_tools import Keeper
from tests.worlds.tools import key

FINGERPRINT = b"fingerprint"


@dataclass(slots=True)
class Talk:
    """A caller who talks to a model with these answers."""

    steps: Iterable[Step]
    principal: Principal = field(default_factory=key)
    settings: dict[str, Any] = field(default_factory=dict)
    model: FakeChatModel = field(init=False)
    services: ChatServices = field(init=False)

    def __post_init__(self) -> None:
        self.model = FakeChatModel([*self.steps])
        self.services = chatting(self.model, **self.settings)

    def say(self, text: str, idempotency_key: str | None = None, **others: Any) -> Conversed:
        """The end of a conversation of one message."""
        return chat(request_of(text, **others), self.call(idempotency_key), self.services)

    def frames(self, text: str, **others: Any) -> list[Frame]:
        """The steps of a conversation of one message."""
        return [*converse(request_of(text, **others), self.call(), self.services)]

    def call(self, idempotency_key: str | None = None) -> Call:
        return Call(self.principal, "Chat", idempotency_key, FINGERPRINT)

    @property
    def keeper(self) -> Keeper:
        """The same key calling tools by itself."""
        return Keeper(self.services, self.principal)


def request_of(text: str, **others: Any) -> Chat:
    """A conversation of one message of the user."""
    return validate(Chat, {"messages": [{"role": "user", "content": text}], **others})
