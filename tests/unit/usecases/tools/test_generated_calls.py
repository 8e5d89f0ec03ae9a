"""Calls generated from the schemas: a refusal or an answer within the budget, never a fault."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.language.blanks import is_blank
from membrane.domain.language.errors import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.schemas import input_schema
from membrane.domain.tools.texts import MAX_TEXT_TOKENS
from membrane.usecases.tools.table import AGENT_TOOLS, SEARCH_TOOLS
from membrane.usecases.tools.tool import Tool
from tests.worlds.depth import examples
from tests.worlds.tools import Agent

REFUSALS = (FailedPrecondition, InvalidArgument, NotFound, PermissionDenied)
"""What a caller may be told; any other error would be a fault of the service."""

TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="!?{}[]\"'\\", min_size=200, max_size=400),
    st.sampled_from(["team:a", "2026-01-01T00:00:00Z", "Alice", "\u202e\x00"]),
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def values(schema: JsonObject) -> st.SearchStrategy[Any]:
    """Values that fit the schema of an argument."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "string":
            return TEXTS
        case "integer":
            return st.integers(-1, 30)
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(values(schema["items"]), max_size=12)
        case _:
            return JSON


def arguments(tool: Tool) -> st.SearchStrategy[JsonObject]:
    """Arguments with the required names, and some of the others."""
    schema = input_schema(tool.arguments)
    drawn = {name: values(each) for name, each in schema["properties"].items()}
    required = {name: drawn[name] for name in schema.get("required", ())}
    optional = {name: each for name, each in drawn.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional)


@pytest.mark.parametrize("tool", [*AGENT_TOOLS, *SEARCH_TOOLS], ids=lambda tool: tool.name)
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_every_call_is_answered_within_the_budget_or_refused(
    tool: Tool, data: st.DataObject
) -> None:
    agent = Agent()
    known = [agent.remember("Alice prefers tea"), agent.remember_fact("Alice", "likes", "tea")]
    asked = data.draw(arguments(tool))
    if "id" in asked:
        asked["id"] = data.draw(st.sampled_from([*known, asked["id"]]))
    if "ids" in asked:
        asked["ids"] = [*asked["ids"], *data.draw(st.lists(st.sampled_from(known)))]

    with suppress(*REFUSALS):
        answer = agent.call(tool.name, **asked)

        assert tokens_in(answer.text) <= MAX_TEXT_TOKENS
        assert parse_json(compact_json(answer.reply)) == answer.reply


@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_whatever_was_remembered_is_shown_within_the_budget(data: st.DataObject) -> None:
    agent = Agent()
    for text in data.draw(st.lists(st.text(min_size=1, max_size=3_000), min_size=1, max_size=8)):
        if not is_blank(text):
            agent.remember(text)

    for tool in ("recall", "about"):
        asked = {"name": "tea"} if tool == "about" else {"limit": 20}
        assert tokens_in(agent.call(tool, **asked).text) <= MAX_TEXT_TOKENS
