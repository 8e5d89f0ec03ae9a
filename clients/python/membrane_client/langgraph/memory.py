"""Nodes of a graph that use the memory: recall before the model, the outcome after the answer."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, TypeAlias, TypedDict

from langchain_core import messages as langchain
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.graph.message import add_messages

from membrane_client.client import AsyncMembrane, Membrane
from membrane_client.core.adapters import require_client
from membrane_client.core.protocol import NOT_GIVEN, Steps, User, require_user
from membrane_client.operations import Routes
from membrane_client.verbs import outcome, recall

THREAD = "langgraph"  # The `ref` of the episodes of a graph without a thread
SUMMARY = "-"  # No word, because an episode with the question would outrank the facts
MAX_USED = 10  # The records that an outcome names
OUTCOMES = ("success", "failure", "partial")


class Recollection(TypedDict, total=False):
    """What a run remembers: a text for the model, empty without memories, and the records in it.

    `receipt_id` is of the stored explanation of the retrieval, None without a question. A report
    adds `outcome` (`success`, `failure` or `partial`) and the id of the episode with the outcome.
    """

    text: str
    ids: list[str]
    receipt_id: str | None
    episode_id: str
    outcome: str


class MemoryState(TypedDict):
    """The state of a graph with memory; inherit to add fields."""

    messages: Annotated[list[langchain.AnyMessage], add_messages]
    memory: Recollection


State: TypeAlias = Mapping[str, Any]
Judge: TypeAlias = Callable[[Sequence[BaseMessage]], str | None]
"""The outcome of the messages since the last question; None while there is nothing to report."""
Used: TypeAlias = Callable[[State], Sequence[str]]
"""The ids of the recalled records that the answer used, of a state; other ids are left out."""
_Update: TypeAlias = dict[str, Recollection]


def outcome_of(messages: Sequence[BaseMessage]) -> str | None:
    """Success with an answer, partial after a failed tool, failure without; None before tools."""
    answer = messages[-1] if messages else None
    if isinstance(answer, AIMessage) and answer.tool_calls:
        return None
    if not isinstance(answer, AIMessage) or not answer.text.strip():
        return "failure"
    tools = [each for each in messages if isinstance(each, ToolMessage)]
    return "partial" if any(each.status == "error" for each in tools) else "success"


class MembraneMemory:
    """Two nodes, with a Membrane or an AsyncMembrane; with the latter, run the graph by `ainvoke`.

    `recall_node` looks for memories that fit the last message of the user, `limit` at most and of
    about `max_tokens`, and puts the text and the receipt into the state at `memory`. `outcome_node`
    reports an episode with the outcome of the run, once, so that the memories of the receipt get
    credit or blame: above all the first 10 that `used` names. The episode has neither the question
    nor the answer. Under a `user`, the client's scope does not hold.

    The constructor raises TypeError for another client, and for a `judge` or `used` that is no
    function. A `user` without a name raises InvalidCall, also from the function. Both nodes raise
    MembraneError, and `outcome_node` ValueError for another outcome of `judge`, before the report.
    """

    def __init__(
        self,
        client: Membrane | AsyncMembrane,
        *,
        scope: str | None = None,
        user: User | Callable[[RunnableConfig], User] = NOT_GIVEN,
        limit: int = 8,
        max_tokens: int | None = None,
        judge: Judge = outcome_of,
        used: Used = lambda _: (),
    ) -> None:
        require_client(client, Membrane, AsyncMembrane)
        for name, function in (("judge", judge), ("used", used)):
            if not callable(function):
                raise TypeError(f"{name} is {function!r}: expected a function")
        if not callable(user):
            require_user(user)
        self._user = user if callable(user) else lambda _: user
        self._scope, self._limit, self._max_tokens = scope, limit, max_tokens
        self._judge, self._used = judge, used
        self.recall_node = _node("recall", client, self._recall)
        self.outcome_node = _node("outcome", client, self._report)

    def _recall(self, api: Routes, state: State, config: RunnableConfig) -> Steps[_Update]:
        user = self._user(config)
        require_user(user)
        question, _ = _last_turn(state)
        if not question:
            return {"memory": {"text": "", "ids": [], "receipt_id": None}}
        found = yield from recall(
            api,
            question,
            limit=self._limit,
            user=user,
            scope=self._scope,
            view="prompt",
            max_tokens=self._max_tokens,
        )
        text = found.text if found.ids else ""
        return {"memory": {"text": text, "ids": [*found.ids], "receipt_id": found.receipt_id}}

    def _report(self, api: Routes, state: State, config: RunnableConfig) -> Steps[_Update]:
        _, messages = _last_turn(state)
        memory: Recollection = state.get("memory", {})
        status = self._judge(messages)
        if status is None:
            return {"memory": memory}
        if status not in OUTCOMES:
            raise ValueError(f"judge returned {status!r}: expected {', '.join(OUTCOMES)} or None")
        recalled = memory.get("ids", ())
        used = [each for each in dict.fromkeys(self._used(state)) if each in recalled]
        user, receipt_id = self._user(config), memory.get("receipt_id")
        scope = api.usual_scope(user) if self._scope is None else self._scope
        thread = str(config.get("configurable", {}).get("thread_id") or THREAD)
        turn = _turn(receipt_id, f"{scope} {user} {thread}", state["messages"])
        episode = yield from api.ingest_event(
            "agent_turn",
            thread,
            summary=SUMMARY,
            scope=self._scope,
            user=user,
            idempotency_key=turn and f"{turn}-episode",
        )
        yield from outcome(
            api,
            episode.id,
            status,
            receipt_id=receipt_id,
            used_ids=used[:MAX_USED],
            user=user,
            idempotency_key=turn and f"{turn}-outcome",
        )
        return {"memory": {**memory, "episode_id": episode.id, "outcome": status}}


def with_memory(state: State) -> list[BaseMessage]:
    """The memories as a system message, then the state's messages: a `prompt` of an agent."""
    text = state.get("memory", {}).get("text", "")
    return [*([SystemMessage(text)] if text else []), *state["messages"]]


def _node(
    name: str, client: Membrane | AsyncMembrane, steps: Callable[..., Steps[_Update]]
) -> RunnableLambda[Any, _Update]:
    def node(state: State, config: RunnableConfig) -> Any:
        return client._run(steps(client._api, state, config))  # noqa: SLF001 - calls of the client

    async def run_async(state: State, config: RunnableConfig) -> Any:
        return await node(state, config)

    return RunnableLambda(node if isinstance(client, Membrane) else run_async, name=name)


def _last_turn(state: State) -> tuple[str, Sequence[BaseMessage]]:
    """The text of the user's last message, and the messages since; all messages without a user."""
    messages: Sequence[BaseMessage] = state["messages"]
    for position in reversed(range(len(messages))):
        if isinstance(messages[position], HumanMessage):
            return messages[position].text.strip(), messages[position + 1 :]
    return "", messages


def _turn(receipt_id: str | None, thread: str, messages: Sequence[BaseMessage]) -> str | None:
    """A name of the turn, the same for a repeated node; None for a turn that cannot be known."""
    last = messages[-1].id if messages else None
    if receipt_id is None and last is None:
        return None
    return sha256(f"{receipt_id or thread} {last}".encode()).hexdigest()
