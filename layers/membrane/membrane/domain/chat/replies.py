"""The reply of a conversation."""

from typing import NotRequired

from typing_extensions import TypedDict

from membrane.domain.chat.requests import Route
from membrane.domain.chat.tool_log import LoggedCall


class ChatTokens(TypedDict):
    """The tokens of questions and answers, as the model counted them or estimated."""

    used: int
    """The tokens of this conversation's questions."""
    questions: int
    """The questions to the model, with the question about the route."""


class ChatStop(TypedDict):
    """Why a conversation ended before an answer of the model."""

    code: str
    """The error code, as in a problem."""
    status: int
    """The HTTP status of the error, had no tool run."""
    detail: str
    """A sentence for the caller."""


class ChatReply(TypedDict):
    """The model's answer, with every call of a tool."""

    reply: str
    """The text for the user."""
    tool_log: list[LoggedCall]
    """The calls in order. Large arguments and results are cut, with links to what they name."""
    model: str
    """The name of the model that answered last, as the endpoint reports the name."""
    provider: str
    """Who runs the model: `bedrock`, `openai` for a compatible endpoint, or `scripted`."""
    intent: Route
    """The route of the conversation."""
    intent_source: str
    """`classifier` or `override`."""
    max_tool_rounds: int
    """The most questions to the model that the request allows."""
    tokens: ChatTokens
    """What the conversation took of the day's tokens."""
    study_ingest: NotRequired[bool]
    """Present and true if the last message was studied as a document."""
    study_session_kind: NotRequired[str]
    """The kind that the topics of the session had until the end of the session."""
    study_phases: NotRequired[int]
    """The phases of the session: 2."""
    stopped: NotRequired[ChatStop]
    """Present if the conversation ended early after tools had run: what they wrote stands."""
