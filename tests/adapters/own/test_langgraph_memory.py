"""An agent of LangGraph with a scripted model: recall before the model, outcome after it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import create_react_agent
from local_stack import new_async_client, new_scope

from membrane_client import Conflict, InvalidCall, Membrane
from membrane_client.langgraph import MembraneMemory, MemoryState, Recollection, with_memory
from membrane_client.langgraph.memory import outcome_of

ANSWER = "Ada drinks green tea."
QUESTION = {"messages": [HumanMessage("What does Ada drink?")]}


class Scripted:
    """A model that notes what it reads."""

    def __init__(self, *answers: str) -> None:
        self.read: list[BaseMessage] = []
        self._model = GenericFakeChatModel(messages=iter(map(AIMessage, answers)))

    def node(self, state: MemoryState) -> dict[str, list[BaseMessage]]:
        self.read = with_memory(state)
        return {"messages": [self._model.invoke(self.read)]}


class _PrebuiltState(MemoryState):
    remaining_steps: int


def _agent(memory: MembraneMemory, model: Scripted, saver: InMemorySaver | None = None) -> Any:
    graph = StateGraph(MemoryState)
    graph.add_node("recall", memory.recall_node)
    graph.add_node("model", model.node)
    graph.add_node("outcome", memory.outcome_node)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "model")
    graph.add_edge("model", "outcome")
    graph.add_edge("outcome", END)
    return graph.compile(checkpointer=saver)


@pytest.fixture
def known(client: Membrane, scope: str) -> str:
    """The id of a fact in the scope."""
    return client.remember("Ada", "drinks", "green tea", scope=scope).id


def test_the_model_reads_the_memories_and_the_receipt_is_in_the_state(
    client: Membrane, scope: str, known: str
) -> None:
    model = Scripted(ANSWER)

    state = _agent(MembraneMemory(client, scope=scope), model).invoke(QUESTION)

    system, question = model.read
    assert isinstance(system, SystemMessage)
    assert "green tea" in system.text
    assert question.text == "What does Ada drink?"
    assert state["memory"]["ids"] == [known]
    receipt = client.read_receipt(state["memory"]["receipt_id"])
    assert known in str(receipt.raw)


def test_a_success_is_reported_and_the_memory_gets_credit(
    client: Membrane, scope: str, known: str
) -> None:
    memory = MembraneMemory(client, scope=scope, used=lambda state: state["memory"]["ids"])
    config = RunnableConfig(configurable={"thread_id": "thread-7"})

    state = _agent(memory, Scripted(ANSWER)).invoke(QUESTION, config)

    assert state["memory"]["outcome"] == "success"
    episode = client.retrieve_by_id(state["memory"]["episode_id"]).raw
    assert episode["type"] == "episodic"
    assert episode["payload"]["outcome"] == "success"
    assert "What does Ada drink?" not in str(episode["payload"])
    assert "thread-7" in str(episode["payload"])
    actions = [each.action for each in client.read_audit(known)]
    assert "reinforce" in actions


def test_a_failure_penalizes_the_memory(client: Membrane, scope: str, known: str) -> None:
    memory = MembraneMemory(client, scope=scope, judge=lambda _: "failure")

    state = _agent(memory, Scripted("Coffee.")).invoke(QUESTION)

    assert state["memory"]["outcome"] == "failure"
    actions = [each.action for each in client.read_audit(known)]
    assert "reinforce" not in actions
    assert len(actions) > 1


def test_a_question_that_is_asked_again_finds_the_fact_first(
    client: Membrane, scope: str, known: str
) -> None:
    memory = MembraneMemory(client, scope=scope, used=lambda state: state["memory"]["ids"])
    turns = 9
    agent = _agent(memory, Scripted(*[ANSWER] * turns), InMemorySaver())
    config = RunnableConfig(configurable={"thread_id": "drinks"})

    recalled = [agent.invoke(QUESTION, config)["memory"]["ids"] for _ in range(turns)]

    assert {ids[0] for ids in recalled} == {known}


def test_the_words_of_other_questions_do_not_find_the_outcomes(
    client: Membrane, scope: str
) -> None:
    known = client.remember("The lamp", "is switched on by", "the left button", scope=scope).id
    memory = MembraneMemory(client, scope=scope)
    agent = _agent(memory, Scripted(*[ANSWER] * 3))
    for _ in range(3):
        agent.invoke({"messages": [HumanMessage("How do I turn on the lamp?")]})

    found = client.recall("How does the agent turn on the lamp?", scope=scope)

    assert [each.id for each in found] == [known]


def test_of_the_used_records_the_first_ten_that_were_recalled_are_named(
    client: Membrane, scope: str
) -> None:
    for number in range(12):
        client.remember(f"Ada noted on day {number} that she drinks green tea", scope=scope)
    other = client.remember("Bob", "rides", "a bicycle", scope=new_scope()).id
    memory = MembraneMemory(
        client,
        scope=scope,
        limit=12,
        max_tokens=2_000,
        used=lambda state: [other, "unknown", *state["memory"]["ids"] * 2],
    )

    state = _agent(memory, Scripted(ANSWER)).invoke(QUESTION)["memory"]

    assert len(state["ids"]) == 12
    assert state["outcome"] == "success"
    reinforced = [
        record_id
        for record_id in state["ids"]
        if "reinforce" in [each.action for each in client.read_audit(record_id)]
    ]
    assert reinforced == state["ids"][:10]


def test_another_outcome_of_the_judge_is_refused_before_the_report(
    client: Membrane, scope: str, known: str
) -> None:
    memory = MembraneMemory(client, scope=scope, judge=lambda _: "good")

    with pytest.raises(ValueError, match="judge returned 'good': expected success"):
        _agent(memory, Scripted(ANSWER)).invoke(QUESTION)

    assert [each.id for each in client.get_all(scope=scope)] == [known]


def test_a_client_and_functions_of_another_type_are_refused(client: Membrane) -> None:
    with pytest.raises(TypeError, match="str: expected Membrane or AsyncMembrane"):
        MembraneMemory("http://127.0.0.1:8765")  # type: ignore[arg-type]  # refused
    with pytest.raises(TypeError, match="judge is 'success'"):
        MembraneMemory(client, judge="success")  # type: ignore[arg-type]  # refused
    with pytest.raises(TypeError, match="used is None"):
        MembraneMemory(client, used=None)  # type: ignore[arg-type]  # refused


def test_the_prebuilt_agent_recalls_and_reports(client: Membrane, scope: str, known: str) -> None:
    memory = MembraneMemory(client, scope=scope)
    model = GenericFakeChatModel(messages=iter([AIMessage(ANSWER)]))
    with pytest.warns(DeprecationWarning, match="langchain.agents"):
        agent = create_react_agent(
            model,
            tools=[],
            prompt=with_memory,
            state_schema=_PrebuiltState,
            pre_model_hook=memory.recall_node,
            post_model_hook=memory.outcome_node,
        )

    state = agent.invoke(QUESTION)

    assert state["memory"]["ids"] == [known]
    assert state["memory"]["outcome"] == "success"
    assert state["messages"][-1].text == ANSWER


def test_under_a_user_the_scope_of_the_client_does_not_hold(client: Membrane, scope: str) -> None:
    user = f"ada-{new_scope()}"
    known = client.remember("Ada", "drinks", "green tea", user=user).id
    client.remember("Ada", "drinks", "coffee", scope=scope)
    memory = MembraneMemory(client.with_options(scope=scope), user=user)

    state = _agent(memory, Scripted(ANSWER)).invoke(QUESTION)

    assert state["memory"]["ids"] == [known]


def test_the_user_of_a_run_needs_a_name_also_where_nothing_is_asked(client: Membrane) -> None:
    memory = MembraneMemory(client, user=lambda config: config["configurable"]["user_id"])
    config = RunnableConfig(configurable={"user_id": ""})

    with pytest.raises(InvalidCall):
        memory.recall_node.invoke({"messages": []}, config)


def test_an_async_client_and_the_user_of_the_run(client: Membrane) -> None:
    user = f"ada-{new_scope()}"
    model = Scripted(ANSWER)

    async def run() -> Any:
        async with new_async_client() as awaited:
            await awaited.remember("Ada", "drinks", "green tea", user=user)
            memory = MembraneMemory(
                awaited, user=lambda config: config["configurable"]["user_id"], max_tokens=500
            )
            config = RunnableConfig(configurable={"user_id": user})
            return await _agent(memory, model).ainvoke(QUESTION, config)

    state = asyncio.run(run())

    assert "green tea" in model.read[0].text
    assert state["memory"]["outcome"] == "success"
    assert client.retrieve_by_id(state["memory"]["episode_id"], user=user).id


def test_a_second_turn_recalls_anew(client: Membrane, scope: str, known: str) -> None:
    agent = _agent(
        MembraneMemory(client, scope=scope), Scripted(ANSWER, "Since 2019."), InMemorySaver()
    )
    config = RunnableConfig(configurable={"thread_id": "t"})

    first = agent.invoke(QUESTION, config)["memory"]
    second = agent.invoke({"messages": [HumanMessage("Since when?")]}, config)["memory"]

    assert known in first["ids"]
    assert second["receipt_id"] not in {None, first["receipt_id"]}
    assert second["episode_id"] != first["episode_id"]


def test_a_repeated_outcome_is_reported_once(client: Membrane, scope: str, known: str) -> None:
    memory = MembraneMemory(client, scope=scope)
    state = _agent(memory, Scripted(ANSWER)).invoke(QUESTION)

    again = memory.outcome_node.invoke(state)

    assert again["memory"]["episode_id"] == state["memory"]["episode_id"]
    assert [each.action for each in client.read_audit(known)].count("reinforce") == 1


def test_a_repeated_outcome_without_a_receipt_is_reported_once(
    client: Membrane, scope: str
) -> None:
    node = MembraneMemory(client, scope=scope).outcome_node
    memory = Recollection(text="", ids=[], receipt_id=None)

    def episode_of(message_id: str, thread: str) -> str:
        config = RunnableConfig(configurable={"thread_id": thread})
        state = {"messages": [AIMessage("Welcome.", id=message_id)], "memory": memory}
        episode: str = node.invoke(state, config)["memory"]["episode_id"]
        return episode

    first = episode_of("1", "a")

    assert episode_of("1", "a") == first
    assert len({first, episode_of("2", "a"), episode_of("1", "b")}) == 3


def test_without_memories_and_without_a_question_the_model_reads_the_messages_alone(
    client: Membrane, scope: str
) -> None:
    model = Scripted("Hello.", "Hello.")
    agent = _agent(MembraneMemory(client, scope=scope), model)

    agent.invoke({"messages": [HumanMessage("Who is Ada?")]})
    assert [each.text for each in model.read] == ["Who is Ada?"]

    state = agent.invoke({"messages": [AIMessage("Welcome.")]})
    assert [each.text for each in model.read] == ["Welcome."]
    assert state["memory"]["receipt_id"] is None


def test_a_refusal_is_raised(client: Membrane, scope: str) -> None:
    memory = MembraneMemory(client, scope=scope)
    state = _agent(memory, Scripted(ANSWER)).invoke(QUESTION)
    other = MembraneMemory(client, scope=scope, judge=lambda _: "partial")

    with pytest.raises(Conflict):
        other.outcome_node.invoke(state)


def _tool(status: str) -> ToolMessage:
    return ToolMessage("result", tool_call_id="1", status=status)


_CALL = AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "1"}])


@pytest.mark.parametrize(
    ("messages", "outcome"),
    [
        ([AIMessage("Tea.")], "success"),
        ([_CALL, _tool("success"), AIMessage("Tea.")], "success"),
        ([_CALL, _tool("error"), AIMessage("Tea.")], "partial"),
        ([AIMessage(" ")], "failure"),
        ([_CALL, _tool("success")], "failure"),
        ([], "failure"),
        ([_CALL], None),
    ],
)
def test_the_usual_judge(messages: Sequence[BaseMessage], outcome: str | None) -> None:
    assert outcome_of(messages) == outcome
