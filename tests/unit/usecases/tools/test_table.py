"""The table of tools: who sees which, in which form, and at what price."""

from typing import Any

import pytest

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import InvalidArgument, NotFound, PermissionDenied, Unavailable
from membrane.domain.tools.requests import ListTools, Profile, ToolFormat
from membrane.usecases.machinery.calls import Call
from membrane.usecases.tools.call_tool import call_tool
from membrane.usecases.tools.list_tools import list_tools
from membrane.usecases.tools.table import AGENT_TOOLS, tool_named, tools_of
from membrane.usecases.tools.tool import ToolAnswer
from tests.fakes.operators import Reports
from tests.fakes.recent_writes import FakeRecentWrites
from tests.fakes.tool_world import tooled
from tests.worlds.tools import SCOPE, Agent, key

READING = ["recall", "read", "about", "working_state"]


def names(principal: Principal) -> list[str]:
    return [each.name for each in tools_of(Profile.AGENT, principal)]


def listed(principal: Principal, form: str | None = None) -> list[dict[str, Any]]:
    """The descriptions that the key gets."""
    request = ListTools(format=None if form is None else ToolFormat(form))
    return list_tools(request, Call(principal, "ListTools", None, b""), tooled())["tools"]


@pytest.mark.parametrize(
    ("permissions", "seen"),
    [
        (["read"], READING),
        (["ingest"], ["remember", "record_outcome", "working_state"]),
        (["revise"], ["correct", "forget"]),
        (["admin"], []),
        (["read", "ingest", "revise"], [each.name for each in AGENT_TOOLS]),
    ],
    ids=["read", "ingest", "revise", "admin", "all"],
)
def test_the_permissions_of_a_key_decide_which_tools_it_sees(
    permissions: list[str], seen: list[str]
) -> None:
    assert names(key(*permissions)) == seen


def test_a_tool_that_a_key_does_not_see_is_not_found_and_the_own_tools_are_named() -> None:
    with pytest.raises(NotFound, match=r"its tools: recall, read, about, working_state$"):
        tool_named("forget", key("read"))


def test_a_tool_at_hand_is_refused_without_the_permission() -> None:
    forget = next(each for each in AGENT_TOOLS if each.name == "forget")

    with pytest.raises(PermissionDenied, match="revise is required"):
        call_tool(forget, {"ids": ["a"]}, key("read"), tooled())


@pytest.mark.parametrize("given", [None, [], "query", 3])
def test_arguments_are_an_object(given: object) -> None:
    principal = key("read")

    with pytest.raises(InvalidArgument, match="the arguments must be a JSON object"):
        call_tool(tool_named("recall", principal), given, principal, tooled())


def test_a_key_with_users_reads_and_writes_for_the_named_user_alone() -> None:
    users = key(scopes=("app:*",), user_prefix="app:", user_required=True)
    agent = Agent(principal=users)
    tea = agent.remember("I prefer tea", user="ann")

    assert agent.recalled("tea", user="ann") == [tea]
    assert agent.recalled("tea", user="bob") == []
    with pytest.raises(PermissionDenied, match="user is required"):
        agent.recalled("tea")


def test_the_user_is_an_argument_for_keys_that_take_a_user_alone() -> None:
    users = key(scopes=("app:*",), user_prefix="app:", user_required=True)

    schemas = [each["inputSchema"] for each in listed(users)]
    assert all("user" in each["required"] for each in schemas)
    assert all("user" not in each["inputSchema"]["properties"] for each in listed(key()))


def test_each_form_has_the_names_of_its_api() -> None:
    recall = {form.value: listed(key(), form)[0] for form in ToolFormat}

    schema = recall["mcp"]["inputSchema"]
    description = recall["mcp"]["description"]
    named = {"name": "recall", "description": description}
    assert schema["properties"]["types"]["items"]["enum"][0] == "episodic"
    assert recall["mcp"]["outputSchema"]["required"] == ["memories", "scopes", "withheld"]
    assert recall["mcp"]["annotations"] == {"readOnlyHint": True, "openWorldHint": False}
    assert recall["anthropic"] == {**named, "input_schema": schema}
    assert recall["openai"] == {"type": "function", "function": {**named, "parameters": schema}}
    assert recall["bedrock"] == {"toolSpec": {**named, "inputSchema": {"json": schema}}}


def test_only_tools_that_change_memory_are_called_destructive() -> None:
    """A client assumes that a tool without a hint is destructive."""
    hints = {each["name"]: each["annotations"] for each in listed(key())}

    assert [name for name, each in hints.items() if each.get("readOnlyHint")] == [
        "recall",
        "read",
        "about",
    ]
    assert [
        name
        for name, each in hints.items()
        if not each.get("readOnlyHint") and each.get("destructiveHint", True)
    ] == ["correct", "forget"]


def test_a_write_that_the_service_cannot_note_stands_and_is_reported() -> None:
    failing = FakeRecentWrites(failing=Unavailable("no answer"))
    agent = Agent(tooled(recent_writes=failing))

    tea = agent.remember("Alice prefers tea")

    assert agent.stored(tea).id == tea
    assert isinstance(agent.services.report, Reports)
    assert ("tools/remember", "FAULT") in agent.services.report.told


def test_the_next_call_reads_by_the_tokens_of_the_last_writes() -> None:
    notes = FakeRecentWrites()
    agent = Agent(tooled(recent_writes=notes))
    agent.remember("Alice prefers tea")
    agent.call("working_state", thread_id="t1", state="done")

    assert len(notes.read(agent.principal.identity)) == 2
    assert notes.read(key(scopes=(SCOPE, "team:b")).identity) == ()


def test_a_call_without_a_user_reads_what_was_written_for_any_user() -> None:
    notes = FakeRecentWrites()
    agent = Agent(tooled(recent_writes=notes), key(scopes=("app:*",), user_prefix="app:"))
    tea = agent.remember("I prefer tea", user="ann")
    agent.remember("I prefer coffee", user="bob")

    assert len(notes.read(agent.principal.identity)) == 2
    assert len(notes.read(agent.principal.acting_for("ann").identity)) == 1
    assert tea in agent.recalled("tea")


def test_a_repeat_under_a_key_writes_nothing_and_tells_of_a_deletion_in_between() -> None:
    agent = Agent()
    tool = tool_named("remember", agent.principal)

    def remember() -> ToolAnswer:
        return call_tool(tool, {"text": "tea"}, agent.principal, agent.services, "key-1")

    first, again = remember(), remember()
    agent.call("forget", ids=[first.reply["id"]])
    gone = remember()

    assert again.reply == first.reply
    assert gone.is_error
    assert gone.text.startswith(f"A repeat: the memory {first.reply['id']} of the first call was")
