"""Calls generated from the schemas: a refusal or an answer within the budget, never a fault."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.worlds.agents import MAX_TEXT_TOKENS, Agent, Keeper, tokens_in
from tests.worlds.depth import examples

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.text(alphabet="!?{}[]\"'\\~/", min_size=200, max_size=400),
    st.sampled_from(
        ["team:a", "2026-01-01T00:00:00Z", "Ada", "\u202e\x00", "city", "contact.phone"]
    ),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ILL_FORMED = st.one_of(JSON, st.none(), st.sampled_from(["yes", "12", "", "1e9", 1.5]))
PATHS = ("", "/topic/fields", "/fields", "/field/history/0/value", "/topic", "/ok")


def values(name: str, schema: dict[str, Any], known: list[str]) -> st.SearchStrategy[Any]:
    """Values that fit the schema of an argument, and some that do not."""
    if name.endswith(("topic_id", "id", "ids")):
        ids = st.sampled_from([*known, "absent", ""]) | TEXTS
        return st.lists(ids, max_size=12) if schema.get("type") == "array" else ids
    if name == "path":
        return st.sampled_from(PATHS) | TEXTS
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | ILL_FORMED
    match schema.get("type"):
        case "string":
            return TEXTS | ILL_FORMED
        case "integer":
            return st.integers(-2, 60) | ILL_FORMED
        case "number":
            return st.floats(0, 10) | ILL_FORMED
        case "boolean":
            return st.booleans() | ILL_FORMED
        case "array":
            return st.lists(TEXTS, max_size=12) | ILL_FORMED
        case _:
            return JSON


def arguments(tool: dict[str, Any], known: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the arguments of the tool, required ones too."""
    schema = tool["inputSchema"]
    drawn = {name: values(name, each, known) for name, each in schema["properties"].items()}
    return st.fixed_dictionaries({}, optional=drawn)


@pytest.mark.parametrize("profile", ["agent", "search", "memstate"])
def test_every_call_is_answered_within_the_budget_or_refused(keeper: Keeper, profile: str) -> None:
    """The world checks every answer against the budget."""
    ada = keeper.topic("Ada", city="London", phone="1", note="n" * 5_000)
    rome = keeper.topic("Rome", city=[1, 2])
    keeper.relate(ada, rome)
    keeper.nest(ada, "contact", "phone")
    facts = [keeper.remember("Alice prefers tea"), keeper.remember_fact("Alice", "likes", "tea")]
    tools = keeper.api.get(f"/v1/tools?profile={profile}", key=keeper.key).body["tools"]

    for tool in tools:
        call_often(keeper, tool, [ada, rome, *facts])


def call_often(keeper: Keeper, tool: dict[str, Any], known: list[str]) -> None:
    is_memstates = tool["name"].startswith(("memory_", "study_"))

    @settings(max_examples=examples(60), deadline=None)
    @given(asked=arguments(tool, known))
    def call(asked: dict[str, Any]) -> None:
        reply = keeper.ask(tool["name"], asked)
        assert reply.status in (200, 400, 403, 404, 409), reply.body
        if reply.status == 200:
            assert tokens_in(reply.body["text"]) <= MAX_TEXT_TOKENS
            is_error = bool(reply.body.get("is_error"))
            assert not is_memstates or is_error is not reply.body["result"]["ok"]

    call()


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(texts=st.lists(st.text(min_size=1, max_size=3_000), min_size=1, max_size=8))
def test_whatever_was_remembered_is_shown_within_the_budget(agent: Agent, texts: list[str]) -> None:
    for text in texts:
        assert agent.ask("remember", {"text": text}).status in (200, 400)

    agent.call("recall", limit=20)
    agent.call("about", name="tea")


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    written=st.dictionaries(
        st.text("ab/~.\u4e16", min_size=1, max_size=40).filter(str.strip),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5_000) | JSON,
        max_size=6,
    )
)
def test_whatever_was_written_is_read_within_the_budget_and_whole(
    keeper: Keeper, written: dict[str, Any]
) -> None:
    ada = keeper.do("memory_create_topic", title="Ada")["topic_id"]
    for name, value in written.items():
        keeper.append(ada, name, value, field_type="string" if isinstance(value, str) else None)

    for tool in ("memory_get_topic", "memory_get_topic_schema"):
        keeper.do(tool, topic_id=ada)
    for page in ("memory_list_topics", "memory_topics_schema_page", "memory_graph_snapshot"):
        keeper.do(page)
    for name, value in written.items():
        asked = {"topic_id": ada, "field_name": name}
        shown = keeper.do("memory_get_field", **asked)["field"]["value"]
        if isinstance(value, str):
            parts = keeper.read_on("memory_get_field", "/field/value", **asked)
            assert "".join(parts) == value
        assert shown == value or isinstance(shown, str)
