"""Calls generated from the schemas: a refusal or an answer within the budget, never a fault."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.schemas import input_schema
from membrane.usecases.tools.memstate.table import MEMSTATE_TOOLS
from membrane.usecases.tools.tool import Tool
from tests.worlds.depth import examples
from tests.worlds.memstate_tools import Keeper

TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="!?{}[]\"'\\~/", min_size=200, max_size=400),
    st.sampled_from(
        ["city", "contact", "phone", "contact.phone", "Ada", "\u202e\x00", "has_detail"]
    ),
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)

ILL_FORMED = st.one_of(JSON, st.none(), st.sampled_from(["yes", "12", "", "1e9", 1.5]))


def values(name: str, schema: JsonObject, known: list[str]) -> st.SearchStrategy[Any]:
    """Values that fit the schema of an argument, and some that do not."""
    if name.endswith("topic_id"):
        return st.sampled_from([*known, "absent", ""]) | TEXTS
    if name == "path":
        paths = ("/topic/fields", "/fields", "/field/history/0/value", "/topic", "/ok")
        return st.sampled_from(["", *paths]) | TEXTS
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


def arguments(tool: Tool, known: list[str]) -> st.SearchStrategy[JsonObject]:
    """Some of the arguments of the tool, required ones too."""
    schema = input_schema(tool.arguments)
    drawn = {name: values(name, each, known) for name, each in schema["properties"].items()}
    return st.fixed_dictionaries({}, optional=drawn)


@pytest.mark.parametrize("tool", MEMSTATE_TOOLS, ids=lambda tool: tool.name)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_every_call_is_answered_within_the_budget_or_refused(
    tool: Tool, data: st.DataObject
) -> None:
    """The keeper checks every answer against the budget."""
    keeper = Keeper()
    ada = keeper.topic("Ada", city="London", phone="1", note="n" * 5_000)
    rome = keeper.topic("Rome", city=[1, 2])
    keeper.relate(ada, rome)
    keeper.do(
        "memory_nest_fields_in_topic", topic_id=ada, field_names=["phone"], nest_key="contact"
    )
    known = [ada, rome]

    for _ in range(2):
        with suppress(InvalidArgument):
            answer = keeper.answer(tool.name, **data.draw(arguments(tool, known)))

            assert answer.is_error is not answer.reply["ok"]


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_whatever_was_written_is_read_within_the_budget_and_whole(data: st.DataObject) -> None:
    keeper = Keeper()
    ada = keeper.topic("Ada")
    texts = st.text(
        st.characters(exclude_categories=["Cs"]), max_size=data.draw(st.integers(0, 5_000))
    )
    names = st.text("ab/~.\u4e16", min_size=1, max_size=40).filter(str.strip)
    written = data.draw(st.dictionaries(names, texts | JSON, max_size=6))
    for name, value in written.items():
        keeper.append(ada, name, value)

    for tool in ("memory_get_topic", "memory_get_topic_schema"):
        keeper.do(tool, topic_id=ada)
    for page in ("memory_list_topics", "memory_topics_schema_page", "memory_graph_snapshot"):
        keeper.pages(page)
    for name, value in written.items():
        asked = {"topic_id": ada, "field_name": name}
        shown = keeper.do("memory_get_field", **asked)["field"]["value"]
        parts = keeper.read_on("memory_get_field", "/field/value", **asked)
        if isinstance(value, str):
            assert "".join(parts) == value
        assert shown == value or isinstance(shown, str)
