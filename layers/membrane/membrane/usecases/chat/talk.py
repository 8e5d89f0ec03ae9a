"""A conversation under way: what its ways of answering share."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.chat.dialogue import Message
from membrane.domain.chat.requests import Chat, Route
from membrane.domain.chat.tool_log import LoggedCall
from membrane.domain.language.errors import DomainError
from membrane.domain.tools.requests import Profile
from membrane.usecases.chat.ask_model import Asker
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
