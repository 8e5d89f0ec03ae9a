"""Every pattern and parser of the layer reads every text in linear time.

Patterns and parsers are found by walking the layer's modules, so that a new one is measured too.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

import membrane
from membrane.domain.search.searchable import searchable
from tests.builders.hostile_contents import UNITS, hostile
from tests.builders.records import NOW, a_record_of, an_event
from tests.growth import Read, is_linear
from tests.worlds.depth import cases

LAYER = Path(membrane.__file__).parent
FILLED = {int: 3, float: 3.0, datetime: NOW, bytes: b"key"}
"""What stands for the parameters of a parser that are not its text."""

REPEATED = tuple(cases(UNITS, (" ", "a", "0", "[", "\u0300", "May ", '"a",')))

PARSERS_OF = ("membrane.domain.", "membrane.adapters.aws_lambda.")
"""Where texts from callers are parsed."""


def modules() -> Iterator[ModuleType]:
    return (import_module(each.name) for each in walk_packages(membrane.__path__, "membrane."))


def patterns() -> Mapping[str, re.Pattern[Any]]:
    return {
        f"{module.__name__}.{name}": value
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    }


def is_text(parameter: inspect.Parameter) -> bool:
    return parameter.annotation in (str, str | bytes, set[str], Iterable[str])


def parsers() -> Mapping[str, Callable[..., object]]:
    """The functions that take a text, and beside it nothing that only the caller could make."""
    return {
        f"{module.__name__}.{name}": value
        for module in modules()
        if module.__name__.startswith(PARSERS_OF)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and takes_text(value)
    }


def takes_text(function: Callable[..., object]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    needed = [each for each in parameters if each.default is each.empty]
    filled = all(is_text(each) or each.annotation in FILLED for each in needed)
    return filled and any(map(is_text, parameters))


def parsing(function: Callable[..., object]) -> Iterator[Read]:
    """Calls of the function, each with the text in the place of another of its parameters."""
    parameters = inspect.signature(function).parameters.values()
    for hostile_one in filter(is_text, parameters):
        yield partial(call, function, hostile_one.name)


def call(function: Callable[..., object], name: str, text: str) -> None:
    """A refusal of the text is an answer too."""
    positional, named = list[Any](), dict[str, Any]()
    for each in inspect.signature(function).parameters.values():
        value = argument(each, text if each.name == name else "x")
        if each.kind is each.KEYWORD_ONLY:
            named[each.name] = value
        else:
            positional.append(value)
    with suppress(Exception):
        exhaust(function(*positional, **named))


def argument(parameter: inspect.Parameter, text: str) -> Any:
    if is_text(parameter):
        return text if parameter.annotation in (str, str | bytes) else {text}
    given = parameter.default is not parameter.empty
    return parameter.default if given else FILLED[parameter.annotation]


def exhaust(found: object) -> None:
    if isinstance(found, Iterator):
        for _ in found:
            pass


def words_in(pattern: re.Pattern[Any]) -> tuple[str, ...]:
    """What a pattern names itself: its characters, and its words in a row."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode()
    words = re.findall(r"[a-z]{2,}", source)
    return (*sorted(set(source)), *(f"{word} " for word in sorted(set(words))))


def finding(pattern: re.Pattern[Any]) -> Read:
    """Finds all that the pattern finds in a text, and matches the whole text."""

    def find(text: str) -> None:
        exhaust(pattern.finditer(text))
        pattern.fullmatch(text)

    return find


def slow(name: str, read: Read, *made_of: tuple[str, ...]) -> Iterator[str]:
    for made, text_of in hostile(*made_of):
        if not is_linear(read, text_of):
            yield f"{name} over {made}"


def test_every_pattern_reads_hostile_texts_in_linear_time() -> None:
    found = [
        each
        for name, pattern in patterns().items()
        for each in slow(name, finding(pattern), (*REPEATED, *words_in(pattern)))
    ]

    assert found == []


def test_every_parser_reads_hostile_texts_in_linear_time() -> None:
    found = [
        each
        for name, parser in parsers().items()
        for read in parsing(parser)
        for each in slow(name, read, REPEATED, ("!x1",))
    ]

    assert found == []


@pytest.mark.parametrize(
    "field", cases(["ref", "summary", "source", "event_kind"], ["ref", "summary"])
)
def test_what_is_searched_of_an_event_is_read_in_linear_time(field: str) -> None:
    def read(text: str) -> None:
        searchable(a_record_of(an_event(**{field: text})))

    assert [*slow(field, read)] == []


def test_no_pattern_is_hidden() -> None:
    """A pattern stands at the top of a module, where the walk finds it; no call makes another."""
    hidden = [
        f"{path.relative_to(LAYER)}:{node.lineno}"
        for path in sorted(LAYER.rglob("*.py"))
        for node in hidden_patterns(ast.parse(path.read_text()))
    ]

    assert hidden == []


def hidden_patterns(module: ast.Module) -> Iterator[ast.expr | ast.stmt]:
    at_top = {id(each.value) for each in module.body if isinstance(each, ast.Assign)}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            yield node
        if isinstance(node, ast.Call) and is_of_re(node.func) and id(node) not in at_top:
            yield node


def is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr != "escape"
    )


def test_the_walk_finds_patterns_and_parsers() -> None:
    assert {"membrane.domain.language.timestamps._PATTERN"} <= patterns().keys()
    assert {
        "membrane.domain.language.json_text.parse_json",
        "membrane.domain.search.questions.periods_in",
        "membrane.domain.search.questions.question_of",
        "membrane.domain.search.searchable.marks_of",
        "membrane.domain.language.cursors.decode",
        "membrane.domain.language.fields.record_named",
        "membrane.domain.language.names.normalise_text",
    } <= parsers().keys()
