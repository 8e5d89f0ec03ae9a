"""Reads DynamoDB's expressions: recursive descent from the text to functions of an item.

The grammar is that of AWS, "Using expressions in DynamoDB".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from membrane_local.memory.attributes import EXACT, Item, Refused, Value, invalid, number_text
from membrane_local.memory.operators import (
    TESTS,
    DocumentPath,
    append,
    at,
    number_of,
    require,
    size,
)

Values = Mapping[str, Value]
Condition = Callable[[Item, Values], bool]
Operand = Callable[[Item, Values], Value | None]
"""Gives None where the attribute is absent."""

_ORDERS = ("<", "<=", ">", ">=")
_OF_PATH = ("attribute_exists", "attribute_not_exists")
_OF_PATH_AND_OPERAND = ("attribute_type", "begins_with", "contains")
_CLAUSES = ("SET", "REMOVE", "ADD", "DELETE")


class Comparison(NamedTuple):
    """A condition of a key or of a search: attribute, operator, and placeholders of values."""

    name: str
    operator: str
    values: tuple[str, ...]


class Change(NamedTuple):
    clause: str
    path: DocumentPath
    operand: Operand | None
    """None in REMOVE."""


@dataclass(slots=True)
class Parser:
    parameter: str
    tokens: Sequence[str]
    names: Mapping[str, str]
    position: int = 0
    used: set[str] = field(default_factory=set)
    """Placeholders of names and of values."""
    attributes: set[str] = field(default_factory=set)

    def condition(self) -> Condition:
        return self._junction("OR", any, lambda: self._junction("AND", all, self._negation))

    def comparisons(self) -> Sequence[Comparison]:
        """Comparisons joined by AND, each perhaps in parentheses."""
        return [each for part in self._list("AND", self._comparisons) for each in part]

    def paths(self) -> Sequence[DocumentPath]:
        found = self._list(",", self._path)
        _require_apart(self.parameter, found)
        return found

    def changes(self) -> Sequence[Change]:
        found: list[Change] = []
        clauses: set[str] = set()
        while self.position < len(self.tokens):
            clause = self._next().upper()
            if clause not in _CLAUSES:
                raise self.refusal(back=1)
            if clause in clauses:
                raise invalid(
                    f'Invalid UpdateExpression: The "{clause}" section can only be used once in an '
                    "update expression;"
                )
            clauses.add(clause)
            found += self._list(",", lambda clause=clause: self._change(clause))  # type: ignore[misc]  # mypy cannot infer it
        _require_apart(self.parameter, [each.path for each in found])
        return found

    def refusal(self, back: int = 0) -> Refused:
        at = self.position - back
        token = self.tokens[at] if at < len(self.tokens) else "<EOF>"
        near = " ".join(self.tokens[max(0, at - 1) : at + 2])
        return invalid(f'Invalid {self.parameter}: Syntax error; token: "{token}", near: "{near}"')

    # --- conditions ---

    def _negation(self) -> Condition:
        if self._takes("NOT"):
            negated = self._negation()
            return lambda item, values: not negated(item, values)
        return self._test()

    def _junction(
        self, word: str, holds: Callable[[Iterator[bool]], bool], part: Callable[[], Condition]
    ) -> Condition:
        parts: list[Condition] = self._list(word, part)
        if len(parts) == 1:
            return parts[0]
        return lambda item, values: holds(each(item, values) for each in parts)

    def _test(self) -> Condition:
        if self._takes("("):
            inner = self.condition()
            self._require(")")
            return inner
        word = self._peek()
        if word in _OF_PATH:
            self._next()
            operands = self._call(self._attribute)
        elif word in _OF_PATH_AND_OPERAND:
            self._next()
            operands = self._call(self._attribute, self._operand)
        else:
            operands, word = [self._operand()], self._next().upper()
            if word == "BETWEEN":
                operands.append(self._operand())
                self._require("AND")
                operands.append(self._operand())
            elif word == "IN":
                operands += self._call(lambda: self._list(",", self._operand))[0]
            elif word in ("=", "<>", *_ORDERS):
                operands.append(self._operand())
            else:
                raise self.refusal(back=1)
        test = TESTS[word]
        return lambda item, values: test(*(each(item, values) for each in operands))

    def _operand(self) -> Operand:
        if self._peek().startswith(":"):
            return self._content()
        if self._peek() == "size" and self.tokens[self.position + 1 : self.position + 2] == ["("]:
            self._next()
            (path,) = self._call(self._path)
            return lambda item, _: size(at(item, path))
        return self._attribute()

    def _attribute(self) -> Operand:
        path = self._path()
        return lambda item, _: at(item, path)

    def _content(self) -> Operand:
        value = self._value()
        return lambda _, values: values[value]

    def _comparisons(self) -> Sequence[Comparison]:
        if self._takes("("):
            found = self.comparisons()
            self._require(")")
            return found
        if self._takes("begins_with"):
            name, value = self._call(self._name, self._value)
            return [Comparison(name, "begins_with", (value,))]
        if self._peek().startswith(":"):
            value = self._value()
            self._require("=")
            return [Comparison(self._name(), "=", (value,))]
        name, word = self._name(), self._next().upper()
        if word == "IN":
            (values,) = self._call(lambda: self._list(",", self._value))
            return [Comparison(name, word, tuple(values))]
        if word not in ("BETWEEN", "=", *_ORDERS):
            raise invalid(f"Invalid operator used in {self.parameter}: {word}")
        values = [self._value()]
        if word == "BETWEEN":
            self._require("AND")
            values.append(self._value())
        return [Comparison(name, word, tuple(values))]

    # --- updates ---

    def _change(self, clause: str) -> Change:
        path = self._path()
        if clause == "REMOVE":
            return Change(clause, path, None)
        if clause == "SET":
            self._require("=")
            return Change(clause, path, self._sum())
        return Change(clause, path, self._content())

    def _sum(self) -> Operand:
        left = self._term()
        if (sign := self._peek()) not in ("+", "-"):
            return left
        self._next()
        right = self._term()

        def total(item: Item, values: Values) -> Value:
            ours, theirs = number_of(left(item, values)), number_of(right(item, values))
            added = EXACT.add(ours, theirs) if sign == "+" else EXACT.subtract(ours, theirs)
            return {"N": number_text(added)}

        return total

    def _term(self) -> Operand:
        if self._takes("("):
            inner = self._sum()
            self._require(")")
            return inner
        word = self._peek()
        if word == "if_not_exists":
            self._next()
            held, other = self._call(self._attribute, self._term)
            return lambda item, values: held(item, values) or other(item, values)
        if word == "list_append":
            self._next()
            one, other = self._call(self._term, self._term)
            return lambda item, values: append(one(item, values), other(item, values))
        if word.startswith(":"):
            return self._content()
        there = self._attribute()
        return lambda item, values: require(there(item, values))

    # --- words ---

    def _path(self) -> DocumentPath:
        steps: list[str | int] = [self._name()]
        self.attributes.add(str(steps[0]))
        while self._peek() in (".", "["):
            if self._next() == ".":
                steps.append(self._name())
                continue
            position = self._next()
            if not position.isdigit():
                raise self.refusal(back=1)
            steps.append(int(position))
            self._require("]")
        return tuple(steps)

    def _name(self) -> str:
        word = self._next()
        if word.startswith("#"):
            if word not in self.names:
                raise invalid(
                    f"Invalid {self.parameter}: An expression attribute name used in the document "
                    f"path is not defined; attribute name: {word}"
                )
            self.used.add(word)
            return self.names[word]
        if not (word[0].isalpha() or word[0] == "_"):
            raise self.refusal(back=1)
        if word.upper() in _reserved_words():
            raise invalid(
                f"Invalid {self.parameter}: Attribute name is a reserved keyword; "
                f"reserved keyword: {word}"
            )
        return word

    def _value(self) -> str:
        word = self._next()
        if not word.startswith(":"):
            raise self.refusal(back=1)
        self.used.add(word)
        return word

    def _list(self, separator: str, part: Callable[[], Any]) -> list[Any]:
        found = [part()]
        while self._takes(separator):
            found.append(part())
        return found

    def _call(self, *parts: Callable[[], Any]) -> list[Any]:
        """The arguments in parentheses."""
        found = []
        for number, part in enumerate(parts):
            self._require("," if number else "(")
            found.append(part())
        self._require(")")
        return found

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _next(self) -> str:
        if self.position == len(self.tokens):
            raise self.refusal()
        self.position += 1
        return self.tokens[self.position - 1]

    def _takes(self, word: str) -> bool:
        is_next = self._peek().upper() == word.upper()
        self.position += is_next
        return is_next

    def _require(self, word: str) -> None:
        if not self._takes(word):
            raise self.refusal()


@cache
def _reserved_words() -> frozenset[str]:
    """AWS, "Reserved words in DynamoDB", as moto lists them; moto itself is not loaded."""
    (folder,) = find_spec("moto").submodule_search_locations  # type: ignore[union-attr, misc]  # installed, a package
    return frozenset((Path(folder) / "dynamodb/parsing/reserved_keywords.txt").read_text().split())


def _require_apart(parameter: str, paths: Sequence[DocumentPath]) -> None:
    """Raises Refused for a path equal to, or below, a different path."""
    for number_, path in enumerate(paths):
        for other in paths[:number_]:
            shorter = min(len(path), len(other))
            if path[:shorter] == other[:shorter]:
                raise invalid(
                    f"Invalid {parameter}: Two document paths overlap with each other; must remove "
                    f"or rewrite one of these paths; path one: {_text_of(other)}, path two: "
                    f"{_text_of(path)}"
                )


def _text_of(path: DocumentPath) -> str:
    return f"[{', '.join(f'[{step}]' if isinstance(step, int) else step for step in path)}]"
